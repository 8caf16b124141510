"""Rectification: finds a tile's four edges to a pixel (``find_tile``) and cuts the tile out straight and tight (``cut``), since the network
needs crops within ±5 %.

Each side of the rough rectangle from ``vision.gate.presence`` is refined: many profiles across it, the steepest point of each, and a line
through these points that outliers do not move. The same profiles show whether the picture is sharp enough.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen
from vision.gate.presence import Outline, find_thing
from vision.model.crop_view import CROP_H, CROP_W
from vision.reading import ReadRefusal, Reason, ShapeFault
from vision.sampling import between
from vision.table.lens import SQUARE
from vision.table.tile_pose import turned

Points = NDArray[np.float32]

_PROFILES = 24
_LEAST_STEP = 12
"""Least contrast, in grey levels, between a tile and the floor beside it."""
_LEAST_RATIO, _MOST_RATIO = 1.2, 1.6
"""Height over width of a tile's outline."""
_EDGE_ERROR, _LEAST_SHARPNESS, _LEAST_FILL, _MOST_TILT_DEG = 0.02, 0.3, 0.8, 20.0
"""Limits of the edges' error (a share of the width) and sharpness, of the share of the outline that is filled, and of its tilt."""
_FINER = 3
"""A tile is first cut larger by this factor, so that shrinking it averages pixels instead of skipping them."""


def find_tile(image: NDArray[np.uint8]) -> Points | ReadRefusal:
    """Return the tile's corners (4 × 2 float32, px, from top left clockwise) in a gate picture, or EMPTY, DARK, SHAPE or GLARE. The tile's
    kind does not matter."""
    if min(image.shape[:2]) < 2 * CROP_H:
        return ReadRefusal(Reason.SHAPE, f"a gate picture of {image.shape[1]} × {image.shape[0]} px is too small to find a tile's edges in")
    outline = find_thing(image)
    if isinstance(outline, ReadRefusal):
        return outline
    corners = find_quad(image, outline)
    if isinstance(corners, ReadRefusal) and float(np.median(image[::8, ::8])) > 140:
        return ReadRefusal(Reason.GLARE, "the whole window is bright, floor included: look for a reflection of the lamp")
    return corners


def find_quad(image: NDArray[np.uint8], outline: Outline) -> Points | ReadRefusal:
    """Return the tile's corners (4 × 2 float32, px, from top left clockwise) in a BGR image, or a SHAPE refusal."""
    width, height = outline.size
    if not _LEAST_RATIO * 0.9 <= height / max(width, 1.0) <= _MOST_RATIO * 1.1 or outline.filled < _LEAST_FILL:
        return ReadRefusal(
            Reason.SHAPE,
            f"what lies there is {width:.0f} × {height:.0f} px and fills {outline.filled:.0%} of that: not one whole tile",
            fault=ShapeFault.COVERED,
        )
    if abs(outline.angle_deg) > _MOST_TILT_DEG:
        return ReadRefusal(Reason.SHAPE, f"the tile lies {outline.angle_deg:.0f}° askew", fault=ShapeFault.ASKEW)
    rough = _corners(outline)
    reach = max(6, round(width * 0.06))
    edges = _edges(image, rough, reach)
    if min(edge.sharpness for edge in edges) < _LEAST_SHARPNESS:
        return ReadRefusal(Reason.SHAPE, "the tile's edges are not sharp: dirt, glare or focus", fault=ShapeFault.BLURRED)
    if max(edge.error for edge in edges) > max(_EDGE_ERROR * width, 1.0):
        covered = "the tile's edges are not straight: something covers it or touches it"
        return ReadRefusal(Reason.SHAPE, covered, fault=ShapeFault.COVERED)
    corners = np.array([_meeting(edges[side - 1], edges[side]) for side in range(4)], np.float32)
    ratio = _ratio(corners)
    if not _LEAST_RATIO <= ratio <= _MOST_RATIO:
        part = f"the outline is {ratio:.2f} times as high as wide: not one whole tile"
        return ReadRefusal(Reason.SHAPE, part, fault=ShapeFault.COVERED)
    return corners


