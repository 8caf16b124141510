"""Tints: colours beside the way from cloth to white, as those of tiles' backs, with brightness counted little.

The rims of backs are darker than their middles, and shadows fall on them. So a difference between two colours is
measured after most of its brightness has been taken off.
"""

import numpy as np
from numpy.typing import NDArray

from vision.table.light import Colours, logarithms, mapped, squared_length
from vision.table.white import level_of

_BRIGHTNESS = 0.3
"""What a difference in brightness counts."""
_LEAST_BESIDE_WHITE = 0.2
"""How far a back's colour lies beside the way from cloth to white, where it is lighter than the cloth."""
_METRIC = np.asarray(np.eye(3) - (1 - _BRIGHTNESS) / 3, np.float32)


def tint_distance(way: Colours) -> NDArray[np.float32]:
    """How large differences between colours are (… × 3 logarithms)."""
    return np.sqrt(squared_length(mapped(way, _METRIC)))


def is_white_in_shadow(way: Colours, white: Colours) -> NDArray[np.bool_]:
    """Whether colours that differ from the cloth's by ``way`` (m × 3 logarithms) lie on the way to white (3 logarithms): a face that the
    light around it does not reach."""
    along = way @ (white / (white @ white))
    return np.asarray((along > 0) & (tint_distance(way - along[:, None] * white) < _LEAST_BESIDE_WHITE), np.bool_)


def likeness_to(way: Colours, pixels: NDArray[np.uint8], cloth: Colours) -> NDArray[np.float32]:
    """How much pixels (… × 3) over cloth of a colour have of one that differs from it by ``way`` (logarithms that broadcast).

    0 for the cloth and about 1 for that colour, as whiteness is for white.
    """
    off, whole = mapped(logarithms(pixels) - cloth, _METRIC), mapped(way, _METRIC)
    squared = squared_length(whole)
    along = np.einsum("...c,...c->...", off, whole) / squared
    beside = np.sqrt(np.maximum(squared_length(off) / squared - along * along, 0))
    return level_of(np.asarray(along, np.float32), np.asarray(beside, np.float32))


def own_colours(colours: NDArray[np.uint8]) -> tuple[Colours, NDArray[np.float32]]:
    """Of patches (m × k × 3 BGR): the median logarithm of each (m × 3), and how far its places are from that in the mean (m)."""
    levels = logarithms(colours)
    middle = np.median(levels, axis=1)
    spread = np.abs(levels - middle[:, None]).mean(axis=(1, 2))
    return np.asarray(middle, np.float32), np.asarray(spread, np.float32)
