"""The reading gate: presence, rectification, and the read of one tile."""
