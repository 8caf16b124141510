"""Bamboos in many styles: how many canes lie where, and the forms that a cane can have.

Some forms are drawn here with plain shapes; ``tools.train.faces.canes`` draws any other by its outline.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.random import Generator

from tools.train.faces.canes import draw_cane
from tools.train.faces.marks import ANY_CANE, FACE_W, WHITE, Colour, Face, FaceStyle, blank, mixed, pixel, point

_STICK_INKS: dict[int, str] = {2: "gb", 3: "bgg", 4: "gbbg", 5: "gbrbg", 6: "gggbbb", 7: "rggbbgg", 8: "gggggggg", 9: "grbgrbgrb"}
_MOST_WIDTH = {2: 0.34, 3: 0.34, 4: 0.36, 5: 0.27, 6: 0.27, 7: 0.26, 8: 0.15, 9: 0.26}
"""How thick a cane may be so that it leaves room for the next, as a share of the face's width."""
_MOST_LENGTH = {2: 1.06, 3: 1.06, 4: 1.06, 5: 1.06, 6: 1.06, 7: 1.02, 9: 1.02}
Point = tuple[float, float]


def bamboos(style: FaceStyle, rank: int, rng: Generator) -> Face:
    """A bamboos face of rank 2 to 9."""
    face = blank()
    inks = mixed(style, rng, _STICK_INKS[rank])
    for (top, bottom, width), ink in zip(_stick_places(rank, rng), inks, strict=True):
        ends = _set(style, rank, top, bottom)
        room = _MOST_WIDTH[rank] * style.columns * style.spread_x
        if style.stick_form == ANY_CANE:
            inside = WHITE if style.slit == style.inks[ink] else style.slit
            draw_cane(face, style.cane, ends, min(width * style.stick_width * style.cane.fat, room) * FACE_W, (style.inks[ink], inside))
        else:
            _stick(face, style, ends, min(width * style.stick_width, room) * FACE_W, style.inks[ink])
    return face


def _set(style: FaceStyle, rank: int, top: Point, bottom: Point) -> tuple[Point, Point]:
    """Where a cane ends, px: nearer to the middle and shorter or longer as the set has it; an eight keeps its places."""
    if rank != 8:
        middle = (top[1] + bottom[1]) / 2
        top, bottom = (
            (0.5 + (x - 0.5) * style.columns, middle + (y - middle) * min(style.stick_length, _MOST_LENGTH[rank])) for x, y in (top, bottom)
        )
    return point(style, *top), point(style, *bottom)


def _stick_places(rank: int, rng: Generator) -> list[tuple[Point, Point, float]]:
    """Ends and width (of the face) of each stick, in the order of the inks."""

    def upright(xs: tuple[float, ...], top: float, bottom: float, width: float) -> list[tuple[Point, Point, float]]:
        return [((x, top), (x, bottom), width) for x in xs]

    wide, slim = 0.13, 0.115
    match rank:
        case 2:
            return upright((0.5,), 0.05, 0.48, wide) + upright((0.5,), 0.53, 0.96, wide)
        case 3:
            return upright((0.5,), 0.05, 0.48, wide) + upright((0.24, 0.76), 0.53, 0.96, wide)
        case 4:
            return upright((0.27, 0.73), 0.05, 0.48, wide) + upright((0.27, 0.73), 0.53, 0.96, wide)
        case 5:
            centre = upright((0.5,), 0.29, 0.71, wide)
            return upright((0.2, 0.8), 0.05, 0.48, wide) + centre + upright((0.2, 0.8), 0.53, 0.96, wide)
        case 6:
            return upright((0.2, 0.5, 0.8), 0.05, 0.48, wide) + upright((0.2, 0.5, 0.8), 0.53, 0.96, wide)
        case 7:
            rows = [upright((0.2, 0.5, 0.8), top, top + 0.3, slim) for top in (0.35, 0.68)]
            return upright((0.5,), 0.02, 0.32, slim) + rows[0] + rows[1]
        case 8:
            return _eight_sticks(rng)
        case _:
            return [stick for top in (0.02, 0.35, 0.68) for stick in upright((0.2, 0.5, 0.8), top, top + 0.3, slim)]


