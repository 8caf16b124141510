"""Tiles, seats and their notation. A tile is a kind: its four copies are identical. Notation: ``1m``…``9m`` characters, ``1p``…``9p`` dots,
``1s``…``9s`` bamboos, ``E S W N`` winds, ``C`` red, ``F`` green, ``P`` white dragon. Input may join groups (``123m 55p EE``); output is
single tiles with one space between.

A session of sixteen hands: round winds, and which place has which seat wind. The dealer moves on after every hand, whoever won, so the
hand number gives the winds (Aono, "Duplicate-format mahjong": E1-E4, S1-S4, W1-W4, N1-N4).
"""

import re
from collections.abc import Iterable
from enum import Enum, IntEnum, StrEnum
from typing import Literal

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


HANDS = 16


def round_wind(hand: int) -> Seat:
    return SEATS[(_checked(hand) - 1) // 4]


def hand_name(hand: int) -> str:
    """``E1`` to ``N4`` for hand 1 to 16."""
    return f"{round_wind(hand).value}{(hand - 1) % 4 + 1}"


def place_of(seat: Seat, hand: int) -> int:
    """The place 0 to 3 (counter-clockwise) of a seat wind in this hand."""
    return (_checked(hand) - 1 + seat.index) % 4


def seat_at(place: int, hand: int) -> Seat:
    """The seat wind of place 0 to 3 in this hand."""
    return SEATS[(place - _checked(hand) + 1) % 4]


def hands_in_order(first: int, last: int, begins: int = 0) -> tuple[int, ...]:
    """The hands ``first`` to ``last`` in the order played: from ``begins`` to ``last``, then from ``first``."""
    begins = begins or first
    return (*range(begins, last + 1), *range(first, begins))


def check_hands(first: int, last: int, begins: int) -> None:
    """Raise ValueError for hands that cannot be played in this order."""
    if first > last:
        raise ValueError(f"first ({first}) must not be after last ({last})")
    if begins and not first <= begins <= last:
        raise ValueError(f"begins ({begins}) must be a hand from first ({first}) to last ({last})")


def _checked(hand: int) -> int:
    if not 1 <= hand <= HANDS:
        raise ValueError(f"a session has hands 1 to {HANDS}, not {hand}")
    return hand


HANDS_OF_A_ROUND = 4

PlayOrder = Literal["barometer", "staggered"]
"""The order in which the tables of a group play the hands of a session.

barometer: all tables play the same hand at the same time; standings follow each deal. staggered: tables start in different rounds, the
first in East, the second in South, and so on. All tables play every deal, and no seat wind changes.
"""


def first_hand(order: PlayOrder, table: int, hands: int = HANDS) -> int:
    """The hand, from 1, with which a table begins; after the last hand it continues with the first. ``order``: of the event. ``table``:
    position in its group, from 0. ``hands``: of the session, 1 to 16; the last round may have fewer than four."""
    if not 1 <= hands <= HANDS:
        raise ValueError(f"a session has 1 to {HANDS} hands, not {hands}")
    if order == "barometer":
        return 1
    rounds = -(-hands // HANDS_OF_A_ROUND)
    return table % rounds * HANDS_OF_A_ROUND + 1
