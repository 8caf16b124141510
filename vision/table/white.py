"""Whiteness of parts of a frame, sampled by planes: the input of registration."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.model.crop import CROP_H, CROP_W
from vision.table.lens import Matrix, Points
from vision.table.light import Colours, Light, Shares
from vision.table.registration import COARSE_MM, PATCH_CELLS, Patch

_FINER = 2
"""Pixels a cell, along each side, that a coarse patch takes and averages."""
_MOST_WHITE = 2.0
_MOST_BESIDE = 0.25
"""Factor by which a colour beside the way from cloth to white lowers the whiteness."""


def whiteness_of(light: Light, pixels: NDArray[np.uint8], cloth: Colours) -> NDArray[np.float32]:
    """How white pixels (… × 3) are over cloth of a colour (logarithms that broadcast): 0 for the cloth, about 1 for a tile's face."""
    return level_of(*light.shares(pixels, cloth))


def level_of(along: Shares, beside: Shares) -> NDArray[np.float32]:
    """Whiteness, or the like for another colour, from how far pixels are on the way there and beside it."""
    return np.asarray(np.clip(along, 0, _MOST_WHITE) - np.maximum(beside - _MOST_BESIDE, 0), np.float32)


def sampled(image: NDArray[np.uint8], planes: NDArray[np.float64], points_mm: Points) -> NDArray[np.uint8]:
    """What an image (h × w × 3) shows at points (m × k × 2) of planes (m × 3 × 3, mm to pixels), between pixels by interpolation."""
    seen = points_mm @ planes[:, :2, :2].transpose(0, 2, 1) + planes[:, None, :2, 2]
    depth = points_mm @ planes[:, 2, :2, None] + planes[:, 2, 2, None, None]
    at = (seen / depth).astype(np.float32)
    return np.asarray(cv2.remap(image, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def warped(image: NDArray[np.uint8], to_image: Matrix, size: tuple[int, int]) -> NDArray[np.uint8]:
    """A picture of ``size`` (width, height) whose pixels ``to_image`` takes to those of an image."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(image, to_image, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def cut(image: NDArray[np.uint8], planes: Sequence[Matrix], size_mm: Points) -> NDArray[np.uint8]:
    """The faces of tiles by the planes of their own millimetres to pixels, for the network (n × CROP_H × CROP_W × 3)."""
    (across, down), (left, top) = size_mm / (CROP_W, CROP_H), (size_mm / (CROP_W, CROP_H) - size_mm) / 2
    to_tile = np.array([(across, 0, left), (0, down, top), (0, 0, 1)])
    crops = np.empty((len(planes), CROP_H, CROP_W, 3), np.uint8)
    for number, plane in enumerate(planes):
        crops[number] = warped(image, plane @ to_tile, (CROP_W, CROP_H))
    return crops


def coarse_patch(light: Light, image: NDArray[np.uint8], plane: Matrix, cloth: Colours) -> Patch:
    """Whiteness around the middle of a plane (mm to pixels of the image) in the cells that a registrar takes."""
    size, scale = PATCH_CELLS * _FINER, COARSE_MM / _FINER
    middle = (size - 1) / 2 * scale
    patch = warped(image, plane @ np.array([(scale, 0, -middle), (0, scale, -middle), (0, 0, 1)]), (size, size))
    cells = cv2.resize(patch, (PATCH_CELLS, PATCH_CELLS), interpolation=cv2.INTER_AREA)
    return whiteness_of(light, np.asarray(cells, np.uint8), cloth)
