"""Bare crops: finds crops that may be half a tile, an empty floor, or a tile whose marks light washed out, and brings pale marks out.

In a gate or on a mat, edges and place show that there is a tile. A crop alone (a file, an evaluation) may be half a tile stretched to the
form of a whole one, or a light floor that looks like a blank white dragon.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.reading import Read, ReadRefusal, Reason

_LEAST_RATIO, _MOST_RATIO = 0.9, 2.6
"""Height over width of a whole tile, with room for stretched photographs."""
_FLAT_LEVELS = 3.5
"""Deviation from an even slope of light, in grey levels, that a surface without marks does not exceed."""
_LIGHT_LEVEL = 90.0
_WASHED_LEVEL, _WASHED_SHARE = 250, 0.6
_WASHED_COLOURS = 2
"""Two colours are enough: the reflection of a warm lamp leaves blue below the limit."""
_DARK_LEVEL, _LEAST_RANGE, _MOST_GAIN = 40.0, 20.0, 6.0
"""The grey level to which the darkest marks are brought; less range than this is noise."""


def misshapen(image: NDArray[np.uint8]) -> ReadRefusal | None:
    """Refuse a crop (h × w × 3) whose form cannot be a whole upright tile's."""
    height, width = image.shape[:2]
    if height < width * _LEAST_RATIO:
        return ReadRefusal(Reason.SHAPE, f"a crop must be higher than wide, this one is {width} × {height} px: turn it by 90°")
    if height > width * _MOST_RATIO:
        return ReadRefusal(Reason.SHAPE, f"a crop of {width} × {height} px is too slim for a whole tile")
    return None


def unless_blank(crop: NDArray[np.uint8], answer: Read | ReadRefusal) -> Read | ReadRefusal:
    """Refuse a white dragon read off a surface without any mark (``crop`` h × w × 3 uint8 BGR); other answers stay."""
    if isinstance(answer, Read) and answer.tile is Tile.WHITE and _is_blank(crop):
        return ReadRefusal(Reason.EMPTY, "a blank white dragon or an empty light surface: a picture of this alone does not tell which")
    return answer


def washed(crop: NDArray[np.uint8]) -> bool:
    """Whether two of three colours are at the camera's upper limit in most of a crop (h × w × 3): it may have lost its marks."""
    return float(((crop >= _WASHED_LEVEL).sum(axis=2) >= _WASHED_COLOURS).mean()) > _WASHED_SHARE


def stretched(crops: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return crops (n × h × w × 3) with their contrast stretched: marks that light has made pale get darker, the face stays as light."""
    darkest, face = np.percentile(crops.mean(axis=3).reshape(len(crops), -1), (1, 90), axis=1) if len(crops) else np.empty((2, 0))
    gain = np.clip((face - _DARK_LEVEL) / np.maximum(face - darkest, _LEAST_RANGE), 1.0, _MOST_GAIN)
    level, gain = face[:, None, None, None], gain[:, None, None, None]
    return np.asarray(np.clip(level - (level - crops) * gain, 0, 255), np.uint8)


def _is_blank(crop: NDArray[np.uint8]) -> bool:
    """Whether a crop is light and even, apart from a slope of light over it."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    height, width = grey.shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    plane = np.stack((np.ones_like(x), x, y, x * y, x * x, y * y), axis=-1).reshape(-1, 6)
    slope, *_ = np.linalg.lstsq(plane, grey.ravel(), rcond=None)
    return float(grey.mean()) > _LIGHT_LEVEL and float(np.std(grey.ravel() - plane @ slope)) < _FLAT_LEVELS
