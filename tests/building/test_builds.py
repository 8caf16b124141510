"""Builds in simulated time, through the controller's decisions, the bytes of the line, the firmware and the machine."""

from __future__ import annotations

from itertools import pairwise

import pytest

from controller.events import TileArrived
from tests.building.bench import BuildBench
from tests.building.deals import table_that_builds
from twinwall.simulator.mechanics import FaultPlan

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


@pytest.mark.parametrize("seed", range(2))
def test_a_wall_stands_right_and_soon_after_the_last_tile_has_come(seed: int) -> None:
    bench = table_that_builds(seed)
    bench.build()
    assert bench.wrong_positions() == []
    assert bench.took_s < 1.08 * 136 * bench.machine.gate_period_s


def test_the_gate_waits_for_no_shuttle_and_no_decision_while_the_drum_is_full() -> None:
    bench = table_that_builds(3, faults=READABLE)
    times = arrivals(bench)
    assert len(times) == 136
    periods = [later - earlier for earlier, later in pairwise(times[:120])]
    assert sum(periods) < 119 * bench.machine.gate_period_s + 0.5


def test_the_108_tiles_of_sichuan_take_as_much_less_time() -> None:
    bench = table_that_builds(1, rules="sichuan")
    bench.build()
    assert bench.wrong_positions() == []
    assert bench.took_s < 1.1 * 108 * bench.machine.gate_period_s
