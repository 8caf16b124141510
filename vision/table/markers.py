"""The mat's corner markers: where they are printed, where a picture shows them, and the view of the mat that follows."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.markers import PrintedMarker, corner_markers
from vision.table.lens import SQUARE, Lens, MatView, Points, fitted_view
from vision.table.marker_edges import refined

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
