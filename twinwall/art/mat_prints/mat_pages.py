"""Pages of the whole mat, and of its four corner markers as cards to lay on a cloth, with the distances at which they lie."""

import math
from collections.abc import Iterator
from dataclasses import replace

from twinwall.art.mat import Mat
from twinwall.art.mat_prints.drawing import CUT, FELT, PRINT, Edges, marker_marks, name_marks, outline, ruler, slot_marks
from twinwall.art.mat_prints.markers import corner_markers
from twinwall.art.mat_prints.name_marker import PAPER_MM, name_place, printed_number
from twinwall.art.pdf import Mark, Page, PdfLine, Rectangle, Text, pdf

_A4_MM = (210.0, 297.0)
_CORNERS = ("bottom left", "bottom right", "top right", "top left")
_TOP_MM, _BELOW_MM = 62.0, 24.0
_TICK_MM = 4.0
_SKETCH_MM = 130.0


def mat_pdf(mat: Mat) -> bytes:
    """The whole mat on one page of its own size, for a printer of cloth or large paper: slots, markers, green ground."""
    return pdf([mat_page(mat)])


def mat_page(mat: Mat) -> Page:
    """The page of ``mat_pdf``."""
    side, half = 2 * mat.half_side_mm, mat.half_side_mm
    return Page(side, side, tuple(mat_marks(mat, (half, half))))


def mat_marks(mat: Mat, zero_mm: tuple[float, float]) -> Iterator[Mark]:
    """The ground, the slots, the corner markers and the name; the mat's centre lies at ``zero_mm`` of the page."""
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
    """Two A4 pages: the four markers in their white borders, to be cut out, and where they lie on the cloth. Raises ValueError where the
    markers are too large for the page."""
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
    """Distances between the cards, from middle to middle, and a sketch of them."""
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
    scale = _SKETCH_MM / (2 * mat.half_side_mm)
    zero = (width_mm / 2, 90 + _SKETCH_MM / 2)
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
        Text((zero[0] - 8, zero[1] + _SKETCH_MM / 2 + 12), "place 0", 4),
    ]
    return Page(width_mm, height_mm, tuple(marks))
