"""Moves of the camera: the plane of a table whose tiles are seen elsewhere than before, all moved alike.

Tiles that stay are landmarks. Each is known by the place at which it was found first, so that errors do not add up however slowly a camera
is moved.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.anytable.plane import LEAST_TILES, TablePlane, apart, fitted_plane
from vision.finder.found import LOOKS_IN_TURN, FoundTile
from vision.table.lens import Points
from vision.table.tile_pose import turned

SAME_PLACE_MM = 8.0
"""Tiles that lie still are seen no further apart from picture to picture."""
_SAME_MM = 6.0
_MOST_LOST = 0.6
"""The camera has been moved when this share of all tiles lies where no landmark is."""
_STILL_MM, _NEAR_MM = 3.0, 12.0
"""Half of the tiles that lie still are no further from their landmarks. A tile that is moved no further than the second length is nearest
to its own."""
_LEAST_RIGHT, _LEAST_WIDE_MM = 0.7, 30.0
"""A move that is taken back brings this share of all tiles onto landmarks. Tiles that spread less across the line along which they lie do
not tell of one: people push a row as a whole."""
_FORGOTTEN_MS = 7000
"""A landmark that is missing for so long has been taken away; so have all of them where none is found."""


class Landmarks:
    """The tiles by which a camera's plane is found again."""

    def __init__(self) -> None:
        self._at, self._seen_ms, self._looks = np.empty((0, 2)), np.empty(0), 0

    def plane(self, plane: TablePlane, tiles: Sequence[FoundTile], size_px: tuple[int, int], at_ms: int) -> TablePlane | None:
        """The plane by which the tiles of a picture of a size (width, height) are at the landmarks: the same one where the camera has not
        been moved; None where there is none."""
        points = plane.poses(tiles)[:, :2]
        if self._looks < LOOKS_IN_TURN or min(len(points), len(self._at)) < LEAST_TILES:
            return plane
        away = apart(points, self._at).min(axis=1)
        agree = _agree(points, self._at) > 1 - _MOST_LOST
        if agree and np.median(away[away < _NEAR_MM]) <= _STILL_MM:
            return plane
        found = self._onto(plane, points)
        if found is not None or agree:
            return found or plane
        fitted = fitted_plane(tiles, *size_px)
        placed = None if fitted is None else _as_before(fitted, fitted.poses(tiles)[:, :2], self._at)
        found = None if placed is None else self._onto(placed, placed.poses(tiles)[:, :2])
        if found is None:
            self.note(self._at[:0], at_ms)
        return found

    def note(self, points: Points, at_ms: int) -> None:
        """Note where the tiles of a picture are (n × 2 mm)."""
        near = apart(points, self._at) < SAME_PLACE_MM
        self._seen_ms[near.any(axis=0)] = at_ms
        stay, fresh = self._seen_ms > at_ms - _FORGOTTEN_MS, points[~near.any(axis=1)]
        self._at = np.concatenate((self._at[stay], fresh))
        self._seen_ms = np.concatenate((self._seen_ms[stay], np.full(len(fresh), at_ms)))
        self._looks += 1

    def _onto(self, plane: TablePlane, points: Points) -> TablePlane | None:
        """The plane after a small move that brings most of its points (n × 2 mm) onto landmarks; None where there is none."""
        away = apart(points, self._at)
        near = away.min(axis=1) < _NEAR_MM
        laid, onto = points[near], self._at[away[near].argmin(axis=1)]
        if len(laid) < LEAST_TILES or np.linalg.eigvalsh(np.cov(laid.T))[0] < _LEAST_WIDE_MM**2:
            return None
        move, right = cv2.findHomography(laid, onto, cv2.RANSAC, SAME_PLACE_MM / 2)
        return plane.after(move) if move is not None and right.sum() >= _LEAST_RIGHT * min(len(points), len(self._at)) else None


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


def _agree(one: Points, other: Points) -> float:
    """The share of some points (m × 2) that are among others (n × 2), of as many as can be."""
    return float((apart(one, other).min(axis=1) < SAME_PLACE_MM).sum()) / min(len(one), len(other))
