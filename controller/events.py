"""What happens at a table: the events of the private journal.

The state of a table is the fold of these events and nothing else. Play events come from the
rules of the game as they are; the rest is the table's own: the feeder's operations, what the gate
camera read, who took what, what was called, what went wrong. What of it players may see is decided
by the field classes of ``twinwall.wire.events``, not here.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass

from controller.codec import CodecError, Json, decode, encode, type_name
from firmware_bridge.messages import Command
from twinwall.game import play_json
from twinwall.game.deals import SeatWall
from twinwall.game.play import Claim, Fan, PlayEvent
from twinwall.game.tiles import Seat, Tile


@dataclass(frozen=True, slots=True)
class ControllerStarted:
    """A controller began to run on the journal with this id. Operation numbers below ``first_operation`` are never used again."""

    journal: str
    version: str
    resumed: bool
    first_operation: int


@dataclass(frozen=True, slots=True)
class FeederBooted:
    """The feeder answers with a boot id not seen before: operations in flight are unknown to it."""

    uid: str
    boot: int


@dataclass(frozen=True, slots=True)
class LinkLost:
    """A part of the table is not heard."""

    what: str


@dataclass(frozen=True, slots=True)
class LinkRestored:
    """The part is heard again."""

    what: str


@dataclass(frozen=True, slots=True)
class DealOpened:
    """The deal of the next hand was opened and agrees with its commitment."""

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str


@dataclass(frozen=True, slots=True)
class DealRefused:
    """A deal that must not be played; nothing was moved."""

    n: int
    reason: str
    sentence: str


@dataclass(frozen=True, slots=True)
class TileArrived:
    """A tile lies in the gate's window; ``number`` is the feeder's event number."""

    number: int
    back: int


@dataclass(frozen=True, slots=True)
class TileRead:
    """The gate camera's answer: a tile with its probability, or None with the reason of the refusal."""

    tile: Tile | None
    probability: float
    reason: str


@dataclass(frozen=True, slots=True)
class OperationIssued:
    """The feeder is told to do something; ``tile`` is the kind that moves, where one does."""

    operation: int
    command: Command
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class OperationDone:
    """The feeder has done it, or failed to; ``result`` is the protocol's result word."""

    operation: int
    result: str


@dataclass(frozen=True, slots=True)
class FeederEventTaken:
    """The feeder's event of this number is in the journal, with what follows from it, and need not be told again."""

    number: int


@dataclass(frozen=True, slots=True)
class PauseOver:
    """A feeder that refused an operation may be asked again."""


@dataclass(frozen=True, slots=True)
class PositionsDoubted:
    """The tiles at these tray positions (place, position) and in these bypass cells can no longer be trusted;
    they go back to the gate. ``reason`` is ``fifth-copy``, ``sensed``, ``covering`` or ``naming``."""

    positions: tuple[tuple[int, int], ...]
    cells: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The sensors were compared with the journal: these positions and cells turned out empty, these cells hold an
    unknown tile, and the drum is feeding or not."""

    emptied: tuple[tuple[int, int], ...]
    emptied_cells: tuple[int, ...]
    unknown_cells: tuple[int, ...]
    gate_empty: bool
    feeding: bool


@dataclass(frozen=True, slots=True)
class DrumEmptied:
    """The drum is empty while positions are still open."""


@dataclass(frozen=True, slots=True)
class TilesNamed:
    """What the set lacks has been told to staff; the build goes on when they have added it."""

    missing: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Building:
    """How far the wall is."""

    placed: int
    of: int


@dataclass(frozen=True, slots=True)
class WallReady:
    """Every position is filled and sensed, every kind counts four, and the digest is the deal's."""

    n: int
    check: str
    digest: str


@dataclass(frozen=True, slots=True)
class WallRaised:
    """The walls stand in the magazines."""

    n: int


@dataclass(frozen=True, slots=True)
class HandTileTaken:
    """A hand tile left its place in the magazine of a seat."""

    seat: Seat
    index: int


@dataclass(frozen=True, slots=True)
class HandsTaken:
    """All hand places are empty."""

    n: int


