"""Whatever is ordered, sent or done to the C core, it breaks nothing, and says where a hand is needed."""

from __future__ import annotations

import subprocess
from functools import partial

import pytest

from firmware_bridge.electrics.wiring import Input, Output
from firmware_bridge.link.events import Done
from firmware_bridge.messages import (
    PLACE_EDGES,
    Bypass,
    Clear,
    Command,
    Fault,
    FaultCode,
    Feed,
    FeederState,
    Place,
    Result,
    Sensors,
    TileAtGate,
    Where,
)
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.firmware.core_board import built
from tests.support.link.pair import Pair

FAST = MechanicsSettings(speed=20.0)


def with_a_tile(faults: FaultPlan) -> Pair:
    """A pair with a tile in the gate."""
    pair = Pair(machine=FAST, faults=faults)
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    return pair


def gripper_is(pair: Pair, shut: bool) -> bool:
    """Whether the gripper of seat 0 is told to be shut, or open."""
    return pair.firmware.shows(Output.PICKER) is shut


def state_of(pair: Pair) -> FeederState:
    """What the firmware is doing now."""
    return pair.firmware.state


@pytest.mark.nightly
def test_random_bytes_operations_and_switches_break_nothing_under_the_sanitizers() -> None:
    done = subprocess.run([built("build/fuzz", "fuzz"), "--runs", "60", "--seed", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "nothing broke" in done.stdout


@pytest.mark.parametrize("command", [Place(2, 5), Bypass(0)])
def test_a_jam_that_comes_free_is_reversed_and_calls_nobody(command: Command) -> None:
    pair = with_a_tile(FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=0.0))
    answer = pair.do(command)
    assert isinstance(answer, Done)
    assert answer.result is Result.OK
    assert not pair.all(Fault)


def test_a_jam_that_needs_a_hand_names_the_place_and_goes_home_when_it_is_cleared() -> None:
    pair = with_a_tile(FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=1.0))
    answer = pair.do(Place(2, 5))
    assert isinstance(answer, Done)
    assert answer.result is Result.FAILED
    (fault,) = pair.all(Fault)
    assert (fault.code, fault.operation) == (FaultCode.JAM, answer.operation)
    assert fault.where == (Where.DIVERTER if answer.sensors & Sensors.GATE_LEFT else Where.GATE)
    assert state_of(pair) is FeederState.STOPPED
    (stuck,) = pair.mechanics.hands.stuck()
    pair.mechanics.hands.free(stuck, pair.now_s)
    assert isinstance(pair.do(Clear(FaultCode.JAM)), Done)
    assert state_of(pair) is FeederState.HOMING
    pair.run_until(lambda: state_of(pair) is FeederState.READY)
    assert len(pair.mechanics.census()["drum"]) + len(pair.mechanics.census()["gate"]) == 136


@pytest.mark.parametrize("carried_s", [0.1, 0.14])
def test_a_power_cut_while_a_tile_is_carried_opens_no_gripper_on_the_way(carried_s: float) -> None:
    pair = Pair(machine=MechanicsSettings(speed=4.0), faults=FaultPlan(unread=0.0))
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    pair.submit(Place(0, 30))
    pair.run_until(lambda: pair.mechanics.carried != 0)
    pair.run_for(carried_s)
    assert pair.mechanics.carried
    pair.reboot()
    pair.run_until(lambda: state_of(pair) is FeederState.READY)
    assert not any(pair.mechanics.levels().trays)
    assert len(pair.mechanics.census()["drum"]) + len(pair.mechanics.census()["gate"]) == 136


@pytest.mark.parametrize("speed", [1.0, 20.0])
def test_a_tile_that_falls_while_its_gripper_is_being_loosened_has_been_placed_and_nothing_disagrees(speed: float) -> None:
    pair = Pair(machine=MechanicsSettings(speed=speed, drop_s=60.0), faults=FaultPlan(unread=0.0))
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    operation = pair.submit(Place(0, 5))
    for shut in (True, False, True):  # it grips, lets go, and, as nothing has fallen, grips again
        pair.run_until(partial(gripper_is, pair, shut))
    pair.firmware.touch(Input.PICKED, False)
    pair.firmware.touch(Input.TRAY + 5, True)
    answer = pair.answer_to(operation)
    assert isinstance(answer, Done)
    assert (answer.result, answer.sensors) == (Result.OK, PLACE_EDGES)
    pair.run_until(lambda: not pair.firmware.shows(Output.PICKER))
    assert not pair.all(Fault)
