"""Table faults: code, place and tiles as fields, the sentence beside them, and equal when read back from the journal."""

import pytest

from controller.ledger.journal_events import event_from_json, event_to_json
from controller.state.faults import (
    FEEDER_FAULTS,
    ContradictingLooks,
    EmergencyStop,
    Fault,
    FeederFault,
    FifthCopy,
    ForeignTile,
    MissingTiles,
    NoRearGate,
    OpenDrumLid,
    OtherSetTile,
    Overdue,
    RefusedDeal,
    TileNotInRules,
    UnreadableTile,
    UnreadTile,
    WellCountDiffers,
    WrongPort,
    fault_event,
)
from controller.state.waits import Wait, stands
from firmware_bridge.messages import FaultCode, Where
from twinwall.game.tiles import Tile
from twinwall.wire.events.projection import project
from twinwall.wire.events.trouble_events import TableFault, TablePart
from vision.mat import Area, Slot

Fields = tuple[str, str, tuple[Tile, ...] | None, TablePart | None, int | None, int | None]
FAULTS: list[tuple[Fault, Fields]] = [
    (ForeignTile(), ("foreign-tile", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (UnreadableTile(), ("unreadable-tile", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (OtherSetTile(Tile.P5, "blue"), ("other-set", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (TileNotInRules(Tile.RED, "sichuan"), ("extra-tile", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (FifthCopy(Tile.M1), ("extra-tile", "reject cell", (Tile.M1,), TablePart.REJECT_CELL, None, None)),
    (MissingTiles((Tile.M3, Tile.P5), well=True), ("missing-tiles", "well", (Tile.M3, Tile.P5), TablePart.WELL, None, None)),
    (MissingTiles((Tile.M3,), well=False), ("missing-tiles", "drum", (Tile.M3,), TablePart.DRUM, None, None)),
    (ContradictingLooks(), ("wall-doubted", "gate", None, TablePart.GATE, None, None)),
    (WellCountDiffers(-1), ("well-count", "well", None, TablePart.WELL, None, None)),
    (WellCountDiffers(2), ("well-count", "well", None, TablePart.WELL, None, None)),
    (RefusedDeal(7, "Deal 7 must not be played"), ("deal-refused", "deal 7", None, None, None, None)),
    (UnreadTile(Slot(2, Area.RIVER, 5)), ("unread-tile", "place 2 river 5", None, TablePart.RIVER, 2, 5)),
    (EmergencyStop(), ("estop", "table", None, TablePart.TABLE, None, None)),
    (OpenDrumLid(), ("lid", "drum", None, TablePart.DRUM, None, None)),
    (NoRearGate(5, "seigo"), ("no-rear-gate", "gate 5", None, TablePart.REAR_GATE, 1, None)),
    (FeederFault(FaultCode.JAM, Where.TRAY + 3), ("feeder-jam", "0x23", None, TablePart.TRAY, None, 3)),
    (FeederFault(FaultCode.DOUBLE_FEED, Where.GATE), ("feeder-double-feed", "0x10", None, TablePart.GATE, None, None)),
    (FeederFault(FaultCode.JAM, 0x97), ("feeder-jam", "0x97", None, None, None, None)),
    (Overdue(stands(Wait.TILE)), ("drum-blocked", "drum", None, TablePart.DRUM, None, None)),
    (WrongPort("It is a modem", another=False), ("not-a-feeder", "serial port", None, TablePart.SERIAL_PORT, None, None)),
    (WrongPort("It is 02", another=True), ("wrong-feeder", "serial port", None, TablePart.SERIAL_PORT, None, None)),
]


@pytest.mark.parametrize(("fault", "fields"), FAULTS)
def test_a_fault_carries_its_code_place_and_tiles_as_fields(fault: Fault, fields: Fields) -> None:
    event = fault_event(fault)
    assert (event.code, event.where, event.tiles, event.part, event.place, event.number) == fields
    line = event_to_json(event)
    assert event_from_json(line) == event
    assert None not in line.values()
    assert project("fault", {key: value for key, value in line.items() if key != "type"}) is not None


def test_a_line_from_before_these_fields_is_read() -> None:
    line = {"type": "fault", "code": "lid", "where": "drum", "sentence": "The lid is open: close it"}
    event = event_from_json(line)
    assert event == TableFault("lid", "drum", "The lid is open: close it")
    assert event_to_json(event) == line


def test_each_fault_of_the_feeder_has_a_code_of_its_own() -> None:
    assert FEEDER_FAULTS["feeder-sensors-disagree"] is FaultCode.SENSORS_DISAGREE
    assert set(FEEDER_FAULTS.values()) == set(FaultCode)
