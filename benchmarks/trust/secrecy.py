"""Nothing outside a table depends on tiles that nobody saw, and nothing on the line on which kinds are read.

A pair is two deals that differ in tiles that nobody saw and on which the same hand is played: everything that leaves the
controller (lamps, gates, operations, lines, times of timers) is compared. A relabelling exchanges the kinds of a deal and of the set
in the drum: what the feeder is told, with every fault of the quick build but those that change kinds, is compared.
"""

from collections.abc import Iterable
from functools import partial

from benchmarks.support.parts import Run, Series
from tests.support.building.relabelled import told_of
from tests.support.controller.hands_of_rules import other_world, world_of
from twinwall.game.rules import rule_set_names
from twinwall.values import frozen

KINDS = ("pairs", "relabellings")


def series_of(kinds: Iterable[str]) -> frozenset[str]:
    """The names of the series of these kinds."""
    return frozenset(f"{kind} {rules}" for kind in kinds for rules in rule_set_names())


@frozen
class ComparedPair:
    """One pair: how many places differ, how many outputs there are, and 1 where they are not the same."""

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
    first, second = (told_of(rules, seed, relabelled=relabelled) for relabelled in (False, True))
    return ComparedPair(0, len(first), int(first != second))


def measure(run: Run, count: int) -> dict[str, object]:
    """``count`` pairs and relabellings of each rule set, as far as the time goes."""
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
