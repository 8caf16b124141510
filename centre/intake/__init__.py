"""Decides what follows from a venue's messages, without any I/O."""
