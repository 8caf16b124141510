"""Rank points instead of IMP: in each deal the best of four earns 4, the next 3, then 2 and 1.

The comparison says who is compared with whom: players with the same seat at the other tables, teams with each other. Equal
results share the points of their places; a result that a referee left out earns the mean. Points are exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from typing import TypeAlias

from twinwall.event.comparison import ComparedDeal, ComparedGroup, Comparison, Entry, TeamEntry
from twinwall.event.results import Basis
from twinwall.event.standings import RankedDeals, standings

Earned: TypeAlias = tuple[Entry | TeamEntry, Fraction]
"""An entry of the comparison, and what it earns by its rank."""
PointsGroup: TypeAlias = RankedDeals[tuple[int, tuple[Earned, ...]]]
"""Ranked by the sum of rank points: each deal's entries in the order of the comparison."""


def rank_points(comparison: Comparison) -> tuple[PointsGroup, ...]:
    """The groups of a comparison by rank points. Penalties, which are IMP, are not in them."""
    return tuple(_group(group) for group in comparison.groups)


def to_json(groups: tuple[PointsGroup, ...]) -> dict[str, object]:
    """One document; points are text such as ``5/2``."""
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
    """The entries of one compared deal with what they earn by their ranks."""
    rivals: defaultdict[object, list[Entry | TeamEntry]] = defaultdict(list)
    for entry in deal.entries:
        rivals[_place(entry)].append(entry)
    return tuple((entry, _points(entry, rivals[_place(entry)])) for entry in deal.entries)


def _place(entry: Entry | TeamEntry) -> object:
    """Entries of equal places are ranked with each other: those of a seat, or all teams."""
    return entry.seat if isinstance(entry, Entry) else None


def _points(entry: Entry | TeamEntry, rivals: Collection[Entry | TeamEntry]) -> Fraction:
    """The mean of the places' points, and half a point more for each one beaten and less for each one that is better."""
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
