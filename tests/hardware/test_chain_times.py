"""Walls in the simulator whose tiles need as long from a lane to its mouth as the chains that are drawn, and sink there in the cradle."""

from collections.abc import Mapping

import pytest

pytest.importorskip("build123d", reason="needs the dependency group hardware: uv sync --group hardware")

from firmware_bridge.electrics.wiring import Input
from hardware.cad import chains
from hardware.dimensions import nominal
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.mechanics.side import Shuttle
from simulator.tabletop import PhysicalTile
from tests.support.building.deals import table_that_builds

SINKS_S = nominal("mouth.seconds") * 0.65
WAYS_S = [sum(chains.late_s(seat, slow=slow) for slow in (True, False)) / 2 - SINKS_S for seat in range(4)]


class Ways:
    """Tiles on chains, and in cradles that are not level yet, by shuttle."""

    def __init__(self) -> None:
        self.coming: dict[Shuttle, list[PhysicalTile]] = {}
        self.waiting: dict[Shuttle, list[PhysicalTile]] = {}
        self.sinking: set[Shuttle] = set()

    def receive(self, shuttle: Shuttle, tile: PhysicalTile) -> None:
        self.coming.setdefault(shuttle, []).append(tile)
        shuttle._schedule.after(WAYS_S[shuttle.number], lambda: self.arrive(shuttle, tile))

    def arrive(self, shuttle: Shuttle, tile: PhysicalTile) -> None:
        self.waiting.setdefault(shuttle, []).append(tile)
        self.sink(shuttle)

    def sink(self, shuttle: Shuttle) -> None:
        """The pin lets the next tile into an empty cradle."""
        if self.waiting.get(shuttle) and not shuttle.chute and shuttle not in self.sinking:
            self.sinking.add(shuttle)
            shuttle._schedule.after(SINKS_S, lambda: self.level(shuttle))

    def level(self, shuttle: Shuttle) -> None:
        self.sinking.discard(shuttle)
        tile = self.waiting[shuttle].pop(0)
        self.coming[shuttle].remove(tile)
        shuttle.chute.append(tile)

    def without_current(self, machine: Mechanics) -> Mapping[int, bool]:
        """Place flags of carriages that wait at the mouth for a tile on its way, or go there."""
        waits = (
            number
            for number, each in machine._parts.shuttles.items()
            if self.coming.get(each) and not each.chute and each.carried is None and not each.gripping
        )
        return machine.hands.unplugged | {Input.AT_PLACE + number: False for number in waits}


def test_a_wall_is_built_in_two_minutes_while_tiles_come_by_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    ways, closes = Ways(), Shuttle._close_gripper

    def close(shuttle: Shuttle, column: int | None) -> None:
        closes(shuttle, column)
        ways.sink(shuttle)

    def receive(shuttle: Shuttle, tile: PhysicalTile) -> None:
        ways.receive(shuttle, tile)

    monkeypatch.setattr(Shuttle, "receive", receive)
    monkeypatch.setattr(Shuttle, "_close_gripper", close)
    monkeypatch.setattr(Mechanics, "unplugged", property(ways.without_current))
    took_s = []
    for seed in range(1, 5):
        bench = table_that_builds(seed, faults=FaultPlan(unread=0.01), machine=MechanicsSettings(bypass_cells=0))
        bench.build(3600.0)
        took_s.append(bench.took_s)
        assert bench.wrong_positions() == []
    assert 120.0 < sum(took_s) / len(took_s) < 132.0, took_s
