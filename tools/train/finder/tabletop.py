"""Tabletops in perspective: boxes of tiles on a plane, seen by a camera, with the outline of every tile that is seen.

A tile is a box of two colours with a picture on its face. Boxes are drawn from far to near, so a nearer tile hides a farther one.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import product
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen, frozen_identity

Picture: TypeAlias = NDArray[np.uint8]
Points: TypeAlias = NDArray[np.float64]
Colour: TypeAlias = NDArray[np.float64]

_FIXED = 4
"""Bits after the point in OpenCV's drawing coordinates."""
FACE_BAND = 0.6
"""Share of a tile's thickness that has the colour of its face."""
_SEEN_COSINE, _LEAST_COSINE = 0.34, 0.12
"""A face that is turned from the view by more than the first is not labelled; by more than the second it counts as not seen."""
_LEAST_SEEN, _LEAST_DOUBTFUL = 0.55, 0.15
"""Share of its outline from which a tile is labelled, and from which a picture is not judged there."""


CORNERS = np.array(list(product((-1, 1), repeat=3)))
"""Of a box, in its half axes."""


class Form(IntEnum):
    """How a tile stands (``vision.finder.found.TileForm`` in this order)."""

    FACE = 0
    BACK = 1
    STANDING = 2
    WALL = 3


@frozen
class DrawnSet:
    """What all tiles of a set share: sizes in mm, colours (BGR), and their backs' picture (h × w × 3)."""

    width_mm: float
    height_mm: float
    thickness_mm: float
    body: Colour
    back: Colour
    back_picture: Picture
    rounding: float = 0.08
    bevel: float = 0.0
    """Share of a face at each edge that is turned away from its plane and darker."""


@frozen_identity
class Tile3D:
    """One tile: the middle of its foot, its turn anticlockwise seen from above (degrees), and how it stands.

    ``picture`` is its face (h × w × 3). ``on_wall`` says that it lies on another one.
    """

    x_mm: float
    y_mm: float
    turn_deg: float
    form: Form
    picture: Picture
    z_mm: float = 0.0
    on_wall: bool = False


def turned_by(turn: float) -> Points:
    """What turns points (n × 2), multiplied by it, by an angle in radians."""
    return np.array([(np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn))])


@frozen_identity
class Eye:
    """A pinhole camera: where it is (mm; x right, y towards place 0, z up), its axes, focal length and middle of the picture (px)."""

    at_mm: Points
    right: Points
    down: Points
    ahead: Points
    focal_px: float
    middle_px: tuple[float, float]

    @classmethod
    def looking_at(
        cls,
        aim_mm: tuple[float, float],
        turned_deg: tuple[float, float, float],
        focal_px: float,
        far_mm: float,
        middle_px: tuple[float, float],
    ) -> Eye:
        """A camera that looks at a point of the table from ``far_mm``; ``turned_deg`` are tilt (0: from straight above), yaw and roll."""
        tilt, yaw, roll = np.deg2rad(turned_deg)
        spin = np.array([(np.cos(yaw), np.sin(yaw), 0), (-np.sin(yaw), np.cos(yaw), 0), (0, 0, 1)])
        ahead = spin @ np.array((0, -np.sin(tilt), -np.cos(tilt)))
        right, down = spin @ np.array((1.0, 0, 0)), spin @ np.array((0, np.cos(tilt), -np.sin(tilt)))
        right, down = np.cos(roll) * right + np.sin(roll) * down, np.cos(roll) * down - np.sin(roll) * right
        return cls(np.array((*aim_mm, 0.0)) - far_mm * ahead, right, down, ahead, focal_px, middle_px)

    def project(self, points_mm: Points) -> Points:
        """Where points (… × 3) are seen (… × 2 px)."""
        off = points_mm - self.at_mm
        depth = np.maximum(off @ self.ahead, 1.0)
        return np.stack((off @ self.right, off @ self.down), axis=-1) * (self.focal_px / depth)[..., None] + self.middle_px


@frozen
class Label:
    """A tile that is seen: middle, sides along its width and its height (px), the turn of its height from the picture's vertical and the
    further turn of its width (radians), how it stands. ``doubtful`` ones are neither asked for nor counted as wrong."""

    x: float
    y: float
    width: float
    height: float
    angle: float
    lean: float
    form: Form
    doubtful: bool
    quad: Points


