"""Squares of a table, as observations name them: which are covered, and on which a tile lies."""

import numpy as np

from vision.anytable.plane import TILE_MM, TablePlane
from vision.anytable.seats import REACH_MM
from vision.finder.found import CELL_PX, FoundTable
from vision.mat_observation import COVER_MM
from vision.table.lens import Points, grid_points
from vision.table.tile_pose import TilePose

Squares = frozenset[tuple[int, int]]

_COVERED, _MAY_COVER, _LEAST_HIDDEN = 0.5, 0.1, 0.5
"""Probabilities from which a square counts as covered, and from which it may be where a tile lay a moment before; of a tile the least share
of its squares that may be covered. Of free squares at most 0.3 % reach the second, of those below things on a dark table 96 %."""
MOST = int(REACH_MM // COVER_MM)
GRID = grid_points(*2 * [np.arange(-MOST, MOST + 1.0)]).astype(int)
"""All squares (n × 2): column and row."""
_INNER: Points = grid_points(np.linspace(-0.4, 0.4, 3), np.linspace(-0.4, 0.4, 4))


def covered_squares(plane: TablePlane, look: FoundTable, size_px: tuple[int, int]) -> tuple[Squares, Squares]:
    """The squares that something covers, or that a picture of a size (width, height) does not show, and those that may be covered."""
    at = plane.project(GRID * COVER_MM)
    cells = np.clip((at // CELL_PX).astype(np.intp), 0, np.array(look.covering.shape[::-1]) - 1)
    shown = ((at >= 0) & (at < size_px)).all(axis=1)
    covering = np.where(shown, look.covering[cells[:, 1], cells[:, 0]], 1.0)
    hidden, may_be = (frozenset(zip(*GRID[covering > least].T.tolist(), strict=True)) for least in (_COVERED, _MAY_COVER))
    return hidden, may_be


def mostly_in(squares: Squares, tile: TilePose) -> bool:
    """Whether most squares on which a tile lies are among these."""
    below = squares_below(tile)
    return len(squares & below) >= _LEAST_HIDDEN * len(below)


def squares_around(tile: TilePose) -> Squares:
    """The squares on which a tile lies, and those beside them."""
    return frozenset((column + right, row + down) for column, row in squares_below(tile) for right in (-1, 0, 1) for down in (-1, 0, 1))


def squares_below(tile: TilePose) -> Squares:
    """The squares on which a tile lies."""
    return frozenset((int(column), int(row)) for column, row in np.rint(tile.points_mm(_INNER * TILE_MM) / COVER_MM).tolist())
