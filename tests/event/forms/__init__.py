"""Forms of other programs."""
