"""A table without a feeder: station, phones, readiness, and their screens."""
