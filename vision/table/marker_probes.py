"""Marker probes: whether a marker still lies where it was, and by how many pixels beside, from a few pixels across its outline.

A search for markers costs more than reading a few slots. A camera that shakes, or a table that somebody leans on, moves
the picture by a pixel or two, and printed outlines are hardly wider than that.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import MatView, Points

_ALONG = np.linspace(-0.8, 0.8, 7)
"""Places along a side, as shares of half its length."""
_REACH_PX, _REACH_MM = 4, 4.5
"""So far across an outline levels are looked at, a pixel apart: within a marker's black rim and its white border."""
_LEAST_STEP = 30
"""Least contrast, in grey levels, between a marker's black rim and the white around it."""
_LEAST_THERE = 0.9
"""Share of a marker's outline that must have that contrast where it was."""
_LEAST_PLACES = 4
"""This many places of a side must show its edge, of seven."""
_LEAST_MARKERS = 3
"""With fewer markers a turn of the picture looks like a shift."""
_MOST_LEFT_PX = 0.6
"""How far edges may lie from where a shift would have them (root mean square)."""

Grey = NDArray[np.uint8]


class MarkerProbe:
    """One marker's outline in the picture in which it was found."""

    def __init__(self, view: MatView, corners_mm: Points, most_moved_px: float) -> None:
        """``corners_mm`` are its corners (4 × 2); an edge further than ``most_moved_px``, in whole pixels, is no longer there."""
        middle, ends = corners_mm.mean(axis=0), np.roll(corners_mm, -1, axis=0)
        half_mm = float(np.linalg.norm(ends - corners_mm, axis=1).mean()) / 2
        reach_px = max(min(_REACH_PX, int(_REACH_MM * view.px_per_mm())), math.ceil(most_moved_px))
        steps_px = np.arange(-reach_px, reach_px + 1)
        reaches = 1 + steps_px / view.px_per_mm() / half_mm
        towards = (corners_mm + ends) / 2 - middle
        along = _ALONG[:, None] * (ends - corners_mm)[:, None] / 2
        points = middle + towards[:, None, None] * reaches[:, None] + along[:, :, None]
        seen = view.project(points.reshape(-1, 2)).reshape(points.shape)
        self.points_px = np.rint(seen).astype(np.intp)
        """Pixels across the outline (4 sides × places × steps from inside to outside × 2, x and y)."""
        outwards = (seen[:, :, -1] - seen[:, :, 0]).mean(axis=1)
        self.outwards: Points = outwards / np.linalg.norm(outwards, axis=1, keepdims=True)
        self._inside, self._outside = (int(np.argmin(np.abs(steps_px - at))) for at in (-most_moved_px, most_moved_px))

    def within(self, width_px: int, height_px: int) -> bool:
        """Whether all its pixels lie in a picture of that size."""
        x, y = self.points_px[..., 0], self.points_px[..., 1]
        return bool(min(x.min(), y.min()) >= 0 and x.max() < width_px and y.max() < height_px)

    def is_there(self, levels: Grey) -> bool:
        """Whether all around the outline it is dark just inside and light just outside, by the grey levels at ``points_px``."""
        step = levels[..., self._outside].astype(int) - levels[..., self._inside]
        return float((step >= _LEAST_STEP).mean()) > _LEAST_THERE

    def edges_px(self, levels: Grey) -> Points:
        """How far out each side's edge lies (4), up to a constant of that side; not a number where too little of it shows."""
        black, white = (levels[..., ends].astype(np.float32).mean(axis=-1, keepdims=True) for ends in (slice(0, 2), slice(-2, None)))
        rise = white - black
        off = -((levels - black) / np.maximum(rise, 1)).clip(0, 1).sum(axis=-1)
        off[rise[..., 0] < _LEAST_STEP] = np.nan
        enough = np.isfinite(off).sum(axis=1) >= _LEAST_PLACES
        return np.array([np.nanmedian(side) if known else np.nan for side, known in zip(off, enough.tolist(), strict=True)])


def moved(probes: Mapping[int, MarkerProbe], before: Mapping[int, Points], now: Mapping[int, Points]) -> tuple[Points, bool] | None:
    """By how much (x and y) the picture has moved since the edges of markers were at ``before``, and whether as a whole, neither turned nor
    stretched; None where too few markers are seen in both."""
    numbers = sorted(number for number in before.keys() & now.keys() if np.isfinite(now[number] - before[number]).any())
    if len(numbers) < _LEAST_MARKERS:
        return None
    outwards = np.concatenate([probes[number].outwards for number in numbers])
    off = np.concatenate([now[number] - before[number] for number in numbers])
    seen = np.isfinite(off)
    if np.linalg.matrix_rank(outwards[seen]) < outwards.shape[1]:
        return None
    shift = np.linalg.lstsq(outwards[seen], off[seen], rcond=None)[0]
    left = outwards[seen] @ shift - off[seen]
    return np.asarray(shift), bool(np.sqrt(np.mean(left * left)) <= _MOST_LEFT_PX)
