"""Hands in the forms of other programs, written from hand records and read back into them."""
