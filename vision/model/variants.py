"""Varied views of one tile: cut slightly off, in other light, less sharp. An enrolment with one example a kind fits its limits on these.
They vary as much as a gate permits: a crop within ±5 %, an ageing lamp, a lens slightly out of focus."""

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.model.crop import CROP_H, CROP_W, fit_crop

_OFF = 0.05
"""How far a corner of the crop may be off, as a share of its side."""


def variants(image: NDArray[np.uint8], count: int, rng: Generator) -> NDArray[np.uint8]:
    """Return ``count`` crops (count × CROP_H × CROP_W × 3 uint8 BGR) of a picture tight to a tile (h × w × 3 BGR, any size)."""
    return np.stack([_seen(_shifted(image, rng), rng) for _ in range(count)])


def _shifted(image: NDArray[np.uint8], rng: Generator) -> NDArray[np.uint8]:
    """Cut the picture with its corners a little off; its edge is repeated outside."""
    height, width = image.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - 0.5
    off = (rng.uniform(-_OFF, _OFF, (4, 2)) * (width, height)).astype(np.float32)
    transform = cv2.getPerspectiveTransform((corners + off).astype(np.float32), corners)
    moved = cv2.warpPerspective(image, transform, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return fit_crop(np.asarray(moved, np.uint8))


def _seen(crop: NDArray[np.uint8], rng: Generator) -> NDArray[np.uint8]:
    """Return the crop as another lamp, lens and sensor would show it."""
    blur = float(rng.uniform(0.0, 0.9))
    soft = cv2.GaussianBlur(crop, (0, 0), blur) if blur > 0.2 else crop
    light = rng.uniform(0.75, 1.15) * rng.uniform(0.94, 1.06, 3)
    across, down = np.linspace(-1, 1, CROP_W)[None, :, None], np.linspace(-1, 1, CROP_H)[:, None, None]
    slope = 1 + rng.uniform(-0.1, 0.1) * across + rng.uniform(-0.1, 0.1) * down
    noise = rng.normal(0, rng.uniform(0.5, 4.0), crop.shape)
    return np.clip(soft * light * slope + noise, 0, 255).astype(np.uint8)
