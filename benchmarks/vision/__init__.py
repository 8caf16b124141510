"""Benchmarks of cameras and readers."""
