"""Changes: which cells of a mat's map look otherwise than when they were last looked at, which still move, and which are due again.

What is looked for in the cells, and what is found there, is the sweeper's. A cell that has changed is remembered as it looks now,
together with the lesser changes that it is connected to: where the rim of an arm comes to lie by the limit, noise alone would be a
change in frame after frame.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sweep.flat_mat import Mask, Pixels, touching

_SAME_LEVELS = 8
"""Grey levels by which the mean of a neighbourhood may differ between frames without counting as a change."""
_LESSER_LEVELS = 4
"""Beyond this many, what is connected to a change belongs to it."""
_NEIGHBOURHOOD = (3, 3)
_AGAIN_NS = 1_000_000_000
"""Time after which what could not be explained is looked at again,"""
_TRIES = 3
"""so often since its cells have changed,"""
_EVERY = 5
"""and from then on once in this many times: the same picture hardly shows another thing."""


@dataclass(frozen=True, slots=True, eq=False)
class MapChange:
    """Of one frame: cells that have ``moved`` since they were last looked at, those that are to be looked at (``region``), those
    ``moving``, which looked otherwise in the frame before, and whether this is a time to look at unexplained places ``again``."""

    moved: Mask
    region: Mask
    moving: Mask
    again: bool


class CellMemory:
    """What the cells of one map looked like, when they were last looked at and in the last frame."""

    def __init__(self, cells: int) -> None:
        """For a map of ``cells`` × ``cells``."""
        self._shape = (cells, cells)
        self._looked_at: Pixels | None = None
        self._before: Pixels | None = None
        self._tries: NDArray[np.uint8] = np.zeros(self._shape, np.uint8)
        """How often each cell was looked at again since it has changed."""
        self._waiting: Mask = np.zeros(self._shape, np.bool_)
        self._again_ns = self._times = 0

    def seen(self, colours: Pixels, now_ns: int) -> MapChange | None:
        """What has changed in a frame whose cells have these colours (n × n × 3); None where nothing is to be looked at."""
        smooth = np.asarray(cv2.blur(colours, _NEIGHBOURHOOD), np.uint8)
        before, self._before = self._before, smooth
        if before is None or self._looked_at is None:
            self._looked_at, self._again_ns, everywhere = smooth, now_ns, np.ones(self._shape, np.bool_)
            return MapChange(everywhere, everywhere, np.zeros_like(everywhere), again=True)
        again = not 0 <= now_ns - self._again_ns < _AGAIN_NS
        if not again and not self._waiting.any() and cv2.norm(smooth, self._looked_at, cv2.NORM_INF) <= _SAME_LEVELS:
            return None
        moved = self._remembered(smooth, self._looked_at)
        region, self._waiting = moved | self._waiting, np.zeros(self._shape, np.bool_)
        if again:
            self._again_ns = now_ns
            region |= self._due()
        return MapChange(moved, region, _difference(before, smooth) > _SAME_LEVELS, again)

    def wait(self, cells: Mask) -> None:
        """These cells are to be looked at in the next frame."""
        self._waiting |= cells

    def _remembered(self, smooth: Pixels, looked_at: Pixels) -> Mask:
        """The cells that have changed; they are remembered as they look now."""
        off = _difference(looked_at, smooth)
        moved = off > _SAME_LEVELS
        if moved.any():
            whole = touching(off > _LESSER_LEVELS, moved)
            self._looked_at = np.where(whole[:, :, None], smooth, looked_at)
            self._tries[whole] = 0
        return moved

    def _due(self) -> Mask:
        """The cells whose turn it is to be looked at again."""
        self._times += 1
        due = np.asarray(self._tries < _TRIES) | (self._times % _EVERY == 0)
        self._tries = np.minimum(self._tries + due, _TRIES).astype(np.uint8)
        return due


def _difference(before: Pixels, now: Pixels) -> Pixels:
    """By how many grey levels each cell differs, in the colour that differs most (n × n)."""
    blue, green, red = cv2.split(cv2.absdiff(before, now))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
