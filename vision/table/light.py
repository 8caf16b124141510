"""Light over the mat: how bright the cloth and white paper are in a frame, at every point.

The cloth's colour is the one that most of the mat has. Its brightness where tiles or arms cover it is interpolated, shadows included. White
is the paper of the markers. Two numbers then describe a pixel independently of shadows: how far it is on the way from cloth (0) to white
(1), and how far beside that way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.name_marker import PAPER_MM, name_place, printed_number
from twinwall.values import frozen_identity
from vision.sampling import between, nearest
from vision.table.lens import MatView, Points, grid_points
from vision.table.markers import marker_corners

Colours = NDArray[np.float32]
Shares = NDArray[np.float32]

_CELLS = 72
"""Cells of the light's map along each side of the mat, about 1 cm each."""
_ROW = 1024
"""Points are looked up in rows of this length: OpenCV takes at most 32,766."""
_INSIDE = 0.98
_FOOT = 8.0
"""Grey levels added before logarithms, so that noise in the dark does not look like colour."""
_COLOUR_REACH = 0.16
_MOST_CHANGE = 0.7
"""A larger change, or one of colour, is no change of light but a sleeve."""
_MOST_DARKER, _MOST_LIGHTER = 1.1, 0.55
_SMOOTHING_CELLS = (1.0, 2.5, 10.0)
"""Smoothing distances by which the light of unseen cells is filled in, the nearest first."""
_LEAST_SEEN = (0.2, 0.03, 1e-4)
_PAPER_MM = (1.2, 5.2)
_LEAST_WHITE = 0.35
"""Logarithm by which paper must be lighter than the cloth."""
_USUAL_WHITE = np.array((1.15, 1.15, 1.15), np.float32)
_LEAST_CLOTH_SHARE = 0.3
_LOGARITHMS = np.log(np.arange(256, dtype=np.float32) + _FOOT)
_ONES = np.ones((1, 3), np.float32)
_MEAN = np.full((1, 3), 1 / 3, np.float32)
_BRIGHTNESS = 0.3
"""Weight of a difference in brightness."""
_TINT_METRIC = np.asarray(np.eye(3) - (1 - _BRIGHTNESS) / 3, np.float32)


def logarithms(pixels: NDArray[np.uint8]) -> Colours:
    """Return the logarithms of grey levels + ``_FOOT``."""
    if not pixels.size:
        return np.empty(pixels.shape, np.float32)
    return np.asarray(cv2.LUT(np.ascontiguousarray(pixels).reshape(-1, 1), _LOGARITHMS), np.float32).reshape(pixels.shape)


def mapped(colours: Colours, matrix: Colours) -> Colours:
    """Multiply colours (… × 3) by a matrix (k × 3): … × k, or … for one row. OpenCV needs a third of numpy's time here."""
    shape = colours.shape[:-1] if len(matrix) == 1 else (*colours.shape[:-1], len(matrix))
    if not colours.size:
        return np.empty(shape, np.float32)
    return np.asarray(cv2.transform(np.ascontiguousarray(colours, np.float32).reshape(-1, 1, 3), matrix), np.float32).reshape(shape)


