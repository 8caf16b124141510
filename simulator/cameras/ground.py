"""Draws the empty mat as the camera over the table sees it: felt, faint printed slots, corner markers."""

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.cameras.optics import Light, Picture, felt, to_light, to_picture
from twinwall.art.mat import Mat
from twinwall.art.mat_prints.name_marker import CELL_MM, CELLS, name_place, printed_number
from twinwall.values import frozen

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]
Colour = tuple[int, int, int]

SIDE_PX = 1280
VIEW_HALF_SIDE_MM = 380.0
PX_PER_MM = SIDE_PX / (2 * VIEW_HALF_SIDE_MM)
_WOOD = (52, 72, 98)
_HALF_DIAGONAL_PX = SIDE_PX / math.sqrt(2)
_STRAIGHTENING_ROUNDS = 10
_MARKER_CELLS = 6
"""A 4x4 marker is six cells wide with its black border."""
CANVAS_PX_PER_MM = 2.0
CANVAS_SIDE_PX = round(2 * (VIEW_HALF_SIDE_MM + 40) * CANVAS_PX_PER_MM)
"""Side of the picture of a table from which what a camera sees is made; the mat's centre lies in its middle."""


@frozen
class Cloth:
    """A mat's cloth: its colour and that of its print (blue, green, red), and how rough it looks."""

    colour: Colour = (66, 84, 30)
    print_colour: Colour = (104, 124, 74)
    roughness: float = 5.0


@frozen
class View:
    """Where the camera over the table hangs: ``to_px`` takes the mat's millimetres to the pixels of a lens that bends nothing;
    it looks from ``height_mm`` above the point ``eye_mm`` of the mat. The lens shows what lies ``r`` half diagonals from the
    picture's middle at ``r × (1 + bend × r²)``."""

    to_px: Matrix
    eye_mm: tuple[float, float]
    height_mm: float
    bend: float = 0.0

    def project(self, points_mm: Points, above_mm: float = 0.0) -> Points:
        """Points of shape (n, 2) that lie ``above_mm`` over the mat, as pixels of shape (n, 2)."""
        eye = np.asarray(self.eye_mm)
        on_mat = eye + (points_mm - eye) * self.height_mm / (self.height_mm - above_mm)
        homogeneous = np.column_stack((on_mat, np.ones(len(on_mat)))) @ self.to_px.T
        off = homogeneous[:, :2] / homogeneous[:, 2:] - SIDE_PX / 2
        if self.bend:
            off *= 1 + self.bend * (off * off).sum(axis=1, keepdims=True) / _HALF_DIAGONAL_PX**2
        return np.asarray(off + SIDE_PX / 2, np.float64)


def rectangle(x: float, y: float) -> Points:
    """The corners of a rectangle that reaches ``x`` and ``y`` from its middle: upper left, upper right, lower right, lower left."""
    return np.array([(-x, -y), (x, -y), (x, y), (-x, y)])


def turned(points: Points, angle: float) -> Points:
    """Points (n × 2, y down) turned around the origin by an angle in radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.asarray(points @ np.array([(cosine, -sine), (sine, cosine)]))


def mounted_view(rng: np.random.Generator, height_mm: float) -> View:
    """A camera that hangs a little off, turned by up to 1° and not quite level."""
    corners = rectangle(VIEW_HALF_SIDE_MM, VIEW_HALF_SIDE_MM)
    target = (
        turned(corners, -math.radians(rng.uniform(-1.0, 1.0))) * PX_PER_MM
        + SIDE_PX / 2
        + rng.uniform(-6, 6, (4, 2))
        + rng.uniform(-4, 4, 2)
    )
    to_px = cv2.getPerspectiveTransform(corners.astype(np.float32), target.astype(np.float32))
    return View(np.asarray(to_px, np.float64), (float(rng.uniform(-15, 15)), float(rng.uniform(-15, 15))), height_mm)


def empty_mat(mat: Mat, view: View, rng: np.random.Generator, cloth: Cloth) -> Picture:
    """The mat without tiles or light: uint8 of shape (1280, 1280, 3)."""
    canvas = bare_table(rng)
    low, high = (round((sign * mat.half_side_mm) * CANVAS_PX_PER_MM + CANVAS_SIDE_PX / 2) for sign in (-1, 1))
    canvas[low:high, low:high] = felt(high - low, high - low, cloth.colour, cloth.roughness, rng)
    _print_slots(canvas, mat, cloth.print_colour)
    _print_markers(canvas, mat)
    return as_seen(canvas, view)


def bare_table(rng: np.random.Generator) -> Picture:
    """The table without a mat: uint8 of shape (CANVAS_SIDE_PX, CANVAS_SIDE_PX, 3)."""
    return felt(CANVAS_SIDE_PX, CANVAS_SIDE_PX, _WOOD, 3.0, rng)


def as_seen(canvas: Picture, view: View) -> Picture:
    """A table's picture of side CANVAS_SIDE_PX as a camera sees it: uint8 of shape (1280, 1280, 3)."""
    shrunk, middle = 1 / CANVAS_PX_PER_MM, -CANVAS_SIDE_PX / 2 / CANVAS_PX_PER_MM
    to_px = view.to_px @ np.array([(shrunk, 0, middle), (0, shrunk, middle), (0, 0, 1)])
    light = to_light(canvas)
    seen = cv2.warpPerspective(light, to_px, (SIDE_PX, SIDE_PX), flags=cv2.INTER_AREA) if not view.bend else _bent(light, to_px, view.bend)
    return to_picture(np.asarray(cv2.GaussianBlur(seen, (3, 3), 0.6), np.float32))


