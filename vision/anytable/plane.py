"""Plane of a table, fitted to its tiles (``fitted_plane``): all tiles of a set have one size, and people lay them along the table's sides.

Millimetres are relative to a tile 26 mm wide, since tables grow with their tiles. The plane is at the height of flat tiles' faces; the
upper tiles of a wall are one thickness higher. ``vision.anytable.seats`` sets origin and axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen_identity
from vision.finder.found import FoundTile, TileForm
from vision.least_squares import cost_of, least_squares
from vision.table.lens import SQUARE, Matrix, Points, project

TILE_MM = (26.0, 36.0)
THICKNESS_MM = 20.0
LEAST_TILES = 8
"""A fit needs at least this many tiles."""
FLAT = frozenset({TileForm.FACE, TileForm.BACK})

_USUAL_FOCUS = 0.8
"""Usual focal length of a phone or webcam, in long sides of its picture (26 to 28 mm on 36 mm film, less what a video cuts off)."""
_FOCUS_SPREAD, _TILT_SPREAD = 0.4, 2.0
_SIZE_SPREAD = {TileForm.FACE: 0.03, TileForm.BACK: 0.07, TileForm.WALL: 0.07}
_TURN_SPREAD = 0.05
"""Standard errors: log focal length, tilt; the finder's sides (a share), by form; the angle at which people lay tiles (radians)."""
_STARTS = (-0.9, -0.45, 0.0, 0.45, 0.9)
_LEAST_HEIGHT_MM, _HEIGHT_SPREAD = 500.0, 0.05
"""The usual least height of a camera. At lower heights wall tops look twice as large as tiles on the table, so dice would pass for
tiles."""
_KNOWN = 4
"""The last four errors of a fit are prior knowledge of cameras."""
_MOST_WORSE = 0.3
"""A fit is refused if the median size error (logarithm) is above this. Otherwise the tiles above it are left out."""


@frozen_identity
class TablePlane:
    """``to_picture`` takes mm of the table to px (3 × 3); ``eye_mm`` is below the camera, which is ``height_mm`` high (infinite:
    unknown)."""

    to_picture: Matrix
    eye_mm: tuple[float, float] = (0.0, 0.0)
    height_mm: float = np.inf

    def project(self, points_mm: Points) -> Points:
        """Return where points of the table (n × 2 mm) are in the picture (px)."""
        return project(self.to_picture, points_mm)

    def points_mm(self, pixels: Points) -> Points:
        """Return where points of the picture (n × 2 px) are on the table (mm)."""
        return project(_inverse(self.to_picture), pixels)

    def moved(self, origin_mm: Points, turn: float) -> TablePlane:
        """Return the plane with its origin at a point and its axes turned by an angle (radians, from x to y)."""
        cosine, sine = np.cos(turn), np.sin(turn)
        place = np.array([(cosine, -sine, origin_mm[0]), (sine, cosine, origin_mm[1]), (0.0, 0.0, 1.0)])
        return self.after(_inverse(place))

    def after(self, homography: Matrix) -> TablePlane:
        """Return this plane with a homography (3 × 3) applied to its millimetres."""
        x_mm, y_mm = project(homography, np.array([self.eye_mm]))[0].tolist()
        return TablePlane(self.to_picture @ _inverse(homography), (x_mm, y_mm), self.height_mm)

    def poses(self, tiles: Sequence[FoundTile]) -> Points:
        """Return middle and orientation of tiles (n × 3: x and y in mm; degrees anticlockwise of the long side from the y axis, 0 to
        180)."""
        if not tiles:
            return np.empty((0, 3))
        above = np.array([[THICKNESS_MM * (tile.form is TileForm.WALL)] for tile in tiles])
        eye = np.array(self.eye_mm)
        ends = [project(_inverse(self.to_picture), each) for each in _ends(tiles)]
        first, last = (eye + (end - eye) * (1 - above / self.height_mm) for end in ends)
        way = last - first
        return np.column_stack(((first + last) / 2, np.rad2deg(np.arctan2(way[:, 0], way[:, 1])) % 180.0))


def plane_of_corners(corners_px: Sequence[tuple[float, float]], side_mm: float, tile_width_mm: float = TILE_MM[0]) -> TablePlane:
    """Return the plane of a square table from corners given by a person (px: upper left, upper right, lower right, lower left)."""
    half = side_mm / 2 * TILE_MM[0] / tile_width_mm
    square = (half * SQUARE).astype(np.float32)
    return TablePlane(np.asarray(cv2.getPerspectiveTransform(square, np.array(corners_px, np.float32)), np.float64))


def fitted_plane(tiles: Iterable[FoundTile], width_px: int, height_px: int, tile_mm: tuple[float, float] = TILE_MM) -> TablePlane | None:
    """Return the plane on which all tiles of one camera's pictures have the same size, by least squares; None if too few, or none fits. Its
    origin is below the camera, its axes are along the tiles."""
    used = [tile for tile in tiles if tile.form in FLAT or tile.form is TileForm.WALL]
    if len(used) < LEAST_TILES:
        return None
    of_camera = (width_px, height_px), tile_mm[1] / tile_mm[0]
    fit = _PlaneFit(used, *of_camera)

    def cost(camera: Points) -> float:
        return cost_of(fit.errors(camera), _KNOWN)

    starts = sorted((fit.start(*tilt) for tilt in product(_STARTS, _STARTS)), key=cost)[:3]
    best = min((least_squares(fit.errors, start, _KNOWN) for start in starts), key=cost)
    off = fit.size_errors(best)
    alike = [tile for tile, error in zip(used, off.max(axis=1), strict=True) if error < _MOST_WORSE]
    if np.median(off) >= _MOST_WORSE or len(alike) < LEAST_TILES:
        return None
    refit = _PlaneFit(alike, *of_camera)
    return refit.plane(least_squares(refit.errors, best, _KNOWN))


