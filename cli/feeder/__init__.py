"""Commands of the feeder: simulate, check, link, record, test deal."""
