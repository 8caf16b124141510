"""Placement of the mat in the picture, by its four corner markers.

Once all four are known, only their outlines are probed where they were, and how far they have moved since is told.
When some are covered, the last placement holds for a limited number of frames, provided that at least two are still
in place and none is seen elsewhere. Markers that do not lie as on a flat mat are a named fault, and there is no
placement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.markers import PrintedMarker, corner_markers
from vision.reading import ReadRefusal, Reason
from vision.table.lens import Lens, MatView, Points, fitted_view
from vision.table.marker_edges import refined
from vision.table.marker_probes import MarkerProbe, moved

Picture = NDArray[np.uint8]

_ALL = 4
_ROOM = 2.4
"""Search window around a marker's last place, in marker sizes."""
_DEFAULT_HEIGHT_MM = 1600.0


class MatPlacement:
    """Follows one mat through frames of one camera."""

    def __init__(
        self,
        mat: Mat,
        *,
        camera_height_mm: float = _DEFAULT_HEIGHT_MM,
        lens: Lens | None = None,
        corners_mm: Mapping[int, Points] | None = None,
        most_error_px: float = 1.5,
        most_moved_px: float = 2.0,
        most_blind_frames: int = 30,
    ) -> None:
        """Without a ``lens`` it is found from the markers, anew whenever all four are looked for. ``corners_mm`` are the corners of
        each marker (4 × 2) where they do not lie as printed.

        Corners further than ``most_error_px`` from a flat mat's (root mean square) are no mat. A marker ``most_moved_px``
        off means that something moved; ``most_blind_frames`` may pass without all four markers.
        """
        self.corners_mm: Mapping[int, Points] = corners_mm or marker_corners(mat)
        self._camera_height_mm, self._lens = camera_height_mm, lens
        self._most_error_px = most_error_px
        self._most_moved_px = most_moved_px
        self._most_blind_frames = most_blind_frames
        self._detectors = marker_detectors()
        self._view: MatView | None = None
        self._probes: dict[int, MarkerProbe] = {}
        self._edges_px: dict[int, Points] = {}
        self._blind_frames = 0
        self._shift_px: Points | None = np.zeros(2)

    @property
    def shift_px(self) -> Points | None:
        """By how much the last frame shows the mat beside its place in the view (x and y), about ``most_moved_px`` at most; None where too
        few markers are seen to tell, or the picture was turned."""
        return self._shift_px

    def locate(self, picture: Picture) -> MatView | ReadRefusal:
        """How this frame shows the mat, or a MARKERS refusal; the same object as long as nothing has moved.

        Of a frame in colour (h × w × 3 BGR) only what is looked at is turned grey: that of a grey one (h × w) costs no less.
        """
        if self._view is not None and self._still_there(picture, self._view):
            return self._view
        found = self._found_anew(grey_of(picture))
        self._view = None if isinstance(found, ReadRefusal) else found
        return found

    def _found_anew(self, grey: NDArray[np.uint8]) -> MatView | ReadRefusal:
        """Look through the whole frame."""
        seen = _seen_by(self._detectors, grey)
        if len(seen) < _ALL:
            return _missing(seen)
        height_px, width_px = grey.shape
        straight = Lens.straight(width_px, height_px)
        if self._lens is not None and self._lens.middle_px != straight.middle_px:
            size = " × ".join(f"{2 * middle:.0f}" for middle in self._lens.middle_px)
            return ReadRefusal(
                Reason.MARKERS,
                f"the picture has {width_px} × {height_px} px, but the camera was calibrated with {size}: calibrate it again",
            )
        view = view_of(self.corners_mm, seen, self._lens or straight, self._camera_height_mm, bends=not self._lens)
        if view is None:
            return ReadRefusal(Reason.MARKERS, "the mat's corner markers do not lie in a square: is the mat flat, and are they its own?")
        if view.error_px > self._most_error_px:
            return _misplaced(self.corners_mm, seen, view)
        self._blind_frames = 0
        self._probes = {number: MarkerProbe(view, corners, self._most_moved_px) for number, corners in self.corners_mm.items()}
        self._edges_px = self._edges_seen(grey)
        self._shift_px = np.zeros(2)
        return view

    def _still_there(self, picture: Picture, view: MatView) -> bool:
        """Whether the last placement may still be used for this frame."""
        edges = self._edges_seen(picture)
        gone = [number for number in range(_ALL) if number not in edges]
        self._blind_frames = self._blind_frames + 1 if gone else 0
        if len(gone) > _ALL // 2 or self._blind_frames > self._most_blind_frames:
            return False
        way = moved(self._probes, self._edges_px, edges)
        if way is not None and not way.is_shift and not gone:
            return False
        self._shift_px = way.shift_px if way is not None and way.is_shift else None
        return not any(self._seen_near(picture, view, number) for number in gone)

    def _edges_seen(self, picture: Picture) -> dict[int, Points]:
        """The edges (``MarkerProbe.edges_px``) of the markers that lie where they were found, by number."""
        height_px, width_px = picture.shape[:2]
        seen: dict[int, Points] = {}
        for number, probe in self._probes.items():
            if probe.within(width_px, height_px):
                at = probe.points_px.reshape(-1, 2)
                levels = grey_of(picture[at[:, 1], at[:, 0]][None]).reshape(probe.points_px.shape[:-1])
                if probe.is_there(levels):
                    seen[number] = probe.edges_px(levels)
        return seen

    def _seen_near(self, picture: Picture, view: MatView, number: int) -> bool:
        """Whether a marker that is not where it was lies close by: then something has moved, and it is not covered."""
        corners = view.project(self.corners_mm[number])
        middle, reach = corners.mean(axis=0), np.ptp(corners, axis=0).max() * _ROOM / 2
        left, top = (int(max(value, 0)) for value in middle - reach)
        right, bottom = int(min(middle[0] + reach, picture.shape[1])), int(min(middle[1] + reach, picture.shape[0]))
        if right - left < 16 or bottom - top < 16:
            return False
        return number in _seen(self._detectors[0], grey_of(np.ascontiguousarray(picture[top:bottom, left:right])))


