"""Points and standings of an event: IMP, rank points (4 for the best of four, 1 for the last) or cross-IMP, from one comparison.

A deal gives an entrant points and a swing: the distance from the average of all who were compared in that deal, with IMP equal to the
points. Equal results share the points of their places. A result that a referee left out earns the mean; with cross-IMP, nothing.
``event_standings`` adds up the sessions.

Cross-IMP are the mean IMP of a result against each other result of the same seat, at every table of every group that played the deal::

    x(i) = 1/(m − 1) · Σ IMP(s(i) − s(j)) over the m − 1 other results j

A team is compared in the same way with every other team of the field. Its s is the sum of its seats' differences from the means of the
field; with all tables counted, two teams' s differ as their sums of scores do. IMP are odd, so the x of a deal sum to 0.

Source: bridge, which averages "cross-IMPs" in this way (Warrington Bridge Club, "Cross-IMPs scoring", bridgewebs.com/warrington, seen in
November 2026); the sources on duplicate mahjong give no such formula.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import assert_never

from twinwall.event.comparison import ComparedDeal, ComparedGroup, Comparison, Entry, RankedDeals, TeamEntry, TieBreak, same_wind, standings
from twinwall.event.imp_scale import ImpScale
from twinwall.event.natural_order import natural
from twinwall.event.results import TEAMS, Basis, EntrantKind
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen


def cross_imps(field: Sequence[ComparedDeal], kind: EntrantKind, scale: ImpScale) -> list[list[Fraction]]:
    """The cross-IMP of one deal: for each group, of every entry in order; penalties are not deducted."""
    return _of_teams(field, scale) if kind is EntrantKind.TEAM else _of_players(field, scale)


def _of_players(field: Sequence[ComparedDeal], scale: ImpScale) -> list[list[Fraction]]:
    earned = {seat: _against_each_other(Counter(_scores(field, seat)), scale) for seat in SEATS}
    counted = [{(result.table, result.seat): result.counts for result in deal.results} for deal in field]
    return [
        [
            earned[entry.seat][Fraction(entry.score)] if isinstance(entry, Entry) and counts[entry.table, entry.seat] else Fraction(0)
            for entry in deal.entries
        ]
        for deal, counts in zip(field, counted, strict=True)
    ]


def _of_teams(field: Sequence[ComparedDeal], scale: ImpScale) -> list[list[Fraction]]:
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


def _against_each_other(results: Counter[int] | Counter[Fraction], scale: ImpScale) -> dict[Fraction, Fraction]:
    """The mean of each result against all the others; equal results earn the same."""
    others = results.total() - 1
    if others < 1:
        return dict.fromkeys(map(Fraction, results), Fraction(0))
    exact = [(Fraction(result), times) for result, times in results.items()]
    return {own: Fraction(sum(times * scale.imp(own - other) for other, times in exact), others) for own, _ in exact}


Earned = tuple[Entry | TeamEntry, Fraction]
"""An entry of the comparison, and its rank points."""
PointsGroup = RankedDeals[tuple[int, tuple[Earned, ...]]]
"""Ranked by the sum of rank points: each deal's entries in the order of the comparison."""


def rank_points(comparison: Comparison) -> tuple[PointsGroup, ...]:
    """The groups of a comparison by rank points, without penalties, which are IMP."""
    return tuple(_group(group) for group in comparison.groups)


def to_json(groups: tuple[PointsGroup, ...]) -> dict[str, object]:
    """The JSON document; points are text such as ``5/2``."""
    several = any(group.session != 1 for group in groups)
    return {"points": "rank", "groups": [_group_json(group) | ({"session": group.session} if several else {}) for group in groups]}


def _group(group: ComparedGroup) -> PointsGroup:
    deals = tuple((deal.deal, rank_points_of(deal)) for deal in group.deals)
    totals = {standing.entrant: Fraction(0) for standing in group.ranking}
    for _, entries in deals:
        for entry, points in entries:
            if entry.entrant in totals:  # substitutes and phantom teams are in no ranking
                totals[entry.entrant] += points
    return RankedDeals(group.name, deals, standings(totals), group.session)


