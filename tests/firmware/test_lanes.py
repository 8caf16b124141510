"""A machine without shuttles: it leads each tile into a seat's lane, and a person takes it from the lane's end."""

from __future__ import annotations

import zlib
from dataclasses import replace

import pytest

from firmware_bridge.board.library import PinReading
from firmware_bridge.board.table_record import RecordError, TableRecord, decode
from firmware_bridge.electrics.wiring import Input, Output
from firmware_bridge.link.events import Done
from firmware_bridge.messages import (
    PLACE_EDGES,
    Bypass,
    Clear,
    Container,
    Dump,
    Fault,
    FaultCode,
    FeederState,
    Hold,
    NakCode,
    Place,
    Raise,
    Recirculate,
    Reject,
    Result,
    Return,
    Sensors,
    TileAtGate,
)
from tests.support.link.pair import LANES, Pair

SEAT = 2


def laned() -> Pair:
    """Such a machine, with a tile in its gate."""
    return Pair(machine=LANES).fed()


def comes(pair: Pair, seat: int = SEAT) -> int:
    """Run until a tile lies at a lane's end; the number of its operation."""
    operation = pair.submit(Place(seat, 0))
    pair.run_until(lambda: seat in pair.status().bypass)
    return operation


def take(pair: Pair, seat: int = SEAT) -> None:
    pair.run_for(0.2)
    pair.mechanics.hands.take_from_lane(seat, pair.now_s)


def flick(pair: Pair, *, level: bool) -> None:
    """The switch at the lane's end reads ``level`` for a moment."""
    for reads in (level, not level):
        pair.firmware.touch(Input.CELL_FULL + SEAT, reads)
        pair.run_for(0.15)


def test_it_is_ready_though_no_carriage_comes_home() -> None:
    pair = Pair(machine=LANES).linked()
    pair.run_for(30.0)
    assert pair.status().state is FeederState.READY, "which no fault is"


def test_a_tile_counts_as_placed_when_a_hand_has_taken_it_from_the_lane() -> None:
    pair = laned()
    operation = comes(pair)
    flick(pair, level=False)
    pair.run_for(20.0)
    assert pair.status().report.waiting[SEAT] == 1
    take(pair)
    answer = pair.answer_to(operation)
    assert isinstance(answer, Done)
    assert (answer.result, answer.sensors) == (Result.OK, PLACE_EDGES)
    assert pair.status().counters.placed == 1


def test_a_lane_takes_no_second_tile_before_the_first_is_taken() -> None:
    pair = laned()
    comes(pair)
    pair.run_until(lambda: pair.status().gate_occupied)
    assert pair.refusal(Place(SEAT, 0)) is NakCode.OCCUPIED
    other = comes(pair, SEAT + 1)
    take(pair, SEAT + 1)
    assert pair.end_of(other) is Result.OK


def test_a_lane_in_which_a_tile_was_left_takes_none_before_that_is_taken() -> None:
    pair = laned()
    operation = comes(pair)
    pair.run_until(lambda: pair.status().gate_occupied)
    for opened in (True, False):
        pair.mechanics.hands.set_lid(opened, pair.now_s)
        pair.run_for(0.1)
    pair.done(Clear(FaultCode.LID))
    assert pair.end_of(operation) is Result.DISTURBED
    assert pair.refusal(Place(SEAT, 0)) is NakCode.OCCUPIED
    take(pair)
    pair.run_until(lambda: SEAT not in pair.status().bypass)
    other = comes(pair)
    take(pair)
    assert pair.end_of(other) is Result.OK


def test_a_tile_in_a_lane_is_disturbed_by_a_stop_and_nothing_moves_to_find_its_way_home() -> None:
    pair = laned()
    operation = comes(pair)
    pair.done(Hold())
    pair.stop_and_clear()
    assert pair.status().state is FeederState.READY
    take(pair)
    assert pair.end_of(operation) is Result.DISTURBED
    assert not pair.firmware.shows(Output.PURGE)


def test_drum_and_reject_cell_have_their_lanes_behind_the_four() -> None:
    pair = laned()
    assert pair.done(Recirculate()).sensors == Sensors.GATE_LEFT | Sensors.DRUM_IN
    pair.wait(TileAtGate)
    assert pair.done(Reject()).sensors == Sensors.GATE_LEFT | Sensors.REJECT_IN


def test_what_it_has_not_is_refused() -> None:
    pair = laned()
    assert pair.refusal(Return(SEAT, 0)) is NakCode.EMPTY
    for command in (Place(SEAT, 1), Bypass(0), Raise(), Dump(Container.TRAY, SEAT)):
        assert pair.refusal(command) is NakCode.NO_SUCH_PLACE


def test_a_hand_in_an_empty_lane_is_no_fault() -> None:
    pair = laned()
    flick(pair, level=True)
    assert not pair.status().faults


def test_the_record_of_such_a_machine_comes_back_and_has_neither_cells_nor_shuttles() -> None:
    record = TableRecord(b"TWLANES1", lanes=True, tray_places=1, wall_places=1, hand_places=0, bypass_cells=0)
    assert decode(record.encode()) == record
    with pytest.raises(RecordError, match="no bypass cells"):
        replace(record, bypass_cells=4)
    with pytest.raises(RecordError, match="by motors"):
        _ = decode(_with_worked_by(3))


def _with_worked_by(number: int) -> bytes:
    head = bytearray(TableRecord(b"TWLANES1", bypass_cells=0).encode()[:-4])
    head[27] = number
    return bytes(head) + zlib.crc32(head).to_bytes(4, "little")


def test_a_tile_that_does_not_come_to_the_end_of_its_lane_is_a_jam() -> None:
    pair = laned()
    pair.firmware.board.stick(Input.CELL_FULL + SEAT, PinReading.LOW)
    assert pair.end_of(pair.submit(Place(SEAT, 0))) is Result.FAILED
    assert [fault.code for fault in pair.all(Fault)] == [FaultCode.JAM]
