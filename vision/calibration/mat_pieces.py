"""Pieces of a mat in one picture: which print it is, how the camera sees it, and how each sheet or card lies, by its markers.

Most pieces are assumed to be in place. The view is fitted to those that agree, so that a misplaced piece does not bend it. With few pieces
(the four cards) every pair of them is tried.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat, Slot
from twinwall.art.mat_prints.markers import PrintedMarker, corner_markers
from twinwall.art.mat_prints.sheet_layout import Paper, sheet_layout
from twinwall.values import frozen, frozen_identity
from vision.calibration.laid_markers import fitted_markers
from vision.cameras.port import CameraFrame
from vision.reading import ReadRefusal
from vision.sampling import between
from vision.table.bare_slots import BareSlots
from vision.table.building_mat import BuildingMatCamera
from vision.table.lens import Lens, MatView, Points, fitted_view, project
from vision.table.light import LightMeter
from vision.table.markers import corners_of, marker_detectors, refined
from vision.table.mat_finder import NOTHING
from vision.table.slot_places import Places
from vision.table.slots import Presence, SlotFrame

_CELL_PX, _CELL_MARGIN = 8, 0.3
"""Pixels and margin of a cell when a marker is read: the cells of small markers have blurred edges."""
_COARSE_MM = 25.0
"""A piece whose marker is further off is somewhere else, whatever the lens."""
_LEAST_GROWN, _MOST_GROWN = 0.8, 1.25
"""Limits of a marker's sides under a possible view, as shares of the right ones."""
_FINE_MM = 1.0
"""Most error of the markers of pieces to which the view is fitted."""
_BENDS = (0.0, -0.12, -0.24, 0.1)
"""Distortions tried while the lens is unknown."""
_LEAST_PIECES = 2
_ENOUGH = 2 / 3
"""If more than this share of the pieces agree, it is not by chance."""
_LEAST_MARKERS = 3


@frozen
class MatPiece:
    """A sheet, or a card with one marker: its number, its markers, and the middle and size of its part of the mat (mm)."""

    number: int
    markers: tuple[PrintedMarker, ...]
    middle_mm: tuple[float, float]
    size_mm: tuple[float, float]


@frozen_identity
class SeenMarker:
    """A marker in a picture: its number and its corners (4 × 2 px: upper left, upper right, lower right, lower left)."""

    number: int
    corners_px: Points


@frozen
class PieceFit:
    """How a piece lies: its middle on the mat, its turn counter-clockwise from above, its size as a share of the right one, and the
    distance (mm) over which that was measured."""

    piece: MatPiece
    middle_mm: tuple[float, float]
    turn_deg: float
    scale: float
    reach_mm: float

    @property
    def off_mm(self) -> tuple[float, float]:
        """How far it is from its own place."""
        return self.middle_mm[0] - self.piece.middle_mm[0], self.middle_mm[1] - self.piece.middle_mm[1]


@frozen_identity
class SeenPieces:
    """The pieces in a picture; ``paper`` is None without sheets, ``view`` is None if too few markers agree."""

    paper: Paper | None
    pieces: tuple[MatPiece, ...]
    seen: tuple[SeenMarker, ...]
    view: MatView | None
    fits: tuple[PieceFit, ...]


def markers_in(grey: NDArray[np.uint8]) -> tuple[SeenMarker, ...]:
    """Return every marker in a grey picture; a number printed twice is there twice."""
    found: list[SeenMarker] = []
    for detector in marker_detectors():
        parameters = detector.getDetectorParameters()
        parameters.perspectiveRemovePixelPerCell, parameters.perspectiveRemoveIgnoredMarginPerCell = _CELL_PX, _CELL_MARGIN
        detector.setDetectorParameters(parameters)
        corners, numbers, _ = detector.detectMarkers(grey)
        known = {one.number for one in found}
        for number, at in zip([] if numbers is None else np.asarray(numbers).ravel().tolist(), corners, strict=True):
            if int(number) not in known:
                found.append(SeenMarker(int(number), refined(grey, np.asarray(at, np.float64).reshape(4, 2))))
    return tuple(found)


def printed_as(mat: Mat, seen: Sequence[SeenMarker]) -> tuple[Paper | None, tuple[MatPiece, ...]]:
    """Return the print to which most of the seen markers belong: sheets of a paper format, or the four corner markers."""
    counts = {paper: sum(paper.is_of(one.number) for one in seen) for paper in Paper}
    paper = max(counts, key=lambda one: counts[one])
    if counts[paper] == 0:
        side = corner_markers(mat)[0].bordered_mm
        return None, tuple(MatPiece(one.number, (one,), (one.x_mm, one.y_mm), (side, side)) for one in corner_markers(mat))
    sheets = sheet_layout(mat, paper).sheets
    return paper, tuple(
        MatPiece(
            sheet.number,
            sheet.all_markers,
            ((sheet.left_mm + sheet.right_mm) / 2, (sheet.top_mm + sheet.bottom_mm) / 2),
            (sheet.width_mm, sheet.height_mm),
        )
        for sheet in sheets
    )


