"""What several benchmarks have in common."""
