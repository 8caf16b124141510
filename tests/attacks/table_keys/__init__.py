"""Attacks with a table's disk or its keys."""
