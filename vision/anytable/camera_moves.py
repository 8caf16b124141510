"""Moves of the camera: the plane of a table whose tiles are seen elsewhere than before, all moved alike."""

from collections.abc import Iterable, Sequence

import numpy as np

from vision.anytable.plane import LEAST_TILES, TablePlane, apart, fitted_plane
from vision.finder.found import FoundTile
from vision.table.lens import Points
from vision.table.tile_pose import turned

SAME_PLACE_MM = 8.0
"""Tiles that lie still are seen no further apart from picture to picture."""
_SAME_MM = 6.0
_MOST_LOST = 0.6
"""The camera has been moved when this share of all tiles lies where no look in any of the finder's sizes had one."""


def plane_after_move(plane: TablePlane, tiles: Sequence[FoundTile], at: Iterable[Points], size_px: tuple[int, int]) -> TablePlane | None:
    """The plane of tiles in a picture of a size (width, height) where most of them are not ``at`` the points (n × 2 mm each) of the last
    pictures by the plane so far, all moved alike; None where they are, or are not moved alike."""
    points, before = plane.poses(tiles)[:, :2], _one_each(np.concatenate(list(at)))
    if min(len(before), len(points)) < LEAST_TILES or _agree(points, before) > 1 - _MOST_LOST:
        return None
    fitted = fitted_plane(tiles, *size_px)
    return None if fitted is None else _as_before(fitted, fitted.poses(tiles)[:, :2], before)


def _as_before(plane: TablePlane, points: Points, before: Points) -> TablePlane | None:
    """The plane in the axes in which tiles lay ``before`` (m × 2 mm), where most of its ``points`` (n × 2 mm) are those; None: they are
    not."""
    best: tuple[float, TablePlane | None] = _MOST_LOST, None
    for quarter in range(4):
        turn = turned(90.0 * quarter)
        laid = points @ turn.T
        ways = (before[:, None] - laid).reshape(-1, 2)
        _, first, counts = np.unique(np.rint(ways / _SAME_MM), axis=0, return_index=True, return_counts=True)
        about = ways[first[counts.argmax()]]
        way = ways[np.hypot(*(ways - about).T) < SAME_PLACE_MM].mean(axis=0)
        share = _agree(before, laid + way)
        if share > best[0]:
            best = share, plane.moved(-way @ turn, quarter * np.pi / 2)
    return best[1]


def _one_each(points: Points) -> Points:
    """One point for each tile: of those (n × 2 mm) that are at one tile, the first."""
    first = np.tril(apart(points, points) < SAME_PLACE_MM, -1).sum(axis=1) == 0
    return np.asarray(points[first], np.float64)


def _agree(one: Points, other: Points) -> float:
    """The share of some points (m × 2) that are among others (n × 2), of as many as can be."""
    return float((apart(one, other).min(axis=1) < SAME_PLACE_MM).sum()) / min(len(one), len(other))
