"""A carriage moves under a gripper that is up, and under no other: what the core does when GRIPPER_UP says otherwise."""

from collections.abc import Callable

import pytest

from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wiring import DRIVE_OUTWARD, PLACES_A_SEAT, Input, Output
from firmware_bridge.messages import (
    BringUp,
    Command,
    Container,
    Drive,
    Dump,
    Fault,
    FaultCode,
    FeederState,
    Place,
    Raise,
    Result,
    Return,
    Where,
)
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.pair import FinePair, Pair

SEAT = 2
SLOW = MechanicsSettings(speed=1.0)
CONTRADICTS = (FaultCode.SENSORS_DISAGREE, Where.SHUTTLE + SEAT)
STOPS_S = 0.004
"""Two readings of a pin, the scan that follows them and the tick of a step."""


def steps(pair: Pair) -> int:
    return pair.firmware.steps[SEAT]


def let_down(pair: Pair) -> None:
    """The gripper of seat 2 comes down, or its barrier's wire breaks."""
    pair.firmware.board.stick(Input.GRIPPER_UP + SEAT, PinReading.LOW)


def say_up(pair: Pair) -> None:
    """Its barrier stays dark, wherever the gripper is."""
    pair.firmware.board.stick(Input.GRIPPER_UP + SEAT, PinReading.HIGH)


def homes(moved: Callable[[int], bool]) -> Pair:
    """A pair whose carriage is on its way home from far off, ``moved`` says how far."""
    pair = idle()
    pair.wires.actuators.steps[SEAT] = 100
    pair.reboot()
    pair.run_until(lambda: moved(steps(pair)))
    return pair


def homes_fast() -> Pair:
    return homes(lambda at: at == 60)


def backs_off() -> Pair:
    """It has been behind its end switch and comes out again."""
    lowest = 0

    def comes_out(at: int) -> bool:
        nonlocal lowest
        lowest = min(at, lowest)
        return at == lowest + 1 < 0

    return homes(comes_out)


def homes_slowly() -> Pair:
    """It has been out of its end switch and comes in for the second time."""
    pair = backs_off()
    highest = steps(pair)

    def comes_in() -> bool:
        nonlocal highest
        highest = max(steps(pair), highest)
        return steps(pair) == highest - 1

    pair.run_until(comes_in)
    return pair


def carries() -> Pair:
    pair = FinePair(machine=SLOW).linked().feed_one()
    pair.submit(Place(SEAT, 30))
    pair.run_until(lambda: steps(pair) == 50)
    return pair


@pytest.mark.parametrize("begin", [homes_fast, backs_off, homes_slowly, carries])
def test_a_gripper_that_comes_down_on_the_way_stops_its_carriage_and_is_named(begin: Callable[[], Pair]) -> None:
    pair = begin()
    let_down(pair)
    pair.run_for(STOPS_S)
    stood = steps(pair)
    fault = (pair.all(Fault) or [pair.wait(Fault, 0.5)])[0]
    assert (fault.code, fault.where) == (FaultCode.SHUTTLE, Where.SHUTTLE + SEAT)
    pair.run_for(1.0)
    assert (steps(pair), pair.firmware.state) == (stood, FeederState.STOPPED)
    assert len(pair.all(Fault)) == 1
    if begin is carries:
        assert (fault.operation, pair.end_of(pair.operation)) == (pair.operation, Result.FAILED)


def idle() -> Pair:
    return FinePair(machine=SLOW, tiles=()).linked()


def back_from_the_tray() -> Pair:
    """Its tile has just been let go, and the gripper would come up now."""
    return FinePair(machine=SLOW).linked().feed_one().placed(SEAT, 30)


def before_it_homes() -> Pair:
    pair = FinePair(machine=SLOW, tiles=())
    pair.run_for(0.01)
    return pair


@pytest.mark.parametrize("begin", [idle, back_from_the_tray, before_it_homes])
def test_a_gripper_that_is_down_where_nothing_works_is_named_and_its_carriage_stays(begin: Callable[[], Pair]) -> None:
    pair = begin()
    stood = steps(pair)
    let_down(pair)
    fault = pair.wait(Fault, 1.5)
    assert (fault.code, fault.where, fault.operation) == (FaultCode.SHUTTLE, Where.SHUTTLE + SEAT, 0)
    pair.run_for(1.0)
    assert (steps(pair), pair.firmware.state) == (stood, FeederState.STOPPED)


def test_a_barrier_of_a_gripper_that_flickers_for_less_than_a_drop_takes_stops_no_machine_at_rest() -> None:
    pair = idle()
    pair.run_for(3.0)
    for _ in range(3):
        let_down(pair)
        pair.run_for(0.1)
        pair.firmware.board.stick(Input.GRIPPER_UP + SEAT, PinReading.AS_WIRED)
        pair.run_for(1.0)
    assert (pair.all(Fault), pair.firmware.state) == ([], FeederState.READY)


