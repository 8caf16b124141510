"""Figures of the centre, in which many venues are compared as one field."""
