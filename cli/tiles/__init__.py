"""Commands of cameras and tiles: enrol, calibrate, selftest, read, evaluate."""
