"""Table reader: the mat seen from above, its slots, the registration of tiles, and votes over frames."""