def rank_points_of(deal: ComparedDeal) -> tuple[Earned, ...]:
    rivals: defaultdict[object, list[Entry | TeamEntry]] = defaultdict(list)
    for entry in deal.entries:
        rivals[_place(entry)].append(entry)
    return tuple((entry, _points(entry, rivals[_place(entry)])) for entry in deal.entries)


def _place(entry: Entry | TeamEntry) -> object:
    """Entries of equal places are ranked together: those of a seat, or all teams."""
    return entry.seat if isinstance(entry, Entry) else None


def _points(entry: Entry | TeamEntry, rivals: Collection[Entry | TeamEntry]) -> Fraction:
    """The mean of the places' points, plus half a point for each rival beaten and minus half for each better one."""
    counted = [rival.difference for rival in rivals if _counts(rival)] if _counts(entry) else []
    ahead = sum(entry.difference > other for other in counted) - sum(entry.difference < other for other in counted)
    return Fraction(len(rivals) + 1 + ahead, 2)


def _counts(entry: Entry | TeamEntry) -> bool:
    return isinstance(entry, TeamEntry) or entry.basis is not Basis.AVERAGE


def _group_json(group: PointsGroup) -> dict[str, object]:
    deals = [{"deal": n, "entries": [_entry_json(*each) for each in entries]} for n, entries in group.deals]
    ranking = [{"entrant": standing.entrant, "points": str(standing.total), "rank": standing.rank} for standing in group.ranking]
    return {"group": group.name, "deals": deals, "ranking": ranking}


def _entry_json(entry: Entry | TeamEntry, points: Fraction) -> dict[str, object]:
    if isinstance(entry, TeamEntry):
        return {"entrant": entry.entrant, "sum": entry.sum, "points": str(points)}
    return {"entrant": entry.entrant, "table": entry.table, "seat": entry.seat.value, "score": entry.score, "points": str(points)}


class Points(StrEnum):
    """What standings add up."""

    IMP = "imp"
    RANK = "rank"
    CROSS = "cross-imp"


@frozen
class Gain:
    """What one deal gave an entrant; ``seat`` is None for a team, ``points`` are after the deduction of ``penalty`` (IMP)."""

    entrant: str
    points: Fraction
    swing: Fraction
    seat: Seat | None = None
    penalty: int = 0


RankedGroup = RankedDeals[tuple[int, tuple[Gain, ...]]]
"""By deal number, what each entrant got."""


@frozen
class AveragedDeal:
    """A deal that a group does not play because ``withdrawn`` left the event; its other teams get the average."""

    n: int
    session: int
    group: str
    withdrawn: str
    teams: tuple[str, ...]

    @property
    def reason(self) -> str:
        return f"deal {self.n} in group {self.group}: {self.withdrawn} withdrew, so {', '.join(self.teams)} get the average"


def ranked(
    comparison: Comparison, points: Points, averaged: Iterable[AveragedDeal] = (), unranked: Collection[str] = ()
) -> tuple[RankedGroup, ...]:
    """The groups of a comparison by the event's points, in the order of sessions and names; ``unranked`` are in no ranking."""
    of_deals: defaultdict[int, dict[str, ComparedDeal]] = defaultdict(dict)
    session = {deal.deal: group.session for group in comparison.groups for deal in group.deals}
    for group in comparison.groups:
        for deal in group.deals:
            of_deals[deal.deal][group.name] = deal
    away: defaultdict[int, list[AveragedDeal]] = defaultdict(list)
    for out in averaged:
        away[out.n].append(out)
        session[out.n] = out.session
    deals = ((n, session[n], gains(of_deals[n], away[n], points, comparison.kind, comparison.scale)) for n in sorted(session))
    return ranked_groups(deals, points, unranked=unranked)