def look_at_pieces(grey: NDArray[np.uint8], mat: Mat, height_mm: float, lens: Lens | None = None) -> SeenPieces:
    """Return the pieces in a grey picture (h × w) from a camera at this height; a missing ``lens`` is found from the markers."""
    seen = markers_in(grey)
    paper, pieces = printed_as(mat, seen)
    straight = Lens.straight(grey.shape[1], grey.shape[0])
    by_number = _once_each(seen, pieces)
    view = _agreed_view(pieces, by_number, lens or straight, height_mm, bends=lens is None)
    if paper is None and view is not None and all(_agrees(piece, by_number, view) for piece in pieces):
        laid = fitted_markers(mat, by_number, lens or straight, height_mm, bends=lens is None)
        view = view if laid is None else laid[0]
    fits = () if view is None else tuple(_fits(pieces, by_number, view))
    return SeenPieces(paper, pieces, seen, view, fits)


def on_the_mat(view: MatView, points_px: Points) -> Points:
    """Return points of the picture (n × 2 px) on the mat (n × 2 mm): the inverse of ``MatView.project`` at height 0."""
    return project(np.asarray(np.linalg.inv(view.to_straight), np.float64), view.lens.straightened(points_px))


def _once_each(seen: Sequence[SeenMarker], pieces: Sequence[MatPiece]) -> dict[int, Points]:
    """Return the corners of each of the print's markers that was seen exactly once."""
    known = {marker.number for piece in pieces for marker in piece.markers}
    numbers = [one.number for one in seen]
    return {one.number: one.corners_px for one in seen if one.number in known and numbers.count(one.number) == 1}


def _agreed_view(pieces: Sequence[MatPiece], seen: Mapping[int, Points], lens: Lens, height_mm: float, *, bends: bool) -> MatView | None:
    known = [piece for piece in pieces if any(marker.number in seen for marker in piece.markers)]
    if len(known) < _LEAST_PIECES or sum(len(_seen_of(piece, seen)) for piece in known) < _LEAST_MARKERS:
        return None
    whole = _view_of(known, seen, lens, height_mm, bends=bends)
    if whole is not None and all(_agrees(piece, seen, whole) for piece in known):
        return _fine_view(known, seen, whole, bends=bends)
    agreed = _most_agreed(known, seen, [replace(lens, k1=k1) for k1 in _BENDS] if bends else [lens], height_mm)
    if len(agreed) < _LEAST_PIECES:
        return None
    coarse = _view_of(agreed, seen, lens, height_mm, bends=bends)
    return None if coarse is None else _fine_view(agreed, seen, coarse, bends=bends)


def _most_agreed(known: Sequence[MatPiece], seen: Mapping[int, Points], lenses: Sequence[Lens], height_mm: float) -> list[MatPiece]:
    """Return the pieces that agree on a view of two of them: the most for any two and any lens; the search ends early with enough."""
    agreed: list[MatPiece] = []
    for pair in combinations(known, _LEAST_PIECES):
        for lens in lenses:
            view = _view_of(pair, seen, lens, height_mm, bends=False)
            if view is not None:
                agreed = max(agreed, [piece for piece in known if _agrees(piece, seen, view)], key=len)
            if len(agreed) > _ENOUGH * len(known):
                return agreed
    return agreed


def _fine_view(agreed: list[MatPiece], seen: Mapping[int, Points], coarse: MatView, *, bends: bool) -> MatView:
    """Fit the view to the pieces. While one does not fit and most would remain, the worst sheet is left out; cards are all needed."""
    left, view, least = agreed, coarse, len(agreed) // 2 + 1
    straight = replace(coarse.lens, k1=0.0) if bends else coarse.lens
    while len(left) > least and any(len(piece.markers) > 1 for piece in left):
        if max(_off_mm(piece, seen, view) for piece in left) <= _FINE_MM:
            break
        without = [[piece for piece in left if piece is not one] for one in left]
        tried = [(_view_of(some, seen, view.lens, coarse.height_mm, bends=False), some) for some in without]
        errors = [(one.error_px, number) for number, (one, _) in enumerate(tried) if one is not None]
        fitted = _view_of(without[min(errors)[1]], seen, straight, coarse.height_mm, bends=bends) if errors else None
        if fitted is None:
            break
        view, left = fitted, without[min(errors)[1]]
    return view


def _view_of(pieces: Sequence[MatPiece], seen: Mapping[int, Points], lens: Lens, height_mm: float, *, bends: bool) -> MatView | None:
    mm, px = (np.concatenate(part) for part in zip(*(one for piece in pieces for one in _seen_of(piece, seen)), strict=True))
    return fitted_view(mm, px, lens, height_mm, bends=bends)


def _seen_of(piece: MatPiece, seen: Mapping[int, Points]) -> list[tuple[Points, Points]]:
    """Return the corners of a piece's seen markers: as printed on the mat (mm), and in the picture (px)."""
    return [(corners_of(marker), seen[marker.number]) for marker in piece.markers if marker.number in seen]


def _off_mm(piece: MatPiece, seen: Mapping[int, Points], view: MatView) -> float:
    return max(float(np.linalg.norm(on_the_mat(view, px) - mm, axis=1).max()) for mm, px in _seen_of(piece, seen))


