"""What of trust can be counted: ``python -m benchmarks.trust``."""
