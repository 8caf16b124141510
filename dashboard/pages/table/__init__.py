"""One table's page: its picture, its state in words, its faults."""
