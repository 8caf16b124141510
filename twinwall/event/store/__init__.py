"""The event's store: every table's ledger as received, released slips, and what is computed from them."""
