"""Tile pose: where a tile is on a table, and where a picture shows it.

A nearly correct pose is moved and turned until its sides are on edges of the picture, where it gets darker outwards: there a flank, a seam
or the cloth begins. If a flank is as light as the face, its foot may be mistaken for the side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen_identity
from vision.model.crop_view import CROP_H, CROP_W
from vision.sampling import between
from vision.table.lens import SQUARE, Matrix, MatView, Points, project

_PLANE_MM = 22.0
"""Half the side of the square around a tile's middle that is mapped to the picture as a plane."""
_CLOSE_MM = 2.5
"""How far beside a tile its edges and its darkest shadow reach."""


@frozen_identity
class TilePose:
    """A flat tile: the middle of its upper face in mm (``Mat.spot``), the angle of its long side (degrees anticlockwise from the y axis, in
    0 ≤ a < 180), and the probability that it is there. ``plane`` takes its own millimetres, upright about its middle, to px; ``flank_mm``
    is where its foot is seen from its face."""

    x_mm: float
    y_mm: float
    angle_deg: float
    clearness: float
    face_up: bool
    plane: Matrix
    flank_mm: tuple[float, float] = (0.0, 0.0)

    def corners_mm(self, size_mm: Points, wider_mm: float = 0.0) -> Points:
        """Return the corners of its face (4 × 2), widened on each side."""
        return self.points_mm(SQUARE * (size_mm / 2 + wider_mm))

    def points_mm(self, own_mm: Points) -> Points:
        """Return where points of the tile (n × 2), upright about its middle, are on the table."""
        return np.asarray(own_mm @ turned(self.angle_deg).T + (self.x_mm, self.y_mm))

    def outline_mm(self, size_mm: Points, wider_mm: float) -> Points:
        """Return the outline of its visible face and flanks, widened: convex, at its face's height (n × 2)."""
        corners = self.corners_mm(size_mm, wider_mm)
        hull = cv2.convexHull(np.concatenate((corners, corners + self.flank_mm)).astype(np.float32))
        return np.asarray(hull, np.float64).reshape(-1, 2)

    def own_mm(self, points_mm: Points) -> Points:
        """The inverse of ``points_mm``."""
        return np.asarray((points_mm - (self.x_mm, self.y_mm)) @ turned(self.angle_deg))

    def quartered(self) -> TilePose:
        """Return the pose of a tile turned by a quarter about the same middle."""
        turn_deg, own = 90.0 if self.angle_deg < 90.0 else -90.0, np.eye(3)
        own[:2, :2] = turned(turn_deg)
        return replace(self, angle_deg=self.angle_deg + turn_deg, plane=self.plane @ own)

    def off_deg(self, angle_deg: float) -> float:
        """Return its angle relative to another, -90 to 90."""
        return (self.angle_deg - angle_deg + 90.0) % 180.0 - 90.0


def poses_seen(view: MatView, placed: Sequence[tuple[float, float, float, float, bool]], thickness_mm: float) -> list[TilePose]:
    """Return the poses, in a picture of a view, of tiles given by x, y, angle, clearness and whether the face is up."""
    if not placed:
        return []
    middles, square = np.array([each[:2] for each in placed]), SQUARE * _PLANE_MM
    faces = view.project((middles[:, None] + square).reshape(-1, 2), thickness_mm).reshape(-1, 4, 2).astype(np.float32)
    poses = []
    for (x, y, angle_deg, clearness, face_up), face, foot in zip(placed, faces, view.project(middles), strict=True):
        plane = np.asarray(cv2.getPerspectiveTransform(square.astype(np.float32), face), np.float64)
        own = np.eye(3)
        own[:2, :2] = turned(angle_deg % 180.0)
        off_x, off_y = project(np.asarray(np.linalg.inv(plane), np.float64), foot[None])[0].tolist()
        poses.append(TilePose(x, y, angle_deg % 180.0, clearness, face_up, plane @ own, (off_x, off_y)))
    return poses


def turned(angle_deg: float) -> Matrix:
    """Return the matrix from a turned tile's own millimetres to the table's."""
    angle = np.deg2rad(angle_deg)
    return np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])


def under(tiles: Sequence[TilePose], size_mm: Points, points_mm: Points) -> NDArray[np.bool_]:
    """Return which points of the table (n × 2) are under the faces of tiles."""
    found = np.zeros(len(points_mm), np.bool_)
    for tile in tiles:
        found |= (np.abs(tile.own_mm(points_mm)) < size_mm / 2).all(axis=1)
    return found


def over(tiles: Sequence[TilePose], pixels: Points, size_mm: Points) -> NDArray[np.bool_]:
    """Return which pixels (n × 2) show tiles, from faces to feet, or their close surroundings."""
    found, reach = np.zeros(len(pixels), np.bool_), size_mm / 2 + _CLOSE_MM
    for tile in tiles:
        at = project(np.asarray(np.linalg.inv(tile.plane), np.float64), pixels)
        for foot in (np.zeros(2), tile.flank_mm @ turned(tile.angle_deg)):
            found |= (np.abs(at - foot) < reach).all(axis=1)
    return found


def sampled(image: NDArray[np.uint8], tiles: Sequence[TilePose], corner: Points, own_mm: Points) -> NDArray[np.uint8]:
    """Return what an image, with its first pixel at ``corner`` of the whole picture, shows at points (n × 2) of tiles (m): m × n × 3."""
    planes = np.stack([tile.plane for tile in tiles]) if tiles else np.empty((0, 3, 3))
    seen = np.column_stack((own_mm, np.ones(len(own_mm)))) @ planes.transpose(0, 2, 1)
    at = (seen[..., :2] / seen[..., 2:] - corner).astype(np.float32)
    if not tiles:
        return np.empty((0, len(own_mm), 3), np.uint8)
    return between(image, at)


