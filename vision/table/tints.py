"""Tints: how much colours differ, brightness counting little, since shadows change it."""

import numpy as np
from numpy.typing import NDArray

from vision.table.light import Colours, mapped, squared_length

_BRIGHTNESS = 0.3
"""What a difference in brightness counts."""
_METRIC = np.asarray(np.eye(3) - (1 - _BRIGHTNESS) / 3, np.float32)


def tint_distance(way: Colours) -> NDArray[np.float32]:
    """How large differences between colours are (… × 3 logarithms)."""
    return np.sqrt(squared_length(mapped(way, _METRIC)))