def brightness(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the mean logarithm of each pixel (… × 3): …."""
    return mapped(logarithms(pixels), _MEAN)


def squared_length(colours: Colours) -> Shares:
    """Return the sum of squares of each colour (… × 3): …."""
    return mapped(np.square(colours), _ONES)


def tint_distance(way: Colours) -> NDArray[np.float32]:
    """Return the size of differences between colours (… × 3 logarithms); brightness counts little, since shadows change it."""
    return np.sqrt(squared_length(mapped(way, _TINT_METRIC)))


@frozen_identity
class Light:
    """``cloth`` is the logarithm of the cloth's colour over the mat (cells × cells × 3 float32, BGR), ``white`` how much lighter white is
    (3 logarithms)."""

    cloth: Colours
    white: Colours
    half_side_mm: float

    def cloth_at(self, points_mm: Points) -> Colours:
        """Return the logarithm of the cloth's colour at points of the mat (n × 2 mm): n × 3 float32."""
        at = np.zeros((len(points_mm) // _ROW + 1) * _ROW * 2, np.float32).reshape(-1, _ROW, 2)
        at.reshape(-1, 2)[: len(points_mm)] = (points_mm / self.half_side_mm + 1) * _CELLS / 2 - 0.5
        return between(self.cloth, at).reshape(-1, 3)[: len(points_mm)]

    def shares(self, pixels: NDArray[np.uint8], cloth: Colours) -> tuple[Shares, Shares]:
        """For pixels (… × 3 uint8) over cloth of a colour (logarithms): how far they are towards white, and how far beside (… float32)."""
        return self._shares(logarithms(pixels) - cloth)

    def beside_of(self, off: Colours) -> float:
        """Return how far beside a colour is that differs from the cloth's by ``off`` (3 logarithms)."""
        return float(self._shares(off[None])[1][0])

    def _shares(self, off: Colours) -> tuple[Shares, Shares]:
        length = float(self.white @ self.white)
        along = mapped(off, (self.white / length)[None])
        beside = np.sqrt(np.maximum(squared_length(off) / length - along * along, 0))
        return along, np.asarray(beside, np.float32)

    def adapted(self, image: NDArray[np.uint8], pixels: Points, points_mm: Points) -> Light:
        """Return this light, brighter or darker as part of a picture shows the cloth at points (n × 2), which must be mostly bare. The
        colour stays, since an arm may have nearly the cloth's."""
        off = logarithms(nearest(image, pixels)) - self.cloth_at(points_mm)
        change = off.mean(axis=1)
        like_cloth = (np.abs(off - change[:, None]).max(axis=1) < _COLOUR_REACH) & (np.abs(change) < _MOST_CHANGE)
        if like_cloth.mean() < _LEAST_CLOTH_SHARE:
            return self
        return replace(self, cloth=self.cloth + np.float32(np.median(change[like_cloth])))


class LightMeter:
    """Measures the light of whole frames under one view of the mat."""

    def __init__(self, mat: Mat, view: MatView, corners_mm: Mapping[int, Points] | None = None) -> None:
        """``corners_mm`` are the markers' corners if they are not as printed."""
        self._half_side_mm = mat.half_side_mm
        along = ((np.arange(_CELLS) + 0.5) * 2 / _CELLS - 1) * mat.half_side_mm * _INSIDE
        grid = grid_points(along, along)
        self._cells_px = view.project(grid)
        self._papers_mm = [_around(corners) for corners in (corners_mm or marker_corners(mat)).values()]
        self._papers_px = [view.project(points) for points in self._papers_mm]
        reach = (mat.marker_mm / 2 * 1.5) / mat.half_side_mm
        at = mat.marker_centre_mm / mat.half_side_mm
        share = np.abs(grid) / mat.half_side_mm
        self._bare = ~((np.abs(share - at) < reach).all(axis=1)).reshape(_CELLS, _CELLS)
        place = name_place(mat)
        if place is not None and printed_number(mat) is not None:
            off = np.abs(grid - (place.x_mm, place.y_mm))
            self._bare &= ~((off < PAPER_MM / 2).all(axis=1)).reshape(_CELLS, _CELLS)

    def measure(self, image: NDArray[np.uint8], corner: Points | None = None) -> Light:
        """Return the light of a whole frame (h × w × 3 BGR) whose first pixel is at ``corner`` of the frame in which the mat was placed."""
        corner = np.zeros(2) if corner is None else corner
        seen = logarithms(nearest(image, self._cells_px - corner)).reshape(_CELLS, _CELLS, 3)
        brightness = seen.mean(axis=2)
        colour = seen - brightness[:, :, None]
        usual = np.median(colour[self._bare], axis=0)
        like_cloth = self._bare & (np.abs(colour - usual).max(axis=2) < _COLOUR_REACH)
        if like_cloth.any():
            level = float(np.median(brightness[like_cloth]))
            like_cloth &= (brightness > level - _MOST_DARKER) & (brightness < level + _MOST_LIGHTER)
        if not like_cloth.any():
            like_cloth = self._bare
        carried = _carried_over(brightness, like_cloth)
        usual = np.median(colour[like_cloth], axis=0)
        cloth = np.asarray(carried[:, :, None] + usual, np.float32)
        light = Light(cloth, _USUAL_WHITE, self._half_side_mm)
        return replace(light, white=self._white(image, light, corner))

    def _white(self, image: NDArray[np.uint8], light: Light, corner: Points) -> Colours:
        """Return how much lighter than the cloth the paper is: the median of the four markers."""
        said = [
            np.median(logarithms(nearest(image, pixels - corner)) - light.cloth_at(points), axis=0)
            for pixels, points in zip(self._papers_px, self._papers_mm, strict=True)
        ]
        lighter = [each for each in said if each.mean() > _LEAST_WHITE]
        return np.asarray(np.median(lighter, axis=0) if lighter else _USUAL_WHITE, np.float32)


def _carried_over(brightness: NDArray[np.float32], seen: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Smooth the brightness where it was seen, and fill it in elsewhere from ever greater distances."""
    weights = seen.astype(np.float32)
    carried = np.zeros_like(brightness)
    missing = np.ones_like(seen)
    for cells, least in zip(_SMOOTHING_CELLS, _LEAST_SEEN, strict=True):
        count = cv2.GaussianBlur(weights, (0, 0), cells, borderType=cv2.BORDER_REFLECT)
        total = cv2.GaussianBlur(weights * brightness, (0, 0), cells, borderType=cv2.BORDER_REFLECT)
        known = missing & (count > least)
        carried[known] = total[known] / count[known]
        missing &= ~known
        if not missing.any():
            return carried
    carried[missing] = float(np.median(brightness[seen]))
    return carried


def _around(corners: Points) -> Points:
    """Return points (n × 2 mm) on the paper around a marker's black rim."""
    middle, half = corners.mean(axis=0), float(np.ptp(corners[:, 0])) / 2
    along = np.linspace(-0.9, 0.9, 9) * half
    reaches = np.linspace(half + _PAPER_MM[0], half + _PAPER_MM[1], 3)
    points = [(sign * reach, at) for reach in reaches for sign in (-1, 1) for at in along]
    return np.asarray(middle + np.array([*points, *((y, x) for x, y in points)]))
