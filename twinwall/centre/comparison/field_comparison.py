"""Comparison of one field, deal by deal, in which a new result changes only what it changes.

The numbers are those of ``comparison``, ``cross_imp`` and ``standings`` over all results of the field as one group. Entrants whose
results of a deal are alike (the same sum from the same seats) earn the same, so each deal keeps them together as one tally. When the
mean of a seat moves, each tally is converted once, and only entrants of tallies that earn something else get another total. Ties are
parted again only where somebody who is level earns something else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from twinwall.event.points import Points
from twinwall.event.results import Basis, DealResult, EntrantKind
from twinwall.event.scale import Scale
from twinwall.event.standings import Standing, same_wind, standings
from twinwall.game.tiles import SEATS

Earned: TypeAlias = int | Fraction
Alike: TypeAlias = tuple[int, int]
"""What makes two entrants alike in a deal: the sum of their scores that count, and how many of these are from each seat, a byte a seat."""
_BITS = 8
_UNIT = {seat: 1 << (_BITS * index) for index, seat in enumerate(SEATS)}
_INDEX = {unit: index for index, unit in enumerate(_UNIT.values())}


class UncomparedPointsError(ValueError):
    """Points by which a field of venues cannot be compared; the message says why."""


@dataclass(slots=True)
class _Tally:
    """Entrants who are alike in a deal, and what the total of each has from it."""

    entrants: set[str] = field(default_factory=set)
    earned: Earned = 0


class _Deal:
    """One deal of the field: what each table and each entrant scored, and the tallies."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.tables: dict[str, tuple[DealResult, ...]] = {}
        self.own: dict[str, tuple[Alike, int]] = {}
        """By entrant what makes alike, and the number of results."""
        self.tallies: dict[Alike, _Tally] = {}
        self.counts = [0] * len(SEATS)
        self.sums = [0] * len(SEATS)

    def means(self) -> list[Fraction]:
        """What each seat scores on average where it counts."""
        return [Fraction(total, count or 1) for total, count in zip(self.sums, self.counts, strict=True)]


