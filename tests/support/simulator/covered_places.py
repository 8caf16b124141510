"""Which points of the mat lie below an arm or a thing, by the outlines of ``simulator.scene``."""

import math
from collections.abc import Iterator

from simulator.scene import SIZES_MM, Cover, CoverKind

_SHOULDER_MM = 620.0
_SLEEVE_MM, _HAND_MM, _FINGERS_MM = 42.0, 42.0, 85.0


def hides(cover: Cover, x_mm: float, y_mm: float) -> bool:
    """Whether a point of the mat lies below the cover."""
    if cover.kind is CoverKind.ARM:
        return any(_between(x_mm, y_mm, start, end) <= radius for start, end, radius in _arm_parts(cover))
    width, height = SIZES_MM[cover.kind]
    if cover.kind is CoverKind.CUP:
        return math.hypot(x_mm - cover.x_mm, y_mm - cover.y_mm) <= width / 2
    turn = math.radians(cover.turn_deg)
    off_x, off_y = x_mm - cover.x_mm, y_mm - cover.y_mm
    across, along = off_x * math.cos(turn) - off_y * math.sin(turn), off_x * math.sin(turn) + off_y * math.cos(turn)
    return abs(across) <= width / 2 and abs(along) <= height / 2


def _arm_parts(cover: Cover) -> Iterator[tuple[tuple[float, float], tuple[float, float], float]]:
    """The sleeve, and the hand with its fingers: from where to where, and how thick (half, mm)."""
    right, near = cover.shoulder_mm, _SHOULDER_MM
    shoulder = ((right, near), (near, -right), (-right, -near), (-near, right))[cover.place]
    palm = cover.x_mm, cover.y_mm
    far = math.hypot(palm[0] - shoulder[0], palm[1] - shoulder[1])
    forth = (palm[0] - shoulder[0]) / far, (palm[1] - shoulder[1]) / far
    yield shoulder, palm, _SLEEVE_MM
    yield palm, (palm[0] + _FINGERS_MM * forth[0], palm[1] + _FINGERS_MM * forth[1]), _HAND_MM


def _between(x_mm: float, y_mm: float, start: tuple[float, float], end: tuple[float, float]) -> float:
    """How far a point is from a line."""
    along = end[0] - start[0], end[1] - start[1]
    squared = along[0] ** 2 + along[1] ** 2
    share = ((x_mm - start[0]) * along[0] + (y_mm - start[1]) * along[1]) / squared
    share = min(1.0, max(0.0, share))
    return math.hypot(x_mm - start[0] - share * along[0], y_mm - start[1] - share * along[1])
