"""Covering: whether something lies over a tile's face, told by the colour all around its rim.

Marks keep off the rim, and nothing reaches a face without crossing it: a finger, a sleeve, a cup. There the rim has
another colour than elsewhere. A little darkness says nothing, since shadows fall on faces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Points
from vision.table.light import logarithms

_INSET_MM = 1.2
"""How far inside of a tile's sides its rim is looked at: beyond their blur, and short of every mark."""
_PLACES = np.linspace(-0.9, 0.9, 15)
"""Where along each side, as shares of half its length."""
_OTHER_TINT = 0.08
"""Logarithm by which a place is tinted otherwise than the rim's middle one; tiles with nothing over them stay below."""
_LIGHTER, _LIGHTER_TINT = 0.05, 0.13
"""A place that is so much lighter lies in the light and the rest of the rim in the shade, unless it is tinted by more: what lies over faces
is darker than they are."""
_DARKER, _DARKER_TINT = 0.15, 0.045
"""The same for a place that is so much darker as well, as a pale finger's are: a shadow alone has no tint."""
_BLACK = 0.9
"""Logarithm by which a place is darker than any shadow makes it: a black sleeve, which has no tint."""
_LEAST_RUN = 3
"""So many places one after the other are no speck: some 6 mm."""


def rim(width_mm: float, height_mm: float) -> Points:
    """The places (n × 2 mm) once around a tile that lies upright about its middle."""
    x, y = width_mm / 2 - _INSET_MM, height_mm / 2 - _INSET_MM
    across, down = np.full(len(_PLACES), x), np.full(len(_PLACES), y)
    sides = ((_PLACES * x, -down), (across, _PLACES * y), (-_PLACES * x, down), (-across, -_PLACES * y))
    return np.concatenate([np.stack(side, axis=1) for side in sides])


def covered(rims: NDArray[np.uint8], tolerance: float = 1.0) -> NDArray[np.bool_]:
    """Of tiles whose rims look so (m × n × 3, in order around each): over which something lies (m).

    ``tolerance`` raises the limits of tint, for faces darker than ivory: noise and reflections tint those more.
    """
    levels = logarithms(rims)
    off = levels - np.median(levels, axis=1, keepdims=True)
    lighter = off.mean(axis=2)
    tint = np.abs(off - lighter[:, :, None]).max(axis=2)
    most = np.where(lighter > _LIGHTER, _LIGHTER_TINT, np.where(lighter < -_DARKER, _DARKER_TINT, _OTHER_TINT))
    other = (tint > tolerance * most) | (lighter < -_BLACK)
    runs = np.logical_and.reduce([np.roll(other, shift, axis=1) for shift in range(_LEAST_RUN)])
    return np.asarray(runs.any(axis=1))
