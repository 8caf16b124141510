"""Pieced faces: proposes whole faces where the finder has only pieces.

In some sets it takes rows of marks for tiles, or a face without its last row for a shorter tile. A whole face may be where its sides end
with those of the pieces. The mat finder fits these proposals to the picture, and drops those that do not end on all sides.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import hypot

import numpy as np

from vision.finder.found import FoundTile, TileForm, outlines_px
from vision.table.lens import Points
from vision.table.tile_pose import turned

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
