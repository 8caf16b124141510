"""The commands about cameras and tiles: calibrate, enrol, selftest."""
