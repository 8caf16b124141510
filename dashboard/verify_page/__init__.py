"""Verify page: one HTML file without a network, in which players prove deals; made from the sources in this folder."""
