"""Pages of the mat on A4 or A3 sheets: a sketch of all sheets, then one page a sheet with cut lines, overlap, number and ruler.

A sheet is cut along the edge of its green part at the left and at the top, and at the edges of the mat. To the right and
below, where a neighbour follows, it goes on for the overlap: the neighbour is laid over it up to the line.
"""

from collections.abc import Iterator

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.mat_pages import CUT, FELT, PRINT, Edges, marker_marks, markers_pdf, mat_marks, mat_pdf, outline, ruler, within
from twinwall.art.mat_prints.sheet_layout import FLAP_MM, LEFT_MM, TOP_MM, MatSheet, Paper, SheetLayout, sheet_layout
from twinwall.art.pdf import BLACK, WHITE, Mark, Page, PdfLine, Rectangle, Text, pdf

_CUT_REACH_MM = 5.0
_RULER_AT_MM = (LEFT_MM + 32.0, TOP_MM - 6.0)
_MAP_MM = 10.0
_SKETCH_MM = 120.0
_STEPS = (
    "Print all pages at 100 %, not fitted to the page, on matt paper. Print them on one printer.",
    "On each sheet the line above the picture must measure 100 mm. If it does not, print again.",
    "Cut each sheet along the dashed lines. The strips beyond the white lines stay: the next sheet covers them.",
    "Begin with sheet 1. Lay each further sheet with its cut edges on the white lines of those before it.",
    "Stick the sheets together from below..",
)


def mat_print(kind: str, mat: Mat) -> bytes | None:
    """A mat on sheets of paper (``a4``, ``a3``), its four ``markers`` alone, or ``whole`` for a printer of cloth; None for another kind.

    Raises ValueError where the mat does not fit on the sheets.
    """
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
    """The mat on sheets of one paper format; raises ValueError where it does not fit on them."""
    layout = sheet_layout(mat, paper)
    return pdf([_sketch_page(mat, layout), *(sheet_page(mat, layout, sheet) for sheet in layout.sheets)])


def sheet_page(mat: Mat, layout: SheetLayout, sheet: MatSheet) -> Page:
    """One sheet at its true size: the mat's point ``left_mm``, ``top_mm`` lies at ``LEFT_MM``, ``TOP_MM`` of the page."""
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
    """The white line on which the next sheet's cut edge lies, just within the part that it covers."""
    level = y1 == y2
    off = 0.15
    start, end = ((x1, y1 + off), (x2, y2 + off)) if level else ((x1 + off, y1), (x2 + off, y2))
    yield PdfLine(start, end, 0.3, WHITE)


def _cut_lines(box: Edges) -> Iterator[Mark]:
    """Dashed lines along the four edges of what is kept, a little longer than it."""
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
    """All sheets in their places, one of them dark."""
    scale = side_mm / (layout.sheets[-1].bottom_mm - layout.sheets[0].top_mm)
    left, top = layout.sheets[0].left_mm, layout.sheets[0].top_mm
    for sheet in layout.sheets:
        x, y = at_mm[0] + (sheet.left_mm - left) * scale, at_mm[1] + (sheet.top_mm - top) * scale
        width, height = sheet.width_mm * scale, sheet.height_mm * scale
        if sheet is here:
            yield Rectangle(x, y, width, height, FELT)
        yield from outline(Edges(x, y, x + width, y + height), width_mm=0.2, colour=BLACK)


def _sketch_page(mat: Mat, layout: SheetLayout) -> Page:
    """How the sheets lie together, and what to do with them."""
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