def test_a_gripper_that_comes_down_in_bring_up_ends_the_drive_of_its_carriage() -> None:
    pair = idle()
    pair.done(BringUp())
    operation = pair.submit(Drive(DRIVE_OUTWARD + SEAT, 64))
    pair.run_until(lambda: steps(pair) == 20)
    let_down(pair)
    assert pair.end_of(operation) is Result.DISTURBED
    assert steps(pair) <= 21
    assert not pair.faults()


@pytest.mark.parametrize(("after_s", "named_s"), [(0.0, 0.3), (0.1, 0.02), (0.25, 1.5)])
@pytest.mark.parametrize("command", [Place(SEAT, 33), Return(SEAT, 33)])
def test_a_gripper_said_to_be_up_while_it_grips_is_a_contradiction_and_its_carriage_stays_under_it(
    command: Command, after_s: float, named_s: float
) -> None:
    pair = FinePair(machine=SLOW).linked().feed_one()
    if isinstance(command, Return):
        pair.placed(SEAT, 33)
        pair.run_for(2.0)
    pair.submit(command)
    pair.run_until(lambda: pair.mechanics.gripping(SEAT))
    pair.run_for(after_s)
    say_up(pair)
    pair.run_for(named_s)  # raises CollisionError where the carriage moves while the gripper is down
    assert pair.faults() == [CONTRADICTS]
    assert pair.firmware.state is FeederState.STOPPED


@pytest.mark.parametrize("speed", [0.7, 1.0, 2.0])
@pytest.mark.parametrize("then", [Dump(Container.TRAY, SEAT), Place(SEAT, 32)])
def test_a_gripper_said_to_be_up_too_soon_after_its_tile_holds_up_carriage_and_floor(then: Command, speed: float) -> None:
    pair = FinePair(machine=MechanicsSettings(speed=speed)).fed().placed(SEAT, 33)
    say_up(pair)
    operation = pair.submit(then)
    pair.run_for(3.0 / speed)  # raises CollisionError where it does not wait for the gripper
    assert pair.faults() == [CONTRADICTS] * isinstance(then, Place)
    assert isinstance(then, Place) or pair.end_of(operation) is Result.OK


def test_no_wall_is_lifted_below_a_carriage_that_stands_over_the_tray_until_it_has_been_loosened() -> None:
    """Its gripper is up, and its tile is seen in the tray only now."""
    pair, tray = FinePair(machine=SLOW).fed(), Input.TRAY + PLACES_A_SEAT * SEAT + 33
    pair.firmware.board.stick(tray, PinReading.LOW)
    placed = pair.submit(Place(SEAT, 33))
    for on in (True, False, True):
        pair.run_until(lambda: pair.firmware.shows(Output.PICKER + SEAT) is on)  # noqa: B023 - it is over within the round
    pair.run_for(0.05)
    pair.firmware.board.stick(tray, PinReading.AS_WIRED)
    assert pair.end_of(placed) is Result.OK
    assert pair.end_of(pair.submit(Raise())) is Result.OK  # raises CollisionError where it does not wait
    assert not pair.faults()


@pytest.mark.parametrize(("speed", "times"), [(1.0, 1), (40.0, 1), (1.0, 4)])
def test_a_gripper_that_works_while_the_motors_have_just_got_their_current_back_has_been_seen_down(speed: float, times: int) -> None:
    faults = FaultPlan(unread=0.0, shuttle=times // 4)  # it misses its tile
    for moment in range(8):
        pair = FinePair(machine=MechanicsSettings(speed=speed), faults=faults).linked().feed_one()
        operation = pair.submit(Place(SEAT, 33))
        pair.run_until(lambda: pair.firmware.shows(Output.PICKER + SEAT))  # noqa: B023 - it is over within the round
        for _ in range(times):
            pair.run_for(moment * 0.04 / speed / times)
            pair.stop_and_clear()
        assert pair.end_of(operation) is Result.DISTURBED, moment
        assert not pair.faults(), moment


def test_a_gripper_said_to_be_up_since_it_has_gripped_is_a_contradiction_when_it_lets_go() -> None:
    pair = carries()
    say_up(pair)
    assert pair.next_fault() == CONTRADICTS
    assert pair.firmware.state is FeederState.STOPPED


def test_a_gripper_waits_at_the_chute_until_the_place_flag_says_that_the_tile_lies_ready() -> None:
    pair = FinePair(machine=SLOW).linked().feed_one()
    pair.firmware.board.stick(Input.AT_PLACE + SEAT, PinReading.LOW)
    operation = pair.submit(Place(SEAT, 33))
    pair.run_for(4.0)
    assert (pair.all(Fault), pair.firmware.shows(Output.PICKER + SEAT)) == ([], False)
    pair.firmware.board.stick(Input.AT_PLACE + SEAT, PinReading.AS_WIRED)
    assert pair.end_of(operation) is Result.OK
