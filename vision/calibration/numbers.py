"""Range checks for the numbers of a calibration file."""

from __future__ import annotations

import math

from twinwall.game.documents import DocumentError, DocumentFields

MOST_SIDE_PX = 20_000
"""Upper limit of a picture's width and height, px."""


def measured(fields: DocumentFields, key: str, least: float, most: float) -> float:
    """A number between two bounds, them included; raises DocumentError."""
    return in_range(fields.take(key), fields.label(key), least, most)


def in_range(value: object, name: str, least: float, most: float) -> float:
    """A value that must be a number between two bounds, them included; raises DocumentError naming it."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or not least <= value <= most:
        raise DocumentError(f"{name} must be a number from {least:g} to {most:g}, not {value!r}")
    return float(value)
