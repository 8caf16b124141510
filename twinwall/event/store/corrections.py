"""Corrections: rulings that changed a result after it had been shown, with the old and the new values.

A result is shown when its deal is released. A ruling that follows is a correction when it changes what some entrant gets. Each
correction is computed from the standings as they were just before it and just after it, so that the same history gives the same
corrections whenever it is read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from fractions import Fraction

from twinwall.event.event_standings import EventStandings
from twinwall.event.hands import HandSummary, players_of
from twinwall.event.natural_order import natural
from twinwall.event.points import RankedGroup
from twinwall.event.result_rulings import GivenRuling
from twinwall.event.scale import Scale
from twinwall.event.store.event_comparison import DealComparison, compare_hands_of, standings_of
from twinwall.event.store.programme import Programme
from twinwall.values import frozen
from twinwall.wire.events.hand_events import DealReleased
from twinwall.wire.messages.ruling import Ruling


@frozen
class CorrectedEntrant:
    """What a correction changed for an entrant: the points of the deal, and the rank; null where there was nothing."""

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
"""A deal that is released: when that was, its hands with all rulings where there are any, and its comparison as it is now."""


@frozen
class LateRuling:
    """A ruling that came after the result of its hand was shown, by its line in the table's ledger."""

    table: str
    n: int
    journal: str
    seq: int
    given: GivenRuling = field(compare=False)


def late_rulings(hand: HandSummary, released: datetime) -> tuple[LateRuling, ...]:
    """The rulings on a hand that came after its deal was ``released``.

    The table's own ledger says so, by its line of the release; where it has none, the times do.
    """
    shown, late = False, []
    for event in hand.events:
        shown = shown or event.body == DealReleased(hand.n)
        if isinstance(event.body, Ruling) and (shown or event.at > released):
            late.append(LateRuling(hand.table, hand.n, event.journal, event.seq, GivenRuling(event.body, event.at)))
    return tuple(late)


def without(hand: HandSummary, dropped: Iterable[LateRuling]) -> HandSummary:
    """The hand as it was before these rulings."""
    lines = {(ruling.journal, ruling.seq) for ruling in dropped if (ruling.table, ruling.n) == (hand.table, hand.n)}
    if not lines:
        return hand
    events = tuple(event for event in hand.events if (event.journal, event.seq) not in lines)
    return replace(hand, events=events, names=players_of(events))


class CorrectionHistory:
    """All corrections of an event in their order; standings that were computed once are kept while the event's programme stays."""

    def __init__(self, programme: Programme, scale: Scale) -> None:
        self._programme, self._scale = programme, scale
        self._standings: dict[tuple[frozenset[int], tuple[LateRuling, ...]], EventStandings] = {}

    def corrections(self, deals: Mapping[int, ShownDeal], now: EventStandings) -> tuple[Correction, ...]:
        """The corrections of these deals, by the time of their rulings; ``now`` are the standings by all of them."""
        found = (ruling for at, hands, _ in deals.values() for hand in hands for ruling in late_rulings(hand, at))

        def after(ruling: LateRuling) -> datetime:
            """When it was ruled: not before the release that it follows, whatever the table's clock says."""
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
        """The standings by the deals that were shown ``then``, after the first ``count`` of the late rulings."""
        key = then, tuple(late[:count])
        if key not in self._standings:
            to_come = {n: [ruling for ruling in late[count:] if ruling.n == n] for n in then}
            compared = (self._without(to_come[n], deals[n]) if to_come[n] else deals[n][2] for n in sorted(then))
            self._standings[key] = standings_of(self._programme, compared, known=known)
        return self._standings[key]

    def _without(self, dropped: Sequence[LateRuling], deal: ShownDeal) -> DealComparison:
        _, hands, compared = deal
        return compare_hands_of(compared.n, [without(hand, dropped) for hand in hands], self._programme, self._scale, compared)


def _changes(n: int, before: EventStandings, after: EventStandings) -> Iterator[CorrectedEntrant]:
    """What became other for whom, the best rank first."""
    old, new = before.points_of(n), after.points_of(n)
    old_ranks, new_ranks = before.ranks(), after.ranks()
    for entrant in dict.fromkeys((*new_ranks, *old_ranks)):
        change = CorrectedEntrant(entrant, old.get(entrant), new.get(entrant), old_ranks.get(entrant), new_ranks.get(entrant))
        if (change.points_before, change.rank_before) != (change.points, change.rank):
            yield change
