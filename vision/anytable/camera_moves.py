"""Camera moves: notices that the camera was moved, by tiles at rest, and corrects the table's plane.

A tile keeps the place where it was first found as its landmark, so errors do not add up when the camera moves slowly.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.anytable.plane import LEAST_TILES, TablePlane, apart, fitted_plane
from vision.finder.found import LOOKS_IN_TURN, FoundTile
from vision.table.lens import Points
from vision.table.tile_pose import turned

SAME_PLACE_MM = 8.0
"""From picture to picture a tile at rest is found within this distance."""
_SAME_MM = 6.0
_MOST_LOST = 0.6
"""If this share of the tiles is at no landmark, the camera was moved."""
_STILL_MM, _NEAR_MM = 3.0, 12.0
"""If the median distance of tiles from their landmarks is above the first, the camera was moved a little. The second is how far from a
landmark a tile may be to be matched with it."""
_LEAST_RIGHT, _LEAST_WIDE_MM = 0.7, 30.0
"""A corrected plane must bring this share of the tiles onto landmarks. They must spread this far both ways, since people push whole
rows."""
_FORGOTTEN_MS = 7000
"""A landmark not seen for this long is removed. When no plane fits, all landmarks are removed."""


class Landmarks:
    """The resting tiles that show whether the camera was moved."""

    def __init__(self) -> None:
        self._at, self._seen_ms, self._looks = np.empty((0, 2)), np.empty(0), 0

    def plane(self, plane: TablePlane, tiles: Sequence[FoundTile], size_px: tuple[int, int], at_ms: int) -> TablePlane | None:
        """Return the plane that fits this picture (``size_px``: width, height): the same object if the camera rests, None if no plane
        fits."""
        points = plane.poses(tiles)[:, :2]
        if self._looks < LOOKS_IN_TURN or min(len(points), len(self._at)) < LEAST_TILES:
            return plane
        away = apart(points, self._at).min(axis=1)
        agree = _agree(points, self._at) > 1 - _MOST_LOST
        if agree and np.median(away[away < _NEAR_MM]) <= _STILL_MM:
            return plane
        found = self._matched_plane(plane, points)
        if found is not None or agree:
            return found or plane
        fitted = fitted_plane(tiles, *size_px)
        placed = None if fitted is None else _in_axes_of(fitted, fitted.poses(tiles)[:, :2], self._at)
        found = None if placed is None else self._matched_plane(placed, placed.poses(tiles)[:, :2])
        if found is None:
            self.note(self._at[:0], at_ms)
        return found

    def note(self, points: Points, at_ms: int) -> None:
        """Note the places of a picture's tiles (n × 2 mm)."""
        near = apart(points, self._at) < SAME_PLACE_MM
        self._seen_ms[near.any(axis=0)] = at_ms
        stay, fresh = self._seen_ms > at_ms - _FORGOTTEN_MS, points[~near.any(axis=1)]
        self._at = np.concatenate((self._at[stay], fresh))
        self._seen_ms = np.concatenate((self._seen_ms[stay], np.full(len(fresh), at_ms)))
        self._looks += 1

    def _matched_plane(self, plane: TablePlane, points: Points) -> TablePlane | None:
        """Correct the plane so that most ``points`` (n × 2 mm) match nearby landmarks; None if they do not."""
        away = apart(points, self._at)
        near = away.min(axis=1) < _NEAR_MM
        laid, onto = points[near], self._at[away[near].argmin(axis=1)]
        if len(laid) < LEAST_TILES or np.linalg.eigvalsh(np.cov(laid.T))[0] < _LEAST_WIDE_MM**2:
            return None
        move, right = cv2.findHomography(laid, onto, cv2.RANSAC, SAME_PLACE_MM / 2)
        return plane.after(move) if move is not None and right.sum() >= _LEAST_RIGHT * min(len(points), len(self._at)) else None


def _in_axes_of(plane: TablePlane, points: Points, before: Points) -> TablePlane | None:
    """Return the plane in the axes of ``before`` (m × 2 mm), by four quarter turns; None if few of its ``points`` (n × 2 mm) match it."""
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
    """Return which share of the smaller set of points is found in the other (m × 2, n × 2)."""
    return float((apart(one, other).min(axis=1) < SAME_PLACE_MM).sum()) / min(len(one), len(other))
