"""Bring-up in the C core: one output at a time, no motion before it or beside it, and no trace of it afterwards."""

from collections.abc import Callable

import pytest

from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wiring import DRIVE_INWARD, DRIVE_OUTWARD, Input, Output, Signal, outputs_of
from firmware_bridge.link.events import Done
from firmware_bridge.messages import BringUp, Capabilities, Drive, Estop, Feed, FeederState, NakCode, Result, Stop, TileAtGate
from simulator.mechanics import MechanicsSettings
from simulator.tabletop import tile_set
from tests.firmware.test_lift import REAL_PACE, SEAT, comes_home, is_up, raising
from tests.support.link.pair import FinePair, Pair

OUTPUTS = range(40)
LOCKS = {*range(Output.LOCK, Output.LOCK + 4), *range(Output.REAR_LOCK, Output.REAR_LOCK + 4)}
DRIVEN = [each for each in outputs_of(Capabilities()) if each.number < DRIVE_OUTWARD]


def shown(pair: Pair) -> set[int]:
    return {number for number in OUTPUTS if pair.firmware.shows(number)}


def brought_up(pair: Pair) -> Pair:
    pair.up()
    pair.done(BringUp())
    return pair


def test_a_board_that_starts_with_the_stop_pressed_comes_to_its_first_drive_without_having_moved() -> None:
    pair = FinePair(tiles=())
    pair.mechanics.hands.set_estop(True, pair.now_s)
    pair.reboot()
    steps, powered = pair.firmware.steps, False

    def stopped() -> bool:
        nonlocal powered
        powered = powered or pair.firmware.shows(Output.MOTOR_POWER)
        return pair.firmware.state is FeederState.STOPPED

    pair.run_until(stopped)
    brought_up(pair)
    assert pair.refusal(Drive(Output.DRUM, 100)) is NakCode.STOPPED
    pair.mechanics.hands.set_estop(False, pair.now_s)
    pair.run_for(0.1)
    assert not powered
    assert pair.firmware.steps == steps
    pair.done(Drive(Output.DRUM, 100))


@pytest.mark.parametrize("output", DRIVEN, ids=lambda output: output.name)
def test_beside_the_output_that_is_driven_only_the_motors_have_current(output: Signal) -> None:
    number = output.number
    pair = brought_up(FinePair(tiles=()))
    if number == Output.DOOR_SHUT:
        pair.done(Drive(Output.DOOR_OPEN, 1000))
    seen: set[int] = set()
    operation = pair.submit(Drive(number, 50))

    def ended() -> bool:
        seen.update(shown(pair))
        return any(isinstance(event, Done) and event.operation == operation for event in pair.events)

    pair.run_until(ended)
    assert seen == {number} | (set() if number in LOCKS else {Output.MOTOR_POWER})
    assert not shown(pair)
    assert not pair.faults()


def test_the_door_is_driven_until_its_switch_says_that_it_is_there_and_not_at_all_where_it_stands() -> None:
    pair = brought_up(FinePair(machine=MechanicsSettings(speed=1.0), tiles=()))
    for output in (Output.DOOR_OPEN, Output.DOOR_SHUT):
        assert 500 <= pair.done(Drive(output, 1000)).ms < 600
        assert pair.mechanics.door_open is (output is Output.DOOR_OPEN)
        assert pair.done(Drive(output, 1000)).ms <= 1


@pytest.mark.parametrize("cut", ["stop pressed", "lid opened", "STOP"])
def test_what_cuts_a_carriage_on_its_way_leaves_it_there(cut: str) -> None:
    pair = brought_up(Pair(machine=MechanicsSettings(speed=1.0), tiles=()))
    operation = pair.submit(Drive(DRIVE_OUTWARD + 2, 64))
    pair.run_for(0.5)
    if cut == "STOP":
        pair.submit(Stop())
    elif cut == "lid opened":
        pair.mechanics.hands.set_lid(True, pair.now_s)
    else:
        pair.mechanics.hands.set_estop(True, pair.now_s)
    assert pair.end_of(operation) is Result.DISTURBED
    steps = pair.firmware.steps
    assert 0 < steps[2] < 64
    assert [step for seat, step in enumerate(steps) if seat != 2] == [0] * (len(steps) - 1)
    pair.run_for(1.0)
    assert pair.firmware.steps == steps
    assert not shown(pair)


def test_what_hands_do_in_bring_up_is_no_event_and_no_fault_and_no_tile_afterwards() -> None:
    pair = brought_up(Pair(tiles=tile_set(0)))
    pair.mechanics.hands.set_estop(True, pair.now_s)
    for number, rests in ((Input.GATE_BEAM, False), (Input.TRAY, False), (Input.DOOR_IS_SHUT, True), (Input.PURGE_SHUT, True)):
        for level in (not rests, rests, not rests, rests):
            pair.firmware.touch(number, level)
            pair.run_for(0.05)
    pair.mechanics.hands.set_estop(False, pair.now_s)
    pair.run_for(0.1)
    assert not pair.faults()
    assert not pair.all(Estop)
    pair.stop_and_clear()
    pair.ready()
    pair.done(Feed())
    pair.run_until(lambda: bool(pair.all(TileAtGate)))
    assert [tile.edges for tile in pair.all(TileAtGate)] == [1]
    assert not pair.faults()


def test_a_machine_that_no_board_drives_has_no_bring_up() -> None:
    pair = Pair(machine=MechanicsSettings(speed=20.0, gates=2, exchangers=1, pocket_places=2)).linked()
    assert pair.refusal(BringUp()) is NakCode.UNKNOWN_COMMAND


