"""Answers of the finder's network to the pictures of one camera in one size: it is asked again around what has changed.

Elsewhere its last answer stays.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.found import CELL_PX

STEP_PX = 32
"""The sides of a picture are multiples of this."""
_CHANGED, _IN_THE_DARK, _SHARE = 6, 4, 0.02
"""Grey levels by which the mean of a square changes where something moves: noise changes it by less. In the dark it is the second number
and this share of the square's level."""
_REACH = 8
"""Within this number of squares around a change the network is asked again, and sees as many more around them. Beyond it a tile's
probability changes by 0.02 at most (a patch of 32 px on drawn tables)."""

Ask = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Gives the answers (outputs × rows × columns) to a picture (h × w × 3)."""


class Answers:
    """What the network answers to one picture after the other."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._asked = np.empty((0, 0, 3), np.uint8)
        """The squares of pictures as they were when they were asked about."""
        self._answers = np.empty((0, 0, 0), np.float32)

    def to(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The answers to a picture, to be read before it is asked about another."""
        size = np.array(picture.shape[:2]) // CELL_PX
        squares = np.asarray(cv2.resize(picture, size[::-1].tolist(), interpolation=cv2.INTER_AREA), np.uint8)
        if squares.shape != self._asked.shape:
            self._answers, self._asked = self._ask(picture), squares
            return self._answers
        least = np.minimum(_IN_THE_DARK + _SHARE * self._asked, _CHANGED)
        changed = np.argwhere((cv2.absdiff(squares, self._asked) > least).any(axis=2))
        if len(changed):
            step, first, last = STEP_PX // CELL_PX, changed.min(axis=0) - _REACH, changed.max(axis=0) + 1 + _REACH
            inner = np.clip((first, last), 0, size)
            seen = np.clip(((first - _REACH) // step * step, -((-last - _REACH) // step) * step), 0, size)
            part = self._ask(picture[_slices(seen * CELL_PX)])
            self._answers[:, *_slices(inner)] = part[:, *_slices(inner - seen[0])]
            self._asked[_slices(inner)] = squares[_slices(inner)]
        return self._answers


def _slices(part: NDArray[np.intp]) -> tuple[slice, slice]:
    """Rows and columns of a part of a picture (2 × 2)."""
    (top, left), (bottom, right) = part.tolist()
    return slice(top, bottom), slice(left, right)
