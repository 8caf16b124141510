"""Divides a mat into sheets of paper, each with two small markers by which a camera recognises it. Cuts cross as few slots as possible. A
sheet's markers are far apart where no tile belongs; their numbers give sheet and paper format (A3 from 4, A4 from 16)."""

import math
from enum import Enum
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.markers import PrintedMarker, corner_markers
from twinwall.art.mat_prints.name_marker import PAPER_MM, name_place
from twinwall.values import frozen

SHEET_MARKER_MM = 20.0
MARKERS_A_SHEET = 2
NUMBER_MM = 7.0
"""Room for the sheet's number to the right of each of its markers."""
LEFT_MM, TOP_MM, FLAP_MM, MARGIN_MM = 8.0, 18.0, 8.0, 6.0
"""On a page: from the left and upper edge to the part of the mat, the neighbours' overlap, and what a printer may leave white."""
_CUT_STEP_MM = 0.5
_PLACE_STEP_MM = 2.0
_TO_CUT_MM, _TO_MARKER_MM = 3.0, 8.0
"""Least distances of a sheet's marker, with border and number, from a cut and from a corner marker."""
_TO_SLOT_MM = (12.0, 8.0, 5.0)
"""Distances from a tile that is sideways in its slot; the first one with room is used."""
_APART_MM = 60.0
"""Least distance between a sheet's two markers, so that its scale can be measured."""
_CUT_BESIDE_MM = 0.5
"""A cut this close to a slot's outline counts as crossing it."""
_DIRECTIONS = 16
_QUIET_MM = 50.0
"""Half the side of the middle of the mat, where the table reader measures the cloth."""


class Paper(Enum):
    """Paper formats: short and long side (mm), number of the first marker, and how many sheets have markers."""

    A3 = (297.0, 420.0, 4, 6)
    A4 = (210.0, 297.0, 16, 12)

    def __init__(self, short_mm: float, long_mm: float, first_marker: int, most_sheets: int) -> None:
        self.short_mm, self.long_mm = short_mm, long_mm
        self.first_marker, self.most_sheets = first_marker, most_sheets

    def is_of(self, marker: int) -> bool:
        return self.first_marker <= marker < self.first_marker + MARKERS_A_SHEET * self.most_sheets


@frozen
class MatSheet:
    """One sheet's part of the mat, in mm from the mat's centre. ``markers`` are the sheet's own two; ``corner`` is the corner marker of a
    corner sheet."""

    number: int
    row: int
    column: int
    left_mm: float
    top_mm: float
    right_mm: float
    bottom_mm: float
    markers: tuple[PrintedMarker, ...]
    corner: PrintedMarker | None

    @property
    def width_mm(self) -> float:
        return self.right_mm - self.left_mm

    @property
    def height_mm(self) -> float:
        return self.bottom_mm - self.top_mm

    @property
    def all_markers(self) -> tuple[PrintedMarker, ...]:
        return self.markers if self.corner is None else (*self.markers, self.corner)


@frozen
class SheetLayout:
    """A mat on sheets of one format: the page's size, and the sheets row by row."""

    paper: Paper
    page_width_mm: float
    page_height_mm: float
    columns: int
    rows: int
    sheets: tuple[MatSheet, ...]


@lru_cache(maxsize=8)
def sheet_layout(mat: Mat, paper: Paper) -> SheetLayout:
    """The fewest sheets of a format for the whole mat, always the same; raises ValueError if it is too large or has no room for the sheets'
    markers."""
    side = 2 * mat.half_side_mm

    def sheets_of(page: tuple[float, float]) -> tuple[int, int]:
        most = _most_mm(page)
        return math.ceil(side / most[0]), math.ceil(side / most[1])

    page = min(((paper.long_mm, paper.short_mm), (paper.short_mm, paper.long_mm)), key=lambda one: math.prod(sheets_of(one)))
    columns, rows = sheets_of(page)
    if columns * rows > paper.most_sheets:
        raise ValueError(f"a mat of {side:g} mm takes more than {paper.most_sheets} sheets of {paper.name}: print it on cloth")
    most = _most_mm(page)
    across, down = _cuts(mat, columns, most[0], axis=0), _cuts(mat, rows, most[1], axis=1)
    sheets = []
    for row, (top, bottom) in enumerate(pairwise(down)):
        for column, (left, right) in enumerate(pairwise(across)):
            number = row * columns + column + 1
            places = _marker_places(mat, (left, top, right, bottom), number)
            first = paper.first_marker + MARKERS_A_SHEET * (number - 1)
            markers = tuple(PrintedMarker(first + at, x, y, SHEET_MARKER_MM) for at, (x, y) in enumerate(places))
            corner = next((one for one in corner_markers(mat) if left < one.x_mm < right and top < one.y_mm < bottom), None)
            sheets.append(MatSheet(number, row, column, left, top, right, bottom, markers, corner))
    return SheetLayout(paper, *page, columns, rows, tuple(sheets))


def _most_mm(page: tuple[float, float]) -> tuple[float, float]:
    """Width and height of the largest part of the mat on a page."""
    return page[0] - LEFT_MM - FLAP_MM - MARGIN_MM, page[1] - TOP_MM - FLAP_MM - MARGIN_MM