def gains(
    groups: Mapping[str, ComparedDeal], averaged: Iterable[AveragedDeal], points: Points, kind: EntrantKind, scale: ImpScale
) -> dict[str, tuple[Gain, ...]]:
    crossed = cross_imps(list(groups.values()), kind, scale) if points is Points.CROSS else []
    found: dict[str, tuple[Gain, ...]] = {}
    for index, (name, deal) in enumerate(groups.items()):
        match points:
            case Points.RANK:
                found[name] = _ranks(deal)
            case Points.CROSS:
                found[name] = _imps(deal, crossed[index])
            case Points.IMP:
                found[name] = _imps(deal, [_whole(entry.imp) for entry in deal.entries])
            case _:
                assert_never(points)
    average = Fraction(TEAMS + 1, 2) if points is Points.RANK else Fraction(0)
    return found | {out.group: tuple(Gain(team, average, Fraction(0)) for team in out.teams) for out in averaged}


def ranked_groups(
    deals: Iterable[tuple[int, int, Mapping[str, tuple[Gain, ...]]]],
    points: Points,
    known: Iterable[RankedGroup] = (),
    unranked: Collection[str] = (),
) -> tuple[RankedGroup, ...]:
    """The groups of these deals, each given with number, session, and what each group got.

    A ``known`` group with unchanged deals is reused; ``unranked`` entrants are in no ranking.
    """
    groups: defaultdict[tuple[int, str], list[tuple[int, tuple[Gain, ...]]]] = defaultdict(list)
    for n, session, brought in deals:
        for name, of_group in brought.items():
            groups[session, name].append((n, of_group))
    before = {(group.session, group.name): group for group in known}
    ordered = sorted(groups, key=lambda key: (key[0], natural(key[1])))
    return tuple(_ranked(*key, tuple(groups[key]), points, before.get(key), unranked=unranked) for key in ordered)


def same_wind_of(groups: Sequence[RankedGroup], points: Points) -> TieBreak:
    """The tie-break by IMP in the same wind, among those compared in one group, or with cross-IMP in the whole field."""
    values: list[TieBreak] = []

    def speaks_for(level: frozenset[str]) -> Mapping[str, Fraction] | None:
        if not values:  # most groups have no tie, and a large field has many
            values.append(same_wind(_held(groups, points)))
        return values[0](level)

    return speaks_for


def _held(groups: Iterable[RankedGroup], points: Points) -> dict[str, dict[tuple[str, int, Seat], Fraction]]:
    """Each player's IMP by group of comparison, deal and seat."""
    held: defaultdict[str, dict[tuple[str, int, Seat], Fraction]] = defaultdict(dict)
    for group in groups:
        field = "" if points is Points.CROSS else group.name
        for n, of_deal in group.deals:
            for gain in of_deal:
                if gain.seat is not None:
                    held[gain.entrant][field, n, gain.seat] = gain.points + gain.penalty if gain.penalty else gain.points
    return held


def _ranked(
    session: int,
    name: str,
    deals: tuple[tuple[int, tuple[Gain, ...]], ...],
    points: Points,
    before: RankedGroup | None,
    *,
    unranked: Collection[str],
) -> RankedGroup:
    if before is not None and [(n, id(brought)) for n, brought in before.deals] == [(n, id(brought)) for n, brought in deals]:
        return before
    totals: defaultdict[str, Fraction] = defaultdict(Fraction)
    for _, of_deal in deals:
        for gain in of_deal:
            totals[gain.entrant] += gain.points
    for entrant in unranked:
        totals.pop(entrant, None)
    group: RankedGroup = RankedDeals(name, deals, (), session)
    ties = [] if points is Points.RANK else [same_wind_of([group], points)]
    return RankedDeals(name, deals, standings(totals, ties), session)


@cache
def _whole(imp: int) -> Fraction:
    return Fraction(imp)


def _imps(deal: ComparedDeal, imps: Iterable[Fraction]) -> tuple[Gain, ...]:
    won = ((entry, imp - entry.penalty if entry.penalty else imp) for entry, imp in zip(deal.entries, imps, strict=True))
    return tuple(Gain(entry.entrant, imp, imp, entry.seat if isinstance(entry, Entry) else None, entry.penalty) for entry, imp in won)


def _ranks(deal: ComparedDeal) -> tuple[Gain, ...]:
    earned = rank_points_of(deal)
    mean = sum((points for _, points in earned), Fraction(0)) / max(len(earned), 1)
    return tuple(Gain(entry.entrant, points, points - mean) for entry, points in earned)
