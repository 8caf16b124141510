"""A dealt wall is built through bytes: a reader that is always right, and a greedy choice of places."""

from __future__ import annotations

import pytest

from firmware_bridge.link.events import OperationRefused
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.oracle_builder import OracleBuilder
from tests.support.link.pair import Pair
from tests.support.tiers import some


def test_a_dealt_wall_stands_as_dealt() -> None:
    pair = Pair(machine=MechanicsSettings(speed=24.0), faults=FaultPlan(unread=0.01), seed=2)
    builder = OracleBuilder(pair, seed=2)
    builder.build()
    for (seat, position), face in builder.wanted.items():
        tile = pair.mechanics.tray(seat)[position]
        assert tile is not None
        assert tile.face == face
    assert not pair.all(OperationRefused)


@pytest.mark.nightly
@pytest.mark.slow
def test_building_at_the_reference_tables_speed_takes_about_as_long_as_the_gate_needs() -> None:
    took = []
    for seed in some(range(4), 2):
        pair = Pair(machine=MechanicsSettings(), faults=FaultPlan(unread=0.01), seed=seed)
        took.append(OracleBuilder(pair, seed).build())
    mean_s = sum(took) / len(took)
    assert 136 * 0.6 < mean_s < 1.08 * 136 * 0.6
