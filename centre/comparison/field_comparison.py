"""Compares the entrants of one field deal by deal; a new result recomputes only what depends on it.

The numbers equal those of ``comparison``, ``cross_imp`` and ``standings`` over all results of the field as one group. If results of a deal
change, its tallies are converted again (``deal_tallies``), and only entrants whose tally earns something else get a new total. Totals are
whole numbers of one unit, in which all earnings can be counted exactly. Ties are broken again only if somebody in them earns something
else.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import groupby
from math import lcm
from typing import TypeAlias

from centre.comparison.deal_tallies import DealTallies
from twinwall.event.comparison import Standing
from twinwall.event.imp_scale import ImpScale
from twinwall.event.natural_order import natural
from twinwall.event.points import Points
from twinwall.event.results import DealResult, EntrantKind

_Level: TypeAlias = tuple[int, list[str], list[Standing]]
"""The first rank of entrants with equal totals, who they are, and how the tie was broken."""


class UncomparedPointsError(ValueError):
    """Points by which a field of venues cannot be compared; the message says why."""


class FieldComparison:
    """One field: a venue, a region, or all venues."""

    def __init__(self, kind: EntrantKind, scale: ImpScale, points: Points, unranked: Collection[str] = ()) -> None:
        """Start with no deal played; entrants in ``unranked`` are compared with others but appear in no ranking.

        Raises UncomparedPointsError for rank points, which are given within a group of four tables.
        """
        if points is Points.RANK:
            raise UncomparedPointsError("rank points are given within a group of four tables: compare venues by imp or cross-imp")
        self._of_players, self._scale, self._points = kind is EntrantKind.INDIVIDUAL, scale, points
        self._of_whole = _of_whole(scale)
        self._unranked = frozenset(unranked)
        self._deals: dict[int, DealTallies] = {}
        self._unit = 1
        """How many parts of an IMP the totals count."""
        self._totals: dict[str, int] = {}
        self._penalties: dict[str, int] = {}
        """IMP deducted from entrants; these break no ties."""
        self._places: dict[str, int] = {}
        """How many results each entrant has by deal and seat, in the bits that each deal calls its places."""
        self._named: list[str] | None = None
        """All ranked entrants, by name."""
        self._given: dict[int, dict[str, tuple[DealResult, ...]]] = {}
        """Results by deal and table that are counted when somebody asks for the ranking."""
        self._touched: set[str] = set()
        """Entrants whose earnings changed since the ranking was made."""
        self._levels: dict[int, _Level] = {}
        """Entrants with equal totals, by total."""
        self._ranking: tuple[Standing, ...] | None = None

    def put(self, n: int, tables: Mapping[str, Sequence[DealResult]]) -> None:
        """Record these tables' results in a deal; an empty entry removes those that a table had.

        They satisfy the laws of ``twinwall.event.results`` once all tables are present.
        """
        self._given.setdefault(n, {}).update((table, tuple(results)) for table, results in tables.items())

    def leave_out(self, unranked: Collection[str]) -> None:
        """Leave these entrants, and no others, out of the ranking."""
        self._unranked, self._named, self._ranking = frozenset(unranked), None, None

    def ranking(self) -> tuple[Standing, ...]:
        """All entrants by total; equal totals are ordered by what the entrants earned where they were compared with each other."""
        moved = [deal for n, tables in self._given.items() if (deal := self._taken(n, tables)) is not None]
        self._given.clear()
        if moved or self._ranking is None:
            for deal in moved:
                self._convert(deal)
            self._measure_in(lcm(*(deal.unit for deal in self._deals.values())))
            self._ranking = self._ranked()
            self._touched.clear()
        return self._ranking

    def _taken(self, n: int, tables: Mapping[str, tuple[DealResult, ...]]) -> DealTallies | None:
        """Count these tables' new results in place of the old; returns the deal if anything changed."""
        deal, moved = self._deals.get(n), False
        if deal is None:
            deal = self._deals[n] = DealTallies(len(self._deals))
        for table, results in tables.items():
            before = deal.tables.get(table, ())
            if results != before:
                for result in before:
                    self._count(deal, result, -1)
                for result in results:
                    self._count(deal, result, 1)
                deal.tables[table] = results
                moved = True
        return deal if moved else None

    def _count(self, deal: DealTallies, result: DealResult, sign: int) -> None:
        """Add a result to its deal, or remove it."""
        entrant = result.entrant
        more = deal.count(result, sign)
        if result.penalty:
            more -= sign * result.penalty * self._unit
            self._penalties[entrant] = self._penalties.get(entrant, 0) + sign * result.penalty
        total = self._totals.get(entrant)
        if total is None:
            total, self._named = 0, None
        places = self._places.get(entrant, 0) + sign * deal.places[result.seat.index]
        if places:
            self._totals[entrant], self._places[entrant] = total + more, places
            self._touched.add(entrant)
        else:
            del self._places[entrant], self._totals[entrant]
            self._penalties.pop(entrant, None)
            self._named = None

    def _convert(self, deal: DealTallies) -> None:
        """Convert the scores of a deal's tallies, and correct the totals of entrants who now earn something else."""
        crossed = self._points is Points.CROSS
        deal.unit, earned = deal.cross_imps(self._scale, self._of_whole, self._of_players) if crossed else deal.imps(self._scale)
        self._measure_in(lcm(self._unit, deal.unit))
        parts = self._unit // deal.unit
        for alike, tally in deal.tallies.items():
            now = parts * earned.get(alike, 0)
            more = now - tally.earned
            if more:
                tally.earned = now
                self._touched |= tally.entrants
                for entrant in tally.entrants:
                    self._totals[entrant] += more

    def _measure_in(self, unit: int) -> None:
        """Count all earnings in parts of another size, a multiple of the present number."""
        before = self._unit
        if unit == before:
            return
        self._unit = unit
        self._levels.clear()
        self._totals = {entrant: total * unit // before for entrant, total in self._totals.items()}
        for deal in self._deals.values():
            for tally in deal.tallies.values():
                tally.earned = tally.earned * unit // before

    def _ranked(self) -> tuple[Standing, ...]:
        """All entrants, the highest total first."""
        if self._named is None:
            self._named = sorted(self._totals.keys() - self._unranked, key=natural)
        placed: list[Standing] = []
        known, self._levels = self._levels, {}
        ordered = sorted(self._named, key=self._totals.__getitem__, reverse=True)
        for total, level in groupby(ordered, self._totals.__getitem__):
            entrants, rank = list(level), len(placed) + 1
            if len(entrants) == 1:
                placed.append(Standing(entrants[0], rank, Fraction(total, self._unit)))
            else:
                parted = self._parted(total, entrants, rank, known.get(total))
                self._levels[total] = rank, entrants, parted
                placed += parted
        return tuple(placed)

    def _parted(self, total: int, entrants: list[str], rank: int, before: _Level | None) -> list[Standing]:
        """The order of entrants with equal totals from this rank on; an earlier order is reused if nothing of theirs has changed."""
        if before is None or before[1] != entrants or not self._touched.isdisjoint(entrants):
            return list(self._part(Fraction(total, self._unit), entrants, rank))
        further = rank - before[0]
        return [Standing(each.entrant, each.rank + further, each.total) for each in before[2]] if further else before[2]

    def _part(self, total: Fraction, entrants: list[str], first: int) -> Iterator[Standing]:
        """Entrants with equal totals, by what they won in the same wind; if that is equal too, they share a rank, in the order of names."""
        won = self._won(entrants) if self._of_players else {}
        if not won:
            yield from (Standing(entrant, first, total) for entrant in entrants)
            return
        rank = first
        for index, entrant in enumerate(ordered := sorted(entrants, key=won.__getitem__, reverse=True)):
            if won[entrant] != won[ordered[rank - first]]:
                rank = first + index
            yield Standing(entrant, rank, total)

    def _won(self, entrants: Sequence[str]) -> dict[str, int]:
        """What each of these players won where they were compared with each other, as in ``same_wind``; empty if that does not apply."""
        once = shared = 0
        for entrant in entrants:
            places = self._places[entrant]
            shared |= once & places
            once |= places
        if not shared or len({(self._places[entrant] & shared).bit_count() for entrant in entrants}) > 1:
            return {}
        won: dict[str, int] = {}
        for entrant in entrants:
            won[entrant] = self._totals[entrant] + self._penalties.get(entrant, 0) * self._unit
            elsewhere = self._places[entrant] & ~shared
            if elsewhere:
                won[entrant] -= self._earned_in(entrant, elsewhere)
        return won

    def _earned_in(self, entrant: str, places: int) -> int:
        """A player's earnings in these places, at most one of a deal."""
        return sum(deal.own[entrant].earned for deal in self._deals.values() if deal.every_place & places)


@cache
def _of_whole(scale: ImpScale) -> Callable[[int], int]:
    """The IMP of whole differences, remembered for all fields of a scale."""
    return cache(partial(scale.imp_of, denominator=1))
