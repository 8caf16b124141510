"""Benchmarks of the firmware on its emulated board."""
