"""Tables that are about to build a wall: any deal, and any order of the tiles, from one seed; and their staff."""

from dataclasses import dataclass, field
from random import Random

from controller.state.faults import STAFF_FAULTS, forbids_motion
from controller.state.sides import OpenDeal
from controller.state.table_state import Setup
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.tabletop import FLOWER, PhysicalTile, tile_set
from tests.support.building.bench import LAST_LINES, BuildBench
from tests.support.controller.rigs import opened, set_up
from twinwall.game.deals.deal import deal_tiles
from twinwall.game.rules import rule_set
from twinwall.wire.shapes.panel import Key

BACK = 1
MCR = "mcr-duplicate"
MACHINES = {
    "two gates": MechanicsSettings(gates=2, exchangers=1, pocket_places=2),
    "three gates": MechanicsSettings(gates=3, exchangers=1, pocket_places=2, shuttles=2),
    "four gates, one exchanger": MechanicsSettings(gates=4, exchangers=1, pocket_places=2, shuttles=2),
    "four gates, two exchangers": MechanicsSettings(gates=4, exchangers=2, pocket_places=2, shuttles=2),
}


def any_deal(seed: int, rules: str = MCR) -> tuple[Setup, OpenDeal]:
    """A table's settings and a deal for them, drawn from ``seed``."""
    ours = rule_set(rules)
    tiles = list(ours.tiles)
    Random(f"deal {seed}").shuffle(tiles)
    shared = sum(len(row) for row in ours.shared_rows)
    walls, rest = deal_tiles(tuple(tiles), (len(tiles) - shared) // 4)
    return set_up(rules=ours, options={}), opened(walls, rules=rules, rest=rest)


def table_that_builds(
    seed: int,
    *,
    rules: str = MCR,
    faults: FaultPlan | None = None,
    machine: MechanicsSettings | None = None,
    lines_together: int = LAST_LINES,
) -> BuildBench:
    """A table with one set, whole unless the fault plan says otherwise, in its drum.

    With ``lines_together`` 1 the feeder repeats fewer events, so that a build costs less: for tests that cut no controller's power.
    """
    setup, deal = any_deal(seed, rules)
    plan = faults or FaultPlan()
    tiles = tile_set(BACK, tiles=setup.rules.tiles, missing=plan.missing, extra=plan.extra, foreign=plan.foreign)
    bench = BuildBench(setup, deal, tiles, seed, machine=machine, faults=plan)
    bench.lines_together = lines_together
    return bench


@dataclass
class Staff:
    """``calls`` are the faults that it has come for; ``in_hand`` are tiles found about the table, which are put in when one is missing."""

    comes_after_s: float = 5.0
    in_hand: list[PhysicalTile] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    _called_s: float | None = None

    def attend(self, bench: BuildBench) -> None:
        """Called again and again while a fault stands."""
        codes = [fault.code for fault in bench.state.faults if fault.code in STAFF_FAULTS or forbids_motion(fault.code)]
        if self._called_s is None or not codes:
            self._called_s = bench.now_s if codes else None
            return
        if bench.now_s - self._called_s < self.comes_after_s:
            return
        self._called_s = None
        self.calls += codes
        for stuck in bench.mechanics.hands.stuck():
            bench.mechanics.hands.free(stuck, bench.now_s)
        self.in_hand += bench.mechanics.hands.empty_reject_cell(bench.now_s)
        belonging = [tile for tile in self.in_hand if tile.face != FLOWER and tile.back == BACK]
        if belonging and not ("extra-tile" in codes and "missing-tiles" not in codes):
            self._put_in(bench, belonging)
        bench.press(Key.CONFIRM)

    def _put_in(self, bench: BuildBench, tiles: list[PhysicalTile]) -> None:
        self.in_hand = [tile for tile in self.in_hand if tile not in tiles]
        if bench.mechanics.view().well_open:
            bench.mechanics.hands.drop_into_well(tiles, bench.now_s)
            return
        bench.mechanics.hands.set_lid(True, bench.now_s)
        bench.mechanics.hands.add_to_drum(tiles, bench.now_s)
        bench.mechanics.hands.set_lid(False, bench.now_s)
