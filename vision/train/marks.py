"""Dots and bamboos in endless styles, drawn with plain shapes.

One ``Style`` fixes what all faces of one imagined set have in common; its random choices are wide on
purpose, since the reader must know sets that nobody has drawn here. Every function inks a white face
(``FACE_W`` × ``FACE_H`` px, BGR): what stays white takes the colour of the tile later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Face: TypeAlias = NDArray[np.uint8]
Colour: TypeAlias = tuple[int, int, int]

FACE_W, FACE_H = 288, 384
WHITE: Colour = (255, 255, 255)

_DOT_PLACES: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0.5, 0.5),),
    2: ((0.5, 0.25), (0.5, 0.75)),
    3: ((0.22, 0.2), (0.5, 0.5), (0.78, 0.8)),
    4: ((0.27, 0.23), (0.73, 0.23), (0.27, 0.77), (0.73, 0.77)),
    5: ((0.25, 0.2), (0.75, 0.2), (0.5, 0.5), (0.25, 0.8), (0.75, 0.8)),
    6: ((0.29, 0.16), (0.71, 0.16), (0.29, 0.55), (0.71, 0.55), (0.29, 0.85), (0.71, 0.85)),
    7: ((0.2, 0.13), (0.5, 0.24), (0.8, 0.35), (0.3, 0.6), (0.7, 0.6), (0.3, 0.87), (0.7, 0.87)),
    8: tuple((x, y) for y in (0.13, 0.38, 0.62, 0.87) for x in (0.3, 0.7)),
    9: tuple((x, y) for y in (0.17, 0.5, 0.83) for x in (0.2, 0.5, 0.8)),
}
_DOT_ROOM = {1: 0.42, 2: 0.24, 3: 0.18, 4: 0.19, 5: 0.175, 6: 0.165, 7: 0.135, 8: 0.15, 9: 0.15}
_DOT_INKS: dict[int, str] = {1: "g", 2: "gb", 3: "brg", 4: "bggb", 5: "gbrbg", 6: "ggrrrr", 7: "gggrrrr", 8: "bbbbbbbb", 9: "gggrrrbbb"}
_STICK_INKS: dict[int, str] = {2: "gb", 3: "bgg", 4: "gbbg", 5: "gbrbg", 6: "gggbbb", 7: "rggbbgg", 8: "gggggggg", 9: "grbgrbgrb"}


@dataclass(frozen=True, slots=True)
class Style:
    """What the faces of one set share: inks by letter (d dark, r red, g green, b blue), and forms."""

    inks: dict[str, Colour]
    mixed_inks: bool
    dot_form: int
    dot_size: float
    petals: int
    stick_form: int
    stick_width: float
    stick_nodes: int
    stick_knot: float
    spread_x: float
    spread_y: float
    slit: Colour


def random_style(rng: Generator) -> Style:
    """Choose a style; two thirds of them have the usual four inks, the others two or three."""
    dark = _ink(rng, rng.choice((0, 115, 60)), 0.5, (15, 75))
    red = _ink(rng, rng.choice((0, 178, 3)), 0.85, (110, 225))
    green = _ink(rng, int(rng.integers(45, 85)), 0.75, (50, 150))
    blue = _ink(rng, int(rng.integers(98, 126)), 0.75, (70, 200))
    match rng.integers(0, 6):
        case 0:
            green = dark
        case 1:
            green = blue
        case 2:
            blue = dark
        case _:
            pass
    return Style(
        inks={"d": dark, "r": red, "g": green, "b": blue},
        mixed_inks=bool(rng.random() < 0.3),
        dot_form=int(rng.integers(0, 7)),
        dot_size=float(rng.uniform(0.78, 1.03)),
        petals=int(rng.integers(5, 13)),
        stick_form=int(rng.integers(0, 8)),
        stick_width=float(rng.uniform(0.75, 1.3)),
        stick_nodes=int(rng.integers(2, 4)),
        stick_knot=float(rng.uniform(0.7, 1.2)),
        spread_x=float(rng.uniform(0.8, 1.04)),
        spread_y=float(rng.uniform(0.86, 1.04)),
        slit=WHITE if rng.random() < 0.7 else red,
    )


def dots(style: Style, rank: int, rng: Generator) -> Face:
    """A dots face."""
    face = blank()
    inks = _mixed(style, rng, _DOT_INKS[rank])
    tight, steep = rng.uniform(0.62, 1.0), rng.uniform(0.55, 1.0)
    for place, ink in zip(_DOT_PLACES[rank], inks, strict=True):
        x, y = _moved(rank, place, tight, steep)
        size = style.dot_size * (rng.uniform(0.72, 1.05) if rank == 1 else 1.0)
        _dot(face, style, _point(style, x, y), _DOT_ROOM[rank] * FACE_W * size, style.inks[ink], large=rank == 1)
    return face


def _moved(rank: int, place: tuple[float, float], tight: float, steep: float) -> tuple[float, float]:
    """Sixes and sevens differ most between sets: how close the lower four stand, how steep the upper dots climb."""
    x, y = place
    if rank not in {6, 7}:
        return x, y
    if y > 0.5:
        middle = 0.7 if rank == 6 else 0.735
        return 0.5 + (x - 0.5) * max(tight, 0.78), middle + (y - middle) * tight
    if rank == 7:
        return x, 0.24 + (y - 0.24) * steep
    return 0.5 + (x - 0.5) * max(tight, 0.78), y + (1 - tight) * 0.15


def bamboos(style: Style, rank: int, rng: Generator) -> Face:
    """A bamboos face of rank 2 to 9."""
    face = blank()
    inks = _mixed(style, rng, _STICK_INKS[rank])
    for (top, bottom, width), ink in zip(_stick_places(rank, rng), inks, strict=True):
        _stick(face, style, (_point(style, *top), _point(style, *bottom)), width * style.stick_width * FACE_W, style.inks[ink])
    return face


def _stick_places(rank: int, rng: Generator) -> list[tuple[tuple[float, float], tuple[float, float], float]]:
    """Ends and width (of the face) of each stick, in the order of the inks."""

    def upright(
        xs: tuple[float, ...], top: float, bottom: float, width: float
    ) -> list[tuple[tuple[float, float], tuple[float, float], float]]:
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


def _eight_sticks(rng: Generator) -> list[tuple[tuple[float, float], tuple[float, float], float]]:
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


def blank() -> Face:
    """A face without any ink: FACE_H × FACE_W × 3 uint8."""
    return np.full((FACE_H, FACE_W, 3), 255, np.uint8)


def stamp(face: Face, ink: NDArray[np.uint8], centre: tuple[float, float], colour: Colour) -> None:
    """Put a character's ink (h × w uint8) on a face around a point in px, cut at the edges."""
    height, width = ink.shape
    left, top = int(centre[0] - width / 2), int(centre[1] - height / 2)
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + width, FACE_W), min(top + height, FACE_H)
    if x0 >= x1 or y0 >= y1:
        return
    alpha = ink[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    face[y0:y1, x0:x1] = (face[y0:y1, x0:x1] * (1 - alpha) + np.asarray(colour, np.float32) * alpha).astype(np.uint8)


def _dot(face: Face, style: Style, centre: tuple[float, float], radius: float, ink: Colour, *, large: bool) -> None:
    """One dot in the set's form; the large dot of rank 1 has more rings."""
    x, y = centre
    accent = style.inks["r"] if large else (style.slit if style.slit != ink else WHITE)
    match style.dot_form:
        case 0:
            cv2.circle(face, pixel(x, y), int(radius), ink, -1)
        case 1:
            cv2.circle(face, pixel(x, y), int(radius), ink, -1)
            cv2.circle(face, pixel(x, y), int(radius * 0.45), WHITE, -1)
            cv2.circle(face, pixel(x, y), int(radius * 0.22), accent if large else ink, -1)
        case 2:
            for share in (0.95, 0.6, 0.25):
                cv2.circle(face, pixel(x, y), int(radius * share), ink, max(3, int(radius * 0.14)))
        case 3 | 4:
            _wheel(face, style, centre, radius, ink)
        case 5:
            cv2.circle(face, pixel(x, y), int(radius * 0.92), ink, max(4, int(radius * 0.2)))
            cv2.line(face, pixel(x - radius * 0.5, y), pixel(x + radius * 0.5, y), ink, max(3, int(radius * 0.2)))
            cv2.line(face, pixel(x, y - radius * 0.5), pixel(x, y + radius * 0.5), ink, max(3, int(radius * 0.2)))
        case _:
            cv2.circle(face, pixel(x, y), int(radius), ink, -1)
            cv2.circle(face, pixel(x, y), int(radius * 0.72), WHITE, max(3, int(radius * 0.12)))
            cv2.circle(face, pixel(x, y), int(radius * 0.25), WHITE, -1)
    if large and style.dot_form in {0, 2, 4}:
        for step in range(style.petals):
            angle = 2 * np.pi * step / style.petals
            cv2.circle(face, pixel(x + np.cos(angle) * radius * 0.66, y + np.sin(angle) * radius * 0.66), int(radius * 0.17), accent, -1)
        cv2.circle(face, pixel(x, y), int(radius * 0.3), WHITE, -1)
        cv2.circle(face, pixel(x, y), int(radius * 0.2), accent, -1)


def _wheel(face: Face, style: Style, centre: tuple[float, float], radius: float, ink: Colour) -> None:
    """Petals around a hub, with or without a rim."""
    x, y = centre
    if style.dot_form == 3:
        cv2.circle(face, pixel(x, y), int(radius * 0.95), ink, max(3, int(radius * 0.1)))
    for step in range(style.petals):
        angle = 2 * np.pi * step / style.petals
        petal = pixel(x + np.cos(angle) * radius * 0.68, y + np.sin(angle) * radius * 0.68)
        cv2.circle(
            face, petal, int(radius * 2.0 / style.petals + radius * 0.06), ink, -1 if style.dot_form == 3 else max(3, int(radius * 0.12))
        )
    cv2.circle(face, pixel(x, y), int(radius * 0.42), ink, max(3, int(radius * 0.12)))
    cv2.circle(face, pixel(x, y), int(radius * 0.16), style.inks["r"], -1)


def _stick(face: Face, style: Style, ends: tuple[tuple[float, float], tuple[float, float]], width: float, ink: Colour) -> None:
    """One bamboo: a bone, a beam, joints, a slim rod, a double rod, an outline, or hollow segments between knots."""
    (x0, y0), (x1, y1) = ends
    run = np.hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / run, (y1 - y0) / run
    half = width / 2
    start, end = (x0 + ux * half, y0 + uy * half), (x1 - ux * half, y1 - uy * half)
    thin = max(int(width * 0.45), 4)
    match style.stick_form:
        case 0:
            cv2.line(face, pixel(*start), pixel(*end), ink, int(width))
            cv2.line(face, pixel(*start), pixel(*end), style.slit if style.slit != ink else WHITE, max(3, int(width * 0.25)))
        case 1:
            cv2.line(face, pixel(*start), pixel(*end), ink, thin)
            for node in range(style.stick_nodes + 1):
                at = (start[0] + (end[0] - start[0]) * node / style.stick_nodes, start[1] + (end[1] - start[1]) * node / style.stick_nodes)
                cv2.line(
                    face,
                    pixel(at[0] - uy * half, at[1] + ux * half),
                    pixel(at[0] + uy * half, at[1] - ux * half),
                    ink,
                    max(int(width * 0.42), 4),
                )
        case 2:
            cv2.line(face, pixel(*start), pixel(*end), ink, int(width))
        case 3:
            cv2.line(face, pixel(*start), pixel(*end), ink, int(width))
            for node in range(1, style.stick_nodes):
                at = (start[0] + (end[0] - start[0]) * node / style.stick_nodes, start[1] + (end[1] - start[1]) * node / style.stick_nodes)
                cv2.line(
                    face,
                    pixel(at[0] - uy * half * 1.2, at[1] + ux * half * 1.2),
                    pixel(at[0] + uy * half * 1.2, at[1] - ux * half * 1.2),
                    WHITE,
                    5,
                )
        case 4:
            for node in range(style.stick_nodes):
                share = (node + 0.5) / style.stick_nodes
                at = (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
                cv2.ellipse(face, (at, (run / style.stick_nodes * 1.05, width), float(np.rad2deg(np.arctan2(uy, ux)))), ink, -1)
        case 6 | 7:
            _segments(face, style, (start, end), width, ink)
        case _:
            for side in (-1, 1):
                shift = (-uy * half * 0.75 * side, ux * half * 0.75 * side)
                cv2.line(
                    face,
                    pixel(start[0] + shift[0], start[1] + shift[1]),
                    pixel(end[0] + shift[0], end[1] + shift[1]),
                    ink,
                    max(int(width * 0.28), 4),
                )
            for at in (start, end, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)):
                cv2.line(
                    face,
                    pixel(at[0] - uy * half, at[1] + ux * half),
                    pixel(at[0] + uy * half, at[1] - ux * half),
                    ink,
                    max(int(width * 0.26), 4),
                )


def _segments(face: Face, style: Style, ends: tuple[tuple[float, float], tuple[float, float]], width: float, ink: Colour) -> None:
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


def _mixed(style: Style, rng: Generator, inks: str) -> str:
    """The usual inks of a face, or in some sets others: one for all, or a shuffle."""
    if not style.mixed_inks:
        return inks
    if rng.random() < 0.5:
        return str(rng.choice(list("gbdr"))) * len(inks)
    return "".join(rng.permutation(list(inks)))


def _point(style: Style, x: float, y: float) -> tuple[float, float]:
    return FACE_W * (0.5 + (x - 0.5) * style.spread_x), FACE_H * (0.5 + (y - 0.5) * style.spread_y)


def pixel(x: float, y: float) -> tuple[int, int]:
    return round(float(x)), round(float(y))


def _ink(rng: Generator, hue: int, saturation: float, value: tuple[int, int]) -> Colour:
    """A BGR ink around a hue (OpenCV degrees / 2)."""
    hsv = np.array(
        [[[(hue + rng.integers(-5, 6)) % 180, int(255 * min(1.0, saturation * rng.uniform(0.6, 1.2))), rng.integers(*value)]]],
        dtype=np.uint8,
    )
    blue, green, red = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]
    return int(blue), int(green), int(red)
