"""Mats as people lay them: sheets of paper in their places or elsewhere, turned, shrunk or missing; and markers as cards on a cloth."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.random import Generator

from simulator.cameras.ground import CANVAS_PX_PER_MM, CANVAS_SIDE_PX, Cloth, bare_table
from simulator.cameras.optics import Picture, felt
from tests.support.dashboard.printed import pictures_of
from twinwall.art.mat import Mat
from twinwall.art.mat_prints.markers import PrintedMarker, corner_markers, white_cells
from twinwall.art.mat_prints.mat_pages import sheets_pdf
from twinwall.art.mat_prints.sheet_layout import FLAP_MM, LEFT_MM, TOP_MM, MatSheet, Paper, sheet_layout

_PAGE_PX_PER_MM = 4.0
_PAPER_LEVEL, _INK_LEVEL = 0.86, 16
_CARD_PX_PER_CELL = 12


@dataclass(frozen=True, slots=True)
class Laid:
    """How one sheet or card lies: off its place (mm) and askew (counter-clockwise from above), of which size, in whose place."""

    off_mm: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0
    scale: float = 1.0
    in_place_of: int | None = None
    missing: bool = False


def sheets_on_a_table(mat: Mat, paper: Paper, laid: Mapping[int, Laid] | None = None) -> Picture:
    """A canvas for the simulator's camera: the printed sheets, cut, with faults by the number of the sheet."""
    canvas = bare_table(np.random.default_rng(1))
    sheets = {sheet.number: sheet for sheet in sheet_layout(mat, paper).sheets}
    for (number, sheet), page in zip(sheets.items(), _pages(mat, paper), strict=True):
        how = (laid or {}).get(number, Laid())
        if not how.missing:
            place = sheets[how.in_place_of or number]
            picture, middle_px = _cut(page, sheet, mat)
            at = (place.left_mm + place.right_mm) / 2 + how.off_mm[0], (place.top_mm + place.bottom_mm) / 2 + how.off_mm[1]
            _paste(canvas, picture, middle_px, how.scale / _PAGE_PX_PER_MM, at_mm=at, turn_deg=how.turn_deg)
    return canvas


def cards_on_a_cloth(mat: Mat, laid: Mapping[int, Laid] | None = None, cloth: Cloth | None = None, seed: int = 1) -> Picture:
    """A canvas for the simulator's camera: a plain cloth, and the corner markers as cards on it."""
    rng = np.random.default_rng(seed)
    cloth = cloth or Cloth()
    canvas = bare_table(rng)
    low, high = (round(sign * mat.half_side_mm * CANVAS_PX_PER_MM + CANVAS_SIDE_PX / 2) for sign in (-1, 1))
    canvas[low:high, low:high] = felt(high - low, high - low, cloth.colour, cloth.roughness, rng)
    markers = corner_markers(mat)
    for marker in markers:
        how = (laid or {}).get(marker.number, Laid())
        if not how.missing:
            place = markers[marker.number if how.in_place_of is None else how.in_place_of]
            _lay_card(canvas, marker, place, how)
    return canvas


def jittered(mat: Mat, most_mm: float, most_deg: float, rng: Generator) -> dict[int, Laid]:
    """Cards that people lay by a tape: each off its place by up to so much in any direction, and askew."""
    found = {}
    for marker in corner_markers(mat):
        far, way = most_mm * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
        found[marker.number] = Laid((far * math.cos(way), far * math.sin(way)), float(rng.uniform(-most_deg, most_deg)))
    return found


@cache
def _pages(mat: Mat, paper: Paper) -> list[Picture]:
    return pictures_of(sheets_pdf(mat, paper), _PAGE_PX_PER_MM * 25.4 / 72)[1:]


def _cut(page: Picture, sheet: MatSheet, mat: Mat) -> tuple[Picture, tuple[float, float]]:
    """What is kept of a page, and where the middle of the sheet's part lies in it (px)."""
    right = sheet.width_mm + (0 if math.isclose(sheet.right_mm, mat.half_side_mm) else FLAP_MM)
    bottom = sheet.height_mm + (0 if math.isclose(sheet.bottom_mm, mat.half_side_mm) else FLAP_MM)
    left_px, top_px, right_px, bottom_px = (round(value * _PAGE_PX_PER_MM) for value in (LEFT_MM, TOP_MM, LEFT_MM + right, TOP_MM + bottom))
    kept = _printed(page[top_px:bottom_px, left_px:right_px])
    return kept, (sheet.width_mm / 2 * _PAGE_PX_PER_MM, sheet.height_mm / 2 * _PAGE_PX_PER_MM)


def _lay_card(canvas: Picture, marker: PrintedMarker, place: PrintedMarker, how: Laid) -> None:
    cells = np.full((8, 8), 255, np.uint8)
    cells[1:7, 1:7] = 0
    for row, column in white_cells(marker.number):
        cells[1 + row, 1 + column] = 255
    enlarged = np.kron(cells, np.ones((_CARD_PX_PER_CELL, _CARD_PX_PER_CELL), np.uint8))
    picture = _printed(np.repeat(enlarged[:, :, None], 3, axis=2))
    middle = len(picture) / 2
    mm_per_px = how.scale * marker.bordered_mm / len(picture)
    at = place.x_mm + how.off_mm[0], place.y_mm + how.off_mm[1]
    _paste(canvas, picture, (middle, middle), mm_per_px, at_mm=at, turn_deg=how.turn_deg)


def _printed(picture: Picture) -> Picture:
    """What paper and ink make of a page: no white that is all white, no black that is all black."""
    return (picture * _PAPER_LEVEL + _INK_LEVEL).astype(np.uint8)


def _paste(
    canvas: Picture, picture: Picture, middle_px: tuple[float, float], mm_per_px: float, *, at_mm: tuple[float, float], turn_deg: float
) -> None:
    """Lay a picture's middle so on the mat, of which size, and turned counter-clockwise as seen from above."""
    scale, angle = mm_per_px * CANVAS_PX_PER_MM, math.radians(turn_deg)
    turn = scale * np.array([(math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))])
    at = np.array(at_mm) * CANVAS_PX_PER_MM + CANVAS_SIDE_PX / 2 - 0.5
    moved = np.column_stack((turn, at - turn @ (np.array(middle_px) - 0.5)))
    height, width = picture.shape[:2]
    reached = np.array([(0, 0), (width, 0), (0, height), (width, height)]) @ moved[:, :2].T + moved[:, 2]
    left, top = (int(value) for value in np.maximum(np.floor(reached.min(axis=0)) - 1, 0))
    right, bottom = (int(value) for value in np.minimum(np.ceil(reached.max(axis=0)) + 2, CANVAS_SIDE_PX))
    moved[:, 2] -= left, top
    size = (right - left, bottom - top)
    softened = cv2.GaussianBlur(picture, (0, 0), max(0.5 / scale - 0.4, 0.3))
    over = cv2.warpAffine(softened, moved, size, flags=cv2.INTER_LINEAR)
    cover = cv2.warpAffine(np.full((height, width), 255, np.uint8), moved, size, flags=cv2.INTER_LINEAR)[:, :, None] / 255
    target = canvas[top:bottom, left:right]
    target[:] = (target * (1 - cover) + over * cover).round().astype(np.uint8)
