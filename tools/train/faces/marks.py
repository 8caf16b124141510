"""Dots in many styles, drawn with plain shapes, and the style that all faces of a set share.

One ``FaceStyle`` fixes what all faces of one invented set have in common; its random choices are wide, because the
reader must know sets that are not drawn here. Every function inks a white face (``FACE_W`` × ``FACE_H`` px, BGR):
white takes the tile's colour later.
"""

from typing import TypeAlias

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.faces.canes import Cane, random_cane
from tools.train.faces.roundels import Roundel, draw_roundel, random_roundel
from twinwall.values import frozen

Face: TypeAlias = NDArray[np.uint8]
Colour: TypeAlias = tuple[int, int, int]

FACE_W, FACE_H = 288, 384
WHITE: Colour = (255, 255, 255)
ANY_ROUNDEL, ANY_CANE = 7, 8
"""The dot's and the bamboo's form that is drawn from a description, not by name."""

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


@frozen
class FaceStyle:
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
    cane: Cane
    stick_length: float
    columns: float
    """How near bamboos stand to the middle, 1 as usual."""
    roundel: Roundel
    large_roundel: Roundel


def random_style(rng: Generator) -> FaceStyle:
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
    return FaceStyle(
        inks={"d": dark, "r": red, "g": green, "b": blue},
        mixed_inks=bool(rng.random() < 0.3),
        dot_form=int(rng.integers(0, 7)) if rng.random() < 0.55 else ANY_ROUNDEL,
        dot_size=float(rng.uniform(0.62, 1.03)),
        petals=int(rng.integers(5, 13)),
        stick_form=int(rng.integers(0, 8)) if rng.random() < 0.45 else ANY_CANE,
        stick_width=float(rng.uniform(0.75, 1.3)),
        stick_nodes=int(rng.integers(2, 4)),
        stick_knot=float(rng.uniform(0.7, 1.2)),
        spread_x=float(rng.uniform(0.8, 1.04)),
        spread_y=float(rng.uniform(0.86, 1.04)),
        slit=WHITE if rng.random() < 0.7 else red,
        cane=random_cane(rng),
        stick_length=float(rng.uniform(0.86, 1.06)),
        columns=float(rng.uniform(0.62, 1.06)) if rng.random() < 0.5 else 1.0,
        roundel=random_roundel(rng, large=False),
        large_roundel=random_roundel(rng, large=True),
    )


def dots(style: FaceStyle, rank: int, rng: Generator) -> Face:
    """A dots face."""
    face = blank()
    inks = mixed(style, rng, _DOT_INKS[rank])
    tight, steep = rng.uniform(0.62, 1.0), rng.uniform(0.55, 1.0)
    for place, ink in zip(_DOT_PLACES[rank], inks, strict=True):
        x, y = _moved(rank, place, tight, steep)
        size = style.dot_size * (rng.uniform(0.72, 1.05) if rank == 1 else 1.0)
        _dot(face, style, point(style, x, y), _DOT_ROOM[rank] * FACE_W * size, style.inks[ink], large=rank == 1)
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


def _dot(face: Face, style: FaceStyle, centre: tuple[float, float], radius: float, ink: Colour, *, large: bool) -> None:
    """One dot in the set's form; the large dot of rank 1 has more rings."""
    x, y = centre
    accent = style.inks["r"] if large else (style.slit if style.slit != ink else WHITE)
    if style.dot_form == ANY_ROUNDEL:
        draw_roundel(face, style.large_roundel if large else style.roundel, centre, radius, (ink, accent))
        return
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


def _wheel(face: Face, style: FaceStyle, centre: tuple[float, float], radius: float, ink: Colour) -> None:
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


def mixed(style: FaceStyle, rng: Generator, inks: str) -> str:
    """The usual inks of a face, or in some sets others: one for all, or a shuffle."""
    if not style.mixed_inks:
        return inks
    if rng.random() < 0.5:
        return str(rng.choice(list("gbdr"))) * len(inks)
    return "".join(rng.permutation(list(inks)))


def point(style: FaceStyle, x: float, y: float) -> tuple[float, float]:
    """A place on the face, in shares of it, as the set spreads its marks; px."""
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
