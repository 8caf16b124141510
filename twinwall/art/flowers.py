"""Flower tiles: the eight that a set has and a duplicate event does not use; readers must refuse them.

Four plants and four seasons, each with its character and its number.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from twinwall.art.designs import Design
from twinwall.art.glyphset import glyph
from twinwall.art.shapes import Box, Circle, Drawing, Shape, Style, around, curve, grow, move, petal, placed, stroke, turn


class Flower(Enum):
    """A flower or season tile, by the character that is drawn on it."""

    PLUM = "梅"
    ORCHID = "蘭"
    CHRYSANTHEMUM = "菊"
    BAMBOO = "竹"
    SPRING = "春"
    SUMMER = "夏"
    AUTUMN = "秋"
    WINTER = "冬"


TRAINING_FLOWERS: tuple[Flower, ...] = (Flower.PLUM, Flower.ORCHID, Flower.CHRYSANTHEMUM, Flower.BAMBOO)
"""What a model may be shown as an example of no tile."""
SIMULATOR_FLOWERS: tuple[Flower, ...] = (Flower.SPRING, Flower.SUMMER, Flower.AUTUMN, Flower.WINTER)
"""The foreign tiles of the simulated table: kept out of training, as its set is."""


def draw_flower(design: Design, flower: Flower) -> Drawing:
    """A flower tile around the origin, in face units."""
    half_height = design.face_height / 2
    plant = placed(_PLANTS[flower](design), move(0, 9.0) @ grow(min(1.0, (half_height - design.margin_y) / 33.5)))
    season, number = divmod(list(Flower).index(flower), 4)
    colour = design.palette.red if season else design.palette.ink
    return (
        *placed((_letter(design.characters, flower.value, 15.0, colour),), move(13.0, 13.5 - half_height)),
        *placed((_letter("sans", str(number + 1), 11.0, design.palette.blue),), move(-18.0, 12.5 - half_height)),
        *plant,
    )


def _letter(glyph_set: str, character: str, height: float, colour: str) -> Shape:
    outline = glyph(glyph_set, character)
    left, top, right, bottom = outline.bounds()
    scale = height / max(bottom - top, right - left)
    centred = outline.transformed(grow(scale) @ move(-(left + right) / 2, -(top + bottom) / 2))
    return replace(centred, style=Style(fill=colour))


def _blossom(design: Design, size: float, colour: str, petals: int) -> Drawing:
    full, heart = Style(fill=colour), Style(fill=design.palette.face)
    leaves = around(petals, lambda: [Circle((0, -0.6), 0.42 if petals < 8 else 0.27, full)])
    return placed((*leaves, Circle((0, 0), 0.5, full), Circle((0, 0), 0.24, heart)), grow(size))


def _leaf(design: Design, x: float, y: float, angle: float, length: float = 12.0) -> Shape:
    return petal(length, length * 0.42, Style(fill=design.palette.green)).transformed(move(x, y) @ turn(angle))


def _plum(design: Design) -> Drawing:
    ink, red = design.palette.ink, design.palette.red
    branch = (
        stroke(((-17, 21), (-8, 9), (-5, -3), (6, -12), (15, -15)), ink, 2.6),
        stroke(((-8, 9), (4, 5), (13, 6)), ink, 2.0),
    )
    flowers = tuple(
        shape
        for x, y, size in ((-5, -5, 7.5), (14, -13, 5.5), (12, 6, 7.0), (-14, 16, 5.0))
        for shape in placed(_blossom(design, size, red, 5), move(x, y))
    )
    return (*branch, *flowers)


def _orchid(design: Design) -> Drawing:
    green = Style(stroke=design.palette.green, width=2.4)
    blades = tuple(
        curve((foot, 21), ((foot, 5), (tip * 0.5, -10), (tip, height)), style=green, closed=False)
        for foot, tip, height in ((-2, -20, 2), (-1, -11, -14), (1, 9, -17), (2, 20, -3), (3, 17, 12))
    )
    blooms = tuple(
        shape
        for x, y in ((-3.0, -11.0), (9.0, -2.0))
        for shape in placed(around(5, lambda: [petal(8.0, 3.6, Style(fill=design.palette.blue))]), move(x, y))
    )
    return (*blades, *blooms)


def _chrysanthemum(design: Design) -> Drawing:
    stem = (stroke(((0, 0), (-2, 21)), design.palette.green, 2.4), _leaf(design, -1, 14, -70, 15), _leaf(design, -1, 17, 62, 16))
    head = around(14, lambda: [petal(15.0, 4.6, Style(fill=design.palette.red))])
    return (*stem, *placed((*head, Circle((0, 0), 4.2, Style(fill=design.palette.face))), move(1, -4)))


def _bamboo(design: Design) -> Drawing:
    stalks: list[Shape] = []
    for x, top in ((-7.0, -16.0), (4.0, -10.0)):
        stalks += [Box(x, y, 4.4, 10.4, 1.6, Style(fill=design.palette.green)) for y in (top, top + 11.5, top + 23.0)]
    leaves = (
        _leaf(design, 8, -4, 60, 14),
        _leaf(design, 8, -3, 105, 13),
        _leaf(design, -7, -6, -65, 14),
        _leaf(design, -7, 6, -110, 12),
        _leaf(design, 9, 9, 75, 12),
    )
    return (*stalks, *leaves)


def _spring(design: Design) -> Drawing:
    stem = (stroke(((0, 4), (0, 21)), design.palette.green, 2.4), _leaf(design, 0, 18, -55, 16), _leaf(design, 0, 18, 55, 16))
    outer = placed(
        tuple(petal(20.0, 13.0, Style(fill=design.palette.red)).transformed(turn(angle)) for angle in (-48, 48, -22, 22)), move(0, 5)
    )
    inner = petal(17.0, 8.0, Style(fill=design.palette.face)).transformed(move(0, 5))
    return (*stem, *outer, inner)


def _summer(design: Design) -> Drawing:
    water = tuple(stroke(((-18, y), (18, y)), design.palette.blue, 1.8) for y in (16.0, 20.5))
    petals = tuple(
        petal(22.0, 8.5, Style(fill=design.palette.red)).transformed(move(0, 12) @ turn(angle)) for angle in (-72, 72, -44, 44, 0)
    )
    ribs = tuple(petal(13.0, 3.0, Style(fill=design.palette.face)).transformed(move(0, 9) @ turn(angle)) for angle in (-24, 24))
    return (*water, *petals, *ribs)


def _autumn(design: Design) -> Drawing:
    lobes = tuple(
        petal(length, length * 0.46, Style(fill=design.palette.red)).transformed(move(0, 5) @ turn(angle))
        for angle, length in ((0, 23), (-48, 20), (48, 20), (-98, 15), (98, 15))
    )
    veins = tuple(stroke(((0, 5), end), design.palette.face, 1.0) for end in ((0, -12), (-9, -4), (9, -4)))
    return (*lobes, *veins, stroke(((0, 5), (3, 21)), design.palette.ink, 2.0))


def _winter(design: Design) -> Drawing:
    arm = (
        stroke(((0, 0), (0, -18)), design.palette.blue, 2.2),
        stroke(((-4.5, -14), (0, -9.5), (4.5, -14)), design.palette.blue, 1.9),
        stroke(((-3.2, -8.5), (0, -5.5), (3.2, -8.5)), design.palette.blue, 1.7),
    )
    return placed(around(6, lambda: arm), move(0, 2))


_PLANTS = {
    Flower.PLUM: _plum,
    Flower.ORCHID: _orchid,
    Flower.CHRYSANTHEMUM: _chrysanthemum,
    Flower.BAMBOO: _bamboo,
    Flower.SPRING: _spring,
    Flower.SUMMER: _summer,
    Flower.AUTUMN: _autumn,
    Flower.WINTER: _winter,
}
