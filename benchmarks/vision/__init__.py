"""Figures of the cameras and of what reads them."""