def box_of(tile: Tile3D, tiles: DrawnSet) -> tuple[Points, Points]:
    """A tile's middle (3) and its half axes along width, height and thickness, the last towards its face (3 × 3)."""
    turned = np.deg2rad(tile.turn_deg)
    right, down = np.array((np.cos(turned), -np.sin(turned), 0.0)), np.array((np.sin(turned), np.cos(turned), 0.0))
    up = np.array((0.0, 0.0, 1.0))
    match tile.form:
        case Form.STANDING:
            axes, high = (right, -up, down), tiles.height_mm
        case Form.FACE:
            axes, high = (right, down, up), tiles.thickness_mm
        case _:
            axes, high = (-right, down, -up), tiles.thickness_mm
    halves = np.array(axes) * (np.array((tiles.width_mm, tiles.height_mm, tiles.thickness_mm)) / 2)[:, None]
    return np.array((tile.x_mm, tile.y_mm, tile.z_mm + high / 2)), halves


def draw(
    image: NDArray[np.uint8], tiles: list[Tile3D], tile_set: DrawnSet, eye: Eye, light: Points
) -> tuple[list[Label], NDArray[np.int16]]:
    """Draw tiles into a picture (h × w × 3, in place), the far ones first; gives what is seen, and each pixel's tile by its number + 1.

    ``light`` is the direction from which the light comes (3)."""
    numbers = np.zeros(image.shape[:2], np.int16)
    boxes = [box_of(tile, tile_set) for tile in tiles]
    order = sorted(range(len(tiles)), key=lambda number: -float(np.linalg.norm(boxes[number][0] - eye.at_mm)))
    outlines: dict[int, tuple[Points, Form, bool]] = {}
    for number in order:
        middle, halves = boxes[number]
        corners = eye.project(middle + CORNERS @ halves)
        if corners.min() < -400 or (corners.max(axis=0) > np.array(image.shape[1::-1]) + 400).any():
            continue
        hull = np.asarray(cv2.convexHull(corners.astype(np.float32)), np.float32).reshape(-1, 2)
        if (hull.max(axis=0) < 0).any() or (hull.min(axis=0) > np.array(image.shape[1::-1])).any():
            continue
        cv2.fillConvexPoly(numbers, np.rint(hull).astype(np.int32), number + 1)
        _draw_box(image, tiles[number], tile_set, eye, light)
        outlines[number] = _outline(tiles[number], eye, middle, halves, hull)
    return _labels(outlines, numbers), numbers


def _outline(tile: Tile3D, eye: Eye, middle: Points, halves: Points, hull: NDArray[np.float32]) -> tuple[Points, Form, bool]:
    """The outline that is looked for (4 × 2: upper left, upper right, lower right, lower left), what it is, and whether it is in doubt."""
    u, v, n = halves
    face = middle + n
    view = eye.at_mm - face
    cosine = float(view @ n / (np.linalg.norm(view) * np.linalg.norm(n)))

    def side(at: Points) -> Points:
        return eye.project(np.array([at - u - v, at + u - v, at + u + v, at - u + v]))

    if tile.form in (Form.FACE, Form.STANDING) and cosine > _LEAST_COSINE:
        return side(face), Form.FACE, cosine < _SEEN_COSINE
    if tile.form is Form.STANDING:
        return np.asarray(cv2.boxPoints(cv2.minAreaRect(hull)), np.float64), Form.STANDING, False
    if tile.form is Form.FACE:
        return side(face), Form.FACE, True
    return side(middle - n), Form.WALL if tile.on_wall else Form.BACK, False


def _labels(outlines: dict[int, tuple[Points, Form, bool]], numbers: NDArray[np.int16]) -> list[Label]:
    found = []
    for number, (quad, form, doubtful) in outlines.items():
        share = seen_share(quad, numbers, number + 1)
        if share < _LEAST_DOUBTFUL:
            continue
        found.append(label_of(quad, form, doubtful=doubtful or share < _LEAST_SEEN))
    return found


def seen_share(quad: Points, numbers: NDArray[np.int16], number: int) -> float:
    """Which share of an outline (4 × 2 px) is seen, the part outside the picture counted as not seen."""
    low = np.floor(quad.min(axis=0)).astype(int)
    size = np.ceil(quad.max(axis=0)).astype(int) - low + 1
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(mask, np.rint(quad - low).astype(np.int32), 1)
    left, top = np.maximum(low, 0)
    right, bottom = np.minimum(low + size, numbers.shape[1::-1])
    if right <= left or bottom <= top:
        return 0.0
    inside = mask[top - low[1] : bottom - low[1], left - low[0] : right - low[0]] > 0
    return float((inside & (numbers[top:bottom, left:right] == number)).sum() / max(int(mask.sum()), 1))


