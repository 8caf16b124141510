"""Lift or floor that was cut off on its turn: nothing moves in its way before it is home, and one that does not come home is named."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wiring import PLACES_A_SEAT, Input, Output
from firmware_bridge.messages import (
    Clear,
    CloseWell,
    Command,
    Container,
    Drawn,
    Dump,
    Fault,
    FaultCode,
    Feed,
    FeederState,
    NakCode,
    OpenWell,
    PutBack,
    Raise,
    Result,
    Sensors,
    Taken,
    Where,
)
from simulator.mechanics import MechanicsSettings
from tests.support.link.pair import READABLE, FinePair, Pair, opens_the_lid

REAL_PACE = MechanicsSettings(speed=1.0)
SEAT = 2


def with_one_tile(kind: type[Pair] = Pair) -> Pair:
    """A machine with one tile in a tray, at the last place."""
    return kind(machine=REAL_PACE, faults=READABLE).fed().placed(SEAT, 33)


def on_its_turn(pair: Pair, command: Command, output: int, for_s: float) -> Pair:
    """What this moves has been on its turn for so long."""
    pair.submit(command)
    pair.run_until(lambda: pair.firmware.shows(output))
    pair.run_for(for_s)
    return pair


def raising(for_s: float, kind: type[Pair] = Pair) -> Pair:
    return on_its_turn(with_one_tile(kind), Raise(), Output.LIFT, for_s)


def is_up(pair: Pair) -> bool:
    return Input.LIFT_DOWN in pair.wires.actuators.turning


def loses_power_twice(pair: Pair) -> None:
    pair.reboot()
    pair.run_for(0.8)
    pair.reboot()


def has_a_fault_elsewhere(pair: Pair) -> None:
    pair.firmware.board.stick(Input.DOOR_IS_SHUT, PinReading.LOW)
    pair.wait(Fault)
    pair.firmware.board.stick(Input.DOOR_IS_SHUT, PinReading.AS_WIRED)
    pair.run_for(0.1)
    clears(pair, FaultCode.SENSORS_DISAGREE)


def clears(pair: Pair, fault: FaultCode) -> None:
    """A person clears it, and what was told until then is forgotten."""
    pair.done(Clear(fault))
    pair.events.clear()


def comes_home(pair: Pair) -> None:
    """A carriage that moves while the lift is not down is a collision."""
    pair.ready()
    assert pair.faults() == []


@pytest.mark.parametrize("for_s", [0.0, 0.03, 0.5, 1.5, 2.5, 2.95, 2.999])
@pytest.mark.parametrize("cut", [Pair.reboot, loses_power_twice, opens_the_lid, has_a_fault_elsewhere])
def test_whatever_cuts_a_lift_off_it_comes_down_before_a_carriage_moves(cut: Callable[[Pair], None], for_s: float) -> None:
    pair = raising(for_s)
    cut(pair)
    comes_home(pair)
    assert not is_up(pair)
    assert len(pair.mechanics.census()["magazines"]) == 1


def test_a_lift_keeps_its_height_without_current_and_ends_its_turn_with_it() -> None:
    pair = raising(1.5)
    pair.mechanics.hands.set_lid(True, pair.now_s)
    pair.run_for(60.0)
    assert is_up(pair)
    pair.mechanics.hands.set_lid(False, pair.now_s)
    pair.run_for(60.0)
    assert is_up(pair), "a person has not cleared it"
    pair.done(Clear(FaultCode.LID))
    pair.run_for(1.4)
    assert is_up(pair)
    pair.run_for(0.2)
    assert not is_up(pair)


@pytest.mark.parametrize("for_s", [None, 0.3, 1.4, 1.6, 2.9])
def test_a_switch_that_says_down_while_the_lift_is_up_ends_no_raise_before_the_turn_is_over_and_is_named(for_s: float | None) -> None:
    pair = with_one_tile()
    if for_s is None:
        pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    on_its_turn(pair, Raise(), Output.LIFT, for_s or 0.0)
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    result = pair.end_of(pair.operation)
    assert not is_up(pair)
    if result is Result.OK:  # it was seen to leave and to come back, and is found out by the next one
        assert pair.faults() == []
        pair.done(Dump(Container.MAGAZINE, SEAT))
        pair.placed(SEAT, 33)
        result = pair.done(Raise()).result
    assert result is Result.FAILED
    assert pair.faults() == [(FaultCode.SENSORS_DISAGREE, Where.TABLE)]


@pytest.mark.parametrize("raise_s", [1.2, 2.9, 3.0, 3.2, 3.2468, 4.4, 4.505])
def test_a_lift_that_is_fast_or_slow_but_in_time_raises_its_walls_without_a_fault_and_ends_when_it_is_down(raise_s: float) -> None:
    pair = Pair(machine=replace(REAL_PACE, raise_s=raise_s), faults=READABLE, seed=37).fed()
    for seat in range(4):
        pair.placed(seat, 33, 32, 31, 30)
    pair.events.clear()
    on_its_turn(pair, Raise(), Output.LIFT, 0.0)
    began_s = pair.now_s
    assert pair.end_of(pair.operation) is Result.OK
    assert not is_up(pair)
    assert max(raise_s, 3.0) < pair.now_s - began_s < max(raise_s, 3.0) + 0.1
    pair.run_for(0.5)
    assert not any(isinstance(event, Fault | PutBack | Drawn | Taken) for event in pair.events)


@pytest.mark.parametrize(("tiles", "code"), [(True, FaultCode.SENSORS_DISAGREE), (False, FaultCode.JAM)])
@pytest.mark.parametrize("off_s", [0.0, 0.02, 0.5])
def test_a_switch_that_is_stuck_on_but_for_a_moment_is_no_lift_that_has_left(off_s: float, tiles: bool, code: FaultCode) -> None:
    pair = with_one_tile(FinePair) if tiles else FinePair(machine=REAL_PACE, tiles=()).linked()
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    on_its_turn(pair, Raise(), Output.LIFT, 1.0)
    if off_s:
        pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.LOW)
        pair.run_for(off_s)
        pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    assert pair.end_of(pair.operation) is Result.FAILED
    assert pair.faults() == [(code, Where.TABLE)]


def with_tiles(*positions: int, machine: MechanicsSettings = REAL_PACE) -> Pair:
    """A machine with these places of a tray filled, in this order."""
    return FinePair(machine=machine, faults=READABLE, seed=37).fed().placed(SEAT, *positions)


def magazine_place(position: int) -> int:
    return Input.MAGAZINE + PLACES_A_SEAT * SEAT + position


@pytest.mark.parametrize("lost", [33, 14, 13, 12, 0])
def test_a_tile_of_the_tray_that_does_not_come_to_its_magazine_is_named_and_no_carriage_moves_before_a_person_has_cleared_it(
    lost: int,
) -> None:
    pair = with_tiles(34, 33, 14, 13, 12, 0)
    pair.firmware.board.stick(magazine_place(lost), PinReading.LOW)
    raised = pair.done(Raise())
    assert (raised.result, raised.sensors) == (Result.FAILED, Sensors.RAISED)
    assert pair.faults() == [(FaultCode.SENSORS_DISAGREE, Where.MAGAZINE + SEAT)]
    assert pair.refusal(Raise()) is NakCode.STOPPED
    clears(pair, FaultCode.SENSORS_DISAGREE)
    comes_home(pair)
    status = pair.status()
    assert status.magazines[SEAT] == {33, 14, 13, 12, 0} - {lost}
    assert status.trays[SEAT] == {34}


@pytest.mark.parametrize("lost", [0, 33])
def test_a_tile_that_presses_its_switch_for_a_moment_and_falls_is_named(lost: int) -> None:
    pair = with_tiles(33, 12, 0)
    on_its_turn(pair, Raise(), Output.LIFT, 2.9)
    pair.run_until(lambda: not is_up(pair))
    pair.run_for(0.003)
    pair.firmware.board.stick(magazine_place(lost), PinReading.LOW)
    assert pair.end_of(pair.operation) is Result.FAILED
    assert pair.faults() == [(FaultCode.SENSORS_DISAGREE, Where.MAGAZINE + SEAT)]


def test_hands_may_take_their_tiles_while_the_lift_comes_down_but_no_draw_may_leave() -> None:
    early = replace(REAL_PACE, raise_s=1.2)
    pair = with_tiles(33, 12, 0, machine=early)
    on_its_turn(pair, Raise(), Output.LIFT, 1.3)
    assert len(pair.mechanics.hands.take_hand_tiles(SEAT, 2, pair.now_s)) == 2
    assert pair.end_of(pair.operation) is Result.OK
    assert pair.faults() == []
    assert pair.status().magazines[SEAT] == {33}

    pair = with_tiles(33, 12, 0, machine=early)
    on_its_turn(pair, Raise(), Output.LIFT, 1.3)
    pair.firmware.board.stick(magazine_place(33), PinReading.LOW)
    assert pair.end_of(pair.operation) is Result.FAILED
    assert pair.faults() == [(FaultCode.SENSORS_DISAGREE, Where.MAGAZINE + SEAT)]


def test_a_slow_lift_whose_switch_sticks_on_halfway_has_not_brought_its_walls_and_comes_down_before_a_carriage_moves() -> None:
    pair = with_tiles(33, machine=replace(REAL_PACE, raise_s=4.4))
    on_its_turn(pair, Raise(), Output.LIFT, 1.5)
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    assert pair.end_of(pair.operation) is Result.FAILED
    assert is_up(pair)
    assert pair.faults() == [(FaultCode.SENSORS_DISAGREE, Where.MAGAZINE + SEAT)]
    clears(pair, FaultCode.SENSORS_DISAGREE)
    comes_home(pair)
    assert not is_up(pair)


def presses_the_stop(pair: Pair) -> None:
    pair.mechanics.hands.set_estop(True, pair.now_s)
    pair.run_for(0.5)
    pair.mechanics.hands.set_estop(False, pair.now_s)
    pair.run_for(0.5)
    pair.done(Clear(FaultCode.ESTOP))


@pytest.mark.parametrize("cut", [opens_the_lid, presses_the_stop, Pair.reboot])
@pytest.mark.parametrize("for_s", [0.5, 1.5, 2.5])
def test_a_lift_cut_off_that_reads_as_down_has_time_to_come_down_before_a_carriage_moves(cut: Callable[[Pair], None], for_s: float) -> None:
    pair = raising(for_s)
    cut(pair)
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.HIGH)
    comes_home(pair)
    assert not is_up(pair)


@pytest.mark.parametrize(("for_s", "flickers_s"), [(None, 0.0), (None, 0.02), (None, 0.3), (0.2, 0.0), (0.2, 0.09)])
def test_a_lift_that_is_not_seen_down_is_named_in_time(flickers_s: float, for_s: float | None) -> None:
    pair = with_one_tile(FinePair) if for_s is None else raising(for_s, FinePair)
    pair.run_for(0.1)
    steps = pair.firmware.steps
    pair.reboot()
    began_s, reads, purges = pair.now_s, PinReading.LOW, False
    while not pair.faults() and pair.now_s < began_s + 10.0:
        pair.firmware.board.stick(Input.LIFT_DOWN, reads)
        if flickers_s:
            reads = PinReading.LOW if reads is PinReading.AS_WIRED else PinReading.AS_WIRED
        pair.run_for(flickers_s or 0.1)
        purges = purges or Input.PURGE_SHUT in pair.wires.actuators.turning
    code, where = pair.faults()[0]
    assert where == Where.TABLE
    if flickers_s < 0.1:
        assert code is FaultCode.JAM
        assert pair.firmware.steps == steps
        assert not purges
    pair.firmware.board.stick(Input.LIFT_DOWN, PinReading.AS_WIRED)
    pair.run_for(0.1)
    clears(pair, code)
    comes_home(pair)


@pytest.mark.parametrize(("blinds", "gate"), [(True, Input.LOCK_IS_OPEN), (False, Input.LOCK_IS_OPEN), (False, Input.REAR_LOCK_IS_OPEN)])
@pytest.mark.parametrize("for_s", [0.05, 1.0, 2.5])
def test_a_lift_stands_when_a_gate_is_forced_open_and_comes_down_when_shut_and_cleared(for_s: float, gate: int, blinds: bool) -> None:
    pair = FinePair(machine=replace(REAL_PACE, blinds=blinds), faults=READABLE).fed().placed(SEAT, 33)
    on_its_turn(pair, Raise(), Output.LIFT, for_s)
    pair.firmware.board.stick(gate + SEAT, PinReading.HIGH)
    pair.run_for(0.02)
    assert not pair.firmware.shows(Output.MOTOR_POWER)
    assert pair.end_of(pair.operation) is not Result.OK
    for _ in range(2):
        pair.run_for(1.0)
        assert (FaultCode.SENSORS_DISAGREE, Where.MAGAZINE + SEAT) in pair.faults()
        pair.events.clear()
        pair.submit(Clear(FaultCode.SENSORS_DISAGREE))
    pair.run_for(10.0)
    assert is_up(pair)
    pair.firmware.board.stick(gate + SEAT, PinReading.AS_WIRED)
    pair.run_for(10.0)
    assert is_up(pair), "a person has not cleared it"
    pair.done(Clear(FaultCode.SENSORS_DISAGREE))
    pair.ready()
    assert not is_up(pair)


@pytest.mark.parametrize("reads", [Input.LIFT_DOWN, Input.PURGE_SHUT])
def test_each_time_the_emergency_stop_ends_a_way_home_the_next_one_has_all_its_time(reads: int) -> None:
    pair = with_one_tile()
    pair.reboot()
    pair.firmware.board.stick(reads, PinReading.LOW)
    for _ in range(3):
        pair.run_for(4.0)
        presses_the_stop(pair)
    pair.firmware.board.stick(reads, PinReading.AS_WIRED)
    comes_home(pair)


@pytest.mark.parametrize("flickers", [True, False])
@pytest.mark.parametrize("switch", [Input.LIFT_DOWN, Input.TRAY_FLOOR_SHUT])
def test_a_pulse_of_the_purge_ends_in_time_whatever_lift_or_floor_read_meanwhile(switch: int, flickers: bool) -> None:
    pair = FinePair(machine=REAL_PACE, faults=READABLE).linked()
    pair.reboot()
    pair.run_until(lambda: pair.firmware.shows(Output.PURGE))
    pair.firmware.board.stick(switch, PinReading.LOW)
    pair.run_for(0.02)
    if flickers:
        pair.firmware.board.stick(switch, PinReading.AS_WIRED)
    pair.run_for(0.005)
    assert not pair.firmware.shows(Output.PURGE)
    pair.run_until(lambda: pair.firmware.state is FeederState.READY or bool(pair.faults()))
    assert pair.faults() == ([] if flickers else [(FaultCode.JAM, Where.TABLE if switch == Input.LIFT_DOWN else Where.TRAY)])


@pytest.mark.parametrize(
    ("container", "floor", "switch", "where"),
    [
        (Container.TRAY, Output.TRAY_FLOOR, Input.TRAY_FLOOR_SHUT, Where.TRAY),
        (Container.MAGAZINE, Output.MAGAZINE_FLOOR, Input.MAGAZINE_FLOOR_SHUT, Where.MAGAZINE),
    ],
)
def test_a_floor_cut_off_shuts_before_a_tile_is_placed_or_is_named(container: Container, floor: int, switch: int, where: int) -> None:
    pair = on_its_turn(with_one_tile(), Dump(container, SEAT), floor + SEAT, 0.2)
    pair.reboot()
    comes_home(pair)
    assert switch + SEAT not in pair.wires.actuators.turning
    pair.reboot()
    pair.firmware.board.stick(switch + SEAT, PinReading.LOW)
    pair.run_until(lambda: bool(pair.faults()), 10.0)
    assert pair.faults() == [(FaultCode.JAM, where + SEAT)]


@pytest.mark.parametrize("to_open", [True, False])
def test_a_door_that_was_cut_off_stands_open_to_all_until_it_is_driven_again(to_open: bool) -> None:
    pair = Pair(machine=REAL_PACE).linked()
    if not to_open:
        pair.done(OpenWell())
    on_its_turn(pair, OpenWell() if to_open else CloseWell(), Output.DOOR_OPEN if to_open else Output.DOOR_SHUT, 0.2)
    pair.reboot()
    pair.up()
    comes_home(pair)
    assert pair.refusal(Feed()) is NakCode.WELL_OPEN
    pair.done(CloseWell())
    pair.done(Feed())