def _eight_sticks(rng: Generator) -> list[tuple[Point, Point, float]]:
    """An M over a W, steep or flat; in some sets the W comes first."""
    width = rng.uniform(0.085, 0.125)
    outer, centre, dip = rng.uniform(0.16, 0.36), rng.uniform(0.42, 0.48), rng.uniform(0.1, 0.4)
    first_m = rng.random() < 0.75
    sticks = []
    for top, bottom, is_m in ((0.05, 0.47, first_m), (0.53, 0.95, not first_m)):
        sticks += [((x, top), (x, bottom), width) for x in (0.13, 0.87)]
        start, end = (top + 0.03, top + 0.02 + dip) if is_m else (bottom - 0.03, bottom - 0.02 - dip)
        sticks += [((outer, start), (centre, end), width), ((1 - outer, start), (1 - centre, end), width)]
    return sticks


def _stick(face: Face, style: FaceStyle, ends: tuple[Point, Point], width: float, ink: Colour) -> None:
    """One bamboo: a bone, a beam, joints, a slim rod, a double rod, an outline, or hollow segments between knots."""
    (x0, y0), (x1, y1) = ends
    run = np.hypot(x1 - x0, y1 - y0)
    along = (x1 - x0) / run, (y1 - y0) / run
    half = width / 2
    rod = (x0 + along[0] * half, y0 + along[1] * half), (x1 - along[0] * half, y1 - along[1] * half)
    side = -along[1] * half, along[0] * half
    nodes = style.stick_nodes
    match style.stick_form:
        case 0:
            _rod(face, rod, ink, int(width))
            _rod(face, rod, style.slit if style.slit != ink else WHITE, max(3, int(width * 0.25)))
        case 1:
            _rod(face, rod, ink, max(int(width * 0.45), 4))
            for node in range(nodes + 1):
                _across(face, _between(rod, node / nodes), side, ink, max(int(width * 0.42), 4))
        case 2:
            _rod(face, rod, ink, int(width))
        case 3:
            _rod(face, rod, ink, int(width))
            for node in range(1, nodes):
                _across(face, _between(rod, node / nodes), (1.2 * side[0], 1.2 * side[1]), WHITE, 5)
        case 4:
            angle = float(np.rad2deg(np.arctan2(along[1], along[0])))
            for node in range(nodes):
                cv2.ellipse(face, (_between(ends, (node + 0.5) / nodes), (run / nodes * 1.05, width), angle), ink, -1)
        case 6 | 7:
            _segments(face, style, rod, width, ink)
        case _:
            for shift in (-0.75, 0.75):
                _rod(face, tuple((x + side[0] * shift, y + side[1] * shift) for x, y in rod), ink, max(int(width * 0.28), 4))
            for share in (0.0, 1.0, 0.5):
                _across(face, _between(rod, share), side, ink, max(int(width * 0.26), 4))


def _between(ends: tuple[Point, Point], share: float) -> Point:
    """The point at a share of the way from end to end, px."""
    (x0, y0), (x1, y1) = ends
    return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share


def _rod(face: Face, ends: Sequence[Point], ink: Colour, thick: int) -> None:
    cv2.line(face, pixel(*ends[0]), pixel(*ends[1]), ink, thick)


def _across(face: Face, at: Point, side: Point, ink: Colour, thick: int) -> None:
    """A stroke across a bamboo, ``side`` px to one side and as far to the other."""
    _rod(face, ((at[0] + side[0], at[1] + side[1]), (at[0] - side[0], at[1] - side[1])), ink, thick)


def _segments(face: Face, style: FaceStyle, ends: tuple[Point, Point], width: float, ink: Colour) -> None:
    """Hollow lengths of bamboo between round knots, the middle one often narrower than those at the ends."""
    (x0, y0), (x1, y1) = ends
    angle = float(np.rad2deg(np.arctan2(y1 - y0, x1 - x0)))
    count = style.stick_nodes
    body = 0.8 if style.stick_form == 6 else 0.55
    cv2.line(face, pixel(x0, y0), pixel(x1, y1), ink, max(int(width * body), 4))
    cv2.line(face, pixel(x0, y0), pixel(x1, y1), WHITE if style.stick_form == 6 else style.slit, max(int(width * body * 0.4), 2))
    for node in range(count + 1):
        at = (x0 + (x1 - x0) * node / count, y0 + (y1 - y0) * node / count)
        across = width * (1.15 if node in {0, count} else style.stick_knot)
        cv2.ellipse(face, (at, (width * 0.55, across), angle), ink, -1)
        if style.petals % 2:
            cv2.ellipse(face, (at, (width * 0.16, across * 0.5), angle), WHITE, -1)
