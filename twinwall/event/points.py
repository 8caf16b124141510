"""Points and standings of an event: IMP, rank points or cross-IMP, all from the same comparison.

A deal gives an entrant points and a swing. The swing is the distance from the average of all who were compared in that deal; with
IMP it equals the points. ``event_standings`` adds up the sessions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import TypeAlias, assert_never

from twinwall.event.comparison import ComparedDeal, Comparison, Entry
from twinwall.event.cross_imp import cross_imps
from twinwall.event.natural_order import natural
from twinwall.event.rank_points import rank_points_of
from twinwall.event.results import TEAMS, EntrantKind
from twinwall.event.scale import Scale
from twinwall.event.standings import RankedDeals, TieBreak, same_wind, standings
from twinwall.game.tiles import Seat


class Points(StrEnum):
    """What is added up."""

    IMP = "imp"
    RANK = "rank"
    CROSS = "cross-imp"


@dataclass(frozen=True, slots=True)
class Gain:
    """What one deal brought an entrant; ``seat`` is None for a team, ``penalty`` are IMP that are taken off in ``points``."""

    entrant: str
    points: Fraction
    swing: Fraction
    seat: Seat | None = None
    penalty: int = 0


RankedGroup: TypeAlias = RankedDeals[tuple[int, tuple[Gain, ...]]]
"""What each deal, by its number, brought whom."""


@dataclass(frozen=True, slots=True)
class AveragedDeal:
    """A deal of a group that is not played because ``withdrawn`` left the event: the other teams of the group get the average."""

    n: int
    session: int
    group: str
    withdrawn: str
    teams: tuple[str, ...]

    @property
    def reason(self) -> str:
        """What happened, for people."""
        return f"deal {self.n} in group {self.group}: {self.withdrawn} withdrew, so {', '.join(self.teams)} get the average"


def ranked(
    comparison: Comparison, points: Points, averaged: Iterable[AveragedDeal] = (), unranked: Collection[str] = ()
) -> tuple[RankedGroup, ...]:
    """The groups of a comparison by what the event counts, in the order of sessions and names; ``unranked`` are in no ranking."""
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
    groups: Mapping[str, ComparedDeal], averaged: Iterable[AveragedDeal], points: Points, kind: EntrantKind, scale: Scale
) -> dict[str, tuple[Gain, ...]]:
    """What one deal brought in each of the groups that played it."""
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
    """The groups of these deals, each with its number, its session and what it brought in each group.

    A ``known`` group whose deals brought the same is taken as it is; entrants who are ``unranked`` are in no ranking.
    """
    groups: defaultdict[tuple[int, str], list[tuple[int, tuple[Gain, ...]]]] = defaultdict(list)
    for n, session, brought in deals:
        for name, of_group in brought.items():
            groups[session, name].append((n, of_group))
    before = {(group.session, group.name): group for group in known}
    ordered = sorted(groups, key=lambda key: (key[0], natural(key[1])))
    return tuple(_ranked(*key, tuple(groups[key]), points, before.get(key), unranked=unranked) for key in ordered)


def same_wind_of(groups: Sequence[RankedGroup], points: Points) -> TieBreak:
    """The tie-break by IMP in the same wind: among those who were compared in one group, or with cross-IMP in the whole field."""
    values: list[TieBreak] = []

    def speaks_for(level: frozenset[str]) -> Mapping[str, Fraction] | None:
        if not values:  # most groups have no tie, and a large field has many
            values.append(same_wind(_held(groups, points)))
        return values[0](level)

    return speaks_for


def _held(groups: Iterable[RankedGroup], points: Points) -> dict[str, dict[tuple[str, int, Seat], Fraction]]:
    """Each player's IMP by the group in which they were compared, deal and seat."""
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
