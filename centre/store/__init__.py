"""The centre's store: the ledger lines of all venues in a schema of PostgreSQL, each line once."""
