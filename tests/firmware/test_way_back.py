"""A returned tile on its way from a mouth to the gate: nothing comes between, and wherever it is cut off, somebody knows of the tile."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.ledger.journal_events import OperationIssued
from firmware_bridge.board.library import CarriageDrive, PinReading
from firmware_bridge.electrics.wired_machine import STEPS_PER_POSITION
from firmware_bridge.electrics.wiring import Input, Output
from firmware_bridge.link.events import FeederEvent
from firmware_bridge.messages import (
    Bypass,
    Clear,
    Fault,
    FaultCode,
    Feed,
    Hold,
    NakCode,
    Place,
    Recirculate,
    Release,
    Result,
    Return,
    Stop,
    TileAtGate,
    Where,
)
from simulator.mechanics import MechanicsSettings
from simulator.tabletop import PhysicalTile
from tests.support.building.deals import Staff, table_that_builds
from tests.support.link.pair import READABLE, Pair, opens_the_lid

REAL_PACE = MechanicsSettings(speed=1.0)
SEAT, POSITION = 2, 33


def with_placed_tiles(machine: MechanicsSettings = REAL_PACE, seats: tuple[int, ...] = (SEAT,)) -> Pair:
    """A pair that feeds no more, with a tile in these seats' last positions and none in the gate."""
    pair = Pair(machine=machine, faults=READABLE).fed()
    for seat in seats:
        pair.done(Place(seat, POSITION))
        if pair.mechanics.gate_tile() is None:
            pair.wait(TileAtGate)
    pair.done(Hold())
    pair.run_for(1.0)
    pair.done(Recirculate())
    return pair


def handed_over(pair: Pair, then_s: float = 0.5, seat: int = SEAT) -> int:
    """The number of a RETURN, so long after its gripper has opened over the return belt."""
    operation = pair.submit(Return(seat, POSITION))
    pair.run_until(lambda: pair.mechanics.carried != 0)
    pair.run_until(lambda: pair.mechanics.carried == 0)
    pair.run_for(then_s)
    return operation


def in_the_drum_when_home(pair: Pair, tile: PhysicalTile | None) -> None:
    pair.ready()
    assert tile in pair.mechanics.census()["drum"]


def shown(pair: Pair) -> list[int]:
    """The RETURN of each tile that has come to the gate, 0 for none."""
    return [event.operation for event in pair.all(TileAtGate)]


