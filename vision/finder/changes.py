"""Answers of the finder's network to one camera's pictures of one size: it is asked again only around changes; elsewhere its last answer
stays."""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.found import CELL_PX

STEP_PX = 32
"""The sides of a picture are multiples of this."""
_CHANGED, _IN_THE_DARK, _SHARE = 6, 4, 0.02
"""Grey levels by which a moving thing changes the mean of a square, and noise does not. In the dark it is the second number and this share
of the square's level."""
_REACH = 8
"""The network is asked again this many squares around a change, and sees as many more. Further away a tile's probability changes by at most
0.02 (a patch of 32 px on drawn tables)."""

Ask = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Returns the network's outputs (outputs × rows × columns) for a picture (h × w × 3)."""


class Answers:
    """The network's answers to consecutive pictures."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._asked = np.empty((0, 0, 3), np.uint8)
        """The squares of the picture as they were when the network saw them."""
        self._answers = np.empty((0, 0, 0), np.float32)

    def to(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the answers to a picture, valid until the next call."""
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
    (top, left), (bottom, right) = part.tolist()
    return slice(top, bottom), slice(left, right)
