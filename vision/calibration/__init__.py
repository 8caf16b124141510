"""Calibration of cameras: the record of the day, the even light, the mat's place, and the self-test against them."""
