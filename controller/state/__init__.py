"""What a table knows, what reaches it, and the words for keys, faults and feeder operations."""
