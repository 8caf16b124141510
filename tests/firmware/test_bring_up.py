"""Bring-up in the C core: one output at a time, no motion before it or beside it, and no trace of it afterwards."""

import pytest

from firmware_bridge.electrics.signals import Signal, outputs_of
from firmware_bridge.electrics.wiring import DRIVE_OUTWARD, Input, Output
from firmware_bridge.link.events import Done
from firmware_bridge.messages import (
    BringUp,
    Capabilities,
    Drive,
    Estop,
    Feed,
    FeederState,
    NakCode,
    Result,
    Stop,
    TileAtGate,
)
from simulator.mechanics import MechanicsSettings
from simulator.physical_tiles import tile_set
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
