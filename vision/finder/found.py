"""A finder's answer to one picture: every tile with its outline and form, and where something covers the table."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen, frozen_identity

LOOKS_IN_TURN = 4
"""A finder may look in different sizes in turn; it is back at the first after this many pictures."""
CELL_PX = 8
"""Side of the squares for which a finder says whether they are covered."""


class TileForm(StrEnum):
    """How a tile stands on the table."""

    FACE = "face"
    """Flat, face up."""
    BACK = "back"
    """Flat, face down, alone."""
    STANDING = "standing"
    """Upright, with its face turned away, as in another player's hand; if the face is seen, it counts as ``FACE``."""
    WALL = "wall"
    """Two face-down tiles on one another, as in a wall."""


@frozen
class FoundTile:
    """The upper surface of one tile in a picture: its middle (``x_px``, ``y_px``), its short and its long side (``width_px``,
    ``height_px``), the angle of the long side (``angle_deg``, anticlockwise from the picture's vertical, in 0 ≤ a < 180), the further turn
    of the short side if seen aslant (``lean_deg``), and the probability that it is there (``score``)."""

    x_px: float
    y_px: float
    width_px: float
    height_px: float
    angle_deg: float
    form: TileForm
    score: float
    lean_deg: float = 0.0

    def outline_px(self) -> NDArray[np.float64]:
        """Return its corners (4 × 2 px): upper left, upper right, lower right, lower left of the tile held upright at ``angle_deg`` 0."""
        return np.asarray(outlines_px([self])[0])


def outlines_px(tiles: Sequence[FoundTile]) -> NDArray[np.float64]:
    """Return the corners of tiles (n × 4 × 2 px)."""
    numbers = [(one.x_px, one.y_px, one.width_px / 2, one.height_px / 2, one.angle_deg, one.angle_deg + one.lean_deg) for one in tiles]
    x, y, across, along, *angles = np.array(numbers).reshape(-1, 6).T
    turned, leant = np.deg2rad(angles)
    middle, right, down = np.array(
        ((x, y), (across * np.cos(leant), -across * np.sin(leant)), (along * np.sin(turned), along * np.cos(turned)))
    )
    return np.stack((middle - right - down, middle + right - down, middle + right + down, middle - right + down)).transpose(2, 0, 1)


@frozen_identity
class FoundTable:
    """One picture: its tiles, the surest first, and for each square of ``CELL_PX`` the probability that a hand, an arm or a thing covers
    the table there (rows × columns float32)."""

    tiles: tuple[FoundTile, ...]
    covering: NDArray[np.float32]


class Finder(Protocol):
    """Finds tiles in pictures."""

    def look(self, image: NDArray[np.uint8]) -> FoundTable:
        """Return all tiles of a picture (h × w × 3 BGR)."""
        ...
