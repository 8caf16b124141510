"""Covers: arms over the mat and things on it, with their outlines, as the world tells them to the camera.

Lengths are millimetres from the mat's centre, x right, y down; angles degrees anticlockwise as seen from above.
"""

from enum import StrEnum

from twinwall.values import Shape


class CoverKind(StrEnum):
    """What hides the mat."""

    ARM = "arm"
    """From the edge of ``place`` to the palm, which is the cover's middle."""
    CUP = "cup"
    PHONE = "phone"
    PAPER = "paper"


SIZES_MM = {CoverKind.CUP: (80.0, 80.0), CoverKind.PHONE: (75.0, 152.0), CoverKind.PAPER: (148.0, 210.0)}
"""Width and height of the things; a cup is round."""


class Cover(Shape):
    """One arm or thing: its middle, and how it is turned (a thing) or how far to the right its shoulder is (an arm, mm)."""

    kind: CoverKind
    place: int
    x_mm: float
    y_mm: float
    turn_deg: float = 0.0
    shoulder_mm: float = 0.0
