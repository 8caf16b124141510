"""Printed mat as PDF: the whole mat with slots and markers, or the four markers alone to stick on a cloth.

Both are drawn from the geometry that the table reader uses.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from twinwall.art.mat import Area, Mat
from twinwall.art.pdf import BLACK, WHITE, Colour, Mark, Page, PdfLine, Rectangle, Text, pdf

_CELLS = 6
"""A marker of four by four bits is six cells wide with its black border."""
_A4_MM = (210.0, 297.0)
_FELT: Colour = (0.12, 0.33, 0.26)
_PRINT: Colour = (0.29, 0.49, 0.41)
_CUT: Colour = (0.6, 0.6, 0.6)
_RULER_MM = 100.0
_CORNERS = ("bottom left", "bottom right", "top right", "top left")


def markers_pdf(mat: Mat) -> bytes:
    """One A4 page with the four markers in their white borders, to be cut out; raises ValueError where they are too large for it."""
    width_mm, height_mm = _A4_MM
    whole = _bordered_mm(mat)
    gap = (width_mm - 2 * whole) / 3
    top = 62.0
    if gap < 8 or top + 2 * (whole + 24) > height_mm:
        raise ValueError(f"markers of {mat.marker_mm:g} mm do not fit on A4: print the whole mat instead")
    marks: list[Mark] = [
        Text(18, 22, "Twinwall: the mat's corner markers", 6),
        Text(18, 31, "Print at 100 %, not fitted to the page, on matt paper. The line below must measure 100 mm.", 3.6),
        Text(
            18, 37, f"Each marker's middle lies {mat.marker_centre_mm:g} mm from both axes of the mat, upright as seen from place 0.", 3.6
        ),
        *_ruler(18, 47),
    ]
    for number, where in enumerate(_CORNERS):
        x, y = gap + number % 2 * (whole + gap), top + number // 2 * (whole + 24)
        marks += _marker(mat, number, x, y)
        marks += _outline(x, y, whole, whole, width=0.15, colour=_CUT, dash_mm=2.0)
        marks.append(Text(x, y + whole + 7, f"{number}: {where}, seen from place 0", 4))
    return pdf([Page(width_mm, height_mm, tuple(marks))])


def mat_pdf(mat: Mat) -> bytes:
    """The whole mat on one page of its own size, for a printer of cloth or large paper: slots, markers, green ground."""
    side = 2 * mat.half_side_mm
    marks: list[Mark] = [Rectangle(0, 0, side, side, _FELT), *_slots(mat)]
    whole = _bordered_mm(mat)
    for number, (x_sign, y_sign) in enumerate(((-1, 1), (1, 1), (1, -1), (-1, -1))):
        x, y = (side / 2 + sign * mat.marker_centre_mm - whole / 2 for sign in (x_sign, y_sign))
        marks += _marker(mat, number, x, y)
    return pdf([Page(side, side, tuple(marks))])


def _bordered_mm(mat: Mat) -> float:
    """A marker with a white border of one cell."""
    return mat.marker_mm * (_CELLS + 2) / _CELLS


def _marker(mat: Mat, number: int, x_mm: float, y_mm: float) -> Iterator[Mark]:
    """A marker in its white border, whose upper left corner lies at the point."""
    cell = mat.marker_mm / _CELLS
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    white = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, _CELLS)) > 0
    yield Rectangle(x_mm, y_mm, _bordered_mm(mat), _bordered_mm(mat), WHITE)
    yield Rectangle(x_mm + cell, y_mm + cell, mat.marker_mm, mat.marker_mm, BLACK)
    for row, column in np.argwhere(white).tolist():
        yield Rectangle(x_mm + (1 + column) * cell, y_mm + (1 + row) * cell, cell, cell, WHITE)


def _slots(mat: Mat) -> Iterator[Mark]:
    for place in range(4):
        for area in Area:
            for slot in mat.slots(place, area):
                spot = mat.spot(slot)
                upright = spot.turn_deg % 180 == 0
                across, down = (mat.tile_width_mm, mat.tile_height_mm) if upright else (mat.tile_height_mm, mat.tile_width_mm)
                yield from _outline(
                    mat.half_side_mm + spot.x_mm - across / 2,
                    mat.half_side_mm + spot.y_mm - down / 2,
                    across,
                    down,
                    width=0.5,
                    colour=_PRINT,
                )
                if dot := mat.slot_dot_mm:
                    x, y = mat.half_side_mm + spot.x_mm - dot / 2, mat.half_side_mm + spot.y_mm - dot / 2
                    yield Rectangle(x, y, dot, dot, WHITE)


def _outline(
    x_mm: float, y_mm: float, width_mm: float, height_mm: float, *, width: float, colour: Colour, dash_mm: float = 0.0
) -> Iterator[Mark]:
    """A rectangle's four sides from its upper left corner."""
    corners = ((x_mm, y_mm), (x_mm + width_mm, y_mm), (x_mm + width_mm, y_mm + height_mm), (x_mm, y_mm + height_mm))
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        yield PdfLine(start, end, width, colour, dash_mm)


def _ruler(x_mm: float, y_mm: float) -> Iterator[Mark]:
    yield PdfLine((x_mm, y_mm), (x_mm + _RULER_MM, y_mm), 0.3)
    for tens in range(11):
        at = x_mm + tens * _RULER_MM / 10
        yield PdfLine((at, y_mm - (3 if tens % 10 == 0 else 1.5)), (at, y_mm), 0.3)
