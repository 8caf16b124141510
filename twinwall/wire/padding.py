"""Few lengths for what is sent: encryption hides what a message says, and its length would tell it all the same.

A suited tile is written with one letter more than a wind, every event has a length of its own, and so has the picture of a tile. What is
sent ends with something that means nothing there: spaces behind JSON, zeros behind a picture, a comment in an event stream.
"""

LEAST = 1024
"""Longer than nearly every line of a table."""


def padded_length(length: int, least: int = LEAST) -> int:
    """The length with which this many bytes are sent: ``least``, doubled as often as it needs."""
    while least < length:
        least *= 2
    return least
