"""The recorder: decodes tiles on the mat, gate edges and key presses into the record of a hand."""
