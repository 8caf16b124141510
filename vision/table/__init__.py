"""Table reader: the mat seen from above, its slots, tiles anywhere on it, and votes over frames."""
