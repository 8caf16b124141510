"""A camera over the table for trials: it hangs anywhere, looks anywhere and has a lens that may bend."""

import math

import numpy as np

from simulator.cameras.ground import PX_PER_MM, SIDE_PX, View

_FOCUS_ROUNDS = 5
_MARGIN_PX = 8
_SEEN_ABOVE_MM = 16.0
_SEEN_MM = np.array([(x, y) for x in (-360.0, 0.0, 360.0) for y in (-360.0, 0.0, 360.0)])
"""What a camera over the table must see: the mat's markers and the outermost tiles."""


def hung_view(eye_mm: tuple[float, float], height_mm: float, looks_at_mm: tuple[float, float], roll_deg: float, bend: float) -> View:
    """A pinhole camera that hangs above a point of the mat and looks at another, rolled about its axis; the mat fills its picture."""
    forth = np.array([looks_at_mm[0] - eye_mm[0], looks_at_mm[1] - eye_mm[1], height_mm])
    forth /= np.linalg.norm(forth)
    roll = math.radians(roll_deg)
    right = np.array([math.cos(roll), math.sin(roll), 0.0])
    right -= forth * (right @ forth)
    right /= np.linalg.norm(right)
    turn = np.stack((right, np.cross(forth, right), forth))
    outer = np.column_stack((turn[:, 0], turn[:, 1], turn @ np.array([-eye_mm[0], -eye_mm[1], height_mm])))
    focal = height_mm * PX_PER_MM
    for _ in range(_FOCUS_ROUNDS):
        inner = np.array([(focal, 0, SIDE_PX / 2), (0, focal, SIDE_PX / 2), (0, 0, 1)])
        view = View(np.asarray(inner @ outer, np.float64), eye_mm, height_mm, bend)
        reached = np.abs(view.project(_SEEN_MM, _SEEN_ABOVE_MM) - SIDE_PX / 2).max()
        focal *= (SIDE_PX / 2 - _MARGIN_PX) / reached
    return view
