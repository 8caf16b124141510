"""Covering: whether something lies over a tile's face, seen by the colour all around its rim.

Nothing reaches a face without crossing its rim from the side inwards: a finger, a sleeve, a cup. There the rim has
another colour than elsewhere. A little darkness says nothing, since shadows fall on faces. Nor does the tint of a whole
side whose opposite is tinted the other way: edges are round, and one turns to a window, the other to a lamp.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Matrix, Points
from vision.table.light import logarithms
from vision.table.tile_pose import TilePose, sampled

_INSETS_MM = (1.2, 2.0)
"""How far inside of a tile's sides its rim is looked at, in two rings: the pose of a tile may be a millimetre off, and marks may reach the
inner one. Of 4,303 looks at free faces, path-traced and drawn, 0.4 % look covered, and of 69 at faces of which more than 3 % are hidden
81 %."""
_OFF = [(np.eye(2), np.array(shift)) for shift in ((0.0, 0.0), (0.8, 0.0), (-0.8, 0.0), (0.0, 0.8), (0.0, -0.8))]
_OFF += [(np.array(((1.0, -sine), (sine, 1.0))), np.zeros(2)) for sine in (0.035, -0.035)]
"""By how much the pose of a tile may be off: turns, and shifts in mm."""
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
_LEAST_RUN = 4
"""This many consecutive places are no speck: some 8 mm."""


def things_over(
    image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, size_mm: Points, smaller: Sequence[bool]
) -> list[bool]:
    """Of tiles in an image whose first pixel is at ``corner`` of the whole picture: over which something lies.

    Where a tile was found ``smaller`` than it is its rim alone tells; else its rim must look covered however its pose may be off.
    """
    places = rim(*size_mm.tolist())

    def look_covered(numbers: Sequence[int], turn: Matrix, shift: Points) -> list[int]:
        if not numbers:
            return []
        rims = sampled(image, [tiles[number] for number in numbers], corner, places @ turn.T + shift)
        return [number for number, is_covered in zip(numbers, covered(rims).tolist(), strict=True) if is_covered]

    own, *others = _OFF
    under = look_covered(range(len(tiles)), *own)
    whole = [number for number in under if not smaller[number]]
    for turn, shift in others:
        whole = look_covered(whole, turn, shift)
    return [number in whole or (smaller[number] and number in under) for number in range(len(tiles))]


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
