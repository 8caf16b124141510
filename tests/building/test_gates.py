"""Walls built at several gates: right, and in about the time that gates or exchangers need."""

from dataclasses import replace

import pytest

from controller.ledger.journal_events import OperationIssued, TileArrived
from controller.wall.placing import is_exchanged
from firmware_bridge.electrics.sizes import capabilities_of
from simulator.mechanics import REFERENCE_FAULTS
from tests.building.test_every_fault import OFTEN
from tests.support.building.cuts import Cut, Moment, build_with_cut
from tests.support.building.deals import MACHINES, any_deal, table_that_builds
from tests.support.building.quick import Chances, QuickBuild
from tests.support.tiers import one_in, pairs, some

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


@pytest.mark.parametrize("name", one_in(2, MACHINES))
@pytest.mark.parametrize("chances", [Chances(), OFTEN], ids=["a table's faults", "faults at every turn"])
def test_with_every_fault_at_once_no_position_is_wrong(name: str, chances: Chances) -> None:
    builds = []
    for seed in some(range(4), 2):
        setup, deal = any_deal(seed)
        build = QuickBuild(replace(setup, frames_to_agree=1, capabilities=capabilities_of(MACHINES[name])), deal, seed, chances)
        build.build()
        builds.append(build)
    assert {build.seed: wrong for build in builds if (wrong := build.wrong_positions())} == {}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("moment", "cut"), pairs(some([Moment(4, 0.2), Moment(60, 0.45), Moment(100, 0.9), Moment(138, 0.02)], 3), Cut), ids=str
)
def test_wherever_the_power_goes_the_wall_is_right_in_the_end(moment: Moment, cut: Cut) -> None:
    bench = build_with_cut(moment.operation, cut, moment, FOUR)
    assert bench.wrong_positions() == []


def test_after_a_restart_every_gates_unknown_tile_goes_round() -> None:
    bench = table_that_builds(3, machine=FOUR)
    bench.run(lambda: len(bench.state.making.build.gates) == 4)
    bench.controller_power_cut(0)
    bench.build()
    assert bench.wrong_positions() == []
