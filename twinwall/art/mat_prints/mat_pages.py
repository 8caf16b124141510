"""Pages of the mat: the whole mat; its corner markers as cards, with their distances on a cloth; and A4 or A3 sheets after a sketch. A
sheet is cut along the edge of its part at the left and top, and at the edges of the mat. At the right and bottom, a strip for the overlap
continues beyond the part, and the neighbour is laid over it up to the line. All measures are in millimetres."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from twinwall.art.mat import Mat
from twinwall.art.mat_prints import name_marker
from twinwall.art.mat_prints.markers import CELLS, PrintedMarker, corner_markers, white_cells
from twinwall.art.mat_prints.name_marker import PAPER_MM, name_place, printed_number
from twinwall.art.mat_prints.sheet_layout import FLAP_MM, LEFT_MM, TOP_MM, MatSheet, Paper, SheetLayout, sheet_layout
from twinwall.art.pdf import BLACK, WHITE, Colour, Mark, Page, PdfLine, Rectangle, Text, pdf
from twinwall.values import frozen

FELT: Colour = (0.12, 0.33, 0.26)
PRINT: Colour = (0.29, 0.49, 0.41)
CUT: Colour = (0.6, 0.6, 0.6)
RULER_MM = 100.0


@frozen
class Edges:
    left: float
    top: float
    right: float
    bottom: float


def marker_marks(marker: PrintedMarker, zero_mm: tuple[float, float]) -> Iterator[Mark]:
    """A marker in its white border; ``zero_mm`` is the mat's centre on the page."""
    middle_mm = zero_mm[0] + marker.x_mm, zero_mm[1] + marker.y_mm
    return _bordered(middle_mm, marker.bordered_mm, marker.side_mm / CELLS, white_cells(marker.number))


def name_marks(number: int, middle_mm: tuple[float, float]) -> Iterator[Mark]:
    """A name marker in its white border around a point of the page."""
    return _bordered(middle_mm, name_marker.PAPER_MM, name_marker.CELL_MM, name_marker.white_cells(number))


def _bordered(middle_mm: tuple[float, float], whole: float, cell: float, white: Iterable[tuple[int, int]]) -> Iterator[Mark]:
    x, y = middle_mm[0] - whole / 2, middle_mm[1] - whole / 2
    yield Rectangle(x, y, whole, whole, WHITE)
    yield Rectangle(x + cell, y + cell, whole - 2 * cell, whole - 2 * cell, BLACK)
    for row, column in white:
        yield Rectangle(x + (1 + column) * cell, y + (1 + row) * cell, cell, cell, WHITE)


def slot_marks(mat: Mat, zero_mm: tuple[float, float]) -> Iterator[Mark]:
    """The outline of every slot, and its square if the mat has one."""
    for spot in map(mat.spot, mat.all_slots()):
        x, y, (across, down) = zero_mm[0] + spot.x_mm, zero_mm[1] + spot.y_mm, mat.tile_at(spot)
        yield from outline(Edges(x - across / 2, y - down / 2, x + across / 2, y + down / 2), width_mm=0.5, colour=PRINT)
        if dot := mat.slot_dot_mm:
            yield Rectangle(x - dot / 2, y - dot / 2, dot, dot, WHITE)


def outline(box: Edges, *, width_mm: float, colour: Colour, dash_mm: float = 0.0) -> Iterator[PdfLine]:
    corners = ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom))
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        yield PdfLine(start, end, width_mm, colour, dash_mm)


def ruler(x_mm: float, y_mm: float) -> Iterator[Mark]:
    """A line of 100 mm with a stroke above each centimetre."""
    yield PdfLine((x_mm, y_mm), (x_mm + RULER_MM, y_mm), 0.3)
    for tens in range(11):
        at = x_mm + tens * RULER_MM / 10
        yield PdfLine((at, y_mm - (3 if tens % 10 == 0 else 1.5)), (at, y_mm), 0.3)


