"""Nothing that leaves a table depends on unseen tiles, and no order to its feeder depends on the kinds read.

A pair is two deals that differ in unseen tiles and allow the same hand: everything that leaves the controller (lamps, gates, operations,
lines, times of timers) is compared. A relabelling exchanges the kinds of a deal and of the set in the drum: the orders to the feeder are
compared, with every fault of the quick build except those that change kinds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from random import Random

from benchmarks.support.parts import Run, Series
from firmware_bridge.link.events import OperationRequest
from tests.support.building.deals import any_deal
from tests.support.building.quick import Chances, QuickBuild
from tests.support.controller.feeder import Face
from tests.support.controller.hands_of_rules import other_world, world_of
from tests.support.controller.rigs import opened
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.tiles import Tile
from twinwall.game.walls import SeatWall
from twinwall.values import frozen

NO_MISREADING = Chances(misread=0.0, missing=0.0, extra=0.0, other_set=0.0)
"""Every fault that does not depend on kinds."""


class RelabelledBuild(QuickBuild):
    """A build with each kind exchanged for another, in the deal and in the drum; ``orders`` are the orders to its feeder."""

    def __init__(self, rules: str, seed: int, kinds: Mapping[Tile, Tile]) -> None:
        setup, deal = any_deal(seed, rules)
        self._kinds = kinds
        self.orders: list[OperationRequest] = []
        walls = {
            seat: SeatWall(tuple(kinds[tile] for tile in wall.hand), tuple(kinds[tile] for tile in wall.draws))
            for seat, wall in deal.walls.items()
        }
        relabelled = opened(walls, rules=rules, rest=tuple(kinds[tile] for tile in deal.rest))
        super().__init__(replace(setup, frames_to_agree=1), relabelled, seed, NO_MISREADING)
        submit = self.feeder.submit

        def tell(request: OperationRequest) -> None:
            self.orders.append(request)
            submit(request)

        self.feeder.submit = tell  # type: ignore[method-assign]  # it listens at the feeder's door

    def _set(self) -> list[Face]:
        return [self._kinds[face] if isinstance(face, Tile) else face for face in super()._set()]


def orders_of(rules: str, seed: int, *, relabelled: bool) -> list[OperationRequest]:
    """Return the orders to the feeder while it builds the seed's deal, with its kinds as they are or exchanged at random."""
    kinds = sorted(set(rule_set(rules).tiles))
    others = list(kinds)
    if relabelled:
        Random(f"kinds {seed}").shuffle(others)
    build = RelabelledBuild(rules, seed, dict(zip(kinds, others, strict=True)))
    build.build()
    return build.orders


KINDS = ("pairs", "relabellings")


def series_of(kinds: Iterable[str]) -> frozenset[str]:
    """Return the names of the series of these kinds."""
    return frozenset(f"{kind} {rules}" for kind in kinds for rules in rule_set_names())


@frozen
class ComparedPair:
    """One pair: the number of differing places, the number of outputs, and 1 if these are not the same."""

    differing: int
    outputs: int
    unlike: int


def pair(rules: str, seed: int) -> ComparedPair:
    """Play a hand on two deals."""
    world = world_of(rules, seed)
    other = other_world(world, seed)
    first, second = world.played(seed), other.played(seed)
    return ComparedPair(world.differing(other), len(first), int(first != second))


def relabelling(rules: str, seed: int) -> ComparedPair:
    """Build a wall with its kinds as they are, and exchanged."""
    first, second = (orders_of(rules, seed, relabelled=relabelled) for relabelled in (False, True))
    return ComparedPair(0, len(first), int(first != second))


def measure(run: Run, count: int) -> dict[str, object]:
    """Compare ``count`` pairs and relabellings of each rule set, as far as the time allows."""
    figures: dict[str, object] = {}
    for kind, compare in (("pairs", pair), ("relabellings", relabelling)):
        for rules in rule_set_names():
            measured = run.measured(Series(f"{kind} {rules}", partial(compare, rules), ComparedPair, range(1, count + 1), 10))
            compared = measured.results
            figures[f"{kind} {rules}"] = {
                "compared": len(compared),
                "of": measured.of,
                "unlike": sum(each.unlike for each in compared),
                "same_deal": sum(each.differing == 0 for each in compared) if kind == "pairs" else 0,
                "outputs": sum(each.outputs for each in compared),
                "processor_s": round(measured.processor_s, 1),
            }
    return figures
