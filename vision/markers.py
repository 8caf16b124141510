"""Where the mat lies in the picture: from its four corner markers, kept as long as they agree.

Looking for markers in a whole frame costs more than reading a few slots, so once all four are known
each is only looked for around its place. When some are covered, the last placement holds for a limited
number of frames, provided that those still seen have not moved; after that there is no placement.
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
_ROOM = 1.9
"""How many times a marker's size is searched around its last place."""


class MatPlacement:
    """Follows one mat through frames of one camera."""

    def __init__(self, mat: Mat, *, most_moved_px: float = 1.5, most_blind_frames: int = 30) -> None:
        """A marker ``most_moved_px`` off means that something moved; ``most_blind_frames`` may pass without all four markers."""
        self._corners_mm = {number: _marker_corners(mat, number) for number in range(_ALL)}
        self._most_moved_px = most_moved_px
        self._most_blind_frames = most_blind_frames
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)
        self._to_px: Matrix | None = None
        self._blind_frames = 0

    def locate(self, grey: NDArray[np.uint8]) -> Matrix | Refusal:
        """The transform from the mat's millimetres to pixels (3 × 3) for a grey frame, or a MARKERS refusal."""
        if self._to_px is not None:
            seen = self._seen_around(grey, self._to_px)
            if all(self._moved_px(number, corners, self._to_px) <= self._most_moved_px for number, corners in seen.items()):
                self._blind_frames = 0 if len(seen) == _ALL else self._blind_frames + 1
                if self._blind_frames <= self._most_blind_frames:
                    return self._to_px
        return self._found_anew(grey)

    def _found_anew(self, grey: NDArray[np.uint8]) -> Matrix | Refusal:
        """Look through the whole frame."""
        seen = self._detected(grey, (0, 0))
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
        return self._to_px

    def _seen_around(self, grey: NDArray[np.uint8], to_px: Matrix) -> dict[int, Points]:
        """The markers found near where they were last."""
        seen: dict[int, Points] = {}
        height, width = grey.shape
        for number, corners_mm in self._corners_mm.items():
            corners = project(to_px, corners_mm)
            middle, reach = corners.mean(axis=0), np.ptp(corners, axis=0).max() * _ROOM / 2
            left, top = (int(max(value, 0)) for value in middle - reach)
            right, bottom = int(min(middle[0] + reach, width)), int(min(middle[1] + reach, height))
            if right - left > 16 and bottom - top > 16:
                found = self._detected(np.ascontiguousarray(grey[top:bottom, left:right]), (left, top))
                seen.update({one: at for one, at in found.items() if one == number})
        return seen

    def _detected(self, grey: NDArray[np.uint8], corner: tuple[int, int]) -> dict[int, Points]:
        """The mat's markers in a picture whose upper left pixel is ``corner`` of the frame: 4 × 2 px each."""
        corners, numbers, _ = self._detector.detectMarkers(grey)
        if numbers is None:
            return {}
        found = zip(np.asarray(numbers).ravel().tolist(), corners, strict=True)
        return {int(number): np.asarray(at, np.float64).reshape(4, 2) + corner for number, at in found if int(number) in self._corners_mm}

    def _moved_px(self, number: int, corners: Points, to_px: Matrix) -> float:
        return float(np.linalg.norm((corners - project(to_px, self._corners_mm[number])).mean(axis=0)))


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
