"""Tile designs: a design is a record of choices (glyphs, dots, sticks, bird, paints). Screens show ``classic``; simulated cameras see
``house``. No training design may have its dots, sticks, bird, wheel, frame and characters, so that it measures how the model reads an
unknown set.

Flower tiles: the four plants and four seasons of a set, which a duplicate event does not use; readers must refuse them.
"""

from dataclasses import replace
from enum import Enum
from typing import Literal

from twinwall.art.drawings import drawn
from twinwall.art.glyphset import glyph
from twinwall.art.shapes import Drawing, Shape, Style, grow, move, placed
from twinwall.values import frozen

DotStyle = Literal["beads", "target", "rosette", "daisy", "coin", "gear", "sunwheel"]
WheelStyle = Literal["petals", "chrysanthemum", "rings", "flower", "sun"]
"""The large dot of 1p."""
StickStyle = Literal["noded", "bone", "cane", "striped", "capsule", "knobbed"]
BirdStyle = Literal["sparrow", "peacock", "crane", "phoenix", "rooster", "magpie"]
WhiteStyle = Literal["double", "thin", "corners", "dashed", "blank", "keyed"]
"""The mark of the white dragon; ``blank``, as in many real sets, is never on screens."""
BackStyle = Literal["frame", "lattice", "plain"]


@frozen
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

    @property
    def named(self) -> dict[str, str]:
        """The paints by their names in ``drawings.svg``."""
        return {"black": self.ink, "red": self.red, "green": self.green, "blue": self.blue, "white": self.face}


@frozen
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
    dots: DotStyle = "beads"
    small_dots: DotStyle = "target"
    """For 7p, 8p and 9p."""
    wheel: WheelStyle = "petals"
    dot_size: float = 1.0
    six_apart: bool = False
    """6p with its upper pair apart from the lower four."""
    seven_packed: bool = False
    """7p with its lower four close together."""
    nine_by_columns: bool = False
    """9p with a colour for each column."""
    sticks: StickStyle = "noded"
    stick_width: float = 1.0
    stick_length: float = 1.0
    nine_sticks_by_rows: bool = False
    swap_cool: bool = False
    """Exchange blue and green on dots and sticks."""
    bird: BirdStyle = "sparrow"
    bird_size: float = 1.0
    bird_mirrored: bool = False
    white: WhiteStyle = "double"
    white_line: float = 1.0
    back: BackStyle = "frame"
    corner_index: bool = False
    """A small Arabic index (3p as 3, winds and dragons by letter) in two corners."""

    @property
    def half_field(self) -> tuple[float, float]:
        """Half the width and half the height of a face within its margins."""
        return 30 - self.margin_x, self.face_height / 2 - self.margin_y

    def paint(self, key: str) -> str:
        """The paint of a dot or stick: r, g or b."""
        return self.palette.red if key == "r" else (self.palette.green, self.palette.blue)[(key == "b") ^ self.swap_cool]


CLASSIC = Design(name="classic", characters="serif", numerals="serif")

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
    dots="sunwheel",
    small_dots="sunwheel",
    wheel="sun",
    sticks="knobbed",
    bird="magpie",
    bird_mirrored=True,
    white="keyed",
    back="lattice",
)
"""The simulator's set: never trained on."""

SIMULATOR_DESIGN = HOUSE
"""The set of the simulated cameras."""


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