@pytest.mark.parametrize("way_s", [1.0, 2.5, 4.0])
@pytest.mark.parametrize("fed_s", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
def test_nothing_from_the_drum_comes_between_a_mouth_and_the_gate_and_the_tile_is_named(way_s: float, fed_s: float) -> None:
    pair = with_placed_tiles(replace(REAL_PACE, return_s=way_s))
    came_s: list[float] = []

    def send_back(event: FeederEvent) -> None:
        if isinstance(event, TileAtGate) and event.operation == 0:
            came_s.append(pair.now_s)
            pair.submit(Recirculate())

    pair.on_event = send_back
    pair.done(Feed())
    pair.run_for(fed_s)
    operation = handed_over(pair, 0.0)
    opened_s = pair.now_s
    assert pair.end_of(operation) is Result.OK
    assert shown(pair)[-1] == operation
    assert max(came_s) < opened_s + 0.5, "it was entering when the gripper opened"
    assert not pair.faults()


def test_the_drum_turns_until_the_gripper_has_opened() -> None:
    pair = with_placed_tiles()
    pair.done(Feed())
    pair.submit(Return(SEAT, POSITION))
    pair.run_until(lambda: pair.mechanics.carried != 0)
    assert pair.firmware.shows(Output.DRUM)


def test_a_tile_that_does_not_come_is_named_by_its_mouth_in_time_and_falls_into_the_drum_when_it_comes_after_all() -> None:
    pair = with_placed_tiles(replace(REAL_PACE, return_s=9.0))
    began_s, tile = pair.now_s, pair.mechanics.tray(SEAT)[POSITION]
    assert pair.end_of(handed_over(pair)) is Result.FAILED
    assert pair.now_s - began_s < 10.0
    assert pair.faults() == [(FaultCode.JAM, Where.RETURN_LANE + SEAT)]
    pair.done(Clear(FaultCode.JAM))
    in_the_drum_when_home(pair, tile)


def test_a_tile_that_stays_before_the_empty_gate_fails_its_operation_there() -> None:
    pair = with_placed_tiles(replace(REAL_PACE, gate_slide_s=8.0))
    assert pair.end_of(handed_over(pair)) is Result.FAILED
    assert pair.faults() == [(FaultCode.JAM, Where.GATE)]


def test_a_tile_that_comes_before_the_gate_although_none_was_let_go_is_a_contradiction() -> None:
    pair = with_placed_tiles()
    pair.firmware.touch(Input.RETURN_LANE, True)
    assert pair.next_fault() == (FaultCode.SENSORS_DISAGREE, Where.GATE)


def test_a_tile_that_comes_to_rest_while_its_barrier_stays_dark_is_a_contradiction() -> None:
    pair = with_placed_tiles()
    operation = handed_over(pair)
    pair.run_until(lambda: pair.mechanics.returned_at(0))
    pair.run_for(0.04)
    pair.firmware.board.stick(Input.RETURN_LANE, PinReading.HIGH)
    assert pair.wait(Fault).where == Where.GATE
    assert pair.faults() == [(FaultCode.SENSORS_DISAGREE, Where.GATE)]
    assert operation not in shown(pair)


def test_a_barrier_that_blinks_before_its_tile_leaves_has_seen_it() -> None:
    pair = with_placed_tiles()
    operation = handed_over(pair)
    pair.run_until(lambda: pair.mechanics.returned_at(0))
    pair.run_for(0.06)
    pair.firmware.touch(Input.RETURN_LANE, False)
    pair.run_for(0.01)
    pair.firmware.touch(Input.RETURN_LANE, True)
    assert pair.end_of(operation) is Result.OK
    assert shown(pair)[-1] == operation


def test_a_tile_that_comes_late_and_waits_long_is_in_time_for_both() -> None:
    pair = with_placed_tiles(replace(REAL_PACE, return_s=4.0, gate_slide_s=4.0))
    assert pair.end_of(handed_over(pair)) is Result.OK
    assert not pair.faults()


def blinks(pair: Pair, dark_s: float, then_s: float = 0.0) -> None:
    """The barrier before the gate is dark for a moment, whatever lies there."""
    pair.firmware.touch(Input.RETURN_LANE, True)
    pair.run_for(dark_s)
    pair.firmware.touch(Input.RETURN_LANE, False)
    pair.run_for(then_s)


@pytest.mark.parametrize("rests", [False, True])
def test_a_reflection_before_the_gate_does_no_harm(rests: bool) -> None:
    pair = with_placed_tiles()
    if rests:
        assert pair.end_of(handed_over(pair)) is Result.OK
    blinks(pair, 0.01, 0.5)
    assert not pair.faults()
    assert not pair.firmware.shows(Output.BELT)


def test_a_reflection_does_not_make_a_tile_of_the_drum_the_one_that_was_handed_over() -> None:
    pair = with_placed_tiles()
    operation = handed_over(pair)
    blinks(pair, 0.01)
    assert pair.end_of(operation) is Result.OK
    assert not pair.faults()


@pytest.mark.parametrize(("dark_s", "light_s"), [(0.05, 0.2), (0.2, 0.05), (0.015, 0.015), (30.0, 0.0)])
def test_a_barrier_that_blinks_or_stays_dark_on_the_way_home_is_named_within_ten_seconds(dark_s: float, light_s: float) -> None:
    pair = with_placed_tiles()
    pair.reboot()
    began_s = pair.now_s
    while not pair.faults() and pair.now_s < began_s + 10.0:
        blinks(pair, min(dark_s, 10.0), light_s)
    assert pair.faults()[0][1] == Where.GATE


@pytest.mark.parametrize("dark_s", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("way_s", [2.5, 4.0])
def test_a_false_edge_on_the_way_home_does_not_end_the_search_for_a_tile(way_s: float, dark_s: float) -> None:
    pair = with_placed_tiles(replace(REAL_PACE, return_s=way_s))
    tile = pair.mechanics.tray(SEAT)[POSITION]
    handed_over(pair, 0.1)
    pair.reboot()
    pair.run_for(1.0)
    blinks(pair, dark_s)
    pair.up()
    in_the_drum_when_home(pair, tile)
    assert not pair.faults()


def has_been_told_to_hold(pair: Pair) -> Result:
    pair.done(Hold())
    return Result.OK


def was_stopped(pair: Pair) -> Result:
    pair.done(Stop())
    pair.run_for(20.0)
    pair.done(Clear(FaultCode.STOP))
    return Result.DISTURBED


def was_left_alone(pair: Pair) -> Result:
    pair.cut = True
    pair.run_for(20.0)
    pair.cut = False
    pair.up()
    return Result.DISTURBED


@pytest.mark.parametrize("interrupted", [has_been_told_to_hold, was_stopped, was_left_alone])
def test_a_tile_whose_belt_stood_comes_to_the_gate_afterwards_under_its_operation(interrupted: Callable[[Pair], Result]) -> None:
    pair = with_placed_tiles()
    operation = handed_over(pair)
    assert interrupted(pair) is pair.end_of(operation)
    assert shown(pair)[-1] == operation
    assert not pair.faults()


def cuts_the_power(pair: Pair) -> None:
    pair.reboot()
    pair.up()


@pytest.mark.parametrize("then_s", [0.02, 1.0, 2.4, 2.52])
@pytest.mark.parametrize("cut", [opens_the_lid, cuts_the_power])
def test_a_tile_that_is_cut_off_on_its_way_lies_in_the_drum_when_the_machine_is_home(cut: Callable[[Pair], None], then_s: float) -> None:
    pair = with_placed_tiles()
    tile, known = pair.mechanics.tray(SEAT)[POSITION], len(shown(pair))
    handed_over(pair, then_s)
    cut(pair)
    in_the_drum_when_home(pair, tile)
    assert len(shown(pair)) == known
    assert not pair.firmware.shows(Output.BELT)


def test_a_gripper_that_holds_another_tile_waits_for_the_belts_on_the_way_home_and_both_fall_into_the_drum() -> None:
    pair = with_placed_tiles()
    pair.feed_one()
    pair.done(Bypass(0))
    tile = pair.mechanics.tray(SEAT)[POSITION]
    handed_over(pair)
    pair.submit(Release(0, 0, 5))
    pair.run_until(lambda: pair.mechanics.carried != 0)
    cuts_the_power(pair)
    in_the_drum_when_home(pair, tile)
    assert pair.mechanics.carried == 0
    assert not pair.faults()


def test_of_two_tiles_returned_one_after_the_other_each_is_named_and_no_third_moves_before() -> None:
    pair = with_placed_tiles(seats=(SEAT, 0))
    first = handed_over(pair)
    assert pair.refusal(Return(0, POSITION)) is NakCode.BUSY
    pair.end_of(first)
    pair.done(Recirculate())
    second = pair.submit(Return(0, POSITION))
    assert pair.end_of(second) is Result.OK
    assert shown(pair)[-2:] == [first, second]


def test_a_shuttle_works_on_while_its_tile_is_on_the_way_back() -> None:
    pair = with_placed_tiles(replace(REAL_PACE, return_s=4.0))
    pair.feed_one()
    pair.done(Bypass(0))
    operation = handed_over(pair)
    assert pair.done(Release(0, SEAT, 5)).result is Result.OK
    assert shown(pair)[-1] == 0
    assert pair.end_of(operation) is Result.OK


def placed_by(seat: int, gate: int) -> Pair:
    """A machine with two gates, of which one has sent a tile to its own seat."""
    pair = Pair(machine=replace(REAL_PACE, gates=2, exchangers=1, pocket_places=2), faults=READABLE).linked()
    pair.done(Feed())
    pair.run_until(lambda: {event.gate for event in pair.all(TileAtGate)} == {0, 1})
    pair.done(Place(seat, POSITION, gate))
    return pair


@pytest.mark.parametrize(("seat", "gate"), [(0, 0), (SEAT, 1)])
def test_at_several_gates_a_tile_comes_back_to_its_seats_own_and_every_row_stands_meanwhile(seat: int, gate: int) -> None:
    pair = placed_by(seat, gate)
    pair.run_until(lambda: sum(event.gate == gate for event in pair.all(TileAtGate)) == 2)
    pair.done(Recirculate(gate))
    operation = handed_over(pair, 0.1, seat)
    assert not pair.firmware.shows(Output.DRUM)
    if pair.mechanics.gate_tile(gate) is not None:
        pair.done(Recirculate(gate))
    assert pair.end_of(operation) is Result.OK
    brought = pair.all(TileAtGate)[-1]
    assert (brought.operation, brought.gate) == (operation, gate)
    assert not pair.faults()


@pytest.mark.parametrize(("seat", "gate"), [(0, 0), (SEAT, 1)])
def test_at_several_gates_the_way_home_clears_the_way_back_to_each(seat: int, gate: int) -> None:
    pair = placed_by(seat, gate)
    pair.done(Hold())
    tile = pair.mechanics.tray(seat)[POSITION]
    handed_over(pair, 0.1, seat)
    opens_the_lid(pair)
    in_the_drum_when_home(pair, tile)


@pytest.mark.parametrize("slots", [1, 3])
def test_a_carriage_pushed_by_whole_columns_during_an_emergency_stop_finds_its_place_again(slots: int) -> None:
    pair = with_placed_tiles()
    pair.mechanics.hands.set_estop(True, pair.now_s)
    pair.run_for(0.5)
    pair.firmware.board.carriage(SEAT, SEAT, CarriageDrive.RUNS, slots * STEPS_PER_POSITION)
    pair.mechanics.hands.set_estop(False, pair.now_s)
    pair.run_for(0.5)
    pair.done(Clear(FaultCode.ESTOP))
    pair.ready()
    assert pair.done(Return(SEAT, POSITION)).result is Result.OK
    assert pair.faults() == []


@pytest.mark.parametrize("way_s", [4.0, 9.0], ids=["in time", "too late, so that a person comes"])
def test_a_wall_with_doubted_tiles_is_right_however_long_they_are_on_their_way_back(way_s: float) -> None:
    bench = table_that_builds(41, faults=READABLE, machine=replace(REAL_PACE, return_s=way_s))
    bench.staff = Staff().attend
    bench.run(lambda: len(bench.mechanics.census()["trays"]) >= 30 and bench.mechanics.carried != 0)
    bench.mechanics.hands.set_estop(True, bench.now_s)
    stopped_s = bench.now_s
    bench.run(lambda: bench.now_s > stopped_s + 1.0)
    bench.mechanics.hands.set_estop(False, bench.now_s)
    bench.build()
    assert any(isinstance(event, OperationIssued) and isinstance(event.command, Return) for event in bench.events)
    assert bench.wrong_positions() == []
