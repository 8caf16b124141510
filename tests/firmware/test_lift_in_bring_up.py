"""A lift in bring-up, where a person drives single outputs: no other part moves into it, and it moves into none."""

from collections.abc import Callable

import pytest

from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wiring import DRIVE_INWARD, DRIVE_OUTWARD, Input, Output
from firmware_bridge.messages import BringUp, Drive, FeederState, NakCode, Result, Stop
from tests.firmware.test_lift import REAL_PACE, SEAT, comes_home, is_up, raising
from tests.support.link.pair import Pair


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
