"""The event's store: every table's ledger as it was received, what was released, and what all of it amounts to."""
