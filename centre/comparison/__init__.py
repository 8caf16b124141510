"""Compares all venues as one field and updates the ranking result by result."""
