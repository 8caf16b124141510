"""Table faults: code, place and tiles as fields, the sentence beside them, and equal when read back from the journal."""

import pytest

from controller.ledger.journal_events import event_from_json, event_to_json
from controller.state.faults import (
    FEEDER_FAULTS,
    contradicting_looks,
    emergency_stop,
    feeder_fault,
    fifth_copy,
    foreign_tile,
    missing_tiles,
    no_rear_gate,
    open_drum_lid,
    other_set_tile,
    overdue,
    refused_deal,
    tile_not_in_rules,
    unread_tile,
    unreadable_tile,
    well_count_differs,
    wrong_port,
)
from controller.state.waits import Wait, stands
from firmware_bridge.messages import FaultCode, Where
from twinwall.game.tiles import Tile
from twinwall.wire.events.trouble_events import TableFault, TablePart
from twinwall.wire.ledger import project
from vision.mat import Area, Slot

Fields = tuple[str, str, tuple[Tile, ...] | None, TablePart | None, int | None, int | None]
FAULTS: list[tuple[TableFault, Fields]] = [
    (foreign_tile(), ("foreign-tile", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (unreadable_tile(), ("unreadable-tile", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (other_set_tile(Tile.P5, "blue"), ("other-set", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (tile_not_in_rules(Tile.RED, "sichuan"), ("extra-tile", "reject cell", None, TablePart.REJECT_CELL, None, None)),
    (fifth_copy(Tile.M1), ("extra-tile", "reject cell", (Tile.M1,), TablePart.REJECT_CELL, None, None)),
    (missing_tiles((Tile.M3, Tile.P5), well=True), ("missing-tiles", "well", (Tile.M3, Tile.P5), TablePart.WELL, None, None)),
    (missing_tiles((Tile.M3,), well=False), ("missing-tiles", "drum", (Tile.M3,), TablePart.DRUM, None, None)),
    (contradicting_looks(), ("wall-doubted", "gate", None, TablePart.GATE, None, None)),
    (well_count_differs(-1), ("well-count", "well", None, TablePart.WELL, None, None)),
    (well_count_differs(2), ("well-count", "well", None, TablePart.WELL, None, None)),
    (refused_deal(7, "Deal 7 must not be played"), ("deal-refused", "deal 7", None, None, None, None)),
    (unread_tile(Slot(2, Area.RIVER, 5)), ("unread-tile", "place 2 river 5", None, TablePart.RIVER, 2, 5)),
    (emergency_stop(), ("estop", "table", None, TablePart.TABLE, None, None)),
    (open_drum_lid(), ("lid", "drum", None, TablePart.DRUM, None, None)),
    (no_rear_gate(5, "seigo"), ("no-rear-gate", "gate 5", None, TablePart.REAR_GATE, 1, None)),
    (feeder_fault(FaultCode.JAM, Where.TRAY + 3), ("feeder-jam", "0x23", None, TablePart.TRAY, None, 3)),
    (feeder_fault(FaultCode.DOUBLE_FEED, Where.GATE), ("feeder-double-feed", "0x10", None, TablePart.GATE, None, None)),
    (feeder_fault(FaultCode.JAM, 0x97), ("feeder-jam", "0x97", None, None, None, None)),
    (overdue(stands(Wait.TILE)), ("drum-blocked", "drum", None, TablePart.DRUM, None, None)),
    (wrong_port("It is a modem", another=False), ("not-a-feeder", "serial port", None, TablePart.SERIAL_PORT, None, None)),
    (wrong_port("It is 02", another=True), ("wrong-feeder", "serial port", None, TablePart.SERIAL_PORT, None, None)),
]


@pytest.mark.parametrize(("event", "fields"), FAULTS)
def test_a_fault_carries_its_code_place_and_tiles_as_fields(event: TableFault, fields: Fields) -> None:
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
