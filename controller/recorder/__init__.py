"""The recorder: decodes what lies on the mat over time, gate edges and key presses into the record of a hand."""
