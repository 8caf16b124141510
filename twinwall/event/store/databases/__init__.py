"""The databases that a store can lie in: one port, an adapter for SQLite and one for PostgreSQL, and the schema of both."""