def _cuts(mat: Mat, count: int, most_mm: float, axis: int) -> tuple[float, ...]:
    """Where ``count`` sheets begin and end along x (``axis`` 0) or y: cuts near equal shares that cross the fewest slots, and neither a
    corner marker nor the name marker."""
    slots, equal = _slot_boxes(mat), 2 * mat.half_side_mm / count
    reach = (most_mm - equal) / 2 - _CUT_STEP_MM
    off = np.arange(0, max(reach, 0) + 1e-9, _CUT_STEP_MM)
    tried = np.concatenate((off[:1], *np.stack((-off[1:], off[1:]), axis=1)))
    cuts = [-mat.half_side_mm]
    for number in range(1, count):
        at = round((number * equal - mat.half_side_mm) / _CUT_STEP_MM) * _CUT_STEP_MM + tried
        beyond = at - slots[:, axis, None] + _CUT_BESIDE_MM, slots[:, axis + 2, None] + _CUT_BESIDE_MM - at
        crossed = ((beyond[0] > 0) & (beyond[1] > 0)).sum(axis=0).astype(float)
        for marker in corner_markers(mat):
            middle = (marker.x_mm, marker.y_mm)[axis]
            crossed[np.abs(at - middle) < marker.bordered_mm / 2 + _TO_CUT_MM] = np.inf
        if (name := name_place(mat)) is not None:
            crossed[np.abs(at - (name.x_mm, name.y_mm)[axis]) < PAPER_MM / 2 + _TO_CUT_MM] = np.inf
        cuts.append(float(at[int(crossed.argmin())]))
    return (*cuts, mat.half_side_mm)


def _slot_boxes(mat: Mat, around_mm: float = 0.0) -> NDArray[np.float64]:
    """Left, top, right and bottom of every slot (n × 4); with ``around_mm``, of a tile in either direction with that margin."""
    boxes = []
    for spot in map(mat.spot, mat.all_slots()):
        across, down = mat.tile_at(spot)
        if around_mm:
            across = down = max(across, down) + 2 * around_mm
        boxes.append((spot.x_mm - across / 2, spot.y_mm - down / 2, spot.x_mm + across / 2, spot.y_mm + down / 2))
    return np.array(boxes)


def _marker_places(mat: Mat, part: tuple[float, float, float, float], sheet: int) -> tuple[tuple[float, float], ...]:
    """Middles of a sheet's markers: two free places far apart; raises ValueError if there are none."""
    turn = np.arange(_DIRECTIONS) * np.pi / _DIRECTIONS
    directions = np.stack((np.cos(turn), np.sin(turn)), axis=1)
    for to_slot_mm in _TO_SLOT_MM:
        places = _free_places(mat, part, to_slot_mm)
        if len(places) == 0:
            continue
        along = places @ directions.T
        ends = np.unique(np.concatenate((along.argmin(axis=0), along.argmax(axis=0))))
        apart = np.linalg.norm(places[ends][:, None] - places[ends][None], axis=2)
        if apart.max() >= _APART_MM:
            pair = sorted(int(ends[at]) for at in np.unravel_index(int(apart.argmax()), apart.shape))
            return tuple((float(x), float(y)) for x, y in np.round(places[pair], 3).tolist())
    raise ValueError(f"sheet {sheet} has no room for its two markers between the slots: take larger paper, or print the mat on cloth")


def _free_places(mat: Mat, part: tuple[float, float, float, float], to_slot_mm: float) -> NDArray[np.float64]:
    """Middles (n × 2) where a marker with border and number avoids cuts, slots, other markers and the quiet middle."""
    half = PrintedMarker(0, 0, 0, SHEET_MARKER_MM).bordered_mm / 2
    left, top, right, bottom = part
    x = np.arange(math.ceil(left + half + _TO_CUT_MM), right - half - NUMBER_MM - _TO_CUT_MM, _PLACE_STEP_MM)
    y = np.arange(math.ceil(top + half + _TO_CUT_MM), bottom - half - _TO_CUT_MM, _PLACE_STEP_MM)
    tried = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    corners = np.array([(one.x_mm, one.y_mm, one.bordered_mm / 2 + _TO_MARKER_MM) for one in corner_markers(mat)])
    if (name := name_place(mat)) is not None:
        corners = np.vstack((corners, (name.x_mm, name.y_mm, PAPER_MM / 2 + _TO_MARKER_MM)))
    boxes = np.column_stack((corners[:, :2] - corners[:, 2:], corners[:, :2] + corners[:, 2:]))
    taken = np.concatenate((_slot_boxes(mat, to_slot_mm), boxes, [(-_QUIET_MM, -_QUIET_MM, _QUIET_MM, _QUIET_MM)]))
    near = taken[(taken[:, :2] < (right, bottom)).all(axis=1) & (taken[:, 2:] > (left, top)).all(axis=1)]
    low, high = tried - half, tried + np.array((half + NUMBER_MM, half))
    return np.asarray(tried[~((low[:, None] < near[:, 2:]) & (high[:, None] > near[:, :2])).all(axis=2).any(axis=1)])
