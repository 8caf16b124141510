"""Faults, keys and watches: their state, and their forms in the journal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    tiles_not_raised,
    unread_tile,
    unreadable_tile,
    well_count_differs,
    wrong_port,
)
from controller.state.messages import ClaimWindowTimer, Debouncer, KeyPressed, timer_id
from controller.state.waits import Wait, stands
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from firmware_bridge.messages import FaultCode, Where
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.trouble_events import TableFault, TablePart
from twinwall.wire.ledger import project
from twinwall.wire.shapes.panel import KEYS, Key
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
    (tiles_not_raised("East 4", 2, 3), ("tile-not-raised", "place 2 wall 3", None, TablePart.WALL, 2, 3)),
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


PUNG, WIN = (2, Key.PUNG), (0, Key.WIN)
HOLD_S = 0.02


NONE: set[tuple[int, Key]] = set()


def pressed(scans: list[tuple[float, set[tuple[int, Key]]]]) -> list[KeyPressed]:
    """What counts as pressed over scans (seconds, closed keys)."""
    debouncer = Debouncer(HOLD_S)
    return [press for now, closed in scans for press in debouncer.scanned(frozenset(closed), now)]


Scans = list[tuple[float, set[tuple[int, Key]]]]
BOUNCING: Scans = [(0.001 * scan, {PUNG} if scan % 2 else NONE) for scan in range(60)]
HELD: Scans = [(0.0, {PUNG}), (0.02, {PUNG}), (0.021, NONE)]


@pytest.mark.parametrize(
    ("scans", "times"),
    [
        pytest.param([(0.001 * scan, {PUNG}) for scan in range(200)], 1, id="held for long"),
        pytest.param([(0.0, {PUNG}), (0.019, {PUNG}), (0.0195, NONE), (0.1, NONE)], 0, id="too short a touch"),
        pytest.param(BOUNCING, 0, id="bouncing, for longer than a press takes"),
        pytest.param([*BOUNCING, *((0.060 + 0.001 * scan, {PUNG}) for scan in range(40))], 1, id="still after it has bounced"),
        pytest.param([*HELD, (0.026, {PUNG}), (0.08, {PUNG})], 1, id="let go for too short"),
        pytest.param([*HELD, (0.051, NONE), (0.06, {PUNG}), (0.09, {PUNG})], 2, id="let go for as long"),
    ],
)
def test_a_key_counts_when_it_has_been_still_for_long_enough(scans: Scans, times: int) -> None:
    assert pressed(scans) == [KeyPressed(*PUNG)] * times


def test_a_panel_is_busy_from_the_first_touch_until_the_key_counts_as_let_go() -> None:
    debouncer, busy = Debouncer(HOLD_S), list[bool]()
    for now, closed in [(0.0, NONE), (0.01, {PUNG}), (0.04, {PUNG}), (0.05, NONE), (0.06, NONE), (0.09, NONE)]:
        debouncer.scanned(frozenset(closed), now)
        busy.append(debouncer.is_busy)
    assert busy == [False, True, True, True, True, False]


def test_keys_pressed_in_one_scan_come_in_order_of_place_and_key() -> None:
    closed = {(3, Key.CHOW), (0, Key.WIN), (0, Key.CHOW)}
    assert pressed([(0.0, closed), (0.05, closed)]) == [KeyPressed(0, Key.CHOW), KeyPressed(0, Key.WIN), KeyPressed(3, Key.CHOW)]


keys = st.frozensets(st.tuples(st.integers(0, 3), st.sampled_from(KEYS)), max_size=3)


@given(st.lists(st.tuples(st.integers(1, 15), keys), max_size=60))
def test_a_key_never_counts_twice_without_having_been_seen_open_in_between(steps: list[tuple[int, frozenset[tuple[int, Key]]]]) -> None:
    debouncer, now_ms = Debouncer(HOLD_S), 0
    counted: set[tuple[int, Key]] = set()
    for step_ms, closed in steps:
        now_ms += step_ms
        counted -= {key for key in counted if key not in closed and key not in debouncer._down}
        for press in debouncer.scanned(closed, now_ms / 1000):
            key = (press.place, press.key)
            assert key in closed
            assert key not in counted
            counted.add(key)
        counted &= debouncer._down


def test_a_watch_is_labelled_by_tile_moment_and_ruling_and_a_claim_window_by_deal_and_number() -> None:
    assert timer_id(ClaimWindowTimer(7, 3)) == "claim-window:7.3"
    before = Watch(Awaited(Awaits.DISCARD, Seat.SOUTH, 4), (), version=WatchVersion(7, 12, 1, 0))
    after = Watch(Awaited(Awaits.DISCARD, Seat.SOUTH, 4), (), version=WatchVersion(7, 12, 2, 1))
    assert before.label == "discard S 4 at 7.12 look 1"
    assert after.label == "discard S 4 at 7.12 look 2 ruled 1"
