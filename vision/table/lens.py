"""Camera geometry over the mat: where the picture shows a point of the table at any height. No pixels are read here.

The corners of the mat's markers give the plane (a homography) and the lens's distortion (one radial number). The camera's height, measured
with a tape, gives its position, and so how far a tile's thickness shifts its face.
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
"""Most distortion at the picture's corner, as a share."""
_BENDS_TRIED = 15
_BEND_ROUNDS = 3
_INVERSE_ROUNDS = 12
_FOCUS_ROUNDS = 4
_LEAST_BENT_PX = 0.35
"""A lens that moves the markers' corners by less than this counts as straight: it is their own error."""


@frozen
class Lens:
    """A radial lens: a point at ``r`` half diagonals from the middle is seen at ``r × (1 + k1 × r²)``. Wide lenses have a negative
    ``k1``."""

    middle_px: tuple[float, float]
    half_diagonal_px: float
    k1: float = 0.0

    @classmethod
    def straight(cls, width_px: int, height_px: int) -> Lens:
        """Return a lens without distortion for a picture of this size."""
        return cls((width_px / 2, height_px / 2), float(np.hypot(width_px, height_px)) / 2)

    def bent(self, points: Points) -> Points:
        """Return where points (n × 2 px) of a straight lens's picture are seen through this one."""
        if self.k1 == 0:
            return points
        off = points - np.array(self.middle_px)
        return np.asarray(points + off * (self.k1 * self._squared(off)))

    def straightened(self, points: Points) -> Points:
        """The inverse of ``bent``, by iteration: right to 0.025 px in the picture's corners, for k1 down to -0.2."""
        if self.k1 == 0:
            return points
        middle = np.array(self.middle_px)
        seen = points - middle
        bend, rest = self.k1 * self._squared(seen), np.ones((len(seen), 1))
        for _ in range(_INVERSE_ROUNDS):
            rest = 1 / (1 + bend * rest * rest)
        return np.asarray(middle + seen * rest)

    def _squared(self, off: Points) -> Points:
        """Return the squared distances of points (n × 2 px) from the middle, in half diagonals: n × 1."""
        return np.asarray(off * off @ np.full((2, 1), self.half_diagonal_px**-2))


@frozen_identity
class MatView:
    """How one camera sees one mat: ``to_straight`` takes millimetres of the mat to px of a straight lens (3 × 3); ``eye_mm`` is the point
    of the mat below the camera, ``height_mm`` high; ``error_px`` the root mean square error of the markers' corners."""

    to_straight: Matrix
    lens: Lens
    eye_mm: tuple[float, float]
    height_mm: float
    error_px: float

    def project(self, points_mm: Points, above_mm: float = 0.0) -> Points:
        """Return the pixels (n × 2) of points (n × 2) of the mat, or of a plane ``above_mm`` over it."""
        eye = np.array(self.eye_mm)
        on_mat = points_mm if above_mm == 0 else eye + (points_mm - eye) * (self.height_mm / (self.height_mm - above_mm))
        return self.lens.bent(project(self.to_straight, on_mat))

    def px_per_mm(self) -> float:
        """Return the scale in the middle of the mat."""
        around = self.project(np.array([(-10.0, 0.0), (10.0, 0.0), (0.0, -10.0), (0.0, 10.0)]))
        return float(np.linalg.norm(around[1] - around[0]) + np.linalg.norm(around[3] - around[2])) / 40


def grid_points(across: Points, down: Points) -> Points:
    """Return the points (n × 2) of a grid, row by row, from the places of its columns and rows."""
    return np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)


def project(matrix: Matrix, points: Points) -> Points:
    """Apply a 3 × 3 projective transform to points (n × 2)."""
    mapped = matrix[:, :2] @ points.T + matrix[:, 2:]  # long rows: a third of the time of rows of three
    return np.ascontiguousarray((mapped[:2] / mapped[2]).T)


def fitted_view(points_mm: Points, points_px: Points, lens: Lens, height_mm: float, *, bends: bool) -> MatView | None:
    """Return the view under which points of the mat (n × 2, at least four) are at pixels (n × 2); None if no plane fits. ``bends`` fits k1
    too, which needs points on both sides of the picture and at several distances from its middle, like four markers' corners."""
    chosen = _best_lens(points_mm, points_px, lens) if bends else lens
    fitted = _plane(points_mm, points_px, chosen)
    if fitted is None:
        return None
    to_straight, errors = fitted
    eye = _eye(to_straight, chosen, height_mm)
    return MatView(to_straight, chosen, eye, height_mm, _root_mean_square(errors))


def _best_lens(points_mm: Points, points_px: Points, lens: Lens) -> Lens:
    """Find the k1 of least error, on ever finer grids; 0 if it would hardly show."""
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
    """Fit the homography to the straight lens's pixels; return it and the points' errors (n × 2 px)."""
    to_straight, _ = cv2.findHomography(points_mm, lens.straightened(points_px))
    if to_straight is None or not np.isfinite(to_straight).all():
        return None
    matrix = np.asarray(to_straight, np.float64)
    return matrix, lens.bent(project(matrix, points_mm)) - points_px


def _eye(to_straight: Matrix, lens: Lens, height_mm: float) -> tuple[float, float]:
    """Return the point of the mat below the camera, for square pixels and a centred lens. A plane seen squarely says nothing of the focal
    length, so it is adapted until the measured height comes out."""
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
