"""Phones at a table: codes, frames, keys, and the real page in a browser."""
