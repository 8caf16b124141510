"""Faults of machines that take more than another answer; ``faulty`` has them all in one table."""
