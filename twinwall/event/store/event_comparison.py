"""Compares an event's hands, deal by deal (``compare_hands``), lists deals that cannot be compared with the reason, and finds corrections.

A deal of a group is compared or left out as a whole, so a faulty result does not stop other deals. Each deal is compared by itself, so a
correction of one hand needs no other deal.

A result is shown when its deal is released. A later ruling is a correction if it changes what an entrant gets. Each correction is computed
from the standings just before and just after it, so the same history always gives the same corrections.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from fractions import Fraction

from twinwall.event.comparison import ComparedDeal, Comparison, compare_deal, compared_groups
from twinwall.event.event_standings import EventStandings, event_standings
from twinwall.event.field import Group, SessionField, results_of
from twinwall.event.hands import HandSummary, players_of
from twinwall.event.imp_scale import ImpScale
from twinwall.event.natural_order import natural
from twinwall.event.points import AveragedDeal, Gain, Points, RankedGroup, gains, ranked_groups
from twinwall.event.results import DealResult, EntrantKind, GivenRuling, faults
from twinwall.event.store.programme import Programme
from twinwall.values import frozen
from twinwall.wire.events.hand_events import DealReleased
from twinwall.wire.messages.ruling import Ruling


@frozen
class LeftOut:
    """A deal of a group that is not compared, with the reason in a sentence."""

    n: int
    group: str
    reason: str
    session: int = 1


@frozen
class DealComparison:
    """One deal in all groups of its session: comparisons, gains, what could not be compared, and what a withdrawn team left unplayed."""

    n: int
    session: int
    groups: Mapping[str, ComparedDeal]
    gains: Mapping[str, tuple[Gain, ...]]
    left_out: tuple[LeftOut, ...]
    averaged: tuple[AveragedDeal, ...]


@frozen
class EventComparison:
    """Everything compared, and everything left out, by the number of the deal."""

    kind: EntrantKind
    scale: ImpScale
    deals: Mapping[int, DealComparison]
    unranked: tuple[str, ...] = ()

    @property
    def comparison(self) -> Comparison:
        groups = ((deal.session, group, compared) for deal in self.deals.values() for group, compared in deal.groups.items())
        return compared_groups(groups, self.kind, self.scale, self.unranked)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What could not be compared, by deal and group."""
        return tuple(out for n in sorted(self.deals) for out in self.deals[n].left_out)

    @property
    def averaged(self) -> tuple[AveragedDeal, ...]:
        """What withdrawn teams left unplayed, by deal."""
        return tuple(out for n in sorted(self.deals) for out in self.deals[n].averaged)


def standings_of(
    programme: Programme, deals: Iterable[DealComparison], held: Collection[int] = (), known: Iterable[RankedGroup] = ()
) -> EventStandings:
    """The standings after these deals, without ``held`` sessions; ``known`` are groups ranked before."""
    counted = sorted((deal for deal in deals if deal.session not in held), key=lambda deal: deal.n)
    groups = ranked_groups(((deal.n, deal.session, deal.gains) for deal in counted), programme.points, known, programme.unranked)
    return event_standings(groups, programme.points, programme.rules)


def compare_hands(hands: Iterable[HandSummary], programme: Programme, scale: ImpScale, deals: Collection[int]) -> EventComparison:
    by_deal: dict[int, list[HandSummary]] = {n: [] for n in deals}
    for hand in hands:
        if hand.n in by_deal:
            by_deal[hand.n].append(hand)
    compared = {n: compare_hands_of(n, of_deal, programme, scale) for n, of_deal in by_deal.items()}
    return EventComparison(programme.field.kind, scale, compared, programme.unranked)


def compare_hands_of(
    n: int, hands: Sequence[HandSummary], programme: Programme, scale: ImpScale, known: DealComparison | None = None
) -> DealComparison:
    """Compare the closed hands of one deal; groups with unchanged results are taken from ``known``, of the same programme."""
    session = programme.session_of(n, hands)
    field = programme.field.session(session)
    averaged = tuple(_averaged(n, session, field, programme.withdrawn))
    away = {out.group for out in averaged}
    left_out = [out for out in _incomplete(n, session, hands, field) if out.group not in away]
    results: Sequence[DealResult] = results_of(hands, programme.field, {n: session})
    results = _without(results, away | {out.group for out in left_out})
    zero_sum = all(hand.zero_sum for hand in hands)
    while broken := faults(results, field.kind, zero_sum):
        for fault in broken:
            result = results[fault.at[0]]
            if all(result.group != out.group for out in left_out):
                left_out.append(LeftOut(n, result.group, fault.reason, session))
        results = _without(results, {out.group for out in left_out})
    by_group: dict[str, list[DealResult]] = {}
    for result in results:
        by_group.setdefault(result.group, []).append(result)
    before = {} if known is None else known.groups
    groups: dict[str, ComparedDeal] = {}
    for name, of_group in by_group.items():
        compared = before.get(name)
        if compared is None or compared.results != tuple(of_group):
            compared = compare_deal(n, of_group, field.kind, scale)
        groups[name] = compared
    brought = gains(groups, averaged, programme.points, field.kind, scale)
    if known is not None and programme.points is not Points.CROSS:  # cross-IMP changes in every group when one result does
        brought |= {name: known.gains[name] for name, deal in groups.items() if deal is before.get(name)}
    return DealComparison(n, session, groups, brought, tuple(sorted(left_out, key=lambda out: out.group)), averaged)


def _averaged(n: int, session: int, field: SessionField, withdrawn: Mapping[str, int]) -> Iterator[AveragedDeal]:
    """The groups in which a withdrawn team should have played this deal."""
    for group in field.groups:
        away = [team for team in group.teams if withdrawn.get(team, n + 1) <= n]
        if away:
            yield AveragedDeal(n, session, group.name, ", ".join(away), tuple(team for team in group.teams if team not in away))


