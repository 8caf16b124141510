"""The mat's corner markers: where they are printed, where a picture shows them, and the view of the mat that follows.

Corners are found to a tenth of a pixel by lines fitted to a marker's edges in linear light. A picture's levels are a power of the light, so
in a blurred edge their middle is inside the black: measured on levels a marker is 0.4 to 1.0 px too small, and the lens fitted to it is
wrong by pixels elsewhere.
"""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.markers import PrintedMarker, corner_markers
from vision.sampling import between
from vision.table.lens import SQUARE, Lens, MatView, Points, fitted_view

_GAMMA = 2.2
"""Power that takes levels to light; every camera's curve is near it."""
_LIGHT = ((np.arange(256) / 255) ** _GAMMA).astype(np.float32)
_CELLS = 6
_REACH_CELLS, _MOST_REACH_PX = 0.6, 5.0
"""How far across an edge the search goes: within the black rim and the white border, each a cell wide."""
_STEP_PX = 0.25
_PLATEAU = 0.25
"""Share of the reach, at both ends, that gives the levels of black and white."""
_ALONG = np.linspace(-0.8, 0.8, 17)
"""Places along an edge, as shares of half its length; blur rounds off the corners."""
_LEAST_STEP = 0.02
_MOST_OUT_PX = 1.0
"""A place of an edge further from the median is left out: something is over it."""
_ROUNDS = 2
_MOST_MOVED_PX = 2.5


def refined(grey: NDArray[np.uint8], corners: Points) -> Points:
    """Refine a marker's corners (4 × 2 px) in a grey picture; they stay if its edges cannot be measured."""
    found = corners
    for _ in range(_ROUNDS):
        found = _refined_once(grey, found)
        if not (np.isfinite(found).all() and float(np.abs(found - corners).max()) <= _MOST_MOVED_PX):
            return corners
    return found


def _refined_once(grey: NDArray[np.uint8], corners: Points) -> Points:
    ends = np.roll(corners, -1, axis=0)
    half = (ends - corners) / 2
    lengths = np.linalg.norm(half, axis=1, keepdims=True)
    outwards = np.stack((half[:, 1], -half[:, 0]), axis=1) / lengths
    outwards *= np.sign(((corners + half - corners.mean(axis=0)) * outwards).sum(axis=1, keepdims=True))
    reach = min(float(lengths.mean()) * 2 / _CELLS * _REACH_CELLS, _MOST_REACH_PX)
    steps = np.arange(-reach, reach + _STEP_PX / 2, _STEP_PX)
    on_edge = (corners + half)[:, None] + half[:, None] * _ALONG[:, None]
    off = _edges_off(_light(grey, on_edge[:, :, None] + outwards[:, None, None] * steps[:, None]), steps)
    shift, turn = _line(off)
    first = corners + outwards * (shift - turn)[:, None]
    second = ends + outwards * (shift + turn)[:, None]
    return _crossings(first, second)


