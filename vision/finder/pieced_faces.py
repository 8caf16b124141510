"""Pieced faces: where a whole face may lie of which the finder has pieces alone.

In some sets it takes rows of marks for tiles of their own, or a face without its last row for a shorter one. A face may lie where its sides
end with those of the pieces. The finder on the mat fits these places to the picture, and drops those where no face ends on all sides.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import hypot

import numpy as np

from vision.finder.found import FoundTile, TileForm, outlines_px
from vision.table.lens import Points
from vision.table.tile_pose import turned

PIECED = 0.19
"""The score of such a face, less than any that the finder has: only a sure read of it counts."""
_OTHER_SIZE, _MOST = 0.1, 6
"""The share of a side by which pieces are smaller or larger; the number of them around which others are looked for."""
_REACHES = (0.5, 0.75)
"""How far apart pieces of one face lie, as shares of its height: two, or three of which the finder has the outer ones."""
_LEAST_OFF_PX, _MOST_OFF_PX = 1.5, 8.0
"""By how much pieces may end within a face or beyond it; less is for the fit of poses."""


def pieced_faces(tiles: Sequence[FoundTile], size_px: Points) -> Iterator[FoundTile]:
    """Where whole faces of a size may lie, by the tiles that the finder has."""
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
        way = turned(angle_deg)
        corners = outlines_px(group).reshape(-1, 2) @ way
        middle, off = (corners.max(axis=0) + corners.min(axis=0)) / 2, (size_px - np.ptp(corners, axis=0)) / 2
        if (np.abs(off) < _MOST_OFF_PX).all():
            for beside in product(*((0.0,) if abs(each) < _LEAST_OFF_PX else (-each, 0.0, each) for each in off.tolist())):
                x, y = ((middle + beside) @ way.T).tolist()
                yield FoundTile(x, y, float(size_px[0]), float(size_px[1]), angle_deg, TileForm.FACE, PIECED)