def cut(image: NDArray[np.uint8], corners: Points) -> NDArray[np.uint8]:
    """Cut the tile between four corners out as a crop: CROP_H × CROP_W × 3 uint8 BGR."""
    width = float(np.linalg.norm(corners[1] - corners[0]))
    finer = _FINER if width > 1.5 * CROP_W else 1
    large = cut_large(image, corners, finer)
    return np.asarray(cv2.resize(large, (CROP_W, CROP_H), interpolation=cv2.INTER_AREA) if finer > 1 else large, dtype=np.uint8)


def cut_large(image: NDArray[np.uint8], corners: Points, times: int = _FINER) -> NDArray[np.uint8]:
    """Cut the tile out ``times`` the size of a crop, for people and for varied views of it."""
    size = (CROP_W * times, CROP_H * times)
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32) - 0.5
    transform = cv2.getPerspectiveTransform(corners.astype(np.float32), target.astype(np.float32))
    straight = cv2.warpPerspective(image, transform, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(straight, np.uint8)


@frozen
class _Edge:
    """A line (point and direction), the median distance of its points, and its sharpness: the step within 3 px as a share of the whole
    step."""

    point: Points
    direction: Points
    error: float
    sharpness: float


def _corners(outline: Outline) -> Points:
    """Return the rough rectangle's corners from top left clockwise."""
    return np.asarray(SQUARE * outline.size / 2 @ turned(outline.angle_deg) + outline.centre, np.float32)


def _edges(image: NDArray[np.uint8], rough: Points, reach: int) -> list[_Edge]:
    """Find the edges within ``reach`` px of the four sides of a rough rectangle (4 × 2, clockwise from top left, so that outside is to the
    left of each side)."""
    sides = np.roll(rough, -1, axis=0) - rough
    along = sides / np.linalg.norm(sides, axis=1, keepdims=True)
    outward = np.stack((along[:, 1], -along[:, 0]), axis=1)
    bases = rough[:, None] + np.linspace(0.13, 0.87, _PROFILES, dtype=np.float32)[:, None] * sides[:, None]
    steps = np.arange(-reach, reach + 1, dtype=np.float32)
    grid = (bases[:, :, None] + steps[:, None] * outward[:, None, None]).reshape(-1, len(steps), 2)
    brightest = between(image, grid).max(axis=2).astype(np.float32).reshape(len(rough), _PROFILES, -1)
    profiles = np.stack([cv2.blur(side, (1, 3)) for side in brightest])
    drop = profiles[..., :-3] - profiles[..., 3:]
    inner, outer = profiles[..., : reach // 2 + 1].max(axis=2), profiles[..., -(reach // 2 + 1) :].min(axis=2)
    clear = np.median(inner - outer, axis=1) > _LEAST_STEP
    sharpness = np.median(drop.max(axis=2) / np.maximum(inner - outer, 1.0), axis=1) * clear
    points = (bases + (steps[drop.argmax(axis=2)] + 1.5)[..., None] * outward[:, None]).astype(np.float32)
    return [_fitted(points[side], float(sharpness[side])) for side in range(len(rough))]


def _fitted(points: Points, sharpness: float) -> _Edge:
    """Fit a line to an edge's points (n × 2) that outliers do not move."""
    fitted = cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    direction, point = fitted[:2], fitted[2:]
    normal = np.array([direction[1], -direction[0]])
    error = float(np.median(np.abs((points - point) @ normal)))
    return _Edge(point.astype(np.float32), direction.astype(np.float32), error, sharpness)


def _meeting(first: _Edge, second: _Edge) -> Points:
    """Return where two edges meet; for parallel edges the first one's point, which the ratio test then refuses."""
    matrix = np.array([first.direction, -second.direction], np.float64).T
    if abs(np.linalg.det(matrix)) < 1e-6:
        return first.point
    along = np.linalg.solve(matrix, (second.point - first.point).astype(np.float64))[0]
    return np.asarray(first.point + along * first.direction, np.float32)


def _ratio(corners: Points) -> float:
    sides = [float(np.linalg.norm(corners[(i + 1) % 4] - corners[i])) for i in range(4)]
    return (sides[1] + sides[3]) / max(sides[0] + sides[2], 1.0)
