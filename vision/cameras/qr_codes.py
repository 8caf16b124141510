"""QR codes in a camera's frame, as shown by a phone's screen. Both of OpenCV's readers look, since each misses codes that the other reads
(``python -m benchmarks.trust codes``). The caller judges the texts."""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

_GROWN = 1.17
"""A code that was read is painted over with its margin, larger than its corners by this factor."""
_Reader = cv2.QRCodeDetector | cv2.QRCodeDetectorAruco


class QrCodes:
    def __init__(self) -> None:
        self._readers: tuple[_Reader, ...] = (cv2.QRCodeDetectorAruco(), cv2.QRCodeDetector())

    def read(self, image: NDArray[np.uint8]) -> tuple[str, ...]:
        """Return the texts of codes in an image (h × w × 3 BGR), at most the first one that each reader finds."""
        return tuple(dict.fromkeys(text for reader in self._readers for text, _ in _first(reader, image) if text))

    def read_all(self, image: NDArray[np.uint8]) -> tuple[frozenset[str], bool]:
        """Return the texts of all codes in an image, and whether something else looks like a code but cannot be read.

        A reader may overlook a code beside another one, so codes that were read are painted over and the rest is looked at again. It is
        slower than ``read``, and never finds fewer.
        """
        rest, texts, painted, unread = image.copy(), set[str](), list[NDArray[np.int32]](), list[NDArray[np.float64]]()
        while found := [one for reader in self._readers for look in (_first, _several) for one in look(reader, rest)]:
            read = [(text, corners) for text, corners in found if text]
            unread += [corners.mean(axis=0) for text, corners in found if not text]
            if not read:
                break
            for text, corners in read:
                texts.add(text)
                middle = corners.mean(axis=0)
                painted.append(np.rint(middle + _GROWN * (corners - middle)).astype(np.int32))
                cv2.fillConvexPoly(rest, painted[-1], (0, 0, 0))
        return frozenset(texts), any(_is_outside(middle, painted) for middle in unread)


def _is_outside(middle: NDArray[np.float64], codes: Sequence[NDArray[np.int32]]) -> bool:
    """Whether a point (x, y) is outside of all these outlines: one reader may fail at a code that the other reads."""
    return all(cv2.pointPolygonTest(code, (float(middle[0]), float(middle[1])), measureDist=False) < 0 for code in codes)


def _first(reader: _Reader, image: NDArray[np.uint8]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the code that a reader finds first, with its corners (4 × 2); its text is empty if it cannot be read."""
    try:
        text, corners, _ = reader.detectAndDecode(image)
    except (cv2.error, UnicodeDecodeError):  # a shape that OpenCV takes for a code and fails at
        return
    if corners is not None:
        yield text, np.asarray(corners, np.float64).reshape(4, 2)


def _several(reader: _Reader, image: NDArray[np.uint8]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the codes that a reader finds in one look, as ``_first``."""
    try:
        _, texts, corners, _ = reader.detectAndDecodeMulti(image)
    except (cv2.error, UnicodeDecodeError):
        return
    if corners is not None:
        yield from zip(texts, np.asarray(corners, np.float64).reshape(-1, 4, 2), strict=True)
