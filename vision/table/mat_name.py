"""Name of a mat: reads the marker by which a mat names its table, and refuses frames of a mat that names another one.

The corner marker beside it says where the name is. If a cell is not clearly black or white, or a row is none of the markers', the name is
not seen. A mat without a name fits any table. The own name holds until the mat moves, another's until 50 whole frames running show none.
"""

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.name_marker import BESIDE, CELL_MM, CELLS, name_place, number_of
from vision.reading import ReadRefusal, Reason
from vision.sampling import between
from vision.table.lens import MatView, Points, grid_points
from vision.table.markers import Picture, grey_of, marker_corners

_SAMPLE_MM = 1.0
"""Spacing of the samples."""
_ROOM_MM = 6
"""The marker is searched this far around its place, since people lay the cards."""
_PER_CELL = round(CELL_MM / _SAMPLE_MM)
_WIDE = CELLS + 2
"""Cells along a side, with the white border."""
_SPAN = (_WIDE - 1) * _PER_CELL + 1
_LEAST_STEP = 30.0
"""Least contrast, in grey levels, between the marker's rim and its white border."""
_CLEAR = 0.1
"""Least share of that contrast between each cell and the middle level."""
_PLACES = np.arange(_WIDE)
_FROM_EDGE = np.minimum(np.minimum(_PLACES, _PLACES[::-1])[:, None], np.minimum(_PLACES, _PLACES[::-1])[None])
_BORDER, _RIM = _FROM_EDGE == 0, _FROM_EDGE == 1
_BITS = 1 << np.arange(CELLS - 3, -1, -1)
FORGOTTEN_AFTER = 50
"""After this many consecutive whole frames without a name, another table's name is forgotten."""

UNNAMED = "the mat does not name its table, so exchanged cameras of two tables go unnoticed: print it with --table"


class MatName:
    """The name of the mat seen by one camera."""

    def __init__(self, mat: Mat, corners_mm: Mapping[int, Points] | None = None) -> None:
        """``corners_mm`` are the corner markers' corners if they are not as printed."""
        self._own = mat.table
        self._samples_mm = _samples_mm(mat, corners_mm or marker_corners(mat))
        self._seen_under: MatView | None = None
        self._samples_px: Points | None = None
        self._known_under: MatView | None = None
        self._other: str = ""
        self._unseen = 0

    def refusal(self, picture: Picture, view: MatView) -> ReadRefusal | None:
        """Refuse a whole frame (h × w, or h × w × 3 BGR) of another table's mat. A name that was read holds until the mat moves."""
        if not self._own or self._known_under is view:
            return None
        named = self.read(grey_of(picture), view)
        if named == self._own:
            self._known_under, self._other = view, ""
        elif named:
            self._other, self._unseen = named, 0
        elif self._other:
            self._unseen += 1
            self._other = self._other if self._unseen < FORGOTTEN_AFTER else ""
        return other_table(self._own, self._other) if self._other else None

    def read(self, grey: NDArray[np.uint8], view: MatView) -> str:
        """Return the table that the mat in a whole frame (h × w) names; empty if no name is seen."""
        if self._samples_mm is None:
            return ""
        if self._samples_px is None or self._seen_under is not view:
            side = round(len(self._samples_mm) ** 0.5)
            self._seen_under, self._samples_px = view, view.project(self._samples_mm).reshape(side, side, 2)
        means = cv2.blur(between(grey, self._samples_px), (2, 2))[1:, 1:].astype(np.float32)
        tried = np.lib.stride_tricks.sliding_window_view(means, (_SPAN, _SPAN))[..., ::_PER_CELL, ::_PER_CELL].reshape(-1, _WIDE, _WIDE)
        steps = tried[:, _BORDER].mean(axis=1) - tried[:, _RIM].mean(axis=1)
        number = _number(tried[int(steps.argmax())])
        return "" if number is None else str(number)


def other_table(own: str, named: str) -> ReadRefusal:
    detail = (
        f"this is the camera of table {own}, and the mat that it sees names table {named}: are the cameras of the two tables exchanged, "
        "or their mats?"
    )
    return ReadRefusal(Reason.OTHER_TABLE, detail, named=named)


def named_table(grey: NDArray[np.uint8], mat: Mat, view: MatView, corners_mm: Mapping[int, Points] | None = None) -> str:
    """Return the table that the mat in a grey picture (h × w) names; empty if no name is seen."""
    return MatName(mat, corners_mm).read(grey, view)


def _samples_mm(mat: Mat, corners_mm: Mapping[int, Points]) -> Points | None:
    """Return the sample points (n × 2 mm) around the name, beside its corner marker as laid; None if the mat has no place for a name."""
    place = name_place(mat)
    if place is None:
        return None
    half = CELL_MM * _WIDE / 2 + _ROOM_MM
    along = np.arange(-half + _SAMPLE_MM / 2, half, _SAMPLE_MM)
    grid = grid_points(place.x_mm + along, place.y_mm + along)
    printed, laid = (corners[BESIDE].astype(np.float32) for corners in (marker_corners(mat), corners_mm))
    moved, _ = cv2.estimateAffinePartial2D(printed, laid)
    return np.asarray(np.column_stack((grid, np.ones(len(grid)))) @ moved.T, np.float64)


def _number(cells: NDArray[np.float32]) -> int | None:
    white, black = float(cells[_BORDER].mean()), float(cells[_RIM].mean())
    if white - black < _LEAST_STEP:
        return None
    share = (cells - black) / (white - black) - 0.5
    if share[_BORDER].min() < _CLEAR or share[_RIM].max() > -_CLEAR or float(np.abs(share).min()) < _CLEAR:
        return None
    return number_of(tuple((share[2:-2, 2:-2] > 0) @ _BITS))