class FieldComparison:
    """One field: a venue, a region, or all venues."""

    def __init__(self, kind: EntrantKind, scale: Scale, points: Points) -> None:
        """Nothing has been played yet.

        Raises UncomparedPointsError for rank points, which are given within a group of four tables.
        """
        if points is Points.RANK:
            raise UncomparedPointsError("rank points are given within a group of four tables: compare venues by imp or cross-imp")
        self._of_players, self._scale, self._points = kind is EntrantKind.INDIVIDUAL, scale, points
        self._deals: dict[int, _Deal] = {}
        self._totals: dict[str, Earned] = {}
        self._played: dict[str, int] = {}
        """How many results each entrant has."""
        self._held: defaultdict[str, dict[int, Earned]] = defaultdict(dict)
        """What each player has earned by deal and seat, penalties not taken off; a place is a number."""
        self._moved: set[int] = set()
        """Deals whose tallies are converted again when somebody asks."""
        self._touched: set[str] = set()
        """Who has earned something else since the ranking was made."""
        self._levels: dict[Earned, tuple[tuple[str, ...], tuple[Standing, ...]]] = {}
        """By total who is level, and how they were parted."""
        self._ranking: tuple[Standing, ...] | None = None
        self._imps: dict[int, int] = {}

    def put(self, n: int, tables: Mapping[str, Sequence[DealResult]]) -> None:
        """The results of these tables in a deal are these from now on; none takes away those that a table had.

        They keep the laws of ``twinwall.event.results`` once all tables are there.
        """
        deal = self._deals.setdefault(n, _Deal(n))
        for table, given in tables.items():
            results, before = tuple(given), deal.tables.get(table, ())
            if results != before:
                for result in before:
                    self._count(deal, result, -1)
                for result in results:
                    self._count(deal, result, 1)
                deal.tables[table] = results
                self._moved.add(n)
                self._ranking = None

    def ranking(self) -> tuple[Standing, ...]:
        """All entrants by their totals, those who are level by what they earned where they were compared with each other."""
        if self._ranking is None:
            for n in self._moved:
                self._convert(self._deals[n])
            self._moved.clear()
            self._ranking = tuple(self._ranked())
            self._touched.clear()
        return self._ranking

    def _count(self, deal: _Deal, result: DealResult, sign: int) -> None:
        """Add a result to its deal, or take it away, and move its entrant from tally to tally."""
        entrant, unit, counts = result.entrant, _UNIT[result.seat], result.basis is not Basis.AVERAGE
        index, known = _INDEX[unit], deal.own.get(entrant)
        if counts:
            deal.counts[index] += sign
            deal.sums[index] += sign * result.score
        more: Earned = -sign * result.penalty
        if known is None:
            number, alike = 1, (result.score, unit) if counts else (0, 0)
        else:
            more -= self._leave(deal, entrant, known[0])
            number = known[1] + sign
            alike = (known[0][0] + sign * result.score, known[0][1] + sign * unit) if counts else known[0]
        earned = self._enter(deal, entrant, alike, number) if number else 0
        if self._of_players:
            place = len(SEATS) * deal.n + index
            if sign > 0:
                self._held[entrant][place] = earned
            else:
                self._held[entrant].pop(place, None)
        self._totals[entrant] = self._totals.get(entrant, 0) + more + earned
        self._touched.add(entrant)
        self._played[entrant] = played = self._played.get(entrant, 0) + sign
        if not played:
            del self._played[entrant], self._totals[entrant]
            self._held.pop(entrant, None)

    @staticmethod
    def _enter(deal: _Deal, entrant: str, alike: Alike, number: int) -> Earned:
        """Put an entrant with so many results among those who are like him; what these earn."""
        tally = deal.tallies.get(alike)
        if tally is None:
            tally = deal.tallies[alike] = _Tally()
        tally.entrants.add(entrant)
        deal.own[entrant] = alike, number
        return tally.earned

    @staticmethod
    def _leave(deal: _Deal, entrant: str, alike: Alike) -> Earned:
        """Take an entrant away from those who are like him; what these earn."""
        tally = deal.tallies[alike]
        tally.entrants.remove(entrant)
        if not tally.entrants:
            del deal.tallies[alike]
        del deal.own[entrant]
        return tally.earned

    def _convert(self, deal: _Deal) -> None:
        """Convert what the tallies of a deal scored, and correct the totals of those who earn something else now."""
        earned = dict(self._cross_imps(deal) if self._points is Points.CROSS else self._imps_of(deal))
        for (total, seats), tally in deal.tallies.items():
            now = earned.get((total, seats), 0)
            more = now - tally.earned
            if not more:
                continue
            tally.earned = now
            self._touched |= tally.entrants
            for entrant in tally.entrants:
                self._totals[entrant] += more
            if self._of_players and seats in _INDEX:
                place = len(SEATS) * deal.n + _INDEX[seats]
                for entrant in tally.entrants:
                    self._held[entrant][place] = now

    def _imps_of(self, deal: _Deal) -> Iterator[tuple[Alike, Earned]]:
        """What the differences from the means of the seats are worth."""
        means = deal.means()
        return ((alike, self._scale.imp(alike[0] - _of_seats(means, alike[1]))) for alike in deal.tallies if alike[1])

    def _cross_imps(self, deal: _Deal) -> Iterator[tuple[Alike, Earned]]:
        """What the differences from every other result are worth on average: of players in the same seat, of all teams."""
        fields: defaultdict[int, list[Alike]] = defaultdict(list)
        for alike in deal.tallies:
            if alike[1]:
                fields[alike[1] if self._of_players else 0].append(alike)
        return ((alike, earned) for compared in fields.values() for alike, earned in self._crossed(deal, compared))

    def _crossed(self, deal: _Deal, compared: Sequence[Alike]) -> Iterator[tuple[Alike, Earned]]:
        sizes = [len(deal.tallies[alike].entrants) for alike in compared]
        others = sum(sizes) - 1
        if others < 1:
            return
        means, level = deal.means(), len({seats for _, seats in compared}) == 1  # then both sides of each difference have the same means
        values = [total if level else total - _of_seats(means, seats) for total, seats in compared]
        for alike, own in zip(compared, values, strict=True):
            yield alike, Fraction(sum(size * self._imp(own - other) for other, size in zip(values, sizes, strict=True)), others)

    def _imp(self, difference: int | Fraction) -> int:
        if isinstance(difference, Fraction):
            return self._scale.imp(difference)
        known = self._imps.get(difference)
        if known is None:
            known = self._imps[difference] = self._scale.imp(Fraction(difference))
        return known

    def _ranked(self) -> Iterator[Standing]:
        """Everybody, the highest total first."""
        level: defaultdict[Earned, list[str]] = defaultdict(list)
        for entrant, total in self._totals.items():
            level[total].append(entrant)
        unit = lcm(*(total.denominator for total in level))  # whole numbers are sorted faster than fractions
        tied = {total: self._parted(total, entrants) for total, entrants in level.items() if len(entrants) > 1}
        self._levels = {total: (tuple(level[total]), parted) for total, parted in tied.items()}
        first = 0
        for total in sorted(level, key=lambda each: each.numerator * (unit // each.denominator), reverse=True):
            if total in tied:
                for standing in tied[total]:
                    yield Standing(standing.entrant, standing.total, first + standing.rank)
            else:
                yield Standing(level[total][0], Fraction(total), first + 1)
            first += len(level[total])

    def _parted(self, total: Earned, entrants: Sequence[str]) -> tuple[Standing, ...]:
        """Those who are level, as they were parted before where nothing of theirs has changed."""
        known = self._levels.get(total)
        if known is not None and known[0] == tuple(entrants) and self._touched.isdisjoint(entrants):
            return known[1]
        return standings(dict.fromkeys(entrants, Fraction(total)), [same_wind(self._held)] if self._of_players else [])


def _of_seats(means: Sequence[Fraction], seats: int) -> Fraction:
    """The means of these seats, added."""
    if seats in _INDEX:
        return means[_INDEX[seats]]
    return sum(((seats >> _BITS * index & 0xFF) * mean for index, mean in enumerate(means)), Fraction(0))
