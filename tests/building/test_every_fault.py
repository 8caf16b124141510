"""Builds with every fault at once, at the level of decisions and places: a ready wall is right."""

from dataclasses import replace

import pytest

from firmware_bridge.electrics.wired_machine import capabilities_of
from firmware_bridge.messages import Capabilities
from tests.support.building.deals import MACHINES, MCR, any_deal
from tests.support.building.quick import Chances, QuickBuild
from tests.support.tiers import one_in, some

OFTEN = Chances(
    unread=0.05,
    doubled=0.02,
    face_down=0.02,
    jam=0.005,
    disturbed=0.01,
    busy=0.02,
    falls_out=0.005,
    feeder_power=0.6,
    controller_power=0.6,
    line=0.6,
    misread=0.5,
    missing=0.2,
    extra=0.2,
    foreign=0.2,
    other_set=0.2,
)


def built(seed: int, chances: Chances, rules: str = MCR, sizes: Capabilities = Capabilities()) -> QuickBuild:  # noqa: B008  # it is frozen
    setup, deal = any_deal(seed, rules)
    build = QuickBuild(replace(setup, frames_to_agree=1, capabilities=sizes), deal, seed, chances)
    build.build()
    return build


@pytest.mark.parametrize("seeds", some([range(0, 15), range(15, 30)], 1), ids=str)
def test_with_the_faults_of_a_table_no_position_is_wrong(seeds: range) -> None:
    assert {seed: wrong for seed in seeds if (wrong := built(seed, Chances()).wrong_positions())} == {}


@pytest.mark.parametrize("seeds", some([range(100, 110), range(110, 120), range(120, 130)], 1), ids=str)
def test_with_faults_at_every_turn_no_position_is_wrong(seeds: range) -> None:
    builds = [built(seed, OFTEN) for seed in seeds]
    assert {build.seed: wrong for build in builds if (wrong := build.wrong_positions())} == {}
    assert any(build.staff_calls for build in builds), "people have had something to do"


@pytest.mark.parametrize("name", one_in(2, MACHINES))
@pytest.mark.parametrize("chances", [Chances(), OFTEN], ids=["a table's faults", "faults at every turn"])
def test_with_every_fault_at_several_gates_no_position_is_wrong(name: str, chances: Chances) -> None:
    sizes = capabilities_of(MACHINES[name])
    assert {seed: wrong for seed in some(range(4), 2) if (wrong := built(seed, chances, sizes=sizes).wrong_positions())} == {}


def test_a_build_that_did_not_end_in_a_long_run_ends() -> None:
    """A tile fell out and came again, so that its kind was counted; then another one was taken for that kind."""
    assert built(6902, Chances()).wrong_positions() == 0


def test_a_tile_that_falls_out_after_the_sensors_have_looked_is_told_apart_from_a_wrong_one() -> None:
    """Between their account and the decision on it lie milliseconds; before the wall rises in a session they are asked once more."""
    build = built(247, Chances())
    assert (build.wrong_positions(), build.lost) == (0, 1)


def test_the_108_tiles_of_sichuan_are_no_different() -> None:
    assert [built(seed, OFTEN, "sichuan").wrong_positions() for seed in range(5)] == [0] * 5