@dataclass(frozen=True, slots=True)
class HandStarted:
    """Play begins, by the rule set with these options (the others are its defaults)."""

    n: int
    session: int
    hand: int
    rules: str
    options: Mapping[str, bool | int | str]
    round: Seat
    seats: Mapping[Seat, str]
    places: Mapping[Seat, int]
    draws: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class GateUnlocked:
    """A seat may take its next tile (the lock itself is a lease, renewed by operations)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ClaimsOpened:
    """The others may call the discard; the window always has this length."""

    seat: Seat
    tile: Tile
    window_s: float


@dataclass(frozen=True, slots=True)
class ClaimBound:
    """A seat pressed a key and is bound by it."""

    seat: Seat
    call: Claim


@dataclass(frozen=True, slots=True)
class ClaimsClosed:
    """The window is over; ``granted`` are the bound seats, the claim that stands first."""

    granted: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class ClaimRefused:
    """The exposed tiles do not make the claimed meld: the claim falls and the next one stands."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SightDoubted:
    """What the overhead camera settled on in this watch cannot lie there: it is looked at again before it is believed."""

    watch: str


@dataclass(frozen=True, slots=True)
class KongCalled:
    """A seat pressed KONG at its own turn: it lays a fourth tile on its pung, or four tiles face down and presses CONFIRM."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class KongRefused:
    """What was laid does not make the kong: the seat takes it back and discards."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PaymentsComputed:
    """What the shown hand is worth by the rules; the winner (in a drawn hand East) is asked to enter it.

    Where several won, ``seat`` is the one heard first and the fans are those of all.
    """

    seat: Seat
    fans: tuple[Fan, ...]
    total: int
    payments: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class PaymentsProposed:
    """A seat entered the payments."""

    seat: Seat
    fans: tuple[Fan, ...]
    total: int
    payments: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class PaymentsConfirmed:
    """Another seat confirmed them."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Settled:
    """The payments stand."""

    payments: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class HandClosed:
    """The hand is recorded."""

    n: int


@dataclass(frozen=True, slots=True)
class Violation:
    """Something the rules do not allow."""

    seat: Seat
    what: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RefereeCalled:
    """A seat called the referee."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DealFouled:
    """This table's wall was not the deal."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of the table needs a person."""

    code: str
    where: str
    sentence: str


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """Staff have dealt with it."""

    code: str


TableEvent = (
    ControllerStarted
    | FeederBooted
    | LinkLost
    | LinkRestored
    | DealOpened
    | DealRefused
    | TileArrived
    | TileRead
    | OperationIssued
    | OperationDone
    | FeederEventTaken
    | PauseOver
    | PositionsDoubted
    | Surveyed
    | DrumEmptied
    | TilesNamed
    | Building
    | WallReady
    | WallRaised
    | HandTileTaken
    | HandsTaken
    | HandStarted
    | GateUnlocked
    | ClaimsOpened
    | ClaimBound
    | ClaimsClosed
    | ClaimRefused
    | SightDoubted
    | KongCalled
    | KongRefused
    | PaymentsComputed
    | PaymentsProposed
    | PaymentsConfirmed
    | Settled
    | HandClosed
    | Violation
    | RefereeCalled
    | DealFouled
    | Fault
    | FaultCleared
)
JournalEvent = TableEvent | PlayEvent

_TABLE_EVENTS: Mapping[str, type] = {type_name(cls): cls for cls in typing.get_args(TableEvent)}


def event_to_json(event: JournalEvent) -> dict[str, Json]:
    """An event with its type and fields, as it stands in the journal (and, filtered, in the public ledger)."""
    if isinstance(event, PlayEvent):
        return play_json.to_json(event)
    written = encode(event, tagged=True)
    assert isinstance(written, dict)
    return written


def event_from_json(written: Mapping[str, Json]) -> JournalEvent:
    """Read an event; raises CodecError or NotationError naming what does not fit."""
    cls = _TABLE_EVENTS.get(str(written.get("type")))
    if cls is None:
        return play_json.from_json(written)
    return typing.cast(TableEvent, decode(cls, dict(written), str(written["type"])))


__all__ = ["CodecError", "JournalEvent", "event_from_json", "event_to_json"]
