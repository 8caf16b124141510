"""Check of a mat: measures one picture of the bare mat (``check_mat``) and names its faults, the worst first.

Markers identify sheets and cards (``mat_pieces``) and show whether each is in its place, upright, and of the right size; the mat's name is
read by ``mat_name``. Light, sharpness, resolution and slots are measured too. If all pieces have the same wrong size, it looks like a
higher camera; only the ruler on each sheet shows that.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import field
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Mat, Slot
from twinwall.art.mat_prints.name_marker import BESIDE
from twinwall.art.mat_prints.sheet_layout import Paper
from twinwall.values import frozen, frozen_identity
from vision.calibration.mat_calibration import LEAST_PX_PER_MM
from vision.calibration.mat_pieces import (
    MatPiece,
    PieceFit,
    SeenPieces,
    bare_slots,
    edge_px,
    inside,
    look_at_pieces,
    on_the_mat,
    paper_level,
)
from vision.cameras.port import encode_picture
from vision.gate.presence import unlit
from vision.table.lens import SQUARE, Lens, MatView, Points
from vision.table.markers import corners_of, marker_corners
from vision.table.mat_name import named_table, other_table
from vision.table.slot_places import on_mat
from vision.table.tile_pose import turned

_ELSEWHERE_MM = 40.0
_TURNED_DEG = 20.0
_MOST_OFF_MM, _MOST_ASKEW_DEG, _MOST_SCALE = 2.0, 0.7, 0.006
"""Limits for a sheet: shift of its middle, turn, and error of its size (a share)."""
_MEASURED_MM = 0.7
"""Error with which a size is measured over any distance."""
_MOST_CARD_OFF_MM, _MOST_CARD_ASKEW_DEG = 10.0, 10.0
"""Limits for a card; the calibration measures its place."""
_MOST_EDGE_MM = 3.0
"""A picture with wider marker edges is not sharp."""
_DARK_PAPER, _BRIGHT_PAPER = 70.0, 253.0
"""Limits for the grey level of the markers' white."""
_GLARE_LEVEL, _GLARE_SHARE = 245, 0.3
_LEAST_BARE = 0.9
_LEAST_CONTRAST = 0.05


class MatFault(Enum):
    """What can be wrong with a mat, the worst first."""

    LIGHT = "light"
    UNSEEN = "unseen"
    """Too few markers are seen to check the mat."""
    OTHER_TABLE = "other table"
    """The mat names another table."""
    BLURRED = "blurred"
    COARSE = "coarse"
    MIXED = "mixed"
    """Sheets of two paper formats are there."""
    TWICE = "twice"
    EXCHANGED = "exchanged"
    ELSEWHERE = "elsewhere"
    TURNED = "turned"
    OUTSIDE = "outside"
    """A marker is outside of the picture."""
    GLARE = "glare"
    COVERED = "covered"
    SIZE = "size"
    SHIFTED = "shifted"
    ASKEW = "askew"
    NOT_BARE = "not bare"
    NO_SLOTS = "no slots"


_MISPLACED = (MatFault.EXCHANGED, MatFault.ELSEWHERE, MatFault.TURNED)
"""Faults of a piece whose neighbours may hide its markers until it is put right."""
_ORDER = {fault: rank for rank, fault in enumerate(MatFault)}


@frozen
class MatFinding:
    """One fault: the numbers of its sheets, cards or marker (for a name marker, of the table it names), a figure in ``unit``, and what to
    do."""

    fault: MatFault
    numbers: tuple[int, ...]
    figure: float
    unit: str
    advice: str


@frozen_identity
class MatCheck:
    """What one picture shows of a mat. ``findings`` has the worst first; without any, the mat may be played on. ``edge_mm`` is the width of
    a marker's edge, ``slots_bare`` are those of ``slots`` seen bare with their outline."""

    pieces: SeenPieces
    px_per_mm: float = 0.0
    edge_mm: float = 0.0
    slots: tuple[Slot, ...] = ()
    slots_bare: frozenset[Slot] = frozenset()
    findings: tuple[MatFinding, ...] = field(default=())