def _bent(canvas: Light, to_px: Matrix, bend: float) -> Light:
    """The canvas through a lens that bends: for every pixel, where a straight lens would have shown it, and what lies there."""
    across, down = cv2.split(cv2.perspectiveTransform(_straightened(bend), np.linalg.inv(to_px)).astype(np.float32))
    return np.asarray(cv2.remap(canvas, across, down, cv2.INTER_LINEAR), np.float32)


@lru_cache(maxsize=2)
def _straightened(bend: float) -> NDArray[np.float64]:
    """Where a straight lens would show what each pixel of a bending one shows (SIDE_PX × SIDE_PX × 2 px)."""
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX] - SIDE_PX / 2
    share = np.ones_like(x)
    squared = (x * x + y * y) / _HALF_DIAGONAL_PX**2
    for _ in range(_STRAIGHTENING_ROUNDS):
        share = 1 / (1 + bend * squared * share * share)
    return np.asarray(np.stack((x * share, y * share), axis=-1) + SIDE_PX / 2)


_PAPER: Colour = (228, 232, 232)


def _print_slots(canvas: Picture, mat: Mat, colour: Colour) -> None:
    for spot in map(mat.spot, mat.all_slots()):
        across, down = (side / 2 for side in mat.tile_at(spot))
        corners = ((spot.x_mm - across, spot.y_mm - down), (spot.x_mm + across, spot.y_mm + down))
        first, second = (tuple(round(value * CANVAS_PX_PER_MM + len(canvas) / 2) for value in corner) for corner in corners)
        cv2.rectangle(canvas, first, second, colour, 1, cv2.LINE_AA)
        if half := mat.slot_dot_mm / 2:
            middle = [round(at * CANVAS_PX_PER_MM + len(canvas) / 2) for at in (spot.x_mm, spot.y_mm)]
            reach = round(half * CANVAS_PX_PER_MM)
            left, top = middle[0] - reach, middle[1] - reach
            cv2.rectangle(canvas, (left, top), (left + 2 * reach, top + 2 * reach), _PAPER, cv2.FILLED)


def _print_markers(canvas: Picture, mat: Mat) -> None:
    """The four corner markers (ArUco 4x4_50, ids 0 to 3), and the table's name (ARUCO_ORIGINAL), with a white border of one cell."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    middle = mat.marker_centre_mm
    size = round(mat.marker_mm * CANVAS_PX_PER_MM)
    for number, at_mm in enumerate(((-middle, middle), (middle, middle), (middle, -middle), (-middle, -middle))):
        _print_marker(canvas, cv2.aruco.generateImageMarker(dictionary, number, size), _MARKER_CELLS, at_mm)
    named, place = printed_number(mat), name_place(mat)
    if named is not None and place is not None:
        names = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_ARUCO_ORIGINAL)
        size = round(CELLS * CELL_MM * CANVAS_PX_PER_MM)
        _print_marker(canvas, cv2.aruco.generateImageMarker(names, named, size), CELLS, (place.x_mm, place.y_mm))


def _print_marker(canvas: Picture, drawn: cv2.typing.MatLike, cells: int, at_mm: tuple[float, float]) -> None:
    border = round(len(drawn) / cells)
    marker = cv2.copyMakeBorder(drawn, border, border, border, border, cv2.BORDER_CONSTANT, value=255)
    left, top = (round(centre * CANVAS_PX_PER_MM + len(canvas) / 2 - len(marker) / 2) for centre in at_mm)
    canvas[top : top + len(marker), left : left + len(marker)] = (marker * 0.86 + 16).astype(np.uint8)[:, :, np.newaxis]
