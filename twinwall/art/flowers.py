"""Flower tiles: the four plants and four seasons of a set, which a duplicate event does not use; readers must refuse them."""

from dataclasses import replace
from enum import Enum

from twinwall.art.designs import Design
from twinwall.art.drawings import drawn
from twinwall.art.glyphset import glyph
from twinwall.art.shapes import Drawing, Shape, Style, grow, move, placed


class Flower(Enum):
    """A flower or season tile, by the character on it."""

    PLUM = "梅"
    ORCHID = "蘭"
    CHRYSANTHEMUM = "菊"
    BAMBOO = "竹"
    SPRING = "春"
    SUMMER = "夏"
    AUTUMN = "秋"
    WINTER = "冬"


SIMULATOR_FLOWERS: tuple[Flower, ...] = (Flower.SPRING, Flower.SUMMER, Flower.AUTUMN, Flower.WINTER)
"""The foreign tiles of the simulated table, excluded from training as its set is."""


def draw_flower(design: Design, flower: Flower) -> Drawing:
    """A flower tile around the origin, in face units."""
    half_height = design.face_height / 2
    size = min(1.0, (half_height - design.margin_y) / 33.5)
    plant = placed(drawn(f"flower-{flower.name.lower()}", design.palette.named), move(0, 9.0) @ grow(size))
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
