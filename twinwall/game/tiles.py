"""Tiles, seats and their notation. A tile is a kind: its four copies are identical. Notation: ``1m``…``9m`` characters, ``1p``…``9p`` dots,
``1s``…``9s`` bamboos, ``E S W N`` winds, ``C`` red, ``F`` green, ``P`` white dragon. Input may join groups (``123m 55p EE``); output is
single tiles with one space between."""

import re
from collections.abc import Iterable
from enum import Enum, IntEnum, StrEnum

COPIES = 4


class NotationError(ValueError):
    """Text that is not tile notation; the message names the part."""


class Suit(StrEnum):
    """The three suits and the honours."""

    CHARACTERS = "m"
    DOTS = "p"
    BAMBOOS = "s"
    HONOURS = "z"


class Tile(IntEnum):
    """One of the 34 kinds, in canonical order."""

    M1, M2, M3, M4, M5, M6, M7, M8, M9 = range(0, 9)
    P1, P2, P3, P4, P5, P6, P7, P8, P9 = range(9, 18)
    S1, S2, S3, S4, S5, S6, S7, S8, S9 = range(18, 27)
    EAST, SOUTH, WEST, NORTH, RED, GREEN, WHITE = range(27, 34)

    @property
    def text(self) -> str:
        return _TEXTS[self]

    @property
    def suit(self) -> Suit:
        """The tile's suit; winds and dragons are honours."""
        return _SUITS[self // 9]

    @property
    def rank(self) -> int:
        """1 to 9 in a suit; 1 to 7 for E S W N C F P."""
        return self % 9 + 1

    @property
    def is_honour(self) -> bool:
        return self >= Tile.EAST


TileRow = tuple[Tile, ...]


class Seat(Enum):
    """A seat by its wind for one hand, counter-clockwise from East."""

    EAST = "E"
    SOUTH = "S"
    WEST = "W"
    NORTH = "N"

    __hash__ = object.__hash__  # seats are keys everywhere, and Enum's own hash is slow
    index: int
    """0 for East to 3 for North."""

    def __init__(self, _wind: object) -> None:
        self.index = len(type(self).__members__)

    @property
    def next(self) -> "Seat":
        return SEATS[(self.index + 1) % 4]

    def turns_until(self, other: "Seat") -> int:
        """Turns from this seat to the other: 0 for itself, 3 for the seat before."""
        return (other.index - self.index) % 4


SEATS: tuple[Seat, ...] = (Seat.EAST, Seat.SOUTH, Seat.WEST, Seat.NORTH)

_SUITS = (Suit.CHARACTERS, Suit.DOTS, Suit.BAMBOOS, Suit.HONOURS)
_HONOUR_TEXTS = "ESWNCFP"
_TEXTS = tuple(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)) + tuple(_HONOUR_TEXTS)
_BY_TEXT = {text: Tile(index) for index, text in enumerate(_TEXTS)}
_GROUP = re.compile(r"([1-9]+)([mps])|([ESWNCFP])")

ALL_TILES: tuple[Tile, ...] = tuple(Tile)
WHOLE_SET: tuple[Tile, ...] = tuple(tile for tile in ALL_TILES for _ in range(COPIES))
"""Four of each of the 34 kinds, in canonical order."""


def parse_tile(text: str) -> Tile:
    """Read exactly one tile; raises NotationError."""
    try:
        return _BY_TEXT[text]
    except KeyError:
        raise NotationError(f"{text!r} is not a tile: write 1m to 9m, 1p to 9p, 1s to 9s or one of E S W N C F P") from None


def parse_tiles(text: str) -> TileRow:
    """Read tiles in the order written, joined or single; raises NotationError."""
    tiles: list[Tile] = []
    for word in text.split():
        position = 0
        while position < len(word):
            match = _GROUP.match(word, position)
            if match is None:
                raise NotationError(f"{word[position:]!r} in {text!r} is not tile notation")
            ranks, suit, honour = match.groups()
            tiles.extend([_BY_TEXT[honour]] if honour else [_BY_TEXT[rank + suit] for rank in ranks])
            position = match.end()
    return tuple(tiles)


def format_tiles(tiles: Iterable[Tile]) -> str:
    """Write single tiles with a space between."""
    return " ".join(_TEXTS[tile] for tile in tiles)
