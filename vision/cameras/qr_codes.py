"""QR codes in a camera's frame, as a phone's screen shows them to it.

OpenCV has two readers; each misses codes that the other reads, so both look (``python -m benchmarks.trust codes``). What a code says
is for others to judge.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray


class QrCodes:
    """Reads QR codes."""

    def __init__(self) -> None:
        self._readers = (cv2.QRCodeDetectorAruco(), cv2.QRCodeDetector())

    def read(self, image: NDArray[np.uint8]) -> tuple[str, ...]:
        """The texts of the codes in an image (h × w × 3, blue, green, red); none where nothing is read.

        Of several codes in one frame each reader gives the one that it finds first.
        """
        return tuple(dict.fromkeys(text for reader in self._readers if (text := _text(reader, image))))

    def read_all(self, image: NDArray[np.uint8]) -> frozenset[str]:
        """The texts of all codes in an image; slower than ``read``, and never with fewer."""
        return frozenset(self.read(image)).union(*(_texts(reader, image) for reader in self._readers))


def _texts(reader: cv2.QRCodeDetector | cv2.QRCodeDetectorAruco, image: NDArray[np.uint8]) -> frozenset[str]:
    try:
        return frozenset(text for text in reader.detectAndDecodeMulti(image)[1] if text)
    except (cv2.error, UnicodeDecodeError):
        return frozenset()


def _text(reader: cv2.QRCodeDetector | cv2.QRCodeDetectorAruco, image: NDArray[np.uint8]) -> str:
    try:
        return reader.detectAndDecode(image)[0]
    except (cv2.error, UnicodeDecodeError):  # a shape that OpenCV takes for a code and fails at
        return ""
