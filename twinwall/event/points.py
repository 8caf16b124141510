"""Points and standings of an event: IMP, rank points or cross-IMP, all from the same comparison.

A deal gives an entrant points and a swing. The swing is the distance from the average of all who were compared in that deal; with
IMP it equals the points. ``event_standings`` adds up the sessions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import assert_never

from twinwall.event.comparison import ComparedDeal, Comparison, Entry, TeamEntry
from twinwall.event.cross_imp import cross_imps
from twinwall.event.natural_order import natural
from twinwall.event.rank_points import rank_points_of
from twinwall.event.results import TEAMS
from twinwall.event.standings import Standing, same_wind, standings
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


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """A group's ranking, and what each deal, by its number, brought whom."""

    name: str
    ranking: tuple[Standing, ...]
    deals: tuple[tuple[int, tuple[Gain, ...]], ...]
    session: int = 1


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


def ranked(comparison: Comparison, points: Points, averaged: Iterable[AveragedDeal] = ()) -> tuple[RankedGroup, ...]:
    """The groups of a comparison by what the event counts, in the order of sessions and names."""
    deals: defaultdict[tuple[int, str], dict[int, tuple[Gain, ...]]] = defaultdict(dict)
    for session, name, n, gains in _gains(comparison, points):
        deals[session, name][n] = gains
    average = Fraction(TEAMS + 1, 2) if points is Points.RANK else Fraction(0)
    for out in averaged:
        deals[out.session, out.group][out.n] = tuple(Gain(team, average, Fraction(0)) for team in out.teams)
    ordered = sorted(deals, key=lambda key: (key[0], natural(key[1])))
    return tuple(_ranked(*key, tuple(sorted(deals[key].items())), points) for key in ordered)


def same_wind_values(groups: Iterable[RankedGroup], points: Points) -> dict[str, dict[tuple[str, int, Seat], Fraction]]:
    """Each player's IMP by deal, seat and with whom it was compared: his group, or with cross-IMP the whole field."""
    held: defaultdict[str, dict[tuple[str, int, Seat], Fraction]] = defaultdict(dict)
    for group in groups:
        field = "" if points is Points.CROSS else group.name
        for n, gains in group.deals:
            for gain in gains:
                if gain.seat is not None:
                    held[gain.entrant][field, n, gain.seat] = gain.points + gain.penalty
    return held


def _ranked(session: int, name: str, deals: tuple[tuple[int, tuple[Gain, ...]], ...], points: Points) -> RankedGroup:
    totals: defaultdict[str, Fraction] = defaultdict(Fraction)
    for _, of_deal in deals:
        for gain in of_deal:
            totals[gain.entrant] += gain.points
    group = RankedGroup(name, (), deals, session)
    ties = [] if points is Points.RANK else [same_wind(same_wind_values([group], points))]
    return RankedGroup(name, standings(totals, ties), deals, session)


def _gains(comparison: Comparison, points: Points) -> Iterable[tuple[int, str, int, tuple[Gain, ...]]]:
    """Session, group and deal, and what it brought."""
    crossed = cross_imps(comparison) if points is Points.CROSS else {}
    for group in comparison.groups:
        for deal in group.deals:
            key = group.session, group.group, deal.deal
            match points:
                case Points.RANK:
                    yield *key, _ranks(deal)
                case Points.CROSS:
                    yield *key, _imps(deal, crossed[key])
                case Points.IMP:
                    yield *key, _imps(deal, [Fraction(entry.imp) for entry in deal.entries])
                case _:
                    assert_never(points)


def _imps(deal: ComparedDeal, imps: Iterable[Fraction]) -> tuple[Gain, ...]:
    entries: Sequence[Entry | TeamEntry] = deal.entries
    won = ((entry, imp - entry.penalty) for entry, imp in zip(entries, imps, strict=True))
    return tuple(Gain(entry.entrant, imp, imp, entry.seat if isinstance(entry, Entry) else None, entry.penalty) for entry, imp in won)


def _ranks(deal: ComparedDeal) -> tuple[Gain, ...]:
    entries = rank_points_of(deal).entries
    mean = sum((placed.points for placed in entries), Fraction(0)) / max(len(entries), 1)
    return tuple(Gain(placed.entry.entrant, placed.points, placed.points - mean) for placed in entries)