def within(marks: Iterable[Mark], box: Edges) -> Iterator[Mark]:
    """The parts inside a box of rectangles and of horizontal and vertical lines; texts that begin in it."""
    for mark in marks:
        match mark:
            case Rectangle():
                left, right = _overlap(mark.x_mm, mark.x_mm + mark.width_mm, box.left, box.right)
                top, bottom = _overlap(mark.y_mm, mark.y_mm + mark.height_mm, box.top, box.bottom)
                if left < right and top < bottom:
                    yield Rectangle(left, top, right - left, bottom - top, mark.colour)
            case PdfLine():
                (x1, x2), (y1, y2) = (sorted((mark.start_mm[axis], mark.end_mm[axis])) for axis in (0, 1))
                left, right = _overlap(x1, x2, box.left, box.right)
                top, bottom = _overlap(y1, y2, box.top, box.bottom)
                if left <= right and top <= bottom and (left < right or top < bottom):
                    yield replace(mark, start_mm=(left, top), end_mm=(right, bottom))
            case Text():
                if box.left <= mark.at_mm[0] <= box.right and box.top <= mark.at_mm[1] <= box.bottom:
                    yield mark


def _overlap(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    return max(low, least), min(high, most)


_A4_MM = (210.0, 297.0)
_CORNERS = ("bottom left", "bottom right", "top right", "top left")
_TOP_MM, _BELOW_MM = 62.0, 24.0
_TICK_MM = 4.0
_LAID_SKETCH_MM = 130.0


def mat_pdf(mat: Mat) -> bytes:
    """The whole mat on one page of its size, for a printer of cloth or large paper."""
    return pdf([mat_page(mat)])


def mat_page(mat: Mat) -> Page:
    side, half = 2 * mat.half_side_mm, mat.half_side_mm
    return Page(side, side, tuple(mat_marks(mat, (half, half))))


def mat_marks(mat: Mat, zero_mm: tuple[float, float]) -> Iterator[Mark]:
    """Ground, slots, corner markers and name; ``zero_mm`` is the mat's centre on the page."""
    half = mat.half_side_mm
    yield Rectangle(zero_mm[0] - half, zero_mm[1] - half, 2 * half, 2 * half, FELT)
    yield from slot_marks(mat, zero_mm)
    for marker in corner_markers(mat):
        yield from marker_marks(marker, zero_mm)
    number, place = printed_number(mat), name_place(mat)
    if number is not None and place is not None:
        middle = zero_mm[0] + place.x_mm, zero_mm[1] + place.y_mm
        yield from name_marks(number, middle)
        yield Text((middle[0] - PAPER_MM / 2, middle[1] - PAPER_MM / 2 - 3), f"Table {mat.table}", 5, PRINT)


def markers_pdf(mat: Mat) -> bytes:
    """Two A4 pages: the four markers to cut out, and their places on the cloth. Raises ValueError if they are too large for the page."""
    return pdf([_cards_page(mat), _laying_page(mat)])


def _cards_page(mat: Mat) -> Page:
    width_mm, height_mm = _A4_MM
    whole = corner_markers(mat)[0].bordered_mm
    gap = (width_mm - 2 * whole) / 3
    if gap < 2 * _TICK_MM or _TOP_MM + 2 * (whole + _BELOW_MM) > height_mm:
        raise ValueError(f"markers of {mat.marker_mm:g} mm do not fit on A4: print the whole mat instead")
    marks: list[Mark] = [
        Text((18, 22), "Twinwall: the mat's corner markers", 6),
        Text((18, 31), "Print at 100 %, not fitted to the page, on matt paper or card. The line below must measure 100 mm.", 3.6),
        Text((18, 37), "Cut along the dashed lines. The short strokes show the middle of each side: measure from them (next page).", 3.6),
        *ruler(18, 47),
    ]
    for marker, where in zip(corner_markers(mat), _CORNERS, strict=True):
        x = gap + marker.number % 2 * (whole + gap) + whole / 2
        y = _TOP_MM + marker.number // 2 * (whole + _BELOW_MM) + whole / 2
        marks += marker_marks(replace(marker, x_mm=0.0, y_mm=0.0), (x, y))
        marks += outline(Edges(x - whole / 2, y - whole / 2, x + whole / 2, y + whole / 2), width_mm=0.15, colour=CUT, dash_mm=2.0)
        marks += _middle_strokes(x, y, whole / 2)
        marks.append(Text((x - whole / 2, y + whole / 2 + 10), f"{marker.number}: {where}, seen from place 0", 4))
    if (number := printed_number(mat)) is not None:
        half, middle = PAPER_MM / 2, (width_mm / 2, _TOP_MM + 2 * (whole + _BELOW_MM) + PAPER_MM / 2)
        if middle[1] + half > height_mm - _TICK_MM:
            raise ValueError(f"markers of {mat.marker_mm:g} mm leave no room on A4 for the table's name: print the whole mat instead")
        box = Edges(middle[0] - half, middle[1] - half, middle[0] + half, middle[1] + half)
        marks += [*name_marks(number, middle), *outline(box, width_mm=0.15, colour=CUT, dash_mm=2.0)]
        marks.append(Text((box.right + 6, middle[1]), f"Table {mat.table}: its lower right corner", 4))
        marks.append(Text((box.right + 6, middle[1] + 6), "touches the inner corner of card 1", 4))
    return Page(width_mm, height_mm, tuple(marks))


def _middle_strokes(x: float, y: float, half: float) -> Iterator[Mark]:
    """A stroke at the middle of each side of a card, within its white border."""
    for sign in (-1, 1):
        yield PdfLine((x + sign * half, y), (x + sign * (half - 2), y), 0.2)
        yield PdfLine((x, y + sign * half), (x, y + sign * (half - 2)), 0.2)


def _laying_page(mat: Mat) -> Page:
    """Distances between the cards, from middle to middle, and a sketch."""
    width_mm, height_mm = _A4_MM
    apart = 2 * mat.marker_centre_mm
    whole = corner_markers(mat)[0].bordered_mm
    lines = (
        "Lay the cards on a dark cloth of one colour, their pictures upright for who sits at place 0.",
        f"Side: {apart:g} mm from middle to middle, {apart + whole:.0f} mm from outer edge to outer edge.",
        f"Diagonal: {apart * math.sqrt(2):.0f} mm from middle to middle, the same for both. Measure it last.",
        "A few millimetres do no harm: the calibration measures how the cards lie. Fix them so that they stay.",
        f"Tiles of rivers lie {mat.river_first_row_mm:g} mm from the centre and every {mat.row_pitch_mm:g} mm further out;",
        f"shown hands at {mat.hand_row_mm:g} mm, melds at {mat.meld_row_mm:g} mm. Mark the rows with chalk or thread.",
    )
    marks: list[Mark] = [Text((18, 22), "Twinwall: where the markers lie", 6)]
    marks += [Text((18, 32 + 7 * number), words, 4) for number, words in enumerate(lines)]
    scale = _LAID_SKETCH_MM / (2 * mat.half_side_mm)
    zero = (width_mm / 2, 90 + _LAID_SKETCH_MM / 2)
    for marker in corner_markers(mat):
        marks += marker_marks(replace(marker, x_mm=marker.x_mm * scale, y_mm=marker.y_mm * scale, side_mm=marker.side_mm * scale), zero)
        beside = 7 if marker.x_mm > 0 else -9
        marks.append(Text((zero[0] + marker.x_mm * scale + beside, zero[1] + marker.y_mm * scale + 1.5), str(marker.number), 4))
    reach = mat.marker_centre_mm * scale
    marks += [
        PdfLine((zero[0] - reach + 6, zero[1] + reach), (zero[0] + reach - 6, zero[1] + reach), 0.3),
        PdfLine((zero[0] + reach, zero[1] - reach + 6), (zero[0] + reach, zero[1] + reach - 6), 0.3),
        PdfLine((zero[0] - reach + 6, zero[1] + reach - 6), (zero[0] + reach - 6, zero[1] - reach + 6), 0.3, dash_mm=2.0),
        Text((zero[0] - 9, zero[1] + reach - 2), f"{apart:g} mm", 4),
        Text((zero[0] + reach - 18, zero[1]), f"{apart:g} mm", 4),
        Text((zero[0] + 4, zero[1] + 6), f"{apart * math.sqrt(2):.0f} mm", 4),
        Text((zero[0] - 8, zero[1] + _LAID_SKETCH_MM / 2 + 12), "place 0", 4),
    ]
    return Page(width_mm, height_mm, tuple(marks))


_CUT_REACH_MM = 5.0
_RULER_AT_MM = (LEFT_MM + 32.0, TOP_MM - 6.0)
_MAP_MM = 10.0
_SKETCH_MM = 120.0
_STEPS = (
    "Print all pages at 100 %, not fitted to the page, on matt paper. Print them on one printer.",
    "On each sheet the line above the picture must measure 100 mm. If it does not, print again.",
    "Cut each sheet along the dashed lines. The strips beyond the white lines stay: the next sheet covers them.",
    "Begin with sheet 1. Lay each further sheet with its cut edges on the white lines of those before it.",
    "Stick the sheets together from below.",
)


def mat_print(kind: str, mat: Mat) -> bytes | None:
    """The mat on sheets (``a4``, ``a3``), its ``markers``, or the ``whole`` mat for a printer of cloth; None for another kind. Raises
    ValueError if the mat does not fit on the sheets."""
    match kind:
        case "a4" | "a3":
            return sheets_pdf(mat, Paper[kind.upper()])
        case "markers":
            return markers_pdf(mat)
        case "whole":
            return mat_pdf(mat)
        case _:
            return None


def sheets_pdf(mat: Mat, paper: Paper) -> bytes:
    """The mat on sheets of a paper format; raises ValueError if it does not fit."""
    layout = sheet_layout(mat, paper)
    return pdf([_sketch_page(mat, layout), *(sheet_page(mat, layout, sheet) for sheet in layout.sheets)])


def sheet_page(mat: Mat, layout: SheetLayout, sheet: MatSheet) -> Page:
    """One sheet at true size: the mat's point ``left_mm``, ``top_mm`` is at ``LEFT_MM``, ``TOP_MM`` of the page."""
    zero = (LEFT_MM - sheet.left_mm, TOP_MM - sheet.top_mm)
    part = Edges(LEFT_MM, TOP_MM, LEFT_MM + sheet.width_mm, TOP_MM + sheet.height_mm)
    last_column, last_row = sheet.column == layout.columns - 1, sheet.row == layout.rows - 1
    reached = Edges(part.left, part.top, part.right + (0 if last_column else FLAP_MM), part.bottom + (0 if last_row else FLAP_MM))
    marks = [*within(mat_marks(mat, zero), reached)]
    for marker in sheet.markers:
        marks += marker_marks(marker, zero)
        beside = zero[0] + marker.x_mm + marker.bordered_mm / 2 + 1, zero[1] + marker.y_mm + 2
        marks.append(Text(beside, str(sheet.number), 5, PRINT))
    if not last_column:
        marks += _flap(part.right, part.top, part.right, reached.bottom)
    if not last_row:
        marks += _flap(part.left, part.bottom, reached.right, part.bottom)
    marks += _cut_lines(reached)
    marks += _heading(layout, sheet)
    return Page(layout.page_width_mm, layout.page_height_mm, tuple(marks))


def _flap(x1: float, y1: float, x2: float, y2: float) -> Iterator[Mark]:
    """The white line for the next sheet's cut edge, just within the part that it covers."""
    level = y1 == y2
    off = 0.15
    start, end = ((x1, y1 + off), (x2, y2 + off)) if level else ((x1 + off, y1), (x2 + off, y2))
    yield PdfLine(start, end, 0.3, WHITE)


def _cut_lines(box: Edges) -> Iterator[Mark]:
    """Dashed lines along the four edges of the cut sheet, a little longer than it."""
    reach = _CUT_REACH_MM
    for x in (box.left, box.right):
        yield PdfLine((x, box.top - reach), (x, box.top), 0.2, BLACK, 1.0)
        yield PdfLine((x, box.bottom), (x, box.bottom + reach), 0.2, BLACK, 1.0)
    for y in (box.top, box.bottom):
        yield PdfLine((box.left - reach, y), (box.left, y), 0.2, BLACK, 1.0)
        yield PdfLine((box.right, y), (box.right + reach, y), 0.2, BLACK, 1.0)


def _heading(layout: SheetLayout, sheet: MatSheet) -> Iterator[Mark]:
    """Number, ruler and a small sketch, on paper that is cut off."""
    yield Text((LEFT_MM, TOP_MM - 8), f"Sheet {sheet.number} of {len(layout.sheets)}", 4)
    yield from ruler(*_RULER_AT_MM)
    yield Text((_RULER_AT_MM[0] + 102, _RULER_AT_MM[1]), "100 mm", 3)
    yield from _sketch(layout, _MAP_MM, (_RULER_AT_MM[0] + 122, TOP_MM - _MAP_MM - 2), sheet)


def _sketch(layout: SheetLayout, side_mm: float, at_mm: tuple[float, float], here: MatSheet | None) -> Iterator[Mark]:
    """All sheets in their places, with one of them dark."""
    scale = side_mm / (layout.sheets[-1].bottom_mm - layout.sheets[0].top_mm)
    left, top = layout.sheets[0].left_mm, layout.sheets[0].top_mm
    for sheet in layout.sheets:
        x, y = at_mm[0] + (sheet.left_mm - left) * scale, at_mm[1] + (sheet.top_mm - top) * scale
        width, height = sheet.width_mm * scale, sheet.height_mm * scale
        if sheet is here:
            yield Rectangle(x, y, width, height, FELT)
        yield from outline(Edges(x, y, x + width, y + height), width_mm=0.2, colour=BLACK)


def _sketch_page(mat: Mat, layout: SheetLayout) -> Page:
    """How the sheets fit together, with instructions."""
    paper = layout.paper
    marks: list[Mark] = [Text((18, 22), f"Twinwall: the mat on {len(layout.sheets)} sheets of {paper.name}", 6)]
    marks += [Text((18, 32 + 7 * number), f"{number + 1}. {step}", 3.6) for number, step in enumerate(_STEPS)]
    at = ((layout.page_width_mm - _SKETCH_MM) / 2, 76.0)
    marks += _sketch(layout, _SKETCH_MM, at, None)
    scale = _SKETCH_MM / (2 * mat.half_side_mm)
    zero = (at[0] + _SKETCH_MM / 2, at[1] + _SKETCH_MM / 2)
    for sheet in layout.sheets:
        middle = (sheet.left_mm + sheet.right_mm) / 2, (sheet.top_mm + sheet.bottom_mm) / 2
        marks.append(Text((zero[0] + middle[0] * scale - 4, zero[1] + middle[1] * scale + 4), str(sheet.number), 10))
        for marker in sheet.all_markers:
            half = marker.bordered_mm * scale / 2
            x, y = zero[0] + marker.x_mm * scale, zero[1] + marker.y_mm * scale
            marks += outline(Edges(x - half, y - half, x + half, y + half), width_mm=0.15, colour=CUT)
    marks.append(Text((zero[0] - 7, at[1] + _SKETCH_MM + 8), "place 0", 4))
    return Page(layout.page_width_mm, layout.page_height_mm, tuple(marks))
