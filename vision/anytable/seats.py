"""Seats: the middle and the axes of a table whose plane is known, as the mat has them (``twinwall.art.mat``).

Walls and hands stand around the middle, so it is halfway between the outer ones. Place 0 sits at the side that is nearest to the bottom
edge of the picture.
"""

from collections.abc import Sequence

import numpy as np

from vision.anytable.plane import FLAT, TablePlane
from vision.finder.found import FoundTile, TileForm
from vision.table.lens import Points

REACH_MM = 480.0
"""What lies further from the middle is on no table, or on another one."""
_OUTER = 4.0
"""In per cent: so few tiles may lie outside the walls or the hands."""
_LEAST_SPAN_MM = 330.0
"""Walls and hands on opposite sides are further apart."""
_ROW_MM = 60.0
"""Walls and hands of one side lie no further apart."""
_APART_MM, _ONE_TABLE_MM = 160.0, 1000.0
"""Tiles of one table, with its walls, have no wider gap, and lie no further apart."""
_ANOTHER_TABLE = 16
"""This number of tiles beyond such a gap are another table's."""


class TwoTablesError(ValueError):
    """Tiles of two tables are in the picture."""


def seated(plane: TablePlane, tiles: Sequence[FoundTile], width_px: int, height_px: int) -> TablePlane:
    """The plane, whose axes are along the tiles, with the mat's origin and axes; raises TwoTablesError.

    Of walls that are not found on all four sides the hands tell, or all tiles; else what lies furthest apart, or the middle of the picture,
    which is that of the table.
    """
    points = plane.poses(tiles)[:, :2]
    _refuse_two(points)
    walls, hands = (np.array([tile.form is form for tile in tiles], bool) for form in (TileForm.WALL, TileForm.STANDING))
    middle = plane.points_mm(np.array([(width_px / 2, height_px / 2)]))[0]
    spans = [points[chosen] for chosen in (walls, walls | hands, np.ones(len(tiles), bool)) if chosen.any()]
    extents = [np.percentile(each, (_OUTER, 100 - _OUTER), axis=0) for each in spans]
    apart = [number for number, (first, last) in enumerate(extents) if (last - first > _LEAST_SPAN_MM).all()]
    if apart:
        chosen = next((number for number in apart if _on_all_sides(spans[number], extents[number])), apart[0])
        middle = extents[chosen].mean(axis=0)
    down = plane.project(middle + np.array([(0.0, 0.0), (0.0, 30.0), (30.0, 0.0)]))
    to_bottom, beside = (down[1:] - down[0])[:, 1]
    quarter = [to_bottom, beside, -to_bottom, -beside].index(max(map(float, (to_bottom, beside, -to_bottom, -beside))))
    return plane.moved(middle, -quarter * np.pi / 2)


def on_table(plane: TablePlane, tiles: Sequence[FoundTile]) -> tuple[list[FoundTile], Points]:
    """The tiles that lie flat within the table's reach, and their poses."""
    flat = [tile for tile in tiles if tile.form in FLAT]
    poses = plane.poses(flat)
    within = np.flatnonzero(np.abs(poses[:, :2]).max(axis=1) < REACH_MM) if flat else np.empty(0, np.intp)
    return [flat[number] for number in within.tolist()], poses[within]


def _on_all_sides(points: Points, extent: Points) -> bool:
    """Whether some of the points (n × 2) lie at each end of their extent (2 × 2) before its middle: the ends of two rows do not."""
    before = np.abs(points - extent.mean(axis=0)) < np.ptp(extent, axis=0) / 4
    return all((before[:, 1 - axis] & (np.abs(points[:, axis] - end[axis]) < _ROW_MM)).any() for axis in (0, 1) for end in extent)


def _refuse_two(points: Points) -> None:
    """Raise TwoTablesError where many tiles lie beyond a wide gap from the others, along either axis."""
    for along in np.sort(points, axis=0).T:
        gaps = np.flatnonzero(np.diff(along) > _APART_MM) + 1
        if any(min(gap, len(along) - gap) >= _ANOTHER_TABLE for gap in gaps.tolist()) and np.ptp(along) > _ONE_TABLE_MM:
            raise TwoTablesError("tiles of two tables are in the picture: turn the camera to one, or name its corners")
