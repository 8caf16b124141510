"""The overhead camera of a path-traced table: its position, and where it shows a point.

Points are millimetres in the mat's axes (x right, y down as seen from above) and above the mat. Pixels count from the middle of the upper
left one, as in OpenCV.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from simulator.cameras.ground import SIDE_PX

Points = NDArray[np.float64]
Part = tuple[int, int, int, int]
"""Part of a picture: left, upper, right and lower edge (px)."""
MIDDLE_PX = (SIDE_PX - 1) / 2
HALF_DIAGONAL_PX = SIDE_PX / math.sqrt(2)
_SEEN_MM = np.array([(x, y) for x in (-362.0, 0.0, 362.0) for y in (-362.0, 0.0, 362.0)])
"""What a camera over the table must see: the mat's markers and the outermost tiles."""
_SEEN_ABOVE_MM = 16.0
_MARGIN_PX = 10.0
_ROUNDS = 12


@dataclass(frozen=True)
class OverheadCamera:
    """A camera above ``eye_mm`` that looks at ``looks_at_mm`` of the mat, rolled about its axis. The lens shows points ``r`` half diagonals
    from the picture's middle at ``r × (1 + bend × r²)``; its aperture is ``aperture_mm`` wide, and its focus is at ``focus_mm``."""

    eye_mm: tuple[float, float]
    height_mm: float
    looks_at_mm: tuple[float, float]
    roll_deg: float
    focal_px: float
    bend: float
    aperture_mm: float
    focus_mm: float

    @cached_property
    def axes(self) -> Points:
        """Right, down and forward of the camera, as rows, in the mat's x and y and the depth below the mat."""
        forth = np.array([self.looks_at_mm[0] - self.eye_mm[0], self.looks_at_mm[1] - self.eye_mm[1], self.height_mm])
        forth /= np.linalg.norm(forth)
        roll = math.radians(self.roll_deg)
        right = np.array([math.cos(roll), math.sin(roll), 0.0])
        right -= forth * (right @ forth)
        right /= np.linalg.norm(right)
        return np.stack((right, np.cross(forth, right), forth))

    def project(self, points_mm: Points, above_mm: Points | float = 0.0) -> Points:
        """Return points (n × 2 mm), each at a height above the mat, as pixels (n × 2)."""
        depth = np.broadcast_to(-np.asarray(above_mm, np.float64), len(points_mm))
        eye = np.array([*self.eye_mm, -self.height_mm])
        seen = (np.column_stack((points_mm, depth)) - eye) @ self.axes.T
        return self.bent(seen[:, :2] / seen[:, 2:] * self.focal_px) + MIDDLE_PX

    def bent(self, off_px: Points) -> Points:
        """Return where the lens shows what a straight one would show this far (n × 2 px) from the middle."""
        return np.asarray(off_px * (1 + self.bend * (off_px**2).sum(axis=-1, keepdims=True) / HALF_DIAGONAL_PX**2), np.float64)

    def straight(self, off_px: Points) -> Points:
        """Return where a straight lens would show what this one shows this far from the middle (any shape, last axis x and y)."""
        radii = np.linalg.norm(off_px, axis=-1)
        factors = np.ones_like(radii)
        for _ in range(_ROUNDS):
            factors = 1 / (1 + self.bend * (radii * factors) ** 2 / HALF_DIAGONAL_PX**2)
        return np.asarray(off_px * factors[..., None], np.float64)

    def straight_in(self, other: OverheadCamera, off_px: Points) -> Points:
        """Return where another camera's straight lens shows the place of the mat that this one's shows this far from the middle (… × 2
        px)."""
        apart = np.zeros((3, 3))
        apart[:2, 2] = (np.array(self.eye_mm) - other.eye_mm) / self.height_mm
        apart[2, 2] = other.height_mm / self.height_mm - 1
        to_other = other.axes @ (np.eye(3) + apart) @ self.axes.T
        scale, other_scale = (np.diag((one.focal_px, one.focal_px, 1.0)) for one in (self, other))
        plane = other_scale @ to_other @ np.linalg.inv(scale)
        return np.asarray(cv2.perspectiveTransform(off_px.reshape(1, -1, 2), plane).reshape(off_px.shape), np.float64)

    def rendered_half_px(self) -> int:
        """Return half the side of the straight picture that is needed to make the lens's whole picture."""
        corner = np.array([[SIDE_PX / 2, SIDE_PX / 2], [SIDE_PX / 2, 0.0]])
        return SIDE_PX // 2 if self.bend == 0 else math.ceil(np.abs(self.straight(corner)).max()) + 2

    def moved(self, rng: Generator) -> OverheadCamera:
        """Return the camera at another moment, after the table shook a little."""
        x, y, at_x, at_y = rng.normal(0, 0.25, 4)
        return replace(
            self,
            eye_mm=(self.eye_mm[0] + x, self.eye_mm[1] + y),
            looks_at_mm=(self.looks_at_mm[0] + at_x, self.looks_at_mm[1] + at_y),
            roll_deg=self.roll_deg + float(rng.normal(0, 0.01)),
        )


def fitted(camera: OverheadCamera) -> OverheadCamera:
    """Return the camera with the focal length at which the mat fills its picture."""
    for _ in range(_ROUNDS):
        reached = np.abs(camera.project(_SEEN_MM, _SEEN_ABOVE_MM) - MIDDLE_PX).max()
        camera = replace(camera, focal_px=camera.focal_px * (SIDE_PX / 2 - _MARGIN_PX) / reached)
    return camera
