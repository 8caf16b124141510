"""The events of the private journal: those that leave the table, and those that only the controller knows.

The state of a table is the fold of these events and nothing else. ``twinwall.wire.events`` defines the events that leave the table, with
the secrecy class of each field; events of play are the game's, rulings the wire's. This module has the events that never leave the
controller, and the JSON form of all events.
"""

import typing
from collections.abc import Mapping

from firmware_bridge.messages import Command
from twinwall.game import play_json, typed_json
from twinwall.game.play_events import PlayEvent
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.values import frozen
from twinwall.wire.events.catalogue import PublishedEvent
from twinwall.wire.events.definitions import type_name
from twinwall.wire.events.hand_events import HandWorth, RecordDoubt
from twinwall.wire.messages.ruling import Ruling, read_ruling, ruling_fields
from vision.reading import Candidate


@frozen
class FeederBooted:
    """The feeder answers with a new boot id: it does not know operations in flight.

    ``last_operation`` is its highest known number if this journal has none as high, after a replaced controller.
    """

    uid: str
    boot: int
    last_operation: int | None = None


@frozen
class OperationIssued:
    """The feeder receives a command; ``tile`` is the kind that moves, if any."""

    operation: int
    command: Command
    tile: Tile | None


@frozen
class OperationDone:
    """The feeder has done it, or failed to; ``result`` is the protocol's result word."""

    operation: int
    result: str


@frozen
class FeederEventTaken:
    """The feeder's event of this number is in the journal with its consequences, and need not be reported again."""

    number: int


@frozen
class PauseOver:
    """The feeder may be asked again for an operation that it refused."""

    operation: int


@frozen
class TileArrived:
    """A tile is in a gate's window; ``number`` is the feeder's event number. ``doubled``: several slid in together."""

    number: int
    back: int
    doubled: bool = False
    gate: int = 0


@frozen
class TileRead:
    """A gate camera's answer: a tile with its probability, or None with the reason of the refusal.

    ``others`` are the next likely kinds, ``second`` the result of a second model for the same frame, if any.
    """

    tile: Tile | None
    probability: float
    reason: str
    others: tuple[Candidate, ...] = ()
    second: tuple[Candidate, ...] = ()
    gate: int = 0


@frozen
class PositionsDoubted:
    """The tiles at these tray positions (place, position) and in these bypass cells are no longer trusted; they go back to the gate.

    ``reason`` is ``fifth-copy``, ``sensed``, ``covering``, ``recount``, ``naming``, ``doubtful`` or ``sampled``; with ``fifth-copy`` the
    tile in ``gate`` is doubted as well.
    """

    positions: tuple[tuple[int, int], ...]
    cells: tuple[int, ...]
    reason: str
    gate: int = 0


@frozen
class Surveyed:
    """The trays' sensors were compared with the journal.

    These positions and cells are empty, these cells have an unknown tile, these gates have lost theirs; whether the drum is feeding and the
    well open; and the number of tiles in the magazines.
    """

    emptied: tuple[tuple[int, int], ...]
    emptied_cells: tuple[int, ...]
    unknown_cells: tuple[int, ...]
    emptied_gates: tuple[int, ...]
    feeding: bool
    well_open: bool
    magazines: int


@frozen
class DrumEmptied:
    """The drum is empty while positions are still open."""


@frozen
class TilesNamed:
    """Staff saw what the set lacks; the build continues when they have added it."""

    missing: TileRow


@frozen
class WallWeighed:
    """All looks at the tiles of a full wall were combined; ``doubt`` is the expected number of swapped pairs in it."""

    n: int
    doubt: float


@frozen
class PositionsChecked:
    """Tiles from a ready wall returned to the gate and were read again; ``agreed`` if all were as before."""

    positions: tuple[tuple[int, int], ...]
    agreed: bool


@frozen
class HandTileTaken:
    """A hand tile left its place in the magazine of a seat."""

    seat: Seat
    index: int


@frozen
class MagazinesSurveyed:
    """The magazines' sensors were compared with the journal; further events have the consequences."""


@frozen
class SightDoubted:
    """What the overhead camera settled on in this watch is impossible: it is looked at again before it is believed."""

    watch: str


@frozen
class LastDiscardSeen:
    """The last discard before the controller was away is still in its place."""


@frozen
class DiscardAstray:
    """The next discard is out of its place, on these river places (place, number): what is there later is not a discard from then."""

    covers: tuple[tuple[int, int], ...]


@frozen
class HandTimePassed:
    """This much of the time of the hand in play has passed."""

    spent_s: float


@frozen
class RecordDisputed(RecordDoubt):
    """After a hand, the decoder that knows the deal reads event ``number`` of its record differently: ``held`` and ``read`` are the two
    events in the notation of hand records, empty for none. Or before that event ``seat`` may have committed one of these ``violations``: by
    stable word, the rule that each breaks. Secret until the deal is released."""

    @property
    def key(self) -> tuple[int, int, Seat | None]:
        """Identifies the doubt, as in ``controller.state.questions.DoubtKey``."""
        return self.n, self.number, self.seat


@frozen
class PaymentsComputed(HandWorth):
    """The value of the shown hands by the rules; the winner (in a drawn hand East) is asked to enter it.

    If several won, ``seat`` is the first one heard, and the fans are those of all.
    """


PrivateEvent = (
    FeederBooted
    | OperationIssued
    | OperationDone
    | FeederEventTaken
    | PauseOver
    | TileArrived
    | TileRead
    | PositionsDoubted
    | Surveyed
    | DrumEmptied
    | TilesNamed
    | WallWeighed
    | PositionsChecked
    | HandTileTaken
    | MagazinesSurveyed
    | SightDoubted
    | LastDiscardSeen
    | DiscardAstray
    | HandTimePassed
    | RecordDisputed
    | PaymentsComputed
)
JournalEvent = PrivateEvent | PublishedEvent
Events = tuple[JournalEvent, ...]

EVENT_CLASSES: Mapping[str, type] = {type_name(cls): cls for cls in typing.get_args(JournalEvent)}
"""Every class of event by its name in a journal line."""


def event_to_json(event: JournalEvent) -> dict[str, object]:
    """An event with its type and fields, as in the journal (and, filtered, in the public ledger)."""
    if isinstance(event, PlayEvent):
        return play_json.to_json(event)
    if isinstance(event, Ruling):
        return {"type": type_name(Ruling), **ruling_fields(event)}
    return {**typed_json.tagged(event), "type": type_name(type(event))}


def event_from_json(written: Mapping[str, object]) -> JournalEvent:
    """Read an event; raises DocumentError or NotationError, which names what is wrong."""
    name = str(written.get("type"))
    cls, event_fields = EVENT_CLASSES.get(name), {key: value for key, value in written.items() if key != "type"}
    if cls is Ruling:
        return read_ruling(event_fields)
    if cls is None or issubclass(cls, PlayEvent):
        return play_json.from_json(written)
    return typing.cast(JournalEvent, typed_json.read_as(event_fields, cls, name))