def grey_of(picture: Picture) -> Picture:
    """A picture in colour (h × w × 3 BGR) as a grey one (h × w); a grey one as it is."""
    return picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def marker_corners(mat: Mat) -> dict[int, Points]:
    """The corners of every marker (4 × 2 mm) by its number, in the detector's order: upper left, upper right, lower right, lower left."""
    return {marker.number: corners_of(marker) for marker in corner_markers(mat)}


def corners_of(marker: PrintedMarker) -> Points:
    """A marker's corners on the mat (4 × 2 mm), in the detector's order."""
    half = marker.side_mm / 2
    square = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    return np.asarray(square + np.array((marker.x_mm, marker.y_mm)))


def seen_markers(grey: NDArray[np.uint8]) -> dict[int, Points]:
    """The mat's markers in a grey picture by number, each with its corners (4 × 2 px) to a fraction of a pixel."""
    return _seen_by(marker_detectors(), grey)


def view_of(
    corners_mm: Mapping[int, Points], corners_px: Mapping[int, Points], lens: Lens, camera_height_mm: float, *, bends: bool
) -> MatView | None:
    """The view in which the markers that were seen lie where the mat has them; ``bends``: find the lens's k1 as well."""
    numbers = sorted(corners_px)
    mm, px = (np.concatenate([corners[number] for number in numbers]) for corners in (corners_mm, corners_px))
    return fitted_view(mm, px, lens, camera_height_mm, bends=bends)


def _missing(seen: Mapping[int, Points]) -> ReadRefusal:
    missing = ", ".join(str(number) for number in range(_ALL) if number not in seen)
    return ReadRefusal(
        Reason.MARKERS, f"the mat's corner markers {missing} cannot be seen: uncover them, or turn the camera until it sees all four"
    )


def _misplaced(corners_mm: Mapping[int, Points], seen: Mapping[int, Points], view: MatView) -> ReadRefusal:
    """Which marker does not fit the three others, and by how much."""
    worst, worst_mm = 0, 0.0
    best_error = np.inf
    for number in seen:
        others = {other: corners for other, corners in seen.items() if other != number}
        without = view_of(corners_mm, others, view.lens, view.height_mm, bends=False)
        if without is not None and without.error_px < best_error:
            best_error, worst = without.error_px, number
            off_px = without.project(corners_mm[number]) - seen[number]
            worst_mm = float(np.linalg.norm(off_px, axis=1).mean()) / view.px_per_mm()
    return ReadRefusal(
        Reason.MARKERS,
        f"the mat's corner marker {worst} lies {worst_mm:.0f} mm from where the other three say: is the mat flat and printed at its size?",
    )


def marker_detectors() -> tuple[cv2.aruco.ArucoDetector, ...]:
    """The usual detector, and one for markers that it misses: the outer edge of a white border, seen against cloth, is a square as
    well, and the usual one may keep that in place of the marker."""
    found = []
    for constant, least_distance in ((7, 0.125), (12, 0.02)):
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        parameters.adaptiveThreshConstant, parameters.minMarkerDistanceRate = constant, least_distance
        found.append(cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters))
    return tuple(found)


def _seen_by(detectors: Sequence[cv2.aruco.ArucoDetector], grey: NDArray[np.uint8]) -> dict[int, Points]:
    """The mat's markers that any of the detectors sees; a further one is asked only while some are missing."""
    seen: dict[int, Points] = {}
    for detector in detectors:
        if len(seen) < _ALL:
            seen = _seen(detector, grey) | seen
    return seen


def _seen(detector: cv2.aruco.ArucoDetector, grey: NDArray[np.uint8]) -> dict[int, Points]:
    corners, numbers, _ = detector.detectMarkers(grey)
    if numbers is None:
        return {}
    found = zip(np.asarray(numbers).ravel().tolist(), corners, strict=True)
    return {int(number): refined(grey, np.asarray(at, np.float64).reshape(4, 2)) for number, at in found if 0 <= int(number) < _ALL}
