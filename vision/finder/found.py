"""A finder's answer to one picture: every tile with its outline and form, and where something covers the table.

In some sets the finder takes rows of marks for tiles, or a face without its last row for a shorter tile. So whole faces are proposed where
their sides may end with those of pieces. The mat finder fits these proposals to the picture, and drops those that do not end on all sides.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import product
from math import hypot
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen, frozen_identity
from vision.table.lens import Points
from vision.table.tile_pose import turned

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


PIECED = 0.19
"""The score of a proposed face, below any of the finder's: only a sure read of it counts."""
_OTHER_SIZE, _MOST = 0.1, 6
"""A piece's side differs from a tile's by at least this share; others are searched around at most this many pieces."""
_REACHES = (0.5, 0.75)
"""Distances of the pieces of one face, in heights: of two, and of the outer two of three."""
_LEAST_OFF_PX, _MOST_OFF_PX = 1.5, 8.0
"""The sides of pieces may be this far inside or outside of a face's; a smaller distance is left to the pose fit."""


def pieced_faces(tiles: Sequence[FoundTile], size_px: Points) -> Iterator[FoundTile]:
    """Yield where whole faces of ``size_px`` may be, from the finder's tiles."""
    pieces = [
        tile for tile in tiles if tile.form is TileForm.FACE and np.abs((tile.width_px, tile.height_px) / size_px - 1).max() > _OTHER_SIZE
    ]
    groups = dict.fromkeys(
        tuple(other for other in pieces if hypot(piece.x_px - other.x_px, piece.y_px - other.y_px) < reach * size_px[1])
        for piece in pieces[:_MOST]
        for reach in _REACHES
    )
    for group, across in product(groups, (0.0, 90.0)):
        angle_deg = (group[0].angle_deg + across) % 180
        middle, off = filled(outlines_px(group), angle_deg, size_px)
        if (np.abs(off) < _MOST_OFF_PX).all():
            for beside in product(*((0.0,) if abs(each) < _LEAST_OFF_PX else (-each, 0.0, each) for each in off.tolist())):
                x, y = (middle + turned(angle_deg) @ beside).tolist()
                yield FoundTile(x, y, float(size_px[0]), float(size_px[1]), angle_deg, TileForm.FACE, PIECED)


def filled(outlines: Points, angle_deg: float, size: Points) -> tuple[Points, Points]:
    """Return the middle of what outlines (n × 4 × 2) fill along this angle, and how far a tile's sides are outside of it."""
    corners = outlines.reshape(-1, 2) @ turned(angle_deg)
    return turned(angle_deg) @ (corners.max(axis=0) + corners.min(axis=0)) / 2, (size - np.ptp(corners, axis=0)) / 2
