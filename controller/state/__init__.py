"""State of a table, its messages, and its terms for keys, faults and feeder operations."""
