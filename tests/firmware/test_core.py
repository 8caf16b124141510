"""The firmware builds walls as dealt."""

from __future__ import annotations

import pytest

from firmware_bridge.link.events import OperationRefused
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.oracle_builder import OracleBuilder
from tests.support.link.pair import Pair


@pytest.mark.parametrize("two_high", [True, False])
def test_a_dealt_wall_stands_as_dealt_behind_steppers_and_bouncing_switches(two_high: bool) -> None:
    pair = Pair(machine=MechanicsSettings(speed=24.0, two_high=two_high), faults=FaultPlan(unread=0.01), seed=2)
    builder = OracleBuilder(pair, seed=2)
    took_s = builder.build()
    for (seat, position), face in builder.wanted.items():
        tile = pair.mechanics.tray(seat)[position]
        assert tile is not None
        assert tile.face == face
    assert not pair.all(OperationRefused)
    assert 24 * took_s < 1.2 * 136 * 0.6
