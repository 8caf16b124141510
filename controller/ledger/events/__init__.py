"""What happens at a table: the events of the private journal.

The state of a table is the fold of these events and nothing else. Play events come from the
rules of the game, and rulings from the wire, as they are; the rest is the table's own, by what it is about: the machine
(``service``), the wall in the making (``wall``), the hand at the table (``hand``). What of it players
may see is decided by the field classes of ``twinwall.wire.events.definitions``, not here.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping

from controller.ledger.codec import CodecError, Json, decode, encode, type_name
from controller.ledger.events.hand import (
    ClaimBound,
    ClaimCalled,
    ClaimRefused,
    ClaimsClosed,
    ClaimsOpened,
    DealFouled,
    DealReleased,
    GateUnlocked,
    HandClosed,
    HandEvent,
    HandsTaken,
    HandStarted,
    HandTileTaken,
    KongCalled,
    KongRefused,
    MagazinesSurveyed,
    PaymentsComputed,
    PaymentsConfirmed,
    PaymentsProposed,
    PlayHalted,
    RefereeCalled,
    RiichiCalled,
    RulingRefused,
    Settled,
    SharedTileLifted,
    SightDoubted,
    TileTakenAgain,
    Violation,
    WinCalled,
    WinCallRefused,
)
from controller.ledger.events.service import (
    CameraTrouble,
    ControllerStarted,
    Fault,
    FaultCleared,
    FeederBooted,
    FeederEventTaken,
    LinkLost,
    LinkRestored,
    OperationDone,
    OperationIssued,
    PauseOver,
    ServiceEvent,
)
from controller.ledger.events.wall import (
    Building,
    Cleared,
    ClearingBegan,
    DealOpened,
    DealRefused,
    DrumEmptied,
    PositionsChecked,
    PositionsDoubted,
    Surveyed,
    TileArrived,
    TileRead,
    TilesNamed,
    TilesWorn,
    WallChecked,
    WallEvent,
    WallRaised,
    WallReady,
    WallWeighed,
    WellCounted,
)
from twinwall.game import play_json
from twinwall.game.play_events import PlayEvent
from twinwall.wire.messages.ruling import Ruling, read_ruling, ruling_fields

TableEvent = ServiceEvent | WallEvent | HandEvent
JournalEvent = TableEvent | PlayEvent | Ruling

_RULING = "ruling"
_TABLE_EVENTS: Mapping[str, type] = {type_name(cls): cls for cls in typing.get_args(TableEvent)}


def event_to_json(event: JournalEvent) -> dict[str, Json]:
    """An event with its type and fields, as it stands in the journal (and, filtered, in the public ledger)."""
    if isinstance(event, PlayEvent):
        return play_json.to_json(event)
    if isinstance(event, Ruling):
        return {"type": _RULING, **ruling_fields(event)}
    written = encode(event, tagged=True)
    assert isinstance(written, dict)
    return written


def event_from_json(written: Mapping[str, Json]) -> JournalEvent:
    """Read an event; raises CodecError, FormError or NotationError naming what does not fit."""
    if written.get("type") == _RULING:
        return read_ruling({key: value for key, value in written.items() if key != "type"})
    cls = _TABLE_EVENTS.get(str(written.get("type")))
    if cls is None:
        return play_json.from_json(written)
    return typing.cast(TableEvent, decode(cls, dict(written), str(written["type"])))


__all__ = [
    "Building",
    "CameraTrouble",
    "ClaimBound",
    "ClaimCalled",
    "ClaimRefused",
    "ClaimsClosed",
    "ClaimsOpened",
    "Cleared",
    "ClearingBegan",
    "CodecError",
    "ControllerStarted",
    "DealFouled",
    "DealOpened",
    "DealRefused",
    "DealReleased",
    "DrumEmptied",
    "Fault",
    "FaultCleared",
    "FeederBooted",
    "FeederEventTaken",
    "GateUnlocked",
    "HandClosed",
    "HandStarted",
    "HandTileTaken",
    "HandsTaken",
    "JournalEvent",
    "KongCalled",
    "KongRefused",
    "LinkLost",
    "LinkRestored",
    "MagazinesSurveyed",
    "OperationDone",
    "OperationIssued",
    "PauseOver",
    "PaymentsComputed",
    "PaymentsConfirmed",
    "PaymentsProposed",
    "PlayHalted",
    "PositionsChecked",
    "PositionsDoubted",
    "RefereeCalled",
    "RiichiCalled",
    "RulingRefused",
    "Settled",
    "SharedTileLifted",
    "SightDoubted",
    "Surveyed",
    "TableEvent",
    "TileArrived",
    "TileRead",
    "TileTakenAgain",
    "TilesNamed",
    "TilesWorn",
    "Violation",
    "WallChecked",
    "WallRaised",
    "WallReady",
    "WallWeighed",
    "WellCounted",
    "WinCallRefused",
    "WinCalled",
    "event_from_json",
    "event_to_json",
]
