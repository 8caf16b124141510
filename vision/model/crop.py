"""Crop: the form in which tiles reach the network, with one size and scaling for gate, mat, photographs and training."""

import cv2
import numpy as np
from numpy.typing import NDArray

CROP_W, CROP_H = 48, 64
"""Size of a crop in px: tight from edge to edge of the tile, upright or upside down."""


def fit_crop(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scale a picture of one tile (h × w × 3 BGR, any size) to CROP_H × CROP_W; raises ValueError for another form."""
    if image.ndim != 3 or image.shape[2] != 3 or min(image.shape[:2]) < 2:
        raise ValueError(f"a crop is a colour picture of at least 2 × 2 px, this one has the shape {image.shape}")
    shrinks = image.shape[1] > CROP_W
    scaled = cv2.resize(image, (CROP_W, CROP_H), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    return np.ascontiguousarray(scaled, dtype=np.uint8)


def to_input(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Convert crops (n × CROP_H × CROP_W × 3 uint8 BGR) to the network's input: n × 3 × CROP_H × CROP_W float32 about zero."""
    return np.ascontiguousarray((crops.astype(np.float32) - 127.5).transpose(0, 3, 1, 2) / 64.0)
