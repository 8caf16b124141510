"""Random mixtures of designs for training, from a seeded generator.

Every part of a design is drawn independently (dots of one tradition, a bird of another, paints of a third), which
varies more than makers do, so that a model learns what identifies a face. No part of the simulator's design is used:
see ``HELD_BACK``.
"""

import colorsys
from collections.abc import Sequence
from typing import TypeVar, get_args

import numpy as np

from twinwall.art.designs import (
    CLASSIC,
    HOUSE,
    SIMULATOR_DESIGN,
    BackStyle,
    BirdStyle,
    Design,
    DotStyle,
    Flower,
    Palette,
    StickStyle,
    WheelStyle,
    WhiteStyle,
)

INDEXED = Design(name="indexed", characters="serif", numerals="serif", corner_index=True)
"""The screens' design for beginners and projectors, with a corner index."""

CLUB = Design(
    name="club",
    characters="sans",
    numerals="sans",
    palette=Palette(ink="#20242a", red="#c0281f", green="#157a3d", blue="#123f8c", face="#fbf7ea", back="#1d4f91", back_line="#6d97cf"),
    face_height=82.0,
    numeral_size=27.0,
    ten_thousand_size=33.0,
    honour_size=46.0,
    dots="coin",
    small_dots="coin",
    wheel="rings",
    six_apart=True,
    sticks="cane",
    bird="crane",
    white="thin",
    back="lattice",
    nine_by_columns=True,
)

BRUSH = Design(
    name="brush",
    characters="brush",
    numerals="running",
    palette=Palette(
        ink="#14213a", red="#9e1f2e", green="#14463c", blue="#14294f", face="#f6f0dc", edge="#d8c9a0", back="#b8862b", back_line="#e0bd72"
    ),
    five="伍",
    face_height=81.0,
    numeral_size=28.0,
    ten_thousand_size=40.0,
    honour_size=56.0,
    weight=0.6,
    dots="rosette",
    small_dots="rosette",
    wheel="chrysanthemum",
    six_apart=True,
    seven_packed=True,
    sticks="bone",
    bird="peacock",
    white="corners",
    back="plain",
    swap_cool=True,
)

PARLOUR = Design(
    name="parlour",
    characters="serif-black",
    numerals="serif-medium",
    palette=Palette(
        ink="#0f0f14", red="#d1312b", green="#0a8a4a", blue="#1c5fb8", face="#ffffff", edge="#f0b429", back="#e09a1a", back_line="#ffd98a"
    ),
    ten_thousand="万",
    green_dragon="発",
    face_height=79.0,
    numeral_size=31.0,
    ten_thousand_size=34.0,
    honour_size=50.0,
    dots="daisy",
    small_dots="gear",
    wheel="flower",
    sticks="striped",
    bird="phoenix",
    white="dashed",
    nine_sticks_by_rows=True,
)

TRAINING_DESIGNS: tuple[Design, ...] = (CLASSIC, CLUB, BRUSH, PARLOUR)
"""Named designs that a model may be trained on."""

TRAINING_FLOWERS: tuple[Flower, ...] = (Flower.PLUM, Flower.ORCHID, Flower.CHRYSANTHEMUM, Flower.BAMBOO)
"""What a model may be shown as an example of no tile."""

DESIGNS: dict[str, Design] = {design.name: design for design in (CLASSIC, INDEXED, CLUB, BRUSH, PARLOUR, HOUSE)}
"""All named designs."""


HELD_BACK: frozenset[str] = frozenset(
    (
        SIMULATOR_DESIGN.characters,
        SIMULATOR_DESIGN.numerals,
        SIMULATOR_DESIGN.dots,
        SIMULATOR_DESIGN.small_dots,
        SIMULATOR_DESIGN.wheel,
        SIMULATOR_DESIGN.sticks,
        SIMULATOR_DESIGN.bird,
        SIMULATOR_DESIGN.white,
    )
)
"""Names of glyph sets and drawn parts that training must never show, because the simulator does."""

TRAINING_GLYPHS: tuple[str, ...] = ("serif", "serif-black", "serif-medium", "sans", "sans-black", "wedge", "marker", "brush", "running")
_GLYPH_WEIGHTS = (1.0, 0.8, 0.8, 0.8, 0.4, 0.4, 0.7, 2.5, 2.0)
_BLANK_WHITE_SHARE = 0.12

