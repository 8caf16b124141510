"""Comparison of an event's hands; deals that cannot be compared are named with the reason.

A deal of a group is compared as a whole or left out as a whole, so one faulty result does not keep the others from their IMP.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from twinwall.event.comparison import ComparedDeal, Comparison, compare
from twinwall.event.field import EventField, Group, results_of
from twinwall.event.hands import HandSummary
from twinwall.event.results import DealResult, EntrantKind, faults
from twinwall.event.scale import Scale
from twinwall.game.rules import rule_set


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A deal of a group that is not compared, and why, for people."""

    n: int
    group: str
    reason: str


@dataclass(frozen=True, slots=True)
class EventComparison:
    """All that could be compared, and all that could not."""

    comparison: Comparison
    left_out: tuple[LeftOut, ...]

    def deal(self, n: int, group: str) -> ComparedDeal | None:
        """A deal of a group; None when it is not compared."""
        deals = (deal for compared in self.comparison.groups if compared.group == group for deal in compared.deals)
        return next((deal for deal in deals if deal.deal == n), None)


def compare_hands(hands: Sequence[HandSummary], event_field: EventField, scale: Scale, deals: Collection[int]) -> EventComparison:
    """Compare the closed hands of these deals, group by group."""
    chosen = [hand for hand in hands if hand.n in deals]
    left_out = list(_incomplete(chosen, event_field, deals))
    results = _without(results_of(chosen, event_field), left_out)
    zero_sum = all(rule_set(name).zero_sum for name in {hand.rules for hand in chosen})
    while broken := faults(results, event_field.kind, zero_sum):
        for fault in broken:
            result = results[fault.at[0]]
            if not any((result.deal, result.group) == (out.n, out.group) for out in left_out):
                left_out.append(LeftOut(result.deal, result.group, fault.reason))
        results = _without(results, left_out)
    left_out.sort(key=lambda out: (out.n, out.group))
    return EventComparison(compare(results, event_field.kind, scale, zero_sum), tuple(left_out))


def _incomplete(hands: Iterable[HandSummary], event_field: EventField, deals: Collection[int]) -> Iterable[LeftOut]:
    """The deals that too few tables have a result of: a team event needs all of a group, an individual one two."""
    played = {(hand.n, hand.table) for hand in hands if hand.closed}
    for n in deals:
        for group in event_field.groups:
            missing = [table for table in group.tables if (n, table) not in played]
            enough = not missing if event_field.kind is EntrantKind.TEAM else len(group.tables) - len(missing) > 1
            if not enough:
                yield LeftOut(n, group.name, _lacking(n, group, missing))


def _lacking(n: int, group: Group, missing: Sequence[str]) -> str:
    if not missing:
        return f"deal {n} in group {group.name} is played at table {group.tables[0]} alone: there is nothing to compare with"
    return f"deal {n} in group {group.name} has no result of table{'s' * (len(missing) > 1)} {', '.join(missing)}"


def _without(results: Sequence[DealResult], left_out: Iterable[LeftOut]) -> tuple[DealResult, ...]:
    out = {(left.n, left.group) for left in left_out}
    return tuple(result for result in results if (result.deal, result.group) not in out)
