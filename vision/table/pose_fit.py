"""Pose fit: moves and turns faces of nearly correct pose until their sides are on edges of the picture, where it gets darker outwards:
there a flank, a seam or the cloth begins. If a flank is as light as the face, its foot may be mistaken for the side."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Points
from vision.table.tile_pose import TilePose, turned, upright

_PX_PER_MM = 2.5
_TURNS_DEG = np.arange(-3.0, 3.1, 0.5)
_SHIFTS_MM = np.arange(-1.75, 1.8, 0.25)
"""Errors of a pose that are tried."""
_BEYOND_MM = 4.0
"""Width of the strip around a face that is looked at."""
_CORNER_MM = 3.0
"""Length left out at both ends of a side, since corners are round."""
_PARTS = 8
"""Parts of a side; slopes are averaged along each."""
_LEAST = 1e-4
"""How much darker an edge must be for a shift by one millimetre: without an edge the pose stays."""
_DARKEST, _STEEPEST = 4, 0.3
"""Lowest grey level; slope per pixel (logarithm) above which an edge counts no more."""
_LOGARITHMS = np.log(np.maximum(np.arange(256), _DARKEST)).astype(np.float32)


def fitted(image: NDArray[np.uint8], corner: Points, size_mm: Points, tiles: Sequence[TilePose]) -> list[TilePose]:
    """Return faces moved to where their sides fit best; the image's first pixel is at ``corner`` of the whole picture."""
    if not tiles:
        return []
    columns, rows = np.ceil((size_mm + 2 * _BEYOND_MM) * _PX_PER_MM).astype(int).tolist()
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    levels = _LOGARITHMS[upright(grey, corner, np.array((columns, rows)) / _PX_PER_MM, tiles, (columns, rows))]
    slopes = [np.clip(np.gradient(levels, axis=axis), -_STEEPEST, _STEEPEST) for axis in (2, 1)]
    width, height = size_mm.tolist()
    leaning = np.tan(np.deg2rad(_TURNS_DEG))
    across = _darker_outside(slopes[0], width / 2, leaning)
    down = _darker_outside(slopes[1].transpose(0, 2, 1), height / 2, -leaning)
    turns = (across.max(axis=2) + down.max(axis=2)).argmax(axis=1)
    each = np.arange(len(tiles))
    x_mm, y_mm = (_SHIFTS_MM[sides[each, turns].argmax(axis=1)] for sides in (across, down))
    moves = zip(tiles, x_mm.tolist(), y_mm.tolist(), _TURNS_DEG[turns].tolist(), strict=True)
    return [_moved(tile, x, y, turn_deg) for tile, x, y, turn_deg in moves]


def _darker_outside(slopes: NDArray[np.float32], half_mm: float, leaning: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much darker it gets outside of two opposite sides (n × turns × shifts). ``slopes`` (n × rows × columns) are along rows,
    ``leaning`` is how far the sides move to the right per row."""
    rows, middle = slopes.shape[1], (slopes.shape[2] - 1) / 2
    edge = round((_BEYOND_MM + _CORNER_MM) * _PX_PER_MM)
    numbers = np.array_split(np.arange(edge, rows - edge), _PARTS)
    parts = np.stack([slopes[:, some].mean(axis=1) for some in numbers], axis=1)
    down = np.array([some.mean() - (rows - 1) / 2 for some in numbers])
    off = _SHIFTS_MM[:, None] * _PX_PER_MM + leaning[:, None, None] * down
    darker: NDArray[np.float64] = np.zeros((len(slopes), len(leaning), 1)) - _LEAST * (np.abs(leaning)[:, None] + np.abs(_SHIFTS_MM))
    for side in (-1, 1):
        at = middle + side * half_mm * _PX_PER_MM + off
        left = np.floor(at).astype(np.intp)
        one, next_one = (parts[:, np.arange(_PARTS), number] for number in (left, left + 1))
        darker -= side * (one + (next_one - one) * (at - left)).mean(axis=3)
    return darker


def _moved(tile: TilePose, x_mm: float, y_mm: float, turn_deg: float) -> TilePose:
    """Move a tile in its own millimetres, and turn it about its middle."""
    own = np.eye(3)
    angle_deg = (tile.angle_deg + turn_deg) % 180.0
    own[:2, :2], own[:2, 2] = turned(angle_deg - tile.angle_deg), (x_mm, y_mm)
    x, y = tile.points_mm(np.array([(x_mm, y_mm)]))[0].tolist()
    return replace(tile, x_mm=x, y_mm=y, angle_deg=angle_deg, plane=tile.plane @ own)
