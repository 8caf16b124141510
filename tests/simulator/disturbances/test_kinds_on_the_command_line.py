"""Single kinds of disturbance on the command line of benchmarks."""

from __future__ import annotations

import argparse

import pytest

from benchmarks.support.disturbance_kinds import kind_factor, scales_of
from simulator.disturbances.kinds import Disturbance


def test_a_later_factor_counts_and_all_means_every_kind() -> None:
    scales = scales_of(map(kind_factor, ("wrong-key=3", "all=0", "river-moved=20", "river-moved=2", "arm-stays=1")))
    assert scales == {kind: 0.0 for kind in Disturbance if kind not in (Disturbance.RIVER_MOVED, Disturbance.ARM_STAYS)} | {
        Disturbance.RIVER_MOVED: 2.0
    }
    assert scales_of([]) == {}


@pytest.mark.parametrize(
    "text", ["river-mvoed=2", "=2", "river-moved", "river-moved=", "river-moved=-1", "river-moved=nan", "river-moved=inf"]
)
def test_what_is_no_kind_with_a_factor_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"river-moved"):
        kind_factor(text)
