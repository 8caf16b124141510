"""Tables without physics: what they write and publish is as of a real table, and no tile, feeder or camera is simulated."""
