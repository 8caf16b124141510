"""Pads what is sent to few lengths (``padded_length``), because encryption hides the content but not the length. A suited tile has one
letter more than a wind, and events and pictures have lengths of their own. The padding has no meaning: spaces after JSON, zeros after a
picture, a comment in an event stream."""

LEAST = 1024
"""Longer than nearly all lines of a table."""


def padded_length(length: int, least: int = LEAST) -> int:
    """The length sent for this many bytes: ``least``, doubled as often as necessary."""
    while least < length:
        least *= 2
    return least
