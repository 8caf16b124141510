"""Points and standings of an event: IMP or rank points, both from the same comparison.

A deal gives an entrant points and a swing. The swing is the distance from the average of all who were compared in that deal; with
IMP it equals the points.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from twinwall.event.comparison import ComparedDeal, ComparedGroup, Comparison
from twinwall.event.rank_points import PointsDeal, PointsGroup, rank_points
from twinwall.event.standings import Standing


class Points(StrEnum):
    """What is added up."""

    IMP = "imp"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class Gain:
    """What one deal brought an entrant."""

    entrant: str
    points: Fraction
    swing: Fraction


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """A group's ranking, and what each deal, by its number, brought whom."""

    name: str
    ranking: tuple[Standing, ...]
    deals: tuple[tuple[int, tuple[Gain, ...]], ...]


def ranked(comparison: Comparison, points: Points) -> tuple[RankedGroup, ...]:
    """The groups of a comparison by what the event counts."""
    if points is Points.RANK:
        return tuple(_by_rank(group) for group in rank_points(comparison))
    return tuple(_by_imp(group) for group in comparison.groups)


def _by_imp(group: ComparedGroup) -> RankedGroup:
    return RankedGroup(group.group, group.ranking, tuple((deal.deal, _imps(deal)) for deal in group.deals))


def _imps(deal: ComparedDeal) -> tuple[Gain, ...]:
    won = ((entry.entrant, Fraction(entry.imp - entry.penalty)) for entry in deal.entries)
    return tuple(Gain(entrant, imp, imp) for entrant, imp in won)


def _by_rank(group: PointsGroup) -> RankedGroup:
    return RankedGroup(group.group, group.ranking, tuple((deal.deal, _gains(deal)) for deal in group.deals))


def _gains(deal: PointsDeal) -> tuple[Gain, ...]:
    mean = sum((placed.points for placed in deal.entries), Fraction(0)) / max(len(deal.entries), 1)
    return tuple(Gain(placed.entry.entrant, placed.points, placed.points - mean) for placed in deal.entries)
