"""Tables that are about to build a wall: any deal, and any order of the tiles, from one seed."""

from random import Random

from controller.state.making import OpenDeal
from controller.state.table_state import Setup
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.physical_tiles import tile_set
from tests.support.building.bench import LAST_LINES, BuildBench
from tests.support.controller.rigs import opened, set_up
from twinwall.game.deals.shuffle import deal_tiles
from twinwall.game.rules import rule_set

BACK = 1
MCR = "mcr-duplicate"
MACHINES = {
    "two gates": MechanicsSettings(gates=2, exchangers=1, pocket_places=2),
    "three gates": MechanicsSettings(gates=3, exchangers=1, pocket_places=2, shuttles=2),
    "four gates, one exchanger": MechanicsSettings(gates=4, exchangers=1, pocket_places=2, shuttles=2),
    "four gates, two exchangers": MechanicsSettings(gates=4, exchangers=2, pocket_places=2, shuttles=2),
}
"""With several gates."""


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
