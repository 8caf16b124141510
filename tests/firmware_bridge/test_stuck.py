"""Edges that are late: the firmware reverses twice and jogs, and only then says where a hand is needed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from firmware_bridge.electrics.wired_machine import Part
from firmware_bridge.electrics.wiring import Input
from firmware_bridge.messages import (
    Bypass,
    Clear,
    Command,
    Fault,
    FaultCode,
    Feed,
    FeederState,
    Flags,
    Hold,
    Lid,
    NakCode,
    OpenWell,
    Place,
    Recirculate,
    Reject,
    Result,
    Sensors,
    TileAtGate,
    Where,
)
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.mechanics.hands import MachineHands
from simulator.tabletop import tile_set
from tests.support.building.bench import BuildBench
from tests.support.building.deals import table_that_builds
from tests.support.link.pair import LANES, Pair, opens_the_lid
from tests.support.tiers import some
from twinwall.wire.events.trouble_events import TableFault


@pytest.mark.parametrize(
    ("command", "barrier"), [(Hold(), Input.GATE_BEAM), (OpenWell(), Input.WELL)], ids=["while the belt stands", "while the well is open"]
)
def test_tiles_that_stand_in_a_barrier_which_is_not_looked_at_are_no_fault(command: Command, barrier: Input) -> None:
    pair = with_a_tile(FaultPlan(unread=0.0))
    pair.done(command)
    pair.firmware.touch(barrier, True)
    pair.run_for(20.0)
    assert not pair.faults()


REAL_PACE = MechanicsSettings(speed=1.0)
COMES_FREE = FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=0.0)
NEEDS_A_HAND = FaultPlan(unread=0.0, jam=1.0, jam_needs_hand=1.0)
STALLS = FaultPlan(unread=0.0, shuttle=1.0)


def with_a_tile(faults: FaultPlan, seed: int = 1, machine: MechanicsSettings = REAL_PACE) -> Pair:
    return Pair(machine=machine, faults=faults, seed=seed).fed()


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_a_jam_that_comes_free_costs_some_seconds_and_calls_nobody(seed: int) -> None:
    pair = with_a_tile(COMES_FREE, seed)
    began_s = pair.now_s
    assert pair.done(Bypass(0)).result is Result.OK
    assert 2.0 < pair.now_s - began_s < 10.0
    assert not pair.faults()


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
    (fault,) = pair.all(Fault)
    where = Where.DIVERTER if Sensors.GATE_LEFT in answer.sensors else Where.GATE
    assert (fault.code, fault.where, fault.operation) == (FaultCode.JAM, where, answer.operation)
    states = [pair.firmware.state]
    assert pair.refusal(Reject()) is NakCode.STOPPED
    pair.mechanics.hands.free((Part.DIVERTER, 0), pair.now_s)
    pair.done(Clear(FaultCode.JAM))
    states.append(pair.firmware.state)
    pair.ready()
    assert states == [FeederState.STOPPED, FeederState.HOMING]
    assert not pair.mechanics.hands.stuck()
    assert len(pair.mechanics.census()["drum"]) + len(pair.mechanics.census()["gate"]) == 136


def test_a_jam_that_is_cleared_but_not_freed_is_told_again() -> None:
    pair = with_a_tile(NEEDS_A_HAND, seed=2)
    pair.do(Reject())
    assert len(pair.faults()) == 1
    pair.do(Clear(FaultCode.JAM))
    pair.run_for(2.0)
    pair.do(Feed())
    if pair.mechanics.gate_tile() is None:
        pair.wait(TileAtGate)
    pair.do(Reject())
    assert len(pair.faults()) == 2


def test_a_shuttle_that_stalls_takes_its_tile_on_under_the_same_operation() -> None:
    pair = with_a_tile(STALLS)
    began_s = pair.now_s
    assert pair.done(Place(1, 30)).result is Result.OK
    assert 4.0 < pair.now_s - began_s < 14.0
    assert not pair.faults()


NO_TILE_S = 18.0
"""The drum of a real table has this long for its last tile."""
SOON_S = 7.5
"""And for the next of many, where those before came quickly."""
ROW_S = 2.5
"""In this time the row before the gate is empty."""


def emptied(pair: Pair, *, blocked: bool) -> Pair:
    """Reject tiles until none comes any more; ``blocked``: those that the drum has caught already."""
    pair.mechanics.hands.block_drum(pair.now_s, blocked=blocked)
    while pair.mechanics.gate_tile():
        pair.done(Reject())
        pair.run_for(2.0)
    return pair


def test_a_blocked_drum_is_reported_and_stands_until_it_is_cleared_and_feeds_again_when_it_is_free() -> None:
    pair = with_a_tile(FaultPlan(unread=0.0))
    began_s = emptied(pair, blocked=True).now_s
    fault = pair.wait(Fault)
    assert (fault.code, fault.where, fault.operation) == (FaultCode.NO_TILE, Where.DRUM, 0)
    assert NO_TILE_S - 3.0 < pair.now_s - began_s < NO_TILE_S + 1.0
    status = pair.status()
    assert (status.state, Flags.MOTORS_ON in status.flags) == (FeederState.STOPPED, False)
    pair.mechanics.hands.block_drum(pair.now_s, blocked=False)
    pair.run_for(60.0)
    assert pair.refusal(Feed()) is NakCode.STOPPED
    pair.done(Clear(FaultCode.NO_TILE))
    pair.ready()
    pair.submit(Feed())
    pair.wait(TileAtGate)
    assert len(pair.faults()) == 1


def sent_round(pair: Pair) -> Pair:
    """Seventeen tiles brought and sent back into the drum, the last of them still in the gate."""
    for _ in range(17):
        pair.done(Recirculate())
        pair.wait(TileAtGate)
    return pair


@pytest.mark.parametrize("catches_per_s", [1000.0, 0.8], ids=["quick", "slow"])
def test_a_drum_that_was_quick_has_less_time_for_its_next_tile_than_one_that_is_slow(catches_per_s: float) -> None:
    pair = sent_round(with_a_tile(FaultPlan(unread=0.0), seed=2, machine=replace(REAL_PACE, catches_per_s=catches_per_s)))
    began_s = emptied(pair, blocked=True).now_s
    assert pair.next_fault() == (FaultCode.NO_TILE, Where.DRUM)
    limit_s = SOON_S if catches_per_s > 1 else NO_TILE_S
    assert limit_s - 3.0 < pair.now_s - began_s < limit_s + 1.0


def test_a_drum_that_has_been_empty_has_time_for_its_next_tile_however_quick_it_was() -> None:
    pair = sent_round(Pair(machine=REAL_PACE, tiles=tile_set(0)[:40], faults=FaultPlan(unread=0.0)).fed())
    emptied(pair, blocked=False)
    pair.mechanics.hands.block_drum(pair.now_s)
    pair.mechanics.hands.set_lid(True, pair.now_s)
    pair.mechanics.hands.add_to_drum(tile_set(0)[40:], pair.now_s)
    pair.mechanics.hands.set_lid(False, pair.now_s)
    pair.run_for(1.0)
    pair.done(Clear(FaultCode.LID))
    pair.ready()
    pair.submit(Feed())
    pair.run_for(SOON_S + 4.0)
    assert not pair.faults()


@pytest.mark.parametrize("placed", [70, 100, 120])
def test_a_quick_drum_has_as_little_time_late_in_a_wall_as_long_as_trays_and_cells_lack_more_than_two_tiles(placed: int) -> None:
    bench = blocked_late(lambda bench: len(bench.mechanics.census()["trays"]) >= placed)
    bench.run(lambda: any(isinstance(event, TableFault) for event in bench.events), SOON_S + ROW_S)


def test_a_quick_drum_that_pauses_before_its_last_two_tiles_is_not_called_blocked() -> None:
    bench = blocked_late(lambda bench: len(bench.mechanics.census()["drum"]) <= 2)
    until_s = bench.now_s + SOON_S + 6.0
    bench.run(lambda: bench.now_s > until_s)
    bench.mechanics.hands.block_drum(bench.now_s, blocked=False)
    bench.build()
    assert not [event for event in bench.events if isinstance(event, TableFault)]


def blocked_late(now: Callable[[BuildBench], bool]) -> BuildBench:
    """A table whose drum has been blocked in the middle of a build."""
    bench = table_that_builds(1, faults=FaultPlan(unread=0.0))
    bench.run(lambda: now(bench))
    bench.mechanics.hands.block_drum(bench.now_s)
    return bench


def test_a_machine_with_lanes_has_time_for_each_tile_since_no_tray_says_how_many_remain() -> None:
    pair = emptied(sent_round(Pair(machine=LANES, faults=FaultPlan(unread=0.0)).fed()), blocked=True)
    pair.run_for(SOON_S + 4.0)
    assert not pair.faults()


def test_a_tile_that_passes_the_barrier_and_never_rests_in_the_window_is_looked_for_at_the_gate() -> None:
    pair = emptied(with_a_tile(FaultPlan(unread=0.0)), blocked=True)
    pair.firmware.touch(Input.GATE_BEAM, True)
    pair.run_for(0.06)
    pair.firmware.touch(Input.GATE_BEAM, False)
    assert pair.next_fault() == (FaultCode.NO_TILE, Where.GATE)


def waits_for_the_camera(pair: Pair) -> None:
    """A tile rests in the gate, and nobody says what becomes of it."""


def is_paused(pair: Pair) -> None:
    pair.mechanics.hands.block_drum(pair.now_s)
    pair.done(Hold())
    pair.done(Bypass(0))


def has_an_open_lid(pair: Pair) -> None:
    pair.done(Bypass(0))
    pair.mechanics.hands.set_lid(True, pair.now_s)


def is_empty(pair: Pair) -> None:
    emptied(pair, blocked=False)
    assert pair.status().drum_empty


@pytest.mark.parametrize("honest", [waits_for_the_camera, is_paused, has_an_open_lid, is_empty])
def test_a_machine_to_which_no_tile_can_come_is_not_called_blocked(honest: Callable[[Pair], None]) -> None:
    pair = Pair(machine=REAL_PACE, tiles=tile_set(0)[:12]).fed()
    honest(pair)
    pair.run_for(5 * NO_TILE_S)
    assert not pair.faults()


def test_a_place_of_a_tray_that_changes_on_the_way_home_is_no_fault() -> None:
    pair = with_a_tile(FaultPlan(unread=0.0))
    opens_the_lid(pair)
    assert pair.firmware.state is FeederState.HOMING
    pair.firmware.touch(Input.TRAY, True)
    pair.run_for(0.5)
    assert not pair.faults()


def test_while_the_lid_is_open_no_edge_is_late() -> None:
    pair = with_a_tile(FaultPlan(unread=0.0))
    operation = pair.submit(Bypass(0))
    pair.run_for(0.05)
    pair.mechanics.hands.set_lid(True, pair.now_s)
    pair.run_for(30.0)
    pair.mechanics.hands.set_lid(False, pair.now_s)
    pair.wait(Lid)
    pair.done(Clear(FaultCode.LID))
    assert pair.end_of(operation) is Result.DISTURBED
    assert not pair.faults()


@pytest.mark.parametrize(
    ("open_or_press", "code"), [(MachineHands.set_lid, FaultCode.LID), (MachineHands.set_estop, FaultCode.ESTOP)], ids=["lid", "stop"]
)
def test_after_lid_or_stop_carriages_wait_for_a_person(open_or_press: Callable[[MachineHands, bool, float], None], code: FaultCode) -> None:
    pair = with_a_tile(FaultPlan(unread=0.0))
    pair.submit(Place(0, 33))
    pair.run_until(lambda: pair.firmware.steps[0] > 300)
    open_or_press(pair.mechanics.hands, True, pair.now_s)
    pair.run_for(1.0)
    assert pair.refusal(Clear(code)) is NakCode.STILL_THERE
    open_or_press(pair.mechanics.hands, False, pair.now_s)
    stands = pair.firmware.steps
    pair.run_for(60.0)
    status = pair.status()
    assert (pair.firmware.steps, status.state, set(status.faults)) == (stands, FeederState.STOPPED, {code})
    assert Flags.MOTORS_ON not in status.flags
    assert pair.refusal(Feed()) is NakCode.STOPPED
    pair.done(Clear(code))
    assert pair.firmware.state is FeederState.HOMING, "hands may have pushed what stood"
    pair.run_until(lambda: pair.firmware.steps != stands)
