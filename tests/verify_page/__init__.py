"""The verify page in a real browser."""
