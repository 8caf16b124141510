"""Sampling: values of pictures at points (px of x and y), beyond the edge those at the edge. Arrays of points are not empty; their first
length, and the product of the others, are below 32,767 (OpenCV's limit)."""

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

_Level = TypeVar("_Level", np.uint8, np.float32)
_ONE_MAP = np.empty(0, np.float32)
"""OpenCV takes both coordinates from the first of its two maps."""


def between(image: NDArray[_Level], at: NDArray[np.floating]) -> NDArray[_Level]:
    """Sample an image (h × w, or h × w × 3) at points (… × 2), linearly between pixels: …, or … × 3."""
    return _sampled(image, at, cv2.INTER_LINEAR)


def nearest(image: NDArray[_Level], at: NDArray[np.floating]) -> NDArray[_Level]:
    """As ``between``, by the nearest pixel."""
    return _sampled(image, at, cv2.INTER_NEAREST)


def _sampled(image: NDArray[_Level], at: NDArray[np.floating], way: int) -> NDArray[_Level]:
    points = np.ascontiguousarray(at, np.float32).reshape(at.shape[0], -1, 2)
    seen = cv2.remap(image, points, _ONE_MAP, way, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, image.dtype).reshape(*at.shape[:-1], *image.shape[2:])