def cut(image: NDArray[np.uint8], corner: Points, size_mm: Points, tiles: Sequence[TilePose]) -> NDArray[np.uint8]:
    """Cut the faces of tiles, for the network (n × CROP_H × CROP_W × 3); the image's first pixel is at ``corner`` of the whole picture."""
    return upright(image, corner, size_mm, tiles, (CROP_W, CROP_H))


def upright(
    image: NDArray[np.uint8], corner: Points, size_mm: Points, tiles: Sequence[TilePose], size_px: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return pictures of ``size_px`` of the surroundings of tiles, ``size_mm`` large and upright (n × rows × columns, or × 3)."""
    (across, down), (left, top) = size_mm / size_px, (size_mm / size_px - size_mm) / 2
    to_tile, to_image = np.array([(across, 0, left), (0, down, top), (0, 0, 1)]), np.eye(3)
    to_image[:2, 2] = -corner
    seen, flags = np.empty((len(tiles), *size_px[::-1], *image.shape[2:]), np.uint8), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for number, tile in enumerate(tiles):
        cv2.warpPerspective(image, to_image @ tile.plane @ to_tile, size_px, seen[number], flags, cv2.BORDER_REPLICATE)
    return seen


_PX_PER_MM = 2.5
_TURNS_DEG = np.arange(-3.0, 3.1, 0.5)
_SHIFTS_MM = np.arange(-1.75, 1.8, 0.25)
"""Errors of a pose that are tried."""
_BEYOND_MM = 4.0
"""Width of the strip around a face that is looked at."""
_CORNER_MM = 3.0
"""Length left out at both ends of a side, since corners are round."""
_PARTS = 8
"""Parts of a side; slopes are averaged along each."""
_LEAST = 1e-4
"""How much darker an edge must be for a shift by one millimetre: without an edge the pose stays."""
_DARKEST, _STEEPEST = 4, 0.3
"""Lowest grey level; slope per pixel (logarithm) above which an edge counts no more."""
_LOGARITHMS = np.log(np.maximum(np.arange(256), _DARKEST)).astype(np.float32)


def fitted(image: NDArray[np.uint8], corner: Points, size_mm: Points, tiles: Sequence[TilePose]) -> list[TilePose]:
    """Return faces moved to where their sides fit best; the image's first pixel is at ``corner`` of the whole picture."""
    if not tiles:
        return []
    columns, rows = np.ceil((size_mm + 2 * _BEYOND_MM) * _PX_PER_MM).astype(int).tolist()
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    levels = _LOGARITHMS[upright(grey, corner, np.array((columns, rows)) / _PX_PER_MM, tiles, (columns, rows))]
    slopes = [np.clip(np.gradient(levels, axis=axis), -_STEEPEST, _STEEPEST) for axis in (2, 1)]
    width, height = size_mm.tolist()
    leaning = np.tan(np.deg2rad(_TURNS_DEG))
    across = _darker_outside(slopes[0], width / 2, leaning)
    down = _darker_outside(slopes[1].transpose(0, 2, 1), height / 2, -leaning)
    turns = (across.max(axis=2) + down.max(axis=2)).argmax(axis=1)
    each = np.arange(len(tiles))
    x_mm, y_mm = (_SHIFTS_MM[sides[each, turns].argmax(axis=1)] for sides in (across, down))
    moves = zip(tiles, x_mm.tolist(), y_mm.tolist(), _TURNS_DEG[turns].tolist(), strict=True)
    return [_moved(tile, x, y, turn_deg) for tile, x, y, turn_deg in moves]


def _darker_outside(slopes: NDArray[np.float32], half_mm: float, leaning: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much darker it gets outside of two opposite sides (n × turns × shifts). ``slopes`` (n × rows × columns) are along rows,
    ``leaning`` is how far the sides move to the right per row."""
    rows, middle = slopes.shape[1], (slopes.shape[2] - 1) / 2
    edge = round((_BEYOND_MM + _CORNER_MM) * _PX_PER_MM)
    numbers = np.array_split(np.arange(edge, rows - edge), _PARTS)
    parts = np.stack([slopes[:, some].mean(axis=1) for some in numbers], axis=1)
    down = np.array([some.mean() - (rows - 1) / 2 for some in numbers])
    off = _SHIFTS_MM[:, None] * _PX_PER_MM + leaning[:, None, None] * down
    darker: NDArray[np.float64] = np.zeros((len(slopes), len(leaning), 1)) - _LEAST * (np.abs(leaning)[:, None] + np.abs(_SHIFTS_MM))
    for side in (-1, 1):
        at = middle + side * half_mm * _PX_PER_MM + off
        left = np.floor(at).astype(np.intp)
        one, next_one = (parts[:, np.arange(_PARTS), number] for number in (left, left + 1))
        darker -= side * (one + (next_one - one) * (at - left)).mean(axis=3)
    return darker


def _moved(tile: TilePose, x_mm: float, y_mm: float, turn_deg: float) -> TilePose:
    """Move a tile in its own millimetres, and turn it about its middle."""
    own = np.eye(3)
    angle_deg = (tile.angle_deg + turn_deg) % 180.0
    own[:2, :2], own[:2, 2] = turned(angle_deg - tile.angle_deg), (x_mm, y_mm)
    x, y = tile.points_mm(np.array([(x_mm, y_mm)]))[0].tolist()
    return replace(tile, x_mm=x, y_mm=y, angle_deg=angle_deg, plane=tile.plane @ own)
