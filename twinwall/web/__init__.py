"""Serving HTTP: the one server of all pages and programs, and its limits."""
