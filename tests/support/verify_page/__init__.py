"""Rigs of the verify page: slips good and harmed, and the page itself in a browser."""
