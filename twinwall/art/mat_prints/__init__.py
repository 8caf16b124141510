"""Prints of a mat from its geometry ``Mat``: whole, on A4 or A3 sheets, and its markers as cards."""
