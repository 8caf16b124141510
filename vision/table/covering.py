"""Covering: whether something is over a tile's face, by the colours all around its rim.

A finger, a sleeve or a cup reaches a face only across its rim, where it changes the colour. Darkness alone says nothing, since shadows fall
on faces. A tint of a whole side says nothing if the opposite side has the opposite tint: edges are round, and one may face a window, the
other a lamp.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Points
from vision.table.light import brightness, logarithms
from vision.table.tile_pose import TilePose, sampled

_INSETS_MM = (1.2, 2.0)
"""How far inside a tile's sides the two rings of its rim are: poses may be 0.5 mm off, and marks may reach the inner ring."""
_PLACES = np.linspace(-0.9, 0.9, 15)
"""Places along each side, as shares of half its length."""
_OTHER_TINT = 0.08
"""A place is covered if its tint differs from its side's by this logarithm; on tiles with nothing over them it differs less."""
_LIGHTER, _LIGHTER_TINT = 0.05, 0.13
"""A place lighter by the first is in the light and the rest of the rim in the shade, unless its tint exceeds the second: things over faces
are darker than faces."""
_DARKER, _DARKER_TINT = 0.15, 0.045
"""A place darker by the first counts from the second tint on, like a pale finger's: a shadow alone has no tint."""
_OTHER_WAY = 0.02
"""The light tints a side if the opposite one has the opposite tint by at least this."""
_BLACK = 0.9
"""Logarithm by which a black sleeve, without tint, is darker than any shadow."""
_BEYOND_MM, _SEAM, _SEAM_SHARE = 4.8, 0.08, 0.8
"""Rim samples of a tile wider by this are beyond its sides; a face ends if they are darker by this logarithm, on this share of each
side."""
_LEAST_RUN = 4
"""Consecutive places (about 8 mm) that are no mere speck."""


def things_over(image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Return over which tiles something is (m); the image's first pixel is at ``corner`` of the whole picture."""
    return covered(sampled(image, tiles, corner, rim(*size_mm.tolist()))) if tiles else np.zeros(0, np.bool_)


def ends_around(image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Return around which tiles (m) it gets darker on each side, by a seam or the cloth, so that the face ends there."""
    inside, beyond = (
        brightness(sampled(image, tiles, corner, rim(*(size_mm + wider_mm).tolist()))).reshape(len(tiles), len(_INSETS_MM), 4, len(_PLACES))
        for wider_mm in (0.0, _BEYOND_MM)
    )
    darker = inside[:, 0] - beyond.min(axis=1) > _SEAM
    return np.asarray((darker.mean(axis=2) > _SEAM_SHARE).all(axis=1))


def rim(width_mm: float, height_mm: float) -> Points:
    """Return the sample places (2 n × 2 mm) of a tile upright about its middle: the outer ring, then the inner one."""
    rings = []
    for inset in _INSETS_MM:
        x, y = width_mm / 2 - inset, height_mm / 2 - inset
        across, down = np.full(len(_PLACES), x), np.full(len(_PLACES), y)
        sides = ((_PLACES * x, -down), (across, _PLACES * y), (-_PLACES * x, down), (-across, -_PLACES * y))
        rings += [np.stack(side, axis=1) for side in sides]
    return np.concatenate(rings)


def covered(rims: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which rims (m × 2 n × 3, in the order of ``rim``) something covers (m)."""
    levels = logarithms(rims).reshape(len(rims), len(_INSETS_MM), 4, -1, 3)
    off = levels - np.median(levels[:, :1], axis=(2, 3), keepdims=True)
    lighter = off.mean(axis=-1)
    tints = off - lighter[..., None]
    sides = np.median(tints, axis=3, keepdims=True)
    inner = sides[:, :1]
    of_light = (inner * np.roll(inner, 2, axis=2)).sum(axis=-1, keepdims=True) < -_OTHER_WAY * np.linalg.norm(inner, axis=-1, keepdims=True)
    tint = np.abs(tints - np.where(of_light, sides, 0)).max(axis=-1)
    most = np.where(lighter > _LIGHTER, _LIGHTER_TINT, np.where(lighter < -_DARKER, _DARKER_TINT, _OTHER_TINT))
    other = ((tint > most) | (lighter < -_BLACK)).all(axis=1).reshape(len(rims), -1)
    runs = np.logical_and.reduce([np.roll(other, shift, axis=1) for shift in range(_LEAST_RUN)])
    return np.asarray(runs.any(axis=1))
