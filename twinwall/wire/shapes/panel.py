"""The panel of a table for its controller, phones and simulation: keys, lamps, and their pins (docs/reference/panel.md); and what staff see
of the phones."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from twinwall.values import FrozenStruct, Shape

Place = Annotated[int, Meta(ge=0, le=3)]
MOST_MS = 10**13
"""Ms from 1970 to the year 2286, so that times may be of any clock."""
AtMs = Annotated[int, Meta(ge=0, le=MOST_MS)]
"""A time on the table's clock."""


class Key(StrEnum):
    """The keys at every place, in the order of the matrix columns."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    WIN = "win"
    CONFIRM = "confirm"
    REFEREE = "referee"
    RIICHI = "riichi"


KEYS = tuple(Key)


class KeyEdge(Shape, tag_field="line", tag="key"):
    """A key at a place was pressed; also a line of an observation file."""

    at_ms: AtMs
    place: int
    key: Key


class Lamps(Shape):
    """The lit lamps; ``turn`` and ``call`` hold places, ``wall`` is the place whose wall gets the tile in hand."""

    turn: frozenset[Place] = frozenset()
    call: frozenset[Place] = frozenset()
    window: bool = False
    fault: bool = False
    buzzer: bool = False
    wall: Place | None = None


class KeyLamps(Lamps):
    """The lamps as phones show them, with the keys that the rules use."""

    keys: tuple[Key, ...] = KEYS


class NumberedPress(FrozenStruct):
    """A press on a phone; ``number`` counts from 1 since the phones' server started."""

    number: int
    place: Place
    key: Key


class PressList(FrozenStruct):
    """Presses on phones; ``run`` changes when the server restarts and counts from 1 again."""

    run: str
    presses: list[NumberedPress]


class PanelPins(FrozenStruct):
    """BCM numbers: rows are places 0 to 3, columns the keys in ``KEYS`` order; a high level lights a lamp. Pins without another function
    are six too few, so those of SPI 0 and 1-Wire are used, which Raspberry Pi OS leaves off. No lamp is at a pin below 9, because a Pi
    pulls those up until the program starts."""

    rows: tuple[int, int, int, int] = (5, 6, 13, 19)
    columns: tuple[int, int, int, int, int, int, int] = (12, 16, 20, 21, 8, 7, 4)
    turn: tuple[int, int, int, int] = (11, 17, 27, 22)
    call: tuple[int, int, int, int] = (23, 24, 18, 25)
    window: int = 26
    fault: int = 9
    buzzer: int = 10
    wall: tuple[int, ...] = ()
    """One for each place, or none: only a table with hand-built walls needs them."""


class PhoneState(FrozenStruct, tag="state"):
    """What a phone reports from time to time; None if its browser does not say."""

    battery: Annotated[float, Meta(ge=0, le=1)] | None = None
    charging: bool | None = None
    width: int | None = None
    height: int | None = None
    facing: Annotated[str, Meta(max_length=20)] | None = None
    in_front: bool = True


class PhoneNow(FrozenStruct):
    """What staff see of a role: whether a phone has it and is connected, and its last state."""

    table: str
    name: str
    given: bool
    connected: bool
    words: str | None = None
    """Also shown on the phone."""
    state: PhoneState | None = None

    @property
    def kind(self) -> str:
        """``gate``, ``table``, ``keys`` or ``builder``."""
        return self.name.partition("-")[0]

    @property
    def number(self) -> str:
        """The number of a gate or place, or empty."""
        return self.name.partition("-")[2]

    @property
    def is_low(self) -> bool:
        """Whether the battery is nearly empty and not charging."""
        return self.state is not None and self.state.battery is not None and self.state.battery < 0.2 and not self.state.charging
