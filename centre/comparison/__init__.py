"""Comparison of venues as one field, kept up to date result by result."""
