"""Builds in simulated time, through the controller's decisions, the bytes of the line, the firmware and the machine.

Walls built at several gates: right, and in about the time that gates or exchangers need.
"""

from dataclasses import replace
from itertools import pairwise

import pytest

from controller.ledger.journal_events import OperationIssued, TileArrived
from controller.wall.placing import is_exchanged
from simulator.mechanics import REFERENCE_FAULTS, FaultPlan
from tests.support.building.bench import BuildBench
from tests.support.building.deals import MACHINES, Staff, any_deal, table_that_builds
from tests.support.tiers import one_in, pairs, some
from twinwall.wire.shapes.panel import Key

READABLE = FaultPlan(unread=0.0)


def arrivals(bench: BuildBench) -> list[float]:
    """When each tile came to lie in the gate."""
    times = []
    before = 0
    while bench.ready_s is None:
        bench.step()
        arrived = sum(isinstance(event, TileArrived) for event in bench.events[before:])
        before = len(bench.events)
        times += [bench.now_s] * arrived
    return times


@pytest.mark.parametrize("seed", some(range(2), 1))
def test_a_wall_stands_right_and_soon_after_the_last_tile_has_come(seed: int) -> None:
    bench = table_that_builds(seed, lines_together=1)
    bench.build()
    assert bench.wrong_positions() == []
    assert bench.took_s < 1.08 * 136 * bench.machine.gate_period_s


def test_the_gate_waits_for_no_shuttle_and_no_decision_while_the_drum_is_full() -> None:
    bench = table_that_builds(3, faults=READABLE, lines_together=1)
    times = arrivals(bench)
    assert len(times) == 136
    periods = [later - earlier for earlier, later in pairwise(times[:120])]
    assert sum(periods) < 119 * bench.machine.gate_period_s + 0.5


def test_the_108_tiles_of_sichuan_take_as_much_less_time() -> None:
    bench = table_that_builds(1, rules="sichuan", lines_together=1)
    bench.build()
    assert bench.wrong_positions() == []
    assert bench.took_s < 1.1 * 108 * bench.machine.gate_period_s


@pytest.mark.parametrize(("cuts", "machine"), one_in(2, pairs(range(4), ["one gate", *MACHINES])))
def test_a_wall_left_in_the_middle_of_its_build_makes_way_for_another_sessions(cuts: int, machine: str) -> None:
    """Tiles are on their way when the other deal comes, and power is cut while the walls drop."""
    often = FaultPlan(unread=0.1, jam=10 / 2000, double_feed=10 / 500)
    bench, staff = table_that_builds(cuts, faults=often, machine=MACHINES.get(machine)), Staff()
    bench.staff = staff.attend
    bench.run(lambda: len(bench.state.making.build.placed) >= 24)
    bench.setup, bench.deal = replace(bench.setup, session=2), replace(any_deal(400)[1], n=3, session=2)
    bench.post(bench.deal)
    for cut in range(cuts):
        for _ in range(10 * cuts):
            bench.step()
        if cut % 2:
            bench.controller_power_cut(cut)
        else:
            bench.feeder_power_cut()
    bench.build(1500)
    assert bench.state.making.deal == bench.deal
    assert bench.wrong_positions() == []


MANY_FAULTS = [(0, "one gate"), (4, "four gates, two exchangers"), (1, "one gate"), (2, "one gate"), (4, "two gates")]


@pytest.mark.parametrize(("seed", "machine"), some(MANY_FAULTS, 2))
def test_with_ten_times_the_faults_that_a_table_has_the_wall_is_still_right(seed: int, machine: str) -> None:
    often = FaultPlan(unread=0.1, jam=10 / 2000, double_feed=10 / 500, face_down=10 / 300, shuttle=10 / 3000)
    bench, staff = table_that_builds(seed, faults=often, machine=MACHINES.get(machine), lines_together=1), Staff()
    bench.staff = staff.attend
    bench.build()
    assert bench.wrong_positions() == []


def test_where_every_jam_needs_a_hand_staff_are_called_and_the_feeder_is_asked_nothing_until_they_come() -> None:
    bench, staff = table_that_builds(2, faults=FaultPlan(unread=0.0, jam=0.02, jam_needs_hand=1.0), lines_together=1), Staff()
    bench.run(lambda: bool(bench.state.faults))
    bench.run(lambda: bench.now_s > 200, 300)
    asked = sum(isinstance(event, OperationIssued) for event in bench.events)
    bench.run(lambda: bench.now_s > 300, 300)
    assert sum(isinstance(event, OperationIssued) for event in bench.events) == asked
    bench.staff = staff.attend
    bench.build(900)
    assert set(staff.calls) == {"feeder-jam"}
    assert bench.wrong_positions() == []


def test_a_blocked_drum_is_stopped_and_called_about_and_the_wall_is_right_when_it_is_free_again() -> None:
    bench = table_that_builds(4, faults=READABLE, lines_together=1)
    bench.run(lambda: len(bench.state.making.build.placed) == 32)
    bench.mechanics.hands.block_drum(bench.now_s)
    blocked_s = bench.now_s
    bench.run(lambda: bench.state.has_fault("feeder-no-tile"))
    assert bench.now_s - blocked_s < 18.0 + 10.0
    bench.run(lambda: bench.now_s > blocked_s + 120.0)
    assert len(bench.state.faults) == 1
    bench.mechanics.hands.block_drum(bench.now_s, blocked=False)
    bench.press(Key.CONFIRM)
    bench.build()
    assert not bench.state.faults
    assert bench.wrong_positions() == []


FOUR = MACHINES["four gates, two exchangers"]
MOST_S = {"two gates": 60.0, "three gates": 60.0, "four gates, one exchanger": 55.0, "four gates, two exchangers": 34.0}


@pytest.mark.parametrize("name", one_in(4, MACHINES))
def test_a_wall_stands_right_and_sooner_than_at_one_gate(name: str) -> None:
    bench = table_that_builds(1, machine=MACHINES[name], lines_together=1)
    bench.build()
    assert bench.wrong_positions() == []
    assert bench.took_s < MOST_S[name]


def test_every_gate_brings_tiles_and_about_half_of_them_change_gates() -> None:
    bench = table_that_builds(2, machine=FOUR, lines_together=1)
    bench.build()
    arrived = [event.gate for event in bench.events if isinstance(event, TileArrived)]
    assert min(arrived.count(gate) for gate in range(4)) > 20
    exchanged = [
        event for event in bench.events if isinstance(event, OperationIssued) and is_exchanged(bench.setup.capabilities, event.command)
    ]
    assert 0.4 < len(exchanged) / 136 < 0.75


def test_a_tile_from_the_diverter_and_one_from_an_exchanger_do_not_come_to_one_chute_at_once() -> None:
    """In this build they once came within a millisecond, and each was set down in the place of the other."""
    bench = table_that_builds(38, machine=FOUR, faults=REFERENCE_FAULTS)
    bench.build()
    assert bench.wrong_positions() == []


def test_after_a_restart_every_gates_unknown_tile_goes_round() -> None:
    bench = table_that_builds(3, machine=FOUR)
    bench.run(lambda: len(bench.state.making.build.gates) == 4)
    bench.controller_power_cut(0)
    bench.build()
    assert bench.wrong_positions() == []
