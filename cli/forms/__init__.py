"""The commands that write released hands as files, and read hands of other programs."""
