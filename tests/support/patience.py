"""Limit on waiting, for every test that waits: it only ends a test that hangs."""

PATIENCE_S = 200.0
"""Below the limit of pytest-timeout, so that the test says what it waited for."""
