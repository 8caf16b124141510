"""Camera calibration: the calibration record, flat field, place of the mat, and the self-test that compares with them."""
