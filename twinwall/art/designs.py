"""Tile designs: a design is a record of choices (glyphs, dots, sticks, bird, paints), and these are the named ones.

``classic`` is what the screens show. ``house`` is the set that the simulated cameras see. The model must never be
trained on its dots, sticks, bird, wheel, frame and characters: they are in neither ``TRAINING_DESIGNS`` nor anything
that ``random_design`` makes, so that reading it measures how the model reads an unknown set.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DotStyle(StrEnum):
    """How one dot is drawn."""

    BEADS = "beads"
    TARGET = "target"
    ROSETTE = "rosette"
    DAISY = "daisy"
    COIN = "coin"
    GEAR = "gear"
    SUNWHEEL = "sunwheel"


class WheelStyle(StrEnum):
    """How the large dot of 1p is drawn."""

    PETALS = "petals"
    CHRYSANTHEMUM = "chrysanthemum"
    RINGS = "rings"
    FLOWER = "flower"
    SUN = "sun"


class StickStyle(StrEnum):
    """How one bamboo stick is drawn."""

    NODED = "noded"
    BONE = "bone"
    CANE = "cane"
    STRIPED = "striped"
    CAPSULE = "capsule"
    KNOBBED = "knobbed"


class BirdStyle(StrEnum):
    """The bird of 1s."""

    SPARROW = "sparrow"
    PEACOCK = "peacock"
    CRANE = "crane"
    PHOENIX = "phoenix"
    ROOSTER = "rooster"
    MAGPIE = "magpie"


class WhiteStyle(StrEnum):
    """The mark of the white dragon."""

    DOUBLE = "double"
    THIN = "thin"
    CORNERS = "corners"
    DASHED = "dashed"
    BLANK = "blank"
    """Nothing at all, as in many real sets; never on screens."""
    KEYED = "keyed"


class BackStyle(StrEnum):
    """What the back shows."""

    FRAME = "frame"
    LATTICE = "lattice"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Palette:
    """The paints of a set, ``#rrggbb``."""

    ink: str = "#1d2433"
    red: str = "#b3261e"
    green: str = "#0d6b45"
    blue: str = "#0b4f9c"
    face: str = "#fffdf6"
    edge: str = "#ddd2b8"
    line: str = "#b9a988"
    back: str = "#1f7a5c"
    back_line: str = "#4fa888"


@dataclass(frozen=True, slots=True)
class Design:
    """One set of tiles. Lengths are in face units: a face is 60 wide and ``face_height`` high."""

    name: str
    characters: str
    """Glyph set of 萬, the winds and the dragons."""
    numerals: str
    """Glyph set of 一 to 九."""
    palette: Palette = Palette()
    ten_thousand: str = "萬"
    five: str = "五"
    green_dragon: str = "發"
    face_height: float = 80.0
    corner_radius: float = 6.0
    margin_x: float = 6.0
    margin_y: float = 6.5
    numeral_size: float = 29.0
    ten_thousand_size: float = 34.5
    honour_size: float = 53.0
    weight: float = 0.0
    """Extra stroke around every glyph, for bolder characters."""
    dots: DotStyle = DotStyle.BEADS
    small_dots: DotStyle = DotStyle.TARGET
    """The dot of 7p, 8p and 9p, where it is small."""
    wheel: WheelStyle = WheelStyle.PETALS
    dot_size: float = 1.0
    six_apart: bool = False
    """6p with its upper pair apart from the lower four."""
    seven_packed: bool = False
    """7p with its lower four close together."""
    nine_by_columns: bool = False
    """Whether the three colours of 9p stand in columns."""
    sticks: StickStyle = StickStyle.NODED
    stick_width: float = 1.0
    stick_length: float = 1.0
    nine_sticks_by_rows: bool = False
    swap_cool: bool = False
    """Blue and green change places on dots and sticks."""
    bird: BirdStyle = BirdStyle.SPARROW
    bird_size: float = 1.0
    bird_mirrored: bool = False
    white: WhiteStyle = WhiteStyle.DOUBLE
    white_line: float = 1.0
    back: BackStyle = BackStyle.FRAME
    corner_index: bool = False
    """A small Arabic index (3p as 3, winds and dragons by letter) in two corners."""


CLASSIC = Design(name="classic", characters="serif", numerals="serif")
"""The screens' design."""

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
    dots=DotStyle.COIN,
    small_dots=DotStyle.COIN,
    wheel=WheelStyle.RINGS,
    six_apart=True,
    sticks=StickStyle.CANE,
    bird=BirdStyle.CRANE,
    white=WhiteStyle.THIN,
    back=BackStyle.LATTICE,
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
    dots=DotStyle.ROSETTE,
    small_dots=DotStyle.ROSETTE,
    wheel=WheelStyle.CHRYSANTHEMUM,
    six_apart=True,
    seven_packed=True,
    sticks=StickStyle.BONE,
    bird=BirdStyle.PEACOCK,
    white=WhiteStyle.CORNERS,
    back=BackStyle.PLAIN,
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
    dots=DotStyle.DAISY,
    small_dots=DotStyle.GEAR,
    wheel=WheelStyle.FLOWER,
    sticks=StickStyle.STRIPED,
    bird=BirdStyle.PHOENIX,
    white=WhiteStyle.DASHED,
    nine_sticks_by_rows=True,
)

HOUSE = Design(
    name="house",
    characters="kai",
    numerals="kai",
    palette=Palette(
        ink="#18222f",
        red="#a92a22",
        green="#17694a",
        blue="#1a4487",
        face="#f9f4e6",
        edge="#e3d7bb",
        line="#cbbd9c",
        back="#2f6f4f",
        back_line="#79ad92",
    ),
    face_height=83.0,
    corner_radius=6.5,
    margin_x=8.5,
    numeral_size=31.0,
    ten_thousand_size=37.0,
    honour_size=50.0,
    weight=0.9,
    dots=DotStyle.SUNWHEEL,
    small_dots=DotStyle.SUNWHEEL,
    wheel=WheelStyle.SUN,
    sticks=StickStyle.KNOBBED,
    bird=BirdStyle.MAGPIE,
    bird_mirrored=True,
    white=WhiteStyle.KEYED,
    back=BackStyle.LATTICE,
)
"""The simulator's set: never trained on."""

TRAINING_DESIGNS: tuple[Design, ...] = (CLASSIC, CLUB, BRUSH, PARLOUR)
"""Named designs that a model may be trained on; ``random_design`` mixes more."""

SIMULATOR_DESIGN = HOUSE
"""What the simulated cameras show; disjoint from all training in every drawn part."""

DESIGNS: dict[str, Design] = {design.name: design for design in (CLASSIC, INDEXED, CLUB, BRUSH, PARLOUR, HOUSE)}
