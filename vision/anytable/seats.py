"""Seats: sets the origin and axes of a table's plane to those of the mat (``seated``; ``twinwall.art.mat``).

The middle is halfway between the outer walls or hands. Place 0 is at the side nearest to the lower edge of the picture.
"""

from collections.abc import Sequence

import numpy as np

from vision.anytable.plane import FLAT, TILE_MM, TablePlane
from vision.finder.found import CELL_PX, FoundTable, FoundTile, TileForm
from vision.mat_observation import COVER_MM
from vision.table.lens import Points, grid_points
from vision.table.tile_pose import TilePose

REACH_MM = 480.0
"""Things further from the middle are on no table, or on another one."""
_OUTER = 4.0
"""Per cent of the tiles that may be outside the walls or the hands."""
_LEAST_SPAN_MM = 330.0
"""Walls or hands on opposite sides are further apart than this."""
_ROW_MM = 60.0
"""The width of one side's row of walls or hands."""
_APART_MM, _ONE_TABLE_MM = 160.0, 1000.0
"""The tiles of one table have no wider gap and are no further apart in all."""
_ANOTHER_TABLE = 16
"""This many tiles beyond a gap belong to another table."""


class TwoTablesError(ValueError):
    """The picture shows the tiles of two tables."""


def seated(plane: TablePlane, tiles: Sequence[FoundTile], width_px: int, height_px: int) -> TablePlane:
    """Return the plane, whose axes are along the tiles, with the mat's origin and axes; raises TwoTablesError.

    The middle is that of walls, of walls and hands, or of all tiles: the first that surrounds it, else the first that spans a table, else
    the picture's middle.
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
    quarter = np.argmax((to_bottom, beside, -to_bottom, -beside))
    return plane.moved(middle, -quarter * np.pi / 2)


def on_table(plane: TablePlane, tiles: Sequence[FoundTile]) -> tuple[list[FoundTile], Points]:
    """Return the flat tiles within the table's reach, and their poses."""
    flat = [tile for tile in tiles if tile.form in FLAT]
    poses = plane.poses(flat)
    within = np.flatnonzero(np.abs(poses[:, :2]).max(axis=1) < REACH_MM) if flat else np.empty(0, np.intp)
    return [flat[number] for number in within.tolist()], poses[within]


def _on_all_sides(points: Points, extent: Points) -> bool:
    """Whether points (n × 2) are at all four ends of their extent (2 × 2), near the middle of that side; the ends of two rows are not."""
    before = np.abs(points - extent.mean(axis=0)) < np.ptp(extent, axis=0) / 4
    return all((before[:, 1 - axis] & (np.abs(points[:, axis] - end[axis]) < _ROW_MM)).any() for axis in (0, 1) for end in extent)


def _refuse_two(points: Points) -> None:
    for along in np.sort(points, axis=0).T:
        gaps = np.flatnonzero(np.diff(along) > _APART_MM) + 1
        if any(min(gap, len(along) - gap) >= _ANOTHER_TABLE for gap in gaps.tolist()) and np.ptp(along) > _ONE_TABLE_MM:
            raise TwoTablesError("tiles of two tables are in the picture: turn the camera to one, or name its corners")


Squares = frozenset[tuple[int, int]]

_COVERED, _MAY_COVER, _LEAST_HIDDEN = 0.5, 0.1, 0.5
"""Probability from which a square is covered; from which it may hide a tile seen a moment before (0.3 % of free squares reach it, 96 % of
those under things on a dark table); share of a tile's squares that must do so."""
MOST = int(REACH_MM // COVER_MM)
GRID = grid_points(*2 * [np.arange(-MOST, MOST + 1.0)]).astype(int)
"""All squares (n × 2: column, row)."""
_INNER: Points = grid_points(np.linspace(-0.4, 0.4, 3), np.linspace(-0.4, 0.4, 4))


def covered_squares(plane: TablePlane, look: FoundTable, size_px: tuple[int, int]) -> tuple[Squares, Squares]:
    """Return the squares that are covered or outside of the picture (``size_px``: width, height), and those that may be covered."""
    at = plane.project(GRID * COVER_MM)
    cells = np.clip((at // CELL_PX).astype(np.intp), 0, np.array(look.covering.shape[::-1]) - 1)
    shown = ((at >= 0) & (at < size_px)).all(axis=1)
    covering = np.where(shown, look.covering[cells[:, 1], cells[:, 0]], 1.0)
    hidden, may_be = (frozenset(zip(*GRID[covering > least].T.tolist(), strict=True)) for least in (_COVERED, _MAY_COVER))
    return hidden, may_be


def mostly_in(squares: Squares, tile: TilePose) -> bool:
    """Whether most of the squares under a tile are among these."""
    below = squares_below(tile)
    return len(squares & below) >= _LEAST_HIDDEN * len(below)


def squares_around(tile: TilePose) -> Squares:
    """Return the squares under a tile and their neighbours."""
    return frozenset((column + right, row + down) for column, row in squares_below(tile) for right in (-1, 0, 1) for down in (-1, 0, 1))


def squares_below(tile: TilePose) -> Squares:
    return frozenset((int(column), int(row)) for column, row in np.rint(tile.points_mm(_INNER * TILE_MM) / COVER_MM).tolist())
