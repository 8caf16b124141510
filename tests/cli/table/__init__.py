"""The commands that run at a table, and its journal."""
