"""The C core and the motors' current: what is lost with it, when a gripper may work, and how a boot empties it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firmware_bridge.electrics.wiring import Input, Output
from firmware_bridge.link.events import Done
from firmware_bridge.messages import Clear, Fault, FaultCode, Feed, FeederState, Hold, Place, Result, Return, Sensors, TileAtGate, Where
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.pair import FinePair, Pair

SLOW = MechanicsSettings(speed=4.0)
CUTS_MS = (-2.5, -1.75, -1.0, -0.5, 0.5)
"""When the lid is opened, from the millisecond in which the carriage makes its last step."""
FAR = 30


def with_a_tile_on_its_way() -> Pair:
    """A pair whose first tile has just been gripped for a far place of seat 0."""
    pair = FinePair(machine=SLOW, faults=FaultPlan(unread=0.0))
    pair.up()
    pair.do(Feed())
    pair.wait(TileAtGate)
    pair.do(Hold())
    pair.submit(Place(0, FAR))
    pair.run_until(lambda: pair.mechanics.carried != 0)
    return pair


def with_a_tile_to_fetch() -> Pair:
    """A pair whose shuttle has just set out for a tile in a far place of seat 0."""
    pair = with_a_tile_on_its_way()
    pair.answer_to(pair.operation)
    pair.run_until(lambda: steps_of(pair) == 0)
    pair.submit(Return(0, FAR))
    pair.run_until(lambda: steps_of(pair) != 0)
    return pair


def steps_of(pair: Pair) -> int:
    """Where the carriage of seat 0 stands."""
    return pair.firmware.steps[0]


def arrival_s(begin: Callable[[], Pair]) -> float:
    """How long the carriage takes to the far place, to the millisecond."""
    pair = begin()
    began_s, target = pair.now_s, (FAR + 1) * pair.wires.actuators.steps_per_position
    pair.run_until(lambda: steps_of(pair) == target)
    return pair.now_s - began_s


@pytest.mark.parametrize("begin", [with_a_tile_on_its_way, with_a_tile_to_fetch])
def test_a_lid_that_opens_as_a_carriage_arrives_makes_no_gripper_work_between_two_places(begin: Callable[[], Pair]) -> None:
    whole_s = arrival_s(begin)
    for cut_ms in CUTS_MS:
        pair = begin()
        pair.run_for(whole_s + cut_ms / 1000)
        pair.mechanics.hands.set_lid(True, pair.now_s)
        pair.run_for(0.2)
        pair.mechanics.hands.set_lid(False, pair.now_s)
        answer = pair.answer_to(pair.operation)  # raises CollisionError where a gripper works at the wrong step
        assert isinstance(answer, Done)
        assert answer.result is Result.DISTURBED, cut_ms
        assert answer.sensors & Sensors.PICKED


def test_a_machine_that_does_not_come_home_names_the_part_and_tries_again_when_it_is_cleared() -> None:
    pair = Pair(machine=MechanicsSettings(speed=20.0, home_s=40.0))
    fault = pair.wait(Fault)
    assert (fault.code, fault.where, pair.firmware.state) == (FaultCode.JAM, Where.DRUM, FeederState.STOPPED)
    pair.do(Clear(FaultCode.JAM))
    assert pair.firmware.state is FeederState.HOMING
    pair.run_until(lambda: pair.firmware.shows(Output.PURGE))
    pair.run_for(0.01)
    pair.firmware.touch(Input.PURGE_SHUT, True)
    pair.run_until(lambda: pair.firmware.state is FeederState.READY)
