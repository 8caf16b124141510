"""Databases for a store: one port, adapters for SQLite and PostgreSQL, and the schema of both."""
