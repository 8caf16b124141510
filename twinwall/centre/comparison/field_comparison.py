"""Comparison of one field, deal by deal, in which a new result changes only what it changes.

The numbers are those of ``comparison``, ``cross_imp`` and ``standings`` over all results of the field as one group. Entrants whose
results of a deal are alike (the same sum from the same seats) earn the same, so each deal keeps them together as one tally. When the
mean of a seat moves, each tally is converted once, and only entrants of tallies that earn something else get another total.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from twinwall.event.points import Points
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.scale import Scale
from twinwall.event.standings import Standing, same_wind, standings
from twinwall.game.tiles import SEATS, Seat

Earned: TypeAlias = int | Fraction
Place: TypeAlias = tuple[int, Seat]
"""A deal and a seat."""


class UncomparedPointsError(ValueError):
    """Points by which a field of venues cannot be compared; the message says why."""


@dataclass(frozen=True, slots=True)
class _Alike:
    """What makes two entrants alike in a deal: the sum of the scores that count, and the seats that these are from."""

    sum: int
    seats: tuple[Seat, ...]


@dataclass(slots=True)
class _Tally:
    """Entrants who are alike in a deal, and what the total of each has from it."""

    entrants: set[str] = field(default_factory=set)
    earned: Earned = 0


class _Deal:
    """One deal of the field: what each table and each entrant scored, and the tallies."""

    def __init__(self) -> None:
        self.tables: dict[str, tuple[DealResult, ...]] = {}
        self.held: dict[str, tuple[DealResult, ...]] = {}
        self.alike: dict[str, _Alike] = {}
        self.tallies: dict[_Alike, _Tally] = {}
        self.counts = dict.fromkeys(SEATS, 0)
        self.sums = dict.fromkeys(SEATS, 0)

    def add(self, result: DealResult) -> None:
        """A result more."""
        self.held[result.entrant] = (*self.held.get(result.entrant, ()), result)
        self._count(result, 1)

    def remove(self, result: DealResult) -> None:
        """A result less."""
        left = list(self.held.pop(result.entrant))
        left.remove(result)
        if left:
            self.held[result.entrant] = tuple(left)
        self._count(result, -1)

    def mean(self, seat: Seat) -> Fraction:
        """What the seat scores on average where it counts."""
        return Fraction(self.sums[seat], self.counts[seat] or 1)

    def _count(self, result: DealResult, sign: int) -> None:
        if result.counts:
            self.counts[result.seat] += sign
            self.sums[result.seat] += sign * result.score


class FieldComparison:
    """One field: a venue, a region, or all venues."""

    def __init__(self, kind: EntrantKind, scale: Scale, points: Points) -> None:
        """Nothing has been played yet.

        Raises UncomparedPointsError for rank points, which are given within a group of four tables.
        """
        if points is Points.RANK:
            raise UncomparedPointsError("rank points are given within a group of four tables: compare venues by imp or cross-imp")
        self._kind, self._scale, self._points = kind, scale, points
        self._deals: dict[int, _Deal] = {}
        self._totals: dict[str, Earned] = {}
        self._played: Counter[str] = Counter()
        """In how many deals each entrant has a result."""
        self._moved: set[int] = set()
        """Deals whose tallies are converted again when somebody asks."""
        self._ranking: tuple[Standing, ...] | None = None
        self._imps: dict[int, int] = {}

    def put(self, n: int, table: str, results: Sequence[DealResult]) -> None:
        """The results of a table in a deal are these from now on; none takes away those that it had.

        ``results`` keep the laws of ``twinwall.event.results`` once all tables are there.
        """
        deal = self._deals.setdefault(n, _Deal())
        before = deal.tables.get(table, ())
        if before == tuple(results):
            return
        for result in before:
            deal.remove(result)
            self._totals[result.entrant] += result.penalty
        for result in results:
            deal.add(result)
            self._totals[result.entrant] = self._totals.get(result.entrant, 0) - result.penalty
        deal.tables[table] = tuple(results)
        for entrant in {result.entrant for result in (*before, *results)}:
            self._place(deal, entrant)
        self._moved.add(n)
        self._ranking = None

    def ranking(self) -> tuple[Standing, ...]:
        """All entrants by their totals, those who are level by what they earned where they were compared with each other."""
        if self._ranking is None:
            for n in self._moved:
                self._convert(self._deals[n])
            self._moved.clear()
            totals = {entrant: Fraction(total) for entrant, total in self._totals.items()}
            self._ranking = standings(totals, [same_wind(_Held(self))] if self._kind is EntrantKind.INDIVIDUAL else [])
        return self._ranking

    def earned(self, entrant: str) -> Mapping[Place, Earned]:
        """What an entrant of an individual event has earned by deal and seat, penalties not taken off."""
        return {
            (n, result.seat): deal.tallies[deal.alike[entrant]].earned
            for n, deal in self._deals.items()
            for result in deal.held.get(entrant, ())
        }

    @property
    def entrants(self) -> Mapping[str, Earned]:
        """All entrants with their totals, as they were when the ranking was asked for."""
        return self._totals

    def _place(self, deal: _Deal, entrant: str) -> None:
        """Put an entrant into the tally of those with results like his, out of the one that he was in."""
        before, held = deal.alike.pop(entrant, None), deal.held.get(entrant)
        if before is not None:
            tally = deal.tallies[before]
            tally.entrants.remove(entrant)
            self._totals[entrant] -= tally.earned
            if not tally.entrants:
                del deal.tallies[before]
        if held is not None:
            counted = [result for result in held if result.counts]
            alike = _Alike(sum(result.score for result in counted), tuple(sorted((each.seat for each in counted), key=SEATS.index)))
            tally = deal.tallies.setdefault(alike, _Tally())
            tally.entrants.add(entrant)
            deal.alike[entrant] = alike
            self._totals[entrant] += tally.earned
        self._played[entrant] += (held is not None) - (before is not None)
        if not self._played[entrant]:
            del self._played[entrant], self._totals[entrant]

    def _convert(self, deal: _Deal) -> None:
        """Convert what the tallies of a deal scored, and correct the totals of those who earn something else now."""
        earned = self._cross_imps(deal) if self._points is Points.CROSS else self._imps_of(deal)
        for alike, tally in deal.tallies.items():
            more = earned.get(alike, 0) - tally.earned
            if more:
                tally.earned += more
                for entrant in tally.entrants:
                    self._totals[entrant] += more

    def _imps_of(self, deal: _Deal) -> dict[_Alike, Earned]:
        """What the differences from the means of the seats are worth."""
        means = {seat: deal.mean(seat) for seat in SEATS}
        return {
            alike: self._scale.imp(alike.sum - sum((means[seat] for seat in alike.seats), Fraction(0)))
            for alike in deal.tallies
            if alike.seats
        }

    def _cross_imps(self, deal: _Deal) -> dict[_Alike, Earned]:
        """What the differences from every other result are worth on average: of players in the same seat, of all teams."""
        fields: defaultdict[tuple[Seat, ...], list[_Alike]] = defaultdict(list)
        for alike in deal.tallies:
            if alike.seats:
                fields[alike.seats if self._kind is EntrantKind.INDIVIDUAL else ()].append(alike)
        return {alike: earned for compared in fields.values() for alike, earned in self._crossed(deal, compared)}

    def _crossed(self, deal: _Deal, compared: Sequence[_Alike]) -> Iterator[tuple[_Alike, Earned]]:
        sizes = [len(deal.tallies[alike].entrants) for alike in compared]
        others = sum(sizes) - 1
        if others < 1:
            return
        level = len({alike.seats for alike in compared}) == 1  # then the means of the seats are in both sides of each difference
        means = {seat: deal.mean(seat) for seat in SEATS}
        values = [alike.sum if level else alike.sum - sum((means[seat] for seat in alike.seats), Fraction(0)) for alike in compared]
        for alike, own in zip(compared, values, strict=True):
            yield alike, Fraction(sum(size * self._imp(own - other) for other, size in zip(values, sizes, strict=True)), others)

    def _imp(self, difference: int | Fraction) -> int:
        if isinstance(difference, Fraction):
            return self._scale.imp(difference)
        known = self._imps.get(difference)
        if known is None:
            known = self._imps[difference] = self._scale.imp(Fraction(difference))
        return known


class _Held(Mapping[str, Mapping[Place, Fraction | int]]):
    """What each entrant earned by deal and seat, worked out for those who are asked for: the few who are level."""

    def __init__(self, compared: FieldComparison) -> None:
        self._compared = compared
        self._known: dict[str, Mapping[Place, Earned]] = {}

    def __getitem__(self, entrant: str) -> Mapping[Place, Fraction | int]:
        if entrant not in self._known:
            self._known[entrant] = self._compared.earned(entrant)
        return self._known[entrant]

    def __iter__(self) -> Iterator[str]:
        return iter(self._compared.entrants)

    def __len__(self) -> int:
        return len(self._compared.entrants)

    def __contains__(self, entrant: object) -> bool:
        return entrant in self._compared.entrants
