"""Named designs and flower tiles that a model may be trained on; ``tools.varied_designs`` mixes more. No part of the simulator's set is in
them."""

from twinwall.art.designs import CLASSIC, HOUSE, Design, Palette
from twinwall.art.flowers import Flower

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