def check_mat(image: NDArray[np.uint8], mat: Mat, height_mm: float, lens: Lens | None = None) -> MatCheck:
    """Check a picture (h × w × 3 BGR) from a camera at this height over a bare mat; a missing ``lens`` is found from the markers."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    seen = look_at_pieces(grey, mat, height_mm, lens)
    if seen.view is None:
        return MatCheck(seen, findings=(_unseen(image, seen),))
    px_per_mm = seen.view.px_per_mm()
    markers_px = [one.corners_px for one in seen.seen]
    edge_mm = edge_px(grey, markers_px) / px_per_mm
    slots, bare, contrast = bare_slots(image, mat, seen.view)
    places = list(_of_places(seen))
    misplaced = {number for one in places if one.fault in _MISPLACED for number in one.numbers}
    findings = [
        *_of_picture(px_per_mm, edge_mm, paper_level(grey, markers_px)),
        *_of_name(grey, mat, seen, seen.view),
        *_of_print(seen),
        *places,
        *(one for piece in seen.pieces if piece.number not in misplaced for one in _of_markers(grey, seen, seen.view, piece)),
    ]
    findings += _of_slots(seen, slots, bare, contrast) if not findings else ()
    ordered = sorted(findings, key=lambda one: (_ORDER[one.fault], -abs(one.figure)))
    return MatCheck(seen, px_per_mm, edge_mm, slots, bare, tuple(ordered))


def _unseen(image: NDArray[np.uint8], seen: SeenPieces) -> MatFinding:
    dark = unlit(image)
    if dark is not None:
        return MatFinding(MatFault.LIGHT, (), float(np.median(image)), "grey level", dark.detail)
    numbers = tuple(sorted({one.number for one in seen.seen}))
    only = f"only the markers {', '.join(map(str, numbers))} are" if numbers else "no marker of a mat is"
    advice = f"{only} seen: turn the camera until it sees the whole mat, uncover it, and look at focus and light"
    return MatFinding(MatFault.UNSEEN, numbers, len(numbers), "markers", advice)


def _of_picture(px_per_mm: float, edge_mm: float, paper_level: float) -> Iterator[MatFinding]:
    if not _DARK_PAPER <= paper_level <= _BRIGHT_PAPER:
        what = ("dark", "give it more light, or a longer exposure") if paper_level < _DARK_PAPER else ("washed out", "lower the exposure")
        advice = f"the picture is {what[0]}, white paper has level {paper_level:.0f} of 255: {what[1]}"
        yield MatFinding(MatFault.LIGHT, (), paper_level, "grey level", advice)
    if edge_mm > _MOST_EDGE_MM:
        advice = (
            f"the picture is not sharp: a marker's edge is {edge_mm:.1f} mm wide. Clean the lens, focus it on the mat, and hold it still"
        )
        yield MatFinding(MatFault.BLURRED, (), edge_mm, "mm", advice)
    if px_per_mm < LEAST_PX_PER_MM:
        needed = f"the picture has {px_per_mm:.2f} px a millimetre of the mat, reading takes {LEAST_PX_PER_MM}"
        advice = f"{needed}: hang the camera lower, or use its full resolution"
        yield MatFinding(MatFault.COARSE, (), px_per_mm, "px/mm", advice)


def _of_name(grey: NDArray[np.uint8], mat: Mat, seen: SeenPieces, view: MatView) -> Iterator[MatFinding]:
    """Report a mat that names another table, from the marker beside its corner marker."""
    beside = [on_the_mat(view, one.corners_px) for one in seen.seen if one.number == BESIDE]
    corners_mm = marker_corners(mat) | ({BESIDE: beside[0]} if len(beside) == 1 else {})
    named = named_table(grey, mat, view, corners_mm) if mat.table else ""
    if named and named != mat.table:
        yield MatFinding(MatFault.OTHER_TABLE, (int(named),), 1, "markers", other_table(mat.table, named).detail)


def _of_print(seen: SeenPieces) -> Iterator[MatFinding]:
    others = sorted({one.number for one in seen.seen if any(paper.is_of(one.number) for paper in Paper if paper is not seen.paper)})
    if seen.paper is not None and others:
        advice = f"sheets of another paper format lie there (markers {_list(others)}): print all sheets on {seen.paper.name}"
        yield MatFinding(MatFault.MIXED, tuple(others), len(others), "markers", advice)
    numbers = [one.number for one in seen.seen]
    for piece in seen.pieces:
        twice = [marker.number for marker in piece.markers if numbers.count(marker.number) > 1]
        if twice:
            advice = f"{_name(seen, piece.number)} lies there twice: take one away, and lay the sheet that is missing"
            yield MatFinding(MatFault.TWICE, (piece.number,), len(twice), "markers", advice)


def _of_places(seen: SeenPieces) -> Iterator[MatFinding]:
    """Report each piece that is not in its place, upright and of the right size."""
    lies = {fit.piece.number: _place_of(fit, seen.pieces) for fit in seen.fits}
    reported: set[int] = set()
    for fit in seen.fits:
        number, place = fit.piece.number, lies[fit.piece.number]
        if number in reported:
            continue
        if place is not None and place != number:
            away = math.hypot(*fit.off_mm)
            if lies.get(place) == number:
                reported |= {number, place}
                advice = f"{_names(seen, (number, place))} are exchanged: lay each in the other's place"
                yield MatFinding(MatFault.EXCHANGED, (number, place), away, "mm", advice)
            else:
                advice = f"{_name(seen, number)} lies in the place of {_name(seen, place)}: lay it in its own"
                yield MatFinding(MatFault.ELSEWHERE, (number,), away, "mm", advice)
        elif abs(fit.turn_deg) > _TURNED_DEG:
            advice = f"{_name(seen, number)} is turned by {abs(fit.turn_deg):.0f}°: its number must stand upright for place 0"
            yield MatFinding(MatFault.TURNED, (number,), fit.turn_deg, "°", advice)
        elif seen.paper is not None and abs(fit.scale - 1) > max(_MOST_SCALE, _MEASURED_MM / fit.reach_mm):
            yield _wrong_size(seen, fit)
        else:
            yield from _off(seen, fit)


def _place_of(fit: PieceFit, pieces: Sequence[MatPiece]) -> int | None:
    """Return the number of the piece in whose place this one is, None if it is in none."""
    near = min(pieces, key=lambda one: math.dist(one.middle_mm, fit.middle_mm))
    return near.number if math.dist(near.middle_mm, fit.middle_mm) <= _ELSEWHERE_MM else None


def _wrong_size(seen: SeenPieces, fit: PieceFit) -> MatFinding:
    off_mm = (fit.scale - 1) * max(fit.piece.size_mm)
    what = "short" if off_mm < 0 else "too long"
    size = f"{_name(seen, fit.piece.number)} is {abs(off_mm):.0f} mm {what} ({100 * fit.scale:.1f} %)"
    advice = f"{size}: print it again at 100 %, not fitted to the page"
    return MatFinding(MatFault.SIZE, (fit.piece.number,), off_mm, "mm", advice)


def _off(seen: SeenPieces, fit: PieceFit) -> Iterator[MatFinding]:
    most_mm, most_deg = (_MOST_OFF_MM, _MOST_ASKEW_DEG) if seen.paper else (_MOST_CARD_OFF_MM, _MOST_CARD_ASKEW_DEG)
    x, y = fit.off_mm
    if math.hypot(x, y) > most_mm:
        side = ("right", "left") if abs(x) >= abs(y) else ("towards place 0", "away from place 0")
        way = side[(x if abs(x) >= abs(y) else y) < 0]
        advice = f"{_name(seen, fit.piece.number)} lies {math.hypot(x, y):.1f} mm off, mostly {way}: push it back"
        yield MatFinding(MatFault.SHIFTED, (fit.piece.number,), math.hypot(x, y), "mm", advice)
    elif abs(fit.turn_deg) > most_deg:
        way = "clockwise" if fit.turn_deg > 0 else "counter-clockwise"
        advice = f"{_name(seen, fit.piece.number)} lies askew: turn it by {abs(fit.turn_deg):.1f}° {way}"
        yield MatFinding(MatFault.ASKEW, (fit.piece.number,), fit.turn_deg, "°", advice)


def _of_markers(grey: NDArray[np.uint8], seen: SeenPieces, view: MatView, piece: MatPiece) -> Iterator[MatFinding]:
    """Report the missing markers of a piece, and why they are not seen, if the picture shows it."""
    numbers = {one.number for one in seen.seen}
    missing = [marker for marker in piece.markers if marker.number not in numbers]
    if not missing:
        return
    whole = seen.paper is not None and len(missing) == len(piece.markers)
    where = f" (sheet {piece.number})" if seen.paper else ""
    one_only = whole or len(missing) == 1
    name = f"sheet {piece.number}" if whole else f"marker{'' if one_only else 's'} {_list([marker.number for marker in missing])}{where}"
    name += " is" if one_only else " are"
    corners = [view.project(corners_of(marker)) for marker in missing]
    if any((one < 0).any() or (one > (grey.shape[1], grey.shape[0])).any() for one in corners):
        fault, advice = MatFault.OUTSIDE, f"{name} beyond the edge of the picture: turn the camera, or hang it higher"
    elif max(float((inside(grey, one) >= _GLARE_LEVEL).mean()) for one in corners) > _GLARE_SHARE:
        fault, advice = MatFault.GLARE, f"{name} not seen, a lamp shines on it: move the lamp, or print on matt paper"
    else:
        fault, advice = MatFault.COVERED, f"{name} not seen: uncover it, smooth the sheet, or lay it where it belongs"
    yield MatFinding(fault, tuple(marker.number for marker in missing), len(missing), "markers", advice)


def _of_slots(seen: SeenPieces, slots: Sequence[Slot], bare: frozenset[Slot], contrast: float) -> Iterator[MatFinding]:
    if seen.paper is not None and abs(contrast) < _LEAST_CONTRAST:
        advice = "the slots' outlines are not seen: give it more light, or print the sheets darker"
        yield MatFinding(MatFault.NO_SLOTS, (), contrast, "contrast", advice)
    elif len(bare) < _LEAST_BARE * len(slots):
        covered = len(slots) - len(bare)
        advice = f"{covered} of {len(slots)} slots are not bare: clear the mat, and take shadows and reflections off it"
        yield MatFinding(MatFault.NOT_BARE, (), covered, "slots", advice)


def _name(seen: SeenPieces, number: int) -> str:
    return f"{'sheet' if seen.paper else 'marker'} {number}"


def _names(seen: SeenPieces, numbers: Sequence[int]) -> str:
    return f"{'sheets' if seen.paper else 'markers'} {_list(sorted(numbers))}"


def _list(numbers: Sequence[int]) -> str:
    return " and ".join([", ".join(map(str, numbers[:-1])), str(numbers[-1])]) if len(numbers) > 1 else str(numbers[0])


_GOOD, _BAD, _FAINT = (90, 220, 90), (60, 60, 255), (150, 150, 60)
_OF_MARKERS = (MatFault.OUTSIDE, MatFault.GLARE, MatFault.COVERED)
_OF_NO_PIECE = (MatFault.MIXED, MatFault.OTHER_TABLE)
"""Faults whose numbers are not those of pieces."""


_WIDTH_PX = 900
"""Width of a picture that is shown repeatedly."""


def drawn_jpeg(image: NDArray[np.uint8], mat: Mat, check: MatCheck) -> bytes:
    """As ``drawn_png``, as JPEG, and made smaller if large."""
    picture = _drawn(image, mat, check)
    height, width = picture.shape[:2]
    if width > _WIDTH_PX:
        picture = np.asarray(cv2.resize(picture, (_WIDTH_PX, height * _WIDTH_PX // width), interpolation=cv2.INTER_AREA), np.uint8)
    return encode_picture(picture)


def drawn_png(image: NDArray[np.uint8], mat: Mat, check: MatCheck) -> bytes:
    """Return the picture (h × w × 3 BGR) as PNG: bare slots and seen markers in green; the worst fault and covered slots in red."""
    return encode_picture(_drawn(image, mat, check), ".png")


def _drawn(image: NDArray[np.uint8], mat: Mat, check: MatCheck) -> NDArray[np.uint8]:
    picture = np.array(image)
    view = check.pieces.view
    if view is not None:
        for slot in check.slots:
            corners_mm = on_mat(mat.spot(slot), SQUARE / 2 * (mat.tile_width_mm, mat.tile_height_mm))
            _outline(picture, view.project(corners_mm), _FAINT if slot in check.slots_bare else _BAD, 1)
    for seen in check.pieces.seen:
        _outline(picture, seen.corners_px, _GOOD, 2)
        _write(picture, str(seen.number), seen.corners_px.max(axis=0), _GOOD)
    if view is not None and check.findings:
        worst = check.findings[0]
        for piece in check.pieces.pieces:
            if worst.fault in _OF_MARKERS:
                missing = [marker for marker in piece.markers if marker.number in worst.numbers]
                for marker in missing:
                    _outline(picture, view.project(corners_of(marker)), _BAD, 3)
            elif piece.number in worst.numbers and worst.fault not in _OF_NO_PIECE:
                _outline(picture, _edges_px(view, piece, check), _BAD, 3)
    return picture


def _edges_px(view: MatView, piece: MatPiece, check: MatCheck) -> Points:
    fit = next((one for one in check.pieces.fits if one.piece.number == piece.number), None)
    middle, turn_deg, scale = (piece.middle_mm, 0.0, 1.0) if fit is None else (fit.middle_mm, fit.turn_deg, fit.scale)
    corners = SQUARE / 2 * piece.size_mm * scale
    return view.project(corners @ turned(turn_deg).T + middle)


def _outline(picture: NDArray[np.uint8], corners: Points, colour: tuple[int, int, int], width: int) -> None:
    cv2.polylines(picture, [np.rint(corners).astype(np.int32)], isClosed=True, color=colour, thickness=width, lineType=cv2.LINE_AA)


def _write(picture: NDArray[np.uint8], words: str, at: Points, colour: tuple[int, int, int]) -> None:
    cv2.putText(picture, words, (round(float(at[0])) + 3, round(float(at[1]))), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1, cv2.LINE_AA)
