"""Covering: whether something lies over a tile's face, seen by the colour all around its rim.

Nothing reaches a face without crossing its rim from the side inwards: a finger, a sleeve, a cup. There the rim has
another colour than elsewhere. A little darkness says nothing, since shadows fall on faces. Nor does the tint of a whole
side whose opposite is tinted the other way: edges are round, and one turns to a window, the other to a lamp.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Points
from vision.table.light import brightness, logarithms
from vision.table.tile_pose import TilePose, sampled

_INSETS_MM = (1.2, 2.0)
"""How far inside of a tile's sides its rim is looked at, in two rings: the pose of a tile may be half a millimetre off, and marks may reach
the inner one."""
_PLACES = np.linspace(-0.9, 0.9, 15)
"""Where along each side, as shares of half its length."""
_OTHER_TINT = 0.08
"""Logarithm by which a place is tinted otherwise than the light tints its side; tiles with nothing over them stay below."""
_LIGHTER, _LIGHTER_TINT = 0.05, 0.13
"""A place that is so much lighter lies in the light and the rest of the rim in the shade, unless it is tinted by more: what lies over faces
is darker than they are."""
_DARKER, _DARKER_TINT = 0.15, 0.045
"""The same for a place that is so much darker as well, as a pale finger's are: a shadow alone has no tint."""
_OTHER_WAY = 0.02
"""The light tints a side where the opposite one is tinted by so much the other way; under a thing one side is tinted alone."""
_BLACK = 0.9
"""Logarithm by which a place is darker than any shadow makes it: a black sleeve, which has no tint."""
_BEYOND_MM, _SEAM, _SEAM_SHARE = 4.8, 0.08, 0.8
"""A rim of a tile wider by this lies beyond its sides; logarithm by which it is darker there, in so much of each side."""
_LEAST_RUN = 4
"""This many consecutive places are no speck: some 8 mm."""


def things_over(image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Of tiles in an image whose first pixel is at ``corner`` of the whole picture: over which something lies (m)."""
    return covered(sampled(image, tiles, corner, rim(*size_mm.tolist()))) if tiles else np.zeros(0, np.bool_)


def ends_around(image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Of tiles as for ``things_over``: beyond which it gets darker on each side, by a seam or the cloth, so that a face ends there (m)."""
    inside, beyond = (
        brightness(sampled(image, tiles, corner, rim(*(size_mm + wider_mm).tolist()))).reshape(len(tiles), len(_INSETS_MM), 4, len(_PLACES))
        for wider_mm in (0.0, _BEYOND_MM)
    )
    darker = inside[:, 0] - beyond.min(axis=1) > _SEAM
    return np.asarray((darker.mean(axis=2) > _SEAM_SHARE).all(axis=1))


def rim(width_mm: float, height_mm: float) -> Points:
    """The places (2 n × 2 mm) twice around a tile that lies upright about its middle, the inner ones last."""
    rings = []
    for inset in _INSETS_MM:
        x, y = width_mm / 2 - inset, height_mm / 2 - inset
        across, down = np.full(len(_PLACES), x), np.full(len(_PLACES), y)
        sides = ((_PLACES * x, -down), (across, _PLACES * y), (-_PLACES * x, down), (-across, -_PLACES * y))
        rings += [np.stack(side, axis=1) for side in sides]
    return np.concatenate(rings)


def covered(rims: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Of tiles whose rims look so (m × 2 n × 3, as ``rim`` has the places): over which something lies (m)."""
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
