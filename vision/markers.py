"""Where the mat lies in the picture: from its four corner markers, kept as long as they agree.

Looking for markers costs more than reading a few slots, so once all four are known only their outlines
are probed where they were. When some are covered, the last placement holds for a limited number of
frames, provided that two at least still lie there and none is seen elsewhere; after that there is none.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from vision.reading import Reason, Refusal

Matrix = NDArray[np.float64]
Points = NDArray[np.float64]

_ALL = 4
_ROOM = 2.4
"""How many times a marker's size is searched around its last place."""
_LEAST_STEP = 30
"""Grey levels between a marker's black rim and the white around it."""
_PROBES = np.linspace(-0.8, 0.8, 7)


class MatPlacement:
    """Follows one mat through frames of one camera."""

    def __init__(self, mat: Mat, *, most_moved_px: float = 2.0, most_blind_frames: int = 30) -> None:
        """A marker ``most_moved_px`` off means that something moved; ``most_blind_frames`` may pass without all four markers."""
        self._corners_mm = {number: _marker_corners(mat, number) for number in range(_ALL)}
        self._most_moved_px = most_moved_px
        self._most_blind_frames = most_blind_frames
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)
        self._to_px: Matrix | None = None
        self._probed: dict[int, NDArray[np.intp]] = {}
        self._blind_frames = 0

    def locate(self, grey: NDArray[np.uint8]) -> Matrix | Refusal:
        """The transform from the mat's millimetres to pixels (3 × 3) for a grey frame, or a MARKERS refusal."""
        if self._to_px is not None and self._still_there(grey, self._to_px):
            return self._to_px
        return self._found_anew(grey)

    def _found_anew(self, grey: NDArray[np.uint8]) -> Matrix | Refusal:
        """Look through the whole frame."""
        seen = self._detected(grey)
        if len(seen) < _ALL:
            self._to_px = None
            missing = ", ".join(str(number) for number in range(_ALL) if number not in seen)
            return Refusal(
                Reason.MARKERS,
                f"the mat's corner markers {missing} cannot be seen: uncover them, or turn the camera until it sees all four",
            )
        self._blind_frames = 0
        numbers = sorted(seen)
        mm, px = (np.concatenate([corners[number] for number in numbers]) for corners in (self._corners_mm, seen))
        to_px, _ = cv2.findHomography(mm, px)
        if to_px is None:
            return Refusal(Reason.MARKERS, "the mat's corner markers do not lie in a square: is the mat flat, and are they its own?")
        self._to_px = np.asarray(to_px, np.float64)
        self._probed = {number: self._outline_px(self._to_px, number) for number in range(_ALL)}
        return self._to_px

    def _still_there(self, grey: NDArray[np.uint8], to_px: Matrix) -> bool:
        """Whether the last placement may still be used for this frame."""
        gone = [number for number in range(_ALL) if not self._lies_there(grey, number)]
        self._blind_frames = self._blind_frames + 1 if gone else 0
        if len(gone) > _ALL // 2 or self._blind_frames > self._most_blind_frames:
            return False
        return not any(self._seen_near(grey, to_px, number) for number in gone)

    def _outline_px(self, to_px: Matrix, number: int) -> NDArray[np.intp]:
        """Pixels (n × 2, x and y) all around a marker's outline: those just inside, then as many just outside."""
        corners = self._corners_mm[number]
        middle, half = corners.mean(axis=0), np.ptp(corners, axis=0)[0] / 2
        off = self._most_moved_px / np.linalg.norm(to_px[:2, :2] / to_px[2, 2], axis=0).mean()
        sides = [
            middle + np.stack(np.broadcast_arrays(*((at, along) if upright else (along, at))), axis=1)
            for reach in (half - off, half + off)
            for upright in (True, False)
            for at in (-reach, reach)
            for along in (_PROBES * half,)
        ]
        return np.rint(project(to_px, np.concatenate(sides))).astype(int)

    def _lies_there(self, grey: NDArray[np.uint8], number: int) -> bool:
        """Whether all around a marker's last outline it is dark just inside and light just outside."""
        points = self._probed[number]
        if points.min() < 0 or points[:, 0].max() >= grey.shape[1] or points[:, 1].max() >= grey.shape[0]:
            return False
        levels = grey[points[:, 1], points[:, 0]].astype(int)
        inside, outside = np.split(levels, 2)
        return float((outside - inside >= _LEAST_STEP).mean()) > 0.9

    def _seen_near(self, grey: NDArray[np.uint8], to_px: Matrix, number: int) -> bool:
        """Whether a marker that is not where it was lies close by: then something has moved, and it is not covered."""
        corners = project(to_px, self._corners_mm[number])
        middle, reach = corners.mean(axis=0), np.ptp(corners, axis=0).max() * _ROOM / 2
        left, top = (int(max(value, 0)) for value in middle - reach)
        right, bottom = int(min(middle[0] + reach, grey.shape[1])), int(min(middle[1] + reach, grey.shape[0]))
        if right - left < 16 or bottom - top < 16:
            return False
        return number in self._detected(np.ascontiguousarray(grey[top:bottom, left:right]))

    def _detected(self, grey: NDArray[np.uint8]) -> dict[int, Points]:
        """The mat's markers in a picture, 4 × 2 px each."""
        corners, numbers, _ = self._detector.detectMarkers(grey)
        if numbers is None:
            return {}
        found = zip(np.asarray(numbers).ravel().tolist(), corners, strict=True)
        return {int(number): np.asarray(at, np.float64).reshape(4, 2) for number, at in found if int(number) in self._corners_mm}


def project(matrix: Matrix, points: Points) -> Points:
    """Points (n × 2) through a 3 × 3 projective transform."""
    mapped = np.column_stack((points, np.ones(len(points)))) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _marker_corners(mat: Mat, number: int) -> Points:
    """A marker's corners on the mat in mm, in the detector's order: upper left, upper right, lower right, lower left."""
    x_sign, y_sign = ((-1, 1), (1, 1), (1, -1), (-1, -1))[number]
    half = mat.marker_mm / 2
    middle = np.array((x_sign * mat.marker_centre_mm, y_sign * mat.marker_centre_mm))
    return np.asarray(middle + np.array([(-half, -half), (half, -half), (half, half), (-half, half)]))
