"""Cross-IMP: each result is compared with every other result of the field, not with one datum.

The IMP of a result against each other result of the same seat, at every table of every group that played the deal, are averaged::

    x(i) = 1/(m − 1) · Σ IMP(s(i) − s(j)) over the m − 1 other results j

A team is compared with every other team of the field in the same way; its s is the sum of its seats' differences from the means of
the field, which with all tables counted differs between two teams as their sums of scores do. IMP are odd, so the x of a deal sum to 0.
Source: bridge, where this is how "cross-IMPs" are averaged (Warrington Bridge Club, "Cross-IMPs scoring", bridgewebs.com/warrington,
seen in November 2026); the sources on duplicate mahjong give no such formula. Results that a referee left out are compared with
nothing and earn 0.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from twinwall.event.comparison import ComparedDeal, Entry
from twinwall.event.results import EntrantKind
from twinwall.event.scale import Scale
from twinwall.game.tiles import SEATS, Seat


def cross_imps(field: Sequence[ComparedDeal], kind: EntrantKind, scale: Scale) -> list[list[Fraction]]:
    """The cross-IMP of one deal: for each of the groups that played it, of every entry in its order; penalties are not taken off."""
    return _of_teams(field, scale) if kind is EntrantKind.TEAM else _of_players(field, scale)


def _of_players(field: Sequence[ComparedDeal], scale: Scale) -> list[list[Fraction]]:
    earned = {seat: _against_each_other(Counter(_scores(field, seat)), scale) for seat in SEATS}
    counted = [{(result.table, result.seat): result.counts for result in deal.results} for deal in field]
    return [
        [
            earned[entry.seat][Fraction(entry.score)] if isinstance(entry, Entry) and counts[entry.table, entry.seat] else Fraction(0)
            for entry in deal.entries
        ]
        for deal, counts in zip(field, counted, strict=True)
    ]


def _of_teams(field: Sequence[ComparedDeal], scale: Scale) -> list[list[Fraction]]:
    scores = {seat: _scores(field, seat) for seat in SEATS}
    means = {seat: Fraction(sum(of_seat), len(of_seat)) if of_seat else Fraction(0) for seat, of_seat in scores.items()}
    sums: list[dict[str, Fraction]] = []
    played: list[set[str]] = []
    for deal in field:
        of_group: defaultdict[str, Fraction] = defaultdict(Fraction)
        for result in deal.results:
            of_group[result.entrant] += result.score - means[result.seat] if result.counts else 0
        sums.append(of_group)
        played.append({result.entrant for result in deal.results if result.counts})
    every = Counter(of_group[team] for of_group, teams in zip(sums, played, strict=True) for team in teams)
    earned = _against_each_other(every, scale)
    return [
        [earned[of_group[entry.entrant]] if entry.entrant in teams else Fraction(0) for entry in deal.entries]
        for deal, of_group, teams in zip(field, sums, played, strict=True)
    ]


def _scores(field: Iterable[ComparedDeal], seat: Seat) -> list[int]:
    return [result.score for deal in field for result in deal.results if result.seat is seat and result.counts]


def _against_each_other(results: Counter[int] | Counter[Fraction], scale: Scale) -> dict[Fraction, Fraction]:
    """What each of these results earns on average against all the others; results that are equal earn the same."""
    others = results.total() - 1
    if others < 1:
        return dict.fromkeys(map(Fraction, results), Fraction(0))
    exact = [(Fraction(result), times) for result, times in results.items()]
    return {own: Fraction(sum(times * scale.imp(own - other) for other, times in exact), others) for own, _ in exact}
