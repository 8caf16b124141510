"""Marks of mat prints: slots, markers, rulers and outlines, in millimetres; what of them lies within a rectangle."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from twinwall.art.mat import Mat
from twinwall.art.mat_prints import name_marker
from twinwall.art.mat_prints.markers import CELLS, PrintedMarker, white_cells
from twinwall.art.pdf import BLACK, WHITE, Colour, Mark, PdfLine, Rectangle, Text
from twinwall.values import frozen

FELT: Colour = (0.12, 0.33, 0.26)
PRINT: Colour = (0.29, 0.49, 0.41)
CUT: Colour = (0.6, 0.6, 0.6)
RULER_MM = 100.0


@frozen
class Edges:
    """A rectangle's edges in mm."""

    left: float
    top: float
    right: float
    bottom: float


def marker_marks(marker: PrintedMarker, zero_mm: tuple[float, float]) -> Iterator[Mark]:
    """A marker in its white border; the mat's centre lies at ``zero_mm`` of the page."""
    middle_mm = zero_mm[0] + marker.x_mm, zero_mm[1] + marker.y_mm
    return _bordered(middle_mm, marker.bordered_mm, marker.side_mm / CELLS, white_cells(marker.number))


def name_marks(number: int, middle_mm: tuple[float, float]) -> Iterator[Mark]:
    """A name marker in its white border, its middle at a point of the page."""
    return _bordered(middle_mm, name_marker.PAPER_MM, name_marker.CELL_MM, name_marker.white_cells(number))


def _bordered(middle_mm: tuple[float, float], whole: float, cell: float, white: Iterable[tuple[int, int]]) -> Iterator[Mark]:
    x, y = middle_mm[0] - whole / 2, middle_mm[1] - whole / 2
    yield Rectangle(x, y, whole, whole, WHITE)
    yield Rectangle(x + cell, y + cell, whole - 2 * cell, whole - 2 * cell, BLACK)
    for row, column in white:
        yield Rectangle(x + (1 + column) * cell, y + (1 + row) * cell, cell, cell, WHITE)


def slot_marks(mat: Mat, zero_mm: tuple[float, float]) -> Iterator[Mark]:
    """The outline of every slot, and its square where the mat has such squares."""
    for spot in map(mat.spot, mat.all_slots()):
        x, y, (across, down) = zero_mm[0] + spot.x_mm, zero_mm[1] + spot.y_mm, mat.tile_at(spot)
        yield from outline(Edges(x - across / 2, y - down / 2, x + across / 2, y + down / 2), width_mm=0.5, colour=PRINT)
        if dot := mat.slot_dot_mm:
            yield Rectangle(x - dot / 2, y - dot / 2, dot, dot, WHITE)


def outline(box: Edges, *, width_mm: float, colour: Colour, dash_mm: float = 0.0) -> Iterator[PdfLine]:
    """A rectangle's four sides."""
    corners = ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom))
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        yield PdfLine(start, end, width_mm, colour, dash_mm)


def ruler(x_mm: float, y_mm: float) -> Iterator[Mark]:
    """A line of 100 mm with a stroke at each centimetre above it."""
    yield PdfLine((x_mm, y_mm), (x_mm + RULER_MM, y_mm), 0.3)
    for tens in range(11):
        at = x_mm + tens * RULER_MM / 10
        yield PdfLine((at, y_mm - (3 if tens % 10 == 0 else 1.5)), (at, y_mm), 0.3)


def within(marks: Iterable[Mark], box: Edges) -> Iterator[Mark]:
    """The parts of rectangles and of upright and level lines that lie within a box; texts that begin in it."""
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