def _light(grey: NDArray[np.uint8], points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return linear light at points (… × 2) between pixels."""
    low = np.maximum(np.floor(points.min(axis=(0, 1, 2))).astype(int) - 1, 0)
    high = np.ceil(points.max(axis=(0, 1, 2))).astype(int) + 2
    part = _LIGHT[grey[low[1] : high[1], low[0] : high[0]]]
    return between(part, points - low)


def _edges_off(levels: NDArray[np.float32], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each edge (sides × places × steps) is beyond the middle of its steps, NaN if there is none: the place of a sharp edge
    with the same total light, which blur does not shift."""
    width = max(int(len(steps) * _PLATEAU / 2), 2)
    black, white = np.median(levels[..., :width], axis=-1), np.median(levels[..., -width:], axis=-1)
    rise = white - black
    share = np.clip((levels - black[..., None]) / np.maximum(rise, _LEAST_STEP)[..., None], 0, 1)
    off = steps[-1] + _STEP_PX / 2 - share.sum(axis=-1) * _STEP_PX
    return np.where(rise >= _LEAST_STEP, off, np.nan)


def _line(off: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit a line to each edge's places (sides × places), without outliers; return the shifts of its middle and of its end."""
    lines = []
    for side in off:
        known = np.isfinite(side)
        near = known & (np.abs(side - np.median(side[known])) <= _MOST_OUT_PX) if known.any() else known
        lines.append(np.polyfit(_ALONG[near], side[near], 1) if near.sum() >= len(_ALONG) // 2 else (np.nan, np.nan))
    turns, shifts = np.array(lines).T
    return shifts, turns


def _crossings(first: Points, second: Points) -> Points:
    """Return where each line, through a point of ``first`` and one of ``second``, crosses the line before it."""
    homogeneous = np.cross(np.column_stack((first, np.ones(4))), np.column_stack((second, np.ones(4))))
    crossed = np.cross(np.roll(homogeneous, 1, axis=0), homogeneous)
    return np.asarray(crossed[:, :2] / crossed[:, 2:])


Picture = NDArray[np.uint8]

MARKERS = 4
"""Corner markers of a mat."""


def grey_of(picture: Picture) -> Picture:
    """Convert a picture (h × w × 3 BGR) to grey (h × w); a grey one stays as it is."""
    return picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def marker_corners(mat: Mat) -> dict[int, Points]:
    """Return every marker's corners (4 × 2 mm) by number, in the detector's order: upper left, upper right, lower right, lower left."""
    return {marker.number: corners_of(marker) for marker in corner_markers(mat)}


def corners_of(marker: PrintedMarker) -> Points:
    """Return a marker's corners on the mat (4 × 2 mm), in the detector's order."""
    return SQUARE * (marker.side_mm / 2) + (marker.x_mm, marker.y_mm)


def seen_markers(grey: NDArray[np.uint8]) -> dict[int, Points]:
    """Return the mat's markers in a grey picture by number, with their corners (4 × 2 px) to a fraction of a pixel."""
    return seen_by(marker_detectors(), grey)


def view_of(
    corners_mm: Mapping[int, Points], corners_px: Mapping[int, Points], lens: Lens, camera_height_mm: float, *, bends: bool
) -> MatView | None:
    """Return the view that puts the seen markers in their places on the mat; ``bends`` finds the lens's k1 as well."""
    return fitted_view(*corners_of_seen(corners_mm, corners_px), lens, camera_height_mm, bends=bends)


def corners_of_seen(corners_mm: Mapping[int, Points], corners_px: Mapping[int, Points]) -> tuple[Points, Points]:
    """Return the corners (n × 2) of the seen markers: on the mat (mm) and in the picture (px)."""
    numbers = sorted(corners_px)
    mm, px = (np.concatenate([corners[number] for number in numbers]) for corners in (corners_mm, corners_px))
    return mm, px


def marker_detectors() -> tuple[cv2.aruco.ArucoDetector, ...]:
    """Return the usual detector, and one for markers that it misses: it may take the outer edge of a white border on cloth for the
    marker."""
    found = []
    for constant, least_distance in ((7, 0.125), (12, 0.02)):
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        parameters.adaptiveThreshConstant, parameters.minMarkerDistanceRate = constant, least_distance
        found.append(cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters))
    return tuple(found)


def seen_by(detectors: Sequence[cv2.aruco.ArucoDetector], grey: NDArray[np.uint8]) -> dict[int, Points]:
    """Return the mat's markers that any detector sees; a further detector is asked only while some are missing."""
    seen: dict[int, Points] = {}
    for detector in detectors:
        if len(seen) < MARKERS:
            seen = seen_in(detector, grey) | seen
    return seen


def seen_in(detector: cv2.aruco.ArucoDetector, grey: NDArray[np.uint8]) -> dict[int, Points]:
    corners, numbers, _ = detector.detectMarkers(grey)
    if numbers is None:
        return {}
    found = zip(np.asarray(numbers).ravel().tolist(), corners, strict=True)
    return {int(number): refined(grey, np.asarray(at, np.float64).reshape(4, 2)) for number, at in found if 0 <= int(number) < MARKERS}