_Style = TypeVar("_Style")
_DOTS: tuple[DotStyle, ...] = get_args(DotStyle)
_WHEELS: tuple[WheelStyle, ...] = get_args(WheelStyle)
_STICKS: tuple[StickStyle, ...] = get_args(StickStyle)
_BIRDS: tuple[BirdStyle, ...] = get_args(BirdStyle)
_WHITES: tuple[WhiteStyle, ...] = get_args(WhiteStyle)
_BACKS: tuple[BackStyle, ...] = get_args(BackStyle)


def random_design(rng: np.random.Generator) -> Design:
    """A random mixture, never with a part of the simulator's design; the same generator state gives the same design."""
    dots = _one_of(rng, _DOTS)
    characters = _glyph_set(rng)
    return Design(
        name="random",
        characters=characters,
        numerals=characters if rng.random() < 0.7 else _glyph_set(rng),
        palette=_palette(rng),
        ten_thousand="萬" if rng.random() < 0.85 else "万",
        five="五" if rng.random() < 0.6 else "伍",
        green_dragon="發" if rng.random() < 0.85 else "発",
        face_height=_between(rng, 76, 87),
        corner_radius=_between(rng, 3, 9),
        margin_x=_between(rng, 4.5, 9),
        margin_y=_between(rng, 5, 10),
        numeral_size=_between(rng, 24, 33),
        ten_thousand_size=_between(rng, 30, 39),
        honour_size=_between(rng, 42, 58),
        weight=float(rng.choice((0.0, 0.4, 0.9, 1.5), p=(0.35, 0.3, 0.25, 0.1))),
        dots=dots,
        small_dots=dots if rng.random() < 0.7 else _one_of(rng, _DOTS),
        wheel=_one_of(rng, _WHEELS),
        dot_size=_between(rng, 0.82, 1.08),
        six_apart=bool(rng.random() < 0.6),
        seven_packed=bool(rng.random() < 0.5),
        nine_by_columns=bool(rng.random() < 0.25),
        sticks=_one_of(rng, _STICKS),
        stick_width=_between(rng, 0.75, 1.2),
        stick_length=_between(rng, 0.88, 1.06),
        nine_sticks_by_rows=bool(rng.random() < 0.25),
        swap_cool=bool(rng.random() < 0.5),
        bird=_one_of(rng, _BIRDS),
        bird_size=_between(rng, 0.82, 1.05),
        bird_mirrored=bool(rng.random() < 0.5),
        white=_white(rng),
        white_line=_between(rng, 0.6, 1.4),
        back=_one_of(rng, _BACKS),
        corner_index=bool(rng.random() < 0.12),
    )


def _white(rng: np.random.Generator) -> WhiteStyle:
    drawn = [style for style in _WHITES if style != "blank"]
    return "blank" if rng.random() < _BLANK_WHITE_SHARE else _one_of(rng, drawn)


def _one_of(rng: np.random.Generator, styles: Sequence[_Style]) -> _Style:
    allowed = [style for style in styles if style not in HELD_BACK]
    return allowed[int(rng.integers(len(allowed)))]


def _glyph_set(rng: np.random.Generator) -> str:
    weights = np.array(_GLYPH_WEIGHTS)
    return TRAINING_GLYPHS[int(rng.choice(len(TRAINING_GLYPHS), p=weights / weights.sum()))]


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _palette(rng: np.random.Generator) -> Palette:
    """Paints from pale new sets to dark engraved ones, where green and blue are often nearly black."""
    dark = rng.random() < 0.45
    cool_value = (0.16, 0.4) if dark else (0.35, 0.75)
    blue = _colour(rng, (0.55, 0.66), (0.5, 1.0), cool_value)
    green = _colour(rng, (0.36, 0.48), (0.5, 1.0), cool_value)
    one_cool = rng.random() < 0.3
    return Palette(
        ink=_colour(rng, (0.5, 0.75), (0.0, 0.6), (0.04, 0.26)),
        red=_colour(rng, (0.94, 1.03), (0.6, 0.95), (0.5, 0.85)),
        green=blue if one_cool else green,
        blue=blue,
        face=_colour(rng, (0.09, 0.16), (0.0, 0.22), (0.9, 1.0)),
        back=_colour(rng, (0.0, 1.0), (0.4, 0.9), (0.3, 0.85)),
        back_line=_colour(rng, (0.0, 1.0), (0.2, 0.7), (0.5, 0.95)),
    )


def _colour(rng: np.random.Generator, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]) -> str:
    parts = colorsys.hsv_to_rgb(rng.uniform(*hue) % 1.0, rng.uniform(*saturation), rng.uniform(*value))
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)