def label_of(quad: Points, form: Form, *, doubtful: bool) -> Label:
    """The label of an outline (4 × 2 px)."""
    across = ((quad[1] - quad[0]) + (quad[2] - quad[3])) / 2
    along = ((quad[3] - quad[0]) + (quad[2] - quad[1])) / 2
    if form is not Form.FACE and np.linalg.norm(across) > np.linalg.norm(along):
        across, along = along, -across
    x, y = _crossing(quad)
    angle = float(np.arctan2(along[0], along[1]) % np.pi)
    lean = float((np.arctan2(-across[1], across[0]) - angle + np.pi / 2) % np.pi - np.pi / 2)
    return Label(x, y, float(np.linalg.norm(across)), float(np.linalg.norm(along)), angle, lean, form, doubtful, quad)


def _crossing(quad: Points) -> tuple[float, float]:
    """Where the diagonals of an outline meet: the middle of what it is a picture of."""
    a, b, c, d = quad
    system = np.array([c - a, b - d]).T
    if abs(np.linalg.det(system)) < 1e-6:
        return float(quad[:, 0].mean()), float(quad[:, 1].mean())
    share = np.linalg.solve(system, b - a)[0]
    x, y = a + share * (c - a)
    return float(x), float(y)


def _draw_box(image: Picture, tile: Tile3D, tile_set: DrawnSet, eye: Eye, light: Points) -> None:
    middle, (u, v, n) = box_of(tile, tile_set)
    seam = n * (1 - 2 * FACE_BAND)
    for axis, other in ((u, v), (v, u)):
        for side in (-axis, axis):
            if (middle + side - eye.at_mm) @ side >= 0:
                continue
            shade = _shade(side, light) * 0.93
            for low, high, colour in ((-n, seam, tile_set.back), (seam, n, tile_set.body)):
                quad = np.array(
                    [middle + side - other + low, middle + side + other + low, middle + side + other + high, middle + side - other + high]
                )
                _fill(image, eye.project(quad), colour * shade)
    for towards, picture, colour in ((n, tile.picture, tile_set.body), (-n, tile_set.back_picture, tile_set.back)):
        if (middle + towards - eye.at_mm) @ towards >= 0:
            continue
        flat = middle + towards
        quad = eye.project(np.array([flat - u - v, flat + u - v, flat + u + v, flat - u + v]))
        shade = _shade(towards, light)
        _fill(image, quad, colour * shade * 0.86)
        inner = quad + tile_set.bevel * (np.roll(quad, -1, axis=0) + np.roll(quad, 1, axis=0) - 2 * quad)
        _paste(image, inner, picture, shade=shade, rounding=tile_set.rounding)


def _shade(normal: Points, light: Points) -> float:
    return 0.62 + 0.38 * max(float(normal @ light / np.linalg.norm(normal)), 0.0)


def _fill(image: Picture, quad: Points, colour: Colour) -> None:
    points = np.rint(quad * (1 << _FIXED)).astype(np.int32)
    cv2.fillConvexPoly(image, points, tuple(np.clip(colour, 0, 255).tolist()), cv2.LINE_AA, _FIXED)


def _paste(image: Picture, quad: Points, picture: Picture, *, shade: float, rounding: float) -> None:
    """A picture laid into an outline, with rounded corners."""
    low = np.maximum(np.floor(quad.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 2, image.shape[1::-1])
    if (high - low < 2).any():
        return
    height, width = picture.shape[:2]
    smaller = width / max(float(np.linalg.norm(quad[1] - quad[0])), 1.0)
    if smaller > 1.4:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.45 * smaller), np.uint8)
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, (quad - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    pasted = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(_rounded(width, height, rounding), matrix, size, flags=cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255
    patch = image[low[1] : high[1], low[0] : high[0]]
    patch[:] = (patch + mask * (np.minimum(pasted * shade, 255) - patch)).astype(np.uint8)


_MASKS: dict[tuple[int, int, float], Picture] = {}


def _rounded(width: int, height: int, rounding: float) -> Picture:
    key = (width, height, round(rounding, 2))
    if key not in _MASKS:
        mask, radius = np.zeros((height, width), np.uint8), max(int(rounding * width), 1)
        cv2.rectangle(mask, (radius, 0), (width - radius - 1, height - 1), 255, -1)
        cv2.rectangle(mask, (0, radius), (width - 1, height - radius - 1), 255, -1)
        for x in (radius, width - radius - 1):
            for y in (radius, height - radius - 1):
                cv2.circle(mask, (x, y), radius, 255, -1)
        _MASKS[key] = mask
    return _MASKS[key]
