"""Figures of trust: ``python -m benchmarks.trust``."""
