"""Edges that are late: the firmware reverses twice and jogs, and only then says where a hand is needed."""

from __future__ import annotations

import pytest

from firmware_bridge.electrics.drives import Part
from firmware_bridge.messages import (
    Bypass,
    Clear,
    Fault,
    FaultCode,
    Feed,
    FeederState,
    NakCode,
    Place,
    Reject,
    Result,
    Sensors,
    TileAtGate,
    Where,
)
from simulator.mechanics import FaultPlan, MechanicsSettings, Stuck
from tests.support.link.pair import Pair
from tests.support.tiers import some

REAL_PACE = MechanicsSettings(speed=1.0)
COMES_FREE = FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=0.0)
NEEDS_A_HAND = FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=1.0)
STALLS = FaultPlan(unread=0.0, shuttle=1.0)


def with_a_tile(faults: FaultPlan, seed: int = 1, machine: MechanicsSettings = REAL_PACE) -> Pair:
    """A pair with a tile in the gate."""
    return Pair(machine=machine, faults=faults, seed=seed).fed()


def faults(pair: Pair) -> list[Fault]:
    """What the firmware has called a person for."""
    return [event for event in pair.events if isinstance(event, Fault)]


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_a_jam_that_comes_free_costs_some_seconds_and_calls_nobody(seed: int) -> None:
    pair = with_a_tile(COMES_FREE, seed)
    began_s = pair.now_s
    answer = pair.done(Bypass(0))
    assert answer.result is Result.OK
    assert 2.0 < pair.now_s - began_s < 10.0
    assert not faults(pair)


def test_the_machines_speed_scales_how_late_an_edge_may_be() -> None:
    pair = with_a_tile(COMES_FREE, machine=MechanicsSettings(speed=20.0))
    began_s = pair.now_s
    pair.do(Bypass(0))
    assert pair.now_s - began_s < 10.0 / 20 + 0.1


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_a_jam_that_needs_a_hand_names_the_place_and_nothing_moves_until_it_is_cleared(seed: int) -> None:
    pair = with_a_tile(NEEDS_A_HAND, seed)
    answer = pair.done(Place(2, 5))
    assert answer.result is Result.FAILED
    (fault,) = faults(pair)
    where = Where.DIVERTER if Sensors.GATE_LEFT in answer.sensors else Where.GATE
    assert (fault.code, fault.where, fault.operation) == (FaultCode.JAM, where, answer.operation)
    states = [pair.firmware.state]
    assert pair.refusal(Reject()) is NakCode.STOPPED
    pair.mechanics.hands.free(Stuck(Part.DIVERTER, 0), pair.now_s)
    pair.done(Clear(FaultCode.JAM))
    states.append(pair.firmware.state)
    pair.run_until(lambda: pair.firmware.state is FeederState.READY)
    assert states == [FeederState.STOPPED, FeederState.HOMING]
    assert not pair.mechanics.hands.stuck()
    assert len(pair.mechanics.census()["drum"]) + len(pair.mechanics.census()["gate"]) == 136


def test_a_jam_that_is_cleared_but_not_freed_is_told_again() -> None:
    pair = with_a_tile(NEEDS_A_HAND, seed=2)
    pair.do(Reject())
    assert len(faults(pair)) == 1
    pair.do(Clear(FaultCode.JAM))
    pair.run_for(2.0)
    pair.do(Feed())
    if pair.mechanics.gate_tile() is None:
        pair.wait(TileAtGate)
    pair.do(Reject())
    assert len(faults(pair)) == 2


def test_a_shuttle_that_stalls_takes_its_tile_on_under_the_same_operation() -> None:
    pair = with_a_tile(STALLS)
    began_s = pair.now_s
    answer = pair.done(Place(1, 30))
    assert answer.result is Result.OK
    assert 4.0 < pair.now_s - began_s < 14.0
    assert not faults(pair)


def test_while_the_lid_is_open_no_edge_is_late() -> None:
    pair = with_a_tile(FaultPlan(unread=0.0))
    operation = pair.submit(Bypass(0))
    pair.run_for(0.05)
    pair.mechanics.hands.set_lid(True, pair.now_s)
    pair.run_for(30.0)
    pair.mechanics.hands.set_lid(False, pair.now_s)
    assert pair.end_of(operation) is Result.DISTURBED
    assert not faults(pair)
