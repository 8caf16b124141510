"""Any table before any camera, without a mat: finds the table's plane, the seats and the tiles."""