# The lift: no other part moves into it, and it moves into none


def test_in_bring_up_no_carriage_is_driven_while_the_lift_is_up_and_any_current_brings_it_down() -> None:
    pair = raising(1.0)
    pair.bring_up()
    assert pair.refusal(Drive(DRIVE_OUTWARD + SEAT, 8)) is NakCode.BUSY
    for _ in range(3):
        pair.done(Drive(Output.DRUM, 1000))
    assert pair.done(Drive(DRIVE_OUTWARD + SEAT, 8)).result is Result.OK
    drive = pair.submit(Drive(DRIVE_OUTWARD + SEAT, 64))
    pair.run_for(0.3)
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.LOW)
    assert pair.end_of(drive) is Result.DISTURBED


def drives_the_lift_with_its_switch_stuck_on() -> Pair:
    pair = Pair(machine=REAL_PACE, tiles=()).linked()
    pair.done(BringUp())
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    pair.done(Drive(Output.LIFT, 300))
    return pair


def cuts_a_raise_off_before_its_switch_sticks_on() -> Pair:
    pair = raising(1.0)
    pair.done(Stop())
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    pair.run_for(0.3)
    pair.done(BringUp())
    pair.run_for(0.3)
    return pair


@pytest.mark.parametrize("begins", [drives_the_lift_with_its_switch_stuck_on, cuts_a_raise_off_before_its_switch_sticks_on])
def test_in_bring_up_a_lift_that_was_set_off_is_not_down_until_it_was_seen_to_leave_and_to_come_back(begins: Callable[[], Pair]) -> None:
    pair = begins()
    assert is_up(pair)
    assert pair.refusal(Drive(DRIVE_OUTWARD + SEAT, 64)) is NakCode.BUSY
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.AS_WIRED)
    for _ in range(3):
        pair.done(Drive(Output.MOTOR_POWER, 1000))
    assert pair.done(Drive(DRIVE_OUTWARD + SEAT, 64)).result is Result.OK


def test_a_board_whose_memory_is_blank_gives_the_lift_time_for_its_turn_before_a_carriage_moves_and_can_be_brought_up() -> None:
    pair = raising(1.0)
    pair.wires.kept[:] = b"\xff" * len(pair.wires.kept)
    pair.reboot()
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    comes_home(pair)
    assert not is_up(pair)
    pair.wires.kept[:] = b"\xff" * len(pair.wires.kept)
    pair.mechanics.hands.set_estop(True, pair.now_s)
    pair.reboot()
    pair.run_until(lambda: pair.firmware.state is FeederState.STOPPED)
    pair.up()
    pair.done(BringUp())
    pair.mechanics.hands.set_estop(False, pair.now_s)
    pair.run_for(0.1)
    assert pair.done(Drive(DRIVE_OUTWARD + SEAT, 64)).result is Result.OK


@pytest.mark.parametrize("seat", range(4))
def test_in_bring_up_the_lift_is_driven_only_while_every_carriage_is_at_its_end_switch(seat: int) -> None:
    pair = Pair(machine=REAL_PACE, tiles=()).linked()
    pair.done(BringUp())
    pair.done(Drive(DRIVE_OUTWARD + seat, 64))
    assert pair.refusal(Drive(Output.LIFT, 200)) is NakCode.BUSY
    pair.done(Drive(DRIVE_INWARD + seat, 64))
    drive = pair.submit(Drive(Output.LIFT, 1000))
    pair.run_for(0.3)
    assert is_up(pair)
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    pair.firmware.board.stick(Input.HOME + seat, PinReading.LOW)
    assert pair.end_of(drive) is Result.DISTURBED
    assert pair.refusal(Drive(Output.LIFT, 200)) is NakCode.BUSY
    pair.firmware.board.stick(Input.HOME + seat, PinReading.AS_WIRED)
    pair.stop_and_clear()
    comes_home(pair)


@pytest.mark.parametrize("gate", [Input.LOCK_IS_OPEN, Input.REAR_LOCK_IS_OPEN])
def test_in_bring_up_an_open_gate_bars_the_lift_and_whatever_gives_a_raised_one_current(gate: int) -> None:
    pair = raising(1.0)
    pair.bring_up()
    pair.firmware.board.stick(gate + SEAT, PinReading.HIGH)
    pair.run_for(0.1)
    assert pair.refusal(Drive(Output.DRUM, 200)) is NakCode.BUSY
    assert pair.done(Drive(Output.LOCK, 100)).result is Result.OK
    pair.firmware.board.stick(gate + SEAT, PinReading.AS_WIRED)
    pair.run_for(0.1)
    drive = pair.submit(Drive(Output.DRUM, 1000))
    pair.run_for(0.3)
    pair.firmware.board.stick(gate + SEAT, PinReading.HIGH)
    assert pair.end_of(drive) is Result.DISTURBED
    assert is_up(pair)
    pair.firmware.board.stick(gate + SEAT, PinReading.AS_WIRED)
    pair.run_for(0.1)
    for _ in range(3):
        pair.done(Drive(Output.DRUM, 1000))
    pair.firmware.board.stick(gate + SEAT, PinReading.HIGH)
    pair.run_for(0.1)
    assert pair.done(Drive(Output.DRUM, 200)).result is Result.OK, "the lift is down"
    assert pair.refusal(Drive(Output.LIFT, 200)) is NakCode.BUSY
