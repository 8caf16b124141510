"""Marker edges: finds a marker's corners to a tenth of a pixel, by lines fitted to its four edges in linear light.

A picture's levels are a power of the light, so in a blurred edge their middle is inside the black: measured on levels a marker is 0.4 to
1.0 px too small, and the lens fitted to it is wrong by pixels elsewhere.
"""

import numpy as np
from numpy.typing import NDArray

from vision.sampling import between
from vision.table.lens import Points

_GAMMA = 2.2
"""Power that takes levels to light; every camera's curve is near it."""
_LIGHT = ((np.arange(256) / 255) ** _GAMMA).astype(np.float32)
_CELLS = 6
_REACH_CELLS, _MOST_REACH_PX = 0.6, 5.0
"""How far across an edge the search goes: within the black rim and the white border, each a cell wide."""
_STEP_PX = 0.25
_PLATEAU = 0.25
"""Share of the reach, at both ends, that gives the levels of black and white."""
_ALONG = np.linspace(-0.8, 0.8, 17)
"""Places along an edge, as shares of half its length; blur rounds off the corners."""
_LEAST_STEP = 0.02
_MOST_OUT_PX = 1.0
"""A place of an edge further from the median is left out: something is over it."""
_ROUNDS = 2
_MOST_MOVED_PX = 2.5


def refined(grey: NDArray[np.uint8], corners: Points) -> Points:
    """Refine a marker's corners (4 × 2 px) in a grey picture; they stay if its edges cannot be measured."""
    found = corners
    for _ in range(_ROUNDS):
        found = _refined_once(grey, found)
        if not (np.isfinite(found).all() and float(np.abs(found - corners).max()) <= _MOST_MOVED_PX):
            return corners
    return found


def _refined_once(grey: NDArray[np.uint8], corners: Points) -> Points:
    ends = np.roll(corners, -1, axis=0)
    half = (ends - corners) / 2
    lengths = np.linalg.norm(half, axis=1, keepdims=True)
    outwards = np.stack((half[:, 1], -half[:, 0]), axis=1) / lengths
    outwards *= np.sign(((corners + half - corners.mean(axis=0)) * outwards).sum(axis=1, keepdims=True))
    reach = min(float(lengths.mean()) * 2 / _CELLS * _REACH_CELLS, _MOST_REACH_PX)
    steps = np.arange(-reach, reach + _STEP_PX / 2, _STEP_PX)
    on_edge = (corners + half)[:, None] + half[:, None] * _ALONG[:, None]
    off = _edges_off(_light(grey, on_edge[:, :, None] + outwards[:, None, None] * steps[:, None]), steps)
    shift, turn = _line(off)
    first = corners + outwards * (shift - turn)[:, None]
    second = ends + outwards * (shift + turn)[:, None]
    return _crossings(first, second)


def _light(grey: NDArray[np.uint8], points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return linear light at points (… × 2) between pixels."""
    low = np.maximum(np.floor(points.min(axis=(0, 1, 2))).astype(int) - 1, 0)
    high = np.ceil(points.max(axis=(0, 1, 2))).astype(int) + 2
    part = _LIGHT[grey[low[1] : high[1], low[0] : high[0]]]
    return between(part, points - low)


def _edges_off(levels: NDArray[np.float32], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each edge (sides × places × steps) is beyond the middle of its steps, NaN if there is none: the place of a sharp edge
    with the same total light, which blur does not shift."""
    width = max(int(len(steps) * _PLATEAU / 2), 2)
    black, white = np.median(levels[..., :width], axis=-1), np.median(levels[..., -width:], axis=-1)
    rise = white - black
    share = np.clip((levels - black[..., None]) / np.maximum(rise, _LEAST_STEP)[..., None], 0, 1)
    off = steps[-1] + _STEP_PX / 2 - share.sum(axis=-1) * _STEP_PX
    return np.where(rise >= _LEAST_STEP, off, np.nan)


def _line(off: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit a line to each edge's places (sides × places), without outliers; return the shifts of its middle and of its end."""
    lines = []
    for side in off:
        known = np.isfinite(side)
        near = known & (np.abs(side - np.median(side[known])) <= _MOST_OUT_PX) if known.any() else known
        lines.append(np.polyfit(_ALONG[near], side[near], 1) if near.sum() >= len(_ALONG) // 2 else (np.nan, np.nan))
    turns, shifts = np.array(lines).T
    return shifts, turns


def _crossings(first: Points, second: Points) -> Points:
    """Return where each line, through a point of ``first`` and one of ``second``, crosses the line before it."""
    homogeneous = np.cross(np.column_stack((first, np.ones(4))), np.column_stack((second, np.ones(4))))
    crossed = np.cross(np.roll(homogeneous, 1, axis=0), homogeneous)
    return np.asarray(crossed[:, :2] / crossed[:, 2:])
