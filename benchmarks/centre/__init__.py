"""Figures of the centre, which compares many venues as one field."""