def _agrees(piece: MatPiece, seen: Mapping[int, Points], view: MatView) -> bool:
    """Whether a piece may be in its own place under a view, or slightly off."""
    if not _seen_of(piece, seen):
        return False
    if _off_mm(piece, seen, view) > _COARSE_MM:
        return False
    for mm, px in _seen_of(piece, seen):
        laid = on_the_mat(view, px)
        grown = np.linalg.norm(np.roll(laid, 1, axis=0) - laid, axis=1) / np.linalg.norm(mm[1] - mm[0])
        if grown.min() < _LEAST_GROWN or grown.max() > _MOST_GROWN:
            return False
    return True


def _fits(pieces: Sequence[MatPiece], seen: Mapping[int, Points], view: MatView) -> Iterator[PieceFit]:
    """Fit shift, turn and size of each piece, by least squares over its markers' middles, or the corners of a single marker."""
    for piece in pieces:
        corners = _seen_of(piece, seen)
        if not corners:
            continue
        mm, laid = np.stack([one for one, _ in corners]), np.stack([on_the_mat(view, px) for _, px in corners])
        if len(corners) > 1:  # middles: a lens's blur makes every marker a little smaller
            mm, laid = mm.mean(axis=1), laid.mean(axis=1)
        as_printed, as_laid = (points.reshape(-1, 2) @ (1, 1j) for points in (mm - np.array(piece.middle_mm), laid))
        design = np.stack((as_printed, np.ones_like(as_printed)), axis=1)
        (grown, middle), *_ = np.linalg.lstsq(design, as_laid, rcond=None)
        turn_deg = -float(np.rad2deg(np.angle(grown)))
        reach_mm = float(np.ptp(mm.reshape(-1, 2), axis=0).max())
        yield PieceFit(piece, (float(middle.real), float(middle.imag)), turn_deg, float(abs(grown)), reach_mm)


_THICKNESS_MM = 16.0
_EDGE_PX = np.arange(-4.0, 4.1, 0.5)
_ALONG = np.linspace(-0.7, 0.7, 9)


def bare_slots(image: NDArray[np.uint8], mat: Mat, view: MatView) -> tuple[tuple[Slot, ...], frozenset[Slot], float]:
    """Return all slots, the bare ones, and the printed outlines' contrast with the cloth (logarithm; of squares 1 if any shows, else 0)."""
    slots = mat.all_slots()
    if mat.slot_dot_mm:
        occupied = BuildingMatCamera(mat, view.height_mm).look(CameraFrame(image, 0, 1))
        free = frozenset() if isinstance(occupied, ReadRefusal) else occupied.free
        return slots, frozenset(slot for slot in slots if (slot.place, slot.index) in free), float(bool(free))
    places = Places(mat, view, _THICKNESS_MM)
    cloth = BareSlots(image, np.zeros(2), LightMeter(mat, view).measure(image), places)
    contrasts = cloth.outline_contrasts(slots)
    contrast = float(np.median(contrasts)) if len(contrasts) else 0.0
    found = SlotFrame(replace(cloth, print_contrast=contrast), lambda: NOTHING).look(slots)
    return slots, frozenset(slot for slot, one in found.items() if one is Presence.EMPTY), contrast


def edge_px(grey: NDArray[np.uint8], markers_px: Iterable[Points]) -> float:
    """Return the width (px) of the step from black rim to white border, by the markers' corners: the median of all their edges."""
    widths = []
    for corners in markers_px:
        ends = np.roll(corners, -1, axis=0)
        half = (ends - corners) / 2
        outwards = np.stack((half[:, 1], -half[:, 0]), axis=1) / np.linalg.norm(half, axis=1, keepdims=True)
        on_edge = (corners + half)[:, None] + half[:, None] * _ALONG[:, None]
        at = (on_edge[:, :, None] + outwards[:, None, None] * _EDGE_PX[:, None]).reshape(-1, len(_EDGE_PX), 2)
        levels = between(grey, at).astype(np.float64)
        steps = np.abs(np.diff(levels, axis=1)).max(axis=1) / (_EDGE_PX[1] - _EDGE_PX[0])
        widths += (np.ptp(levels, axis=1) / np.maximum(steps, 1e-3)).tolist()
    return float(np.median(widths)) if widths else 0.0


def paper_level(grey: NDArray[np.uint8], markers_px: Iterable[Points]) -> float:
    """Return the grey level of the white of markers with these corners: the median of their lightest parts."""
    return float(np.median([float(np.percentile(inside(grey, corners), 95)) for corners in markers_px]))


def inside(grey: NDArray[np.uint8], corners: Points) -> NDArray[np.uint8]:
    """Return the pixels within a marker's corners; at least one."""
    left, top = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, (grey.shape[1] - 1, grey.shape[0] - 1))
    right, bottom = np.maximum(np.ceil(corners.max(axis=0)).astype(int), (left + 1, top + 1))
    part = grey[top:bottom, left:right]
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.rint(corners - (left, top)).astype(np.int32), 1)
    return part[mask > 0] if mask.any() else part.ravel()
