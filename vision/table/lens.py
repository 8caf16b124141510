"""Camera geometry over the mat: where a point of the table, at any height, is seen in the picture.

The corners of the mat's markers give the plane (a homography) and the distortion of the lens (one radial number). The
camera's height, measured with a tape, gives the point that it looks from, and so how far a tile's thickness shifts
its face. No pixels are read here.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen, frozen_identity

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]
SQUARE: Points = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""The corners of a square around 0, in the order of a marker's."""

_MOST_BENT = 0.35
"""Upper limit of the distortion at the picture's corner, as a share."""
_BENDS_TRIED = 15
_BEND_ROUNDS = 3
_INVERSE_ROUNDS = 12
_FOCUS_ROUNDS = 4
_LEAST_BENT_PX = 0.35
"""Distortion of the markers' corners (px) below which a lens counts as straight: the markers' own error."""


@frozen
class Lens:
    """A lens that bends straight lines: a point at ``r`` half diagonals from the middle is seen at ``r × (1 + k1 × r²)``.

    A negative ``k1`` is a barrel, as wide lenses have; zero is straight.
    """

    middle_px: tuple[float, float]
    half_diagonal_px: float
    k1: float = 0.0

    @classmethod
    def straight(cls, width_px: int, height_px: int) -> Lens:
        """A lens without distortion, over a picture of this size."""
        return cls((width_px / 2, height_px / 2), float(np.hypot(width_px, height_px)) / 2)

    def bent(self, points: Points) -> Points:
        """Where points (n × 2, px) of a straight lens's picture are seen through this one."""
        if self.k1 == 0:
            return points
        off = points - np.array(self.middle_px)
        return np.asarray(points + off * (self.k1 * self._squared(off)))

    def straightened(self, points: Points) -> Points:
        """The inverse of ``bent``, by iteration; right to 0.025 px down to a k1 of -0.2 in the corners of the picture."""
        if self.k1 == 0:
            return points
        middle = np.array(self.middle_px)
        seen = points - middle
        bend, rest = self.k1 * self._squared(seen), np.ones((len(seen), 1))
        for _ in range(_INVERSE_ROUNDS):
            rest = 1 / (1 + bend * rest * rest)
        return np.asarray(middle + seen * rest)

    def _squared(self, off: Points) -> Points:
        """The squares of how many half diagonals points (n × 2, px) are off the middle: n × 1."""
        return np.asarray(off * off @ np.full((2, 1), self.half_diagonal_px**-2))


@frozen_identity
class MatView:
    """How one camera sees one mat.

    ``to_straight`` takes the mat's millimetres to the pixels of a lens that bends nothing (3 × 3); ``eye_mm`` is the
    point of the mat below the camera, ``height_mm`` how high it hangs over it; ``error_px`` the mean distance (root of
    the squares) between where the corners of the markers are seen and where they should be.
    """

    to_straight: Matrix
    lens: Lens
    eye_mm: tuple[float, float]
    height_mm: float
    error_px: float

    def project(self, points_mm: Points, above_mm: float = 0.0) -> Points:
        """Points (n × 2) of the mat, or of a plane ``above_mm`` over it, as pixels (n × 2)."""
        eye = np.array(self.eye_mm)
        on_mat = points_mm if above_mm == 0 else eye + (points_mm - eye) * (self.height_mm / (self.height_mm - above_mm))
        return self.lens.bent(project(self.to_straight, on_mat))

    def px_per_mm(self) -> float:
        """The scale in the middle of the mat."""
        around = self.project(np.array([(-10.0, 0.0), (10.0, 0.0), (0.0, -10.0), (0.0, 10.0)]))
        return float(np.linalg.norm(around[1] - around[0]) + np.linalg.norm(around[3] - around[2])) / 40


def grid_points(across: Points, down: Points) -> Points:
    """The points (n × 2) of a grid, row by row: ``across`` and ``down`` are where its columns and its rows lie."""
    return np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)


def project(matrix: Matrix, points: Points) -> Points:
    """Points (n × 2) through a 3 × 3 projective transform."""
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def fitted_view(points_mm: Points, points_px: Points, lens: Lens, height_mm: float, *, bends: bool) -> MatView | None:
    """The view under which points of the mat (n × 2, at least four) are seen at pixels (n × 2); None where no plane fits.

    With ``bends`` the lens's k1 is fitted too: that takes points on both sides of the picture and at several
    distances from its middle, as the corners of four markers are.
    """
    chosen = _best_lens(points_mm, points_px, lens) if bends else lens
    fitted = _plane(points_mm, points_px, chosen)
    if fitted is None:
        return None
    to_straight, errors = fitted
    eye = _eye(to_straight, chosen, height_mm)
    return MatView(to_straight, chosen, eye, height_mm, _root_mean_square(errors))


def _best_lens(points_mm: Points, points_px: Points, lens: Lens) -> Lens:
    """The bend that leaves the least error, by search on ever finer grids; none at all where it would hardly be seen."""
    middle, reach = 0.0, _MOST_BENT
    for _ in range(_BEND_ROUNDS):
        tried = np.linspace(max(middle - reach, -_MOST_BENT), min(middle + reach, _MOST_BENT), _BENDS_TRIED)
        errors = [_error(points_mm, points_px, replace(lens, k1=float(k1))) for k1 in tried]
        middle, reach = float(tried[int(np.argmin(errors))]), 2 * reach / (_BENDS_TRIED - 1)
    bent = replace(lens, k1=middle)
    moved = np.linalg.norm(bent.straightened(points_px) - points_px, axis=1)
    return bent if np.ptp(moved) >= _LEAST_BENT_PX else replace(lens, k1=0.0)


def _error(points_mm: Points, points_px: Points, lens: Lens) -> float:
    fitted = _plane(points_mm, points_px, lens)
    return np.inf if fitted is None else _root_mean_square(fitted[1])


def _plane(points_mm: Points, points_px: Points, lens: Lens) -> tuple[Matrix, Points] | None:
    """The homography to the straight lens's pixels, and how far each point (n × 2, px) is seen from where it says."""
    to_straight, _ = cv2.findHomography(points_mm, lens.straightened(points_px))
    if to_straight is None or not np.isfinite(to_straight).all():
        return None
    matrix = np.asarray(to_straight, np.float64)
    return matrix, lens.bent(project(matrix, points_mm)) - points_px


def _eye(to_straight: Matrix, lens: Lens, height_mm: float) -> tuple[float, float]:
    """The point of the mat below a camera that hangs so high; square pixels, the lens's middle in the picture's middle.

    A plane seen squarely does not tell the focal length, the measured height does: the two are brought together.
    """
    centred = np.array([(1, 0, -lens.middle_px[0]), (0, 1, -lens.middle_px[1]), (0, 0, 1)], np.float64) @ to_straight
    focal = height_mm * float(np.sqrt(abs(np.linalg.det(centred[:2, :2])))) / abs(float(centred[2, 2]))
    eye = np.zeros(3)
    for _ in range(_FOCUS_ROUNDS):
        columns = np.diag((1 / focal, 1 / focal, 1.0)) @ centred
        columns /= (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1])) / 2
        columns *= np.sign(columns[2, 2])
        turn = np.column_stack((columns[:, 0], columns[:, 1], np.cross(columns[:, 0], columns[:, 1])))
        left, _, right = np.linalg.svd(turn)
        eye = -(left @ right).T @ columns[:, 2]
        focal *= height_mm / abs(float(eye[2]))
    return float(eye[0]), float(eye[1])


def _root_mean_square(errors: Points) -> float:
    return float(np.sqrt((errors * errors).sum(axis=1).mean()))