def _incomplete(n: int, session: int, hands: Iterable[HandSummary], field: SessionField) -> Iterator[LeftOut]:
    """The groups with too few results: a team event needs all tables of a group, an individual one two."""
    played = {hand.table for hand in hands if hand.closed}
    for group in field.groups:
        missing = [table for table in group.tables if table not in played]
        enough = not missing if field.kind is EntrantKind.TEAM else len(group.tables) - len(missing) > 1
        if not enough:
            yield LeftOut(n, group.name, _lacking(n, group, missing), session)


def _lacking(n: int, group: Group, missing: Sequence[str]) -> str:
    if not missing:
        return f"deal {n} in group {group.name} is played at table {group.tables[0]} alone: there is nothing to compare with"
    return f"deal {n} in group {group.name} has no result of table{'s' * (len(missing) > 1)} {', '.join(missing)}"


def _without(results: Sequence[DealResult], groups: Collection[str]) -> list[DealResult]:
    return [result for result in results if result.group not in groups]


@frozen
class CorrectedEntrant:
    """What a correction changed for an entrant: the points of the deal, and the rank; null if there was none."""

    entrant: str
    points_before: Fraction | None
    points: Fraction | None
    rank_before: int | None
    rank: int | None


@frozen
class Correction:
    """A ruling after release that changed results; ``changes`` are by the new rank."""

    table: str
    n: int
    session: int
    given: GivenRuling
    changes: tuple[CorrectedEntrant, ...]


ShownDeal = tuple[datetime, Sequence[HandSummary], DealComparison]
"""A released deal: when it was released, its hands with all rulings if there are any, and its present comparison."""


@frozen
class LateRuling:
    """A ruling after the result of its hand was shown, by its line in the table's ledger."""

    table: str
    n: int
    journal: str
    seq: int
    given: GivenRuling = field(compare=False)


def late_rulings(hand: HandSummary, released: datetime) -> tuple[LateRuling, ...]:
    """The rulings on a hand after its deal was ``released``.

    The table's own ledger decides by its line of the release; without one, the times decide.
    """
    shown, late = False, []
    for event in hand.events:
        shown = shown or event.body == DealReleased(hand.n)
        if isinstance(event.body, Ruling) and (shown or event.at > released):
            late.append(LateRuling(hand.table, hand.n, event.journal, event.seq, GivenRuling(event.body, event.at)))
    return tuple(late)


def without(hand: HandSummary, dropped: Iterable[LateRuling]) -> HandSummary:
    lines = {(ruling.journal, ruling.seq) for ruling in dropped if (ruling.table, ruling.n) == (hand.table, hand.n)}
    if not lines:
        return hand
    events = tuple(event for event in hand.events if (event.journal, event.seq) not in lines)
    return replace(hand, events=events, names=players_of(events))


@frozen
class CorrectionHistory:
    """All corrections of an event in order; computed standings are remembered."""

    programme: Programme
    scale: ImpScale
    _standings: dict[tuple[frozenset[int], tuple[LateRuling, ...]], EventStandings] = field(default_factory=dict)

    def corrections(self, deals: Mapping[int, ShownDeal], now: EventStandings) -> tuple[Correction, ...]:
        """The corrections of these deals, by the time of their rulings; ``now`` are the standings by all of them."""
        found = (ruling for at, hands, _ in deals.values() for hand in hands for ruling in late_rulings(hand, at))

        def after(ruling: LateRuling) -> datetime:
            """The time of the ruling, but not before the release that it follows, whatever the table's clock says."""
            return max(ruling.given.at, deals[ruling.n][0])

        late = sorted(found, key=lambda ruling: (after(ruling), ruling.n, natural(ruling.table), ruling.seq))
        self._standings[frozenset(deals), tuple(late)] = now
        corrections = []
        for index, ruling in enumerate(late):
            then = frozenset(n for n, (at, _, _) in deals.items() if at <= after(ruling))
            old, new = (self._after(late, count, then, deals, now.groups) for count in (index, index + 1))
            changes = tuple(_changes(ruling.n, old, new))
            if changes:
                corrections.append(Correction(ruling.table, ruling.n, deals[ruling.n][2].session, ruling.given, changes))
        return tuple(corrections)

    def _after(
        self, late: Sequence[LateRuling], count: int, then: frozenset[int], deals: Mapping[int, ShownDeal], known: Sequence[RankedGroup]
    ) -> EventStandings:
        """The standings of the deals shown ``then``, after the first ``count`` of the late rulings."""
        key = then, tuple(late[:count])
        if key not in self._standings:
            to_come = {n: [ruling for ruling in late[count:] if ruling.n == n] for n in then}
            compared = (self._without(to_come[n], deals[n]) if to_come[n] else deals[n][2] for n in sorted(then))
            self._standings[key] = standings_of(self.programme, compared, known=known)
        return self._standings[key]

    def _without(self, dropped: Sequence[LateRuling], deal: ShownDeal) -> DealComparison:
        _, hands, compared = deal
        return compare_hands_of(compared.n, [without(hand, dropped) for hand in hands], self.programme, self.scale, compared)


def _changes(n: int, before: EventStandings, after: EventStandings) -> Iterator[CorrectedEntrant]:
    """What changed for each entrant, the best rank first."""
    old, new = before.points_of(n), after.points_of(n)
    old_ranks, new_ranks = before.ranks(), after.ranks()
    for entrant in dict.fromkeys((*new_ranks, *old_ranks)):
        change = CorrectedEntrant(entrant, old.get(entrant), new.get(entrant), old_ranks.get(entrant), new_ranks.get(entrant))
        if (change.points_before, change.rank_before) != (change.points, change.rank):
            yield change
