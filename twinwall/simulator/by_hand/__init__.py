"""A simulated table without a feeder: the tiles, and a person who does what the station's screen says."""