class _PlaneFit:
    """A camera with square pixels over a plane. Its numbers: tilt, roll, logarithms of height and focal length, turn of the table's
    axes."""

    def __init__(self, tiles: Sequence[FoundTile], size_px: tuple[int, int], long_side: float) -> None:
        width_px, height_px = size_px
        self._middle = width_px / 2, height_px / 2
        self._usual = float(np.log(_USUAL_FOCUS * max(width_px, height_px)))
        self._tiles = tiles
        self._size = np.array((TILE_MM[0], TILE_MM[0] * long_side))
        self._seen = np.log([(tile.width_px, tile.height_px) for tile in tiles])
        self._points = np.concatenate((np.array([(tile.x_px, tile.y_px) for tile in tiles]), *_ends(tiles)))
        """The tiles' middles, and the middles of their short sides (3n × 2 px)."""
        self._spread = np.array([[_SIZE_SPREAD[tile.form]] for tile in tiles])
        self._upper = np.array([[tile.form is TileForm.WALL] for tile in tiles] * 4)

    def start(self, tilt: float, roll: float) -> Points:
        """Return a camera with this tilt and roll, at the height at which tiles have the size that is seen."""
        start = np.array((tilt, roll, 7.0, self._usual, 0.0))
        start[2] += float(np.median(self._sizes(*self._laid(start)) - self._seen))
        start[4] = float(np.angle(np.exp(4j * self._laid(start)[2]).mean())) / 4
        return start

    def size_errors(self, camera: Points) -> Points:
        """Return the errors of the tiles' side lengths (n × 2, absolute logarithms)."""
        return np.asarray(np.abs(self._sizes(*self._laid(camera)) - self._seen))

    def plane(self, camera: Points) -> TablePlane:
        return TablePlane(self._matrix(camera), (0.0, 0.0), float(np.exp(camera[2])))

    def errors(self, camera: Points) -> Points:
        """Return all errors in multiples of their standard errors: each tile's sides, each tile's turn, and what is known of cameras."""
        laid = self._laid(camera)
        askew = (laid[2] - camera[4] + np.pi / 4) % (np.pi / 2) - np.pi / 4
        too_low = max(0.0, float(np.log(_LEAST_HEIGHT_MM)) - float(camera[2])) / _HEIGHT_SPREAD
        usual = np.array((*camera[:2] / _TILT_SPREAD, (camera[3] - self._usual) / _FOCUS_SPREAD, too_low))
        return np.concatenate((((self._sizes(*laid) - self._seen) / self._spread).ravel(), askew / _TURN_SPREAD, usual))

    def _matrix(self, camera: Points, above_mm: float = 0.0, *, turned: bool = True) -> Matrix:
        """Return the matrix from millimetres of a plane ``above_mm`` over the table to pixels."""
        tilt, roll, height, focus, turn = camera.tolist()
        away = np.array((tilt, roll, 1.0)) / np.sqrt(tilt**2 + roll**2 + 1)
        x_axis, y_axis = np.array(((1.0, 0.0, 0.0) - away[0] * away, (0.0, away[2], -away[1]))) / np.sqrt(1 - away[0] ** 2)
        cosine, sine = (np.cos(turn), np.sin(turn)) if turned else (1.0, 0.0)
        columns = (cosine * x_axis - sine * y_axis, sine * x_axis + cosine * y_axis, (np.exp(height) - above_mm) * away)
        lens = np.array([(np.exp(focus), 0, self._middle[0]), (0, np.exp(focus), self._middle[1]), (0, 0, 1)])
        return np.asarray(lens @ np.column_stack(columns))

    def _laid(self, camera: Points) -> tuple[list[Matrix], Points, Points]:
        """Return the matrices of the table and of wall tops; the tiles' middles in unturned axes (mm); their turns from the y axis
        (radians)."""
        seen = [self._matrix(camera, above, turned=False) for above in (0.0, THICKNESS_MM)]
        low, high = (project(_inverse(each), self._points) for each in seen)
        middles, first, last = np.where(self._upper[: len(low)], high, low).reshape(3, -1, 2)
        return seen, middles, np.arctan2(*(last - first).T)

    def _sizes(self, matrices: Sequence[Matrix], middles: Points, turns: Points) -> Points:
        """Return the logarithms of the side lengths in px (n × 2) that the camera would see of these tiles."""
        along = np.column_stack((np.sin(turns), np.cos(turns)))
        ways = np.stack((along[:, ::-1] * (1, -1), along)) * (self._size / 2)[:, None, None]
        ends = np.concatenate((middles - ways, middles + ways)).reshape(-1, 2)
        seen = np.where(self._upper, project(matrices[1], ends), project(matrices[0], ends)).reshape(2, 2, -1, 2)
        return np.asarray(np.log(np.linalg.norm(seen[1] - seen[0], axis=2).T))


def _inverse(matrix: Matrix) -> Matrix:
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _ends(tiles: Sequence[FoundTile]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middles of the tiles' short sides (n × 2 px each)."""
    middles, halves = np.array([(tile.x_px, tile.y_px) for tile in tiles]), np.array([[tile.height_px / 2] for tile in tiles])
    turned = np.deg2rad([tile.angle_deg for tile in tiles])
    ways = halves * np.column_stack((np.sin(turned), np.cos(turned)))
    return middles - ways, middles + ways


def apart(one: Points, other: Points) -> Points:
    return np.asarray(np.hypot(*(one[:, None] - other).transpose(2, 0, 1)))
