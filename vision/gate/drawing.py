"""Drawing: a reader's answer on the picture that it read, with the tile's outline and a caption."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.gate.rectify import Points
from vision.reading import Read, ReadRefusal
from vision.table.lens import SQUARE

_READ, _REFUSED = (90, 170, 20), (40, 60, 220)
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_LEAST_WIDTH = 240
"""Smaller pictures are enlarged first, to make room for the caption."""


def draw_answer(image: NDArray[np.uint8], corners: Points | None, answer: Read | ReadRefusal) -> NDArray[np.uint8]:
    """Return a copy of a picture (h × w × 3 BGR) with the tile's outline (4 × 2 px; None: not found) and the answer written on it."""
    scale = max(1, -(-_LEAST_WIDTH // image.shape[1]))
    picture = np.ascontiguousarray(np.repeat(np.repeat(image, scale, axis=0), scale, axis=1))
    colour = _READ if isinstance(answer, Read) else _REFUSED
    if corners is not None:
        outline = np.round((corners + 0.5) * scale - 0.5).astype(np.int32)
        cv2.polylines(picture, [outline], isClosed=True, color=colour, thickness=2, lineType=cv2.LINE_AA)
    caption = _caption(answer)
    (width, height), below = cv2.getTextSize(caption, _FONT, 0.6, 1)
    cv2.rectangle(picture, (0, 0), (width + 12, height + below + 10), colour, -1)
    cv2.putText(picture, caption, (6, height + 6), _FONT, 0.6, (255, 255, 255), 1, cv2.LINE_AA)
    return np.asarray(picture, np.uint8)


def whole(image: NDArray[np.uint8]) -> Points:
    """Return the corners of a whole picture, for a crop that is the tile."""
    height, width = image.shape[:2]
    return np.array((SQUARE + 1) / 2 * (width - 1, height - 1), np.float32)


def _caption(answer: Read | ReadRefusal) -> str:
    """Return the answer in few words, limited to the characters of OpenCV's font."""
    if isinstance(answer, Read):
        return f"{answer.tile.text} {answer.probability:.1%}{' upside down' if answer.turned else ''}"
    nearest = f" ({answer.candidates[0].tile.text}?)" if answer.candidates else ""
    return f"{answer.reason}{nearest}"
