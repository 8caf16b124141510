"""Panel of a table, as its controller, its phones and the simulated table know it: keys, lamps, and the pins of both on the header.

The language of the lamps is docs/reference/panel.md.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from twinwall.values import FrozenStruct, Shape

Place = Annotated[int, Meta(ge=0, le=3)]
MOST_MS = 10**13
"""This many ms from 1970 are in the year 2286: times may be of any clock."""
AtMs = Annotated[int, Meta(ge=0, le=MOST_MS)]
"""A time on the table's clock."""


class Key(StrEnum):
    """The keys in front of every place, in the order of the matrix columns."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    WIN = "win"
    CONFIRM = "confirm"
    REFEREE = "referee"
    RIICHI = "riichi"


KEYS = tuple(Key)


class KeyEdge(Shape, tag_field="line", tag="key"):
    """A key at a place was pressed; a line of an observation file, too."""

    at_ms: AtMs
    place: int
    key: Key


class Lamps(Shape):
    """Which lamps are lit; ``turn`` and ``call`` hold places, ``wall`` is the place to whose wall the tile in hand goes."""

    turn: frozenset[Place] = frozenset()
    call: frozenset[Place] = frozenset()
    window: bool = False
    fault: bool = False
    buzzer: bool = False
    wall: Place | None = None


class KeyLamps(Lamps):
    """The lamps as phones show them, with the keys of the table's rules."""

    keys: tuple[Key, ...] = KEYS


class NumberedPress(FrozenStruct):
    """A press on a phone with its number, which counts up from 1 since the start of the phones' server."""

    number: int
    place: Place
    key: Key


class PressList(FrozenStruct):
    """Presses on phones; ``run`` changes when the server starts again and counts from 1."""

    run: str
    presses: list[NumberedPress]


class PanelPins(FrozenStruct):
    """BCM numbers: rows are places 0 to 3, columns the keys in ``KEYS`` order; a high level lights a lamp.

    A panel needs six pins more than no interface has: those of SPI 0 and 1-Wire, which Raspberry Pi OS leaves off. No lamp
    is at a pin below 9, which a Pi pulls up until the program starts.
    """

    rows: tuple[int, int, int, int] = (5, 6, 13, 19)
    columns: tuple[int, int, int, int, int, int, int] = (12, 16, 20, 21, 8, 7, 4)
    turn: tuple[int, int, int, int] = (11, 17, 27, 22)
    call: tuple[int, int, int, int] = (23, 24, 18, 25)
    window: int = 26
    fault: int = 9
    buzzer: int = 10
    wall: tuple[int, ...] = ()
    """One a place, or none: only a table whose walls people build by hand needs them."""
