"""Benchmarks of an event; each part is a module with a function ``measure``."""
