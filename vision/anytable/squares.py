"""Squares of a table, as observations name them: which are covered, and which are under a tile."""

import numpy as np

from vision.anytable.plane import TILE_MM, TablePlane
from vision.anytable.seats import REACH_MM
from vision.finder.found import CELL_PX, FoundTable
from vision.mat_observation import COVER_MM
from vision.table.lens import Points, grid_points
from vision.table.tile_pose import TilePose

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
