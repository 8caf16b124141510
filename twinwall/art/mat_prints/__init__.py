"""Prints of a mat: the whole mat, the mat on A4 or A3 sheets, and its markers as cards, drawn from the one geometry of ``Mat``."""
