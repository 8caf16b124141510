"""One deal of a field: what each table and entrant scored, and what the deal is worth to entrants who scored alike.

Entrants whose results in a deal are alike (the same sum from the same seats) earn the same, so one tally holds them all and is converted
once. Earnings are exact: whole numbers of a unit that is a fraction of an IMP. Totals and rankings are made by ``field_comparison``.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import lcm
from operator import mul
from typing import TypeAlias

from twinwall.event.imp_scale import ImpScale
from twinwall.event.results import Basis, DealResult
from twinwall.game.tiles import SEATS

_BITS = 8
"""Bits for each seat in a number that counts results by seat."""
_UNITS = tuple(1 << (_BITS * seat.index) for seat in SEATS)
"""One result of each seat in such a number."""
_SEAT = {unit: index for index, unit in enumerate(_UNITS)}
_ALL = (1 << _BITS) - 1
Alike: TypeAlias = tuple[int, int, int]
"""What makes two entrants alike in a deal: the sum of their scores that count, how many of these are from each seat, and how many results
they have in all, including those that do not count."""
Earned: TypeAlias = tuple[int, dict[Alike, int]]
"""A unit, and how many such parts of an IMP each tally earns; a tally that is not named earns nothing."""


@dataclass(slots=True)
class Tally:
    """Entrants who are alike in a deal, and what each earns in it."""

    alike: Alike
    entrants: set[str] = field(default_factory=set)
    earned: int = 0


class DealTallies:
    """One deal of a field."""

    def __init__(self, index: int) -> None:
        """``index`` numbers the field's deals from 0 without a gap."""
        self.places = tuple(unit << _BITS * len(SEATS) * index for unit in _UNITS)
        """One result of each seat of this deal, in a number that counts results by deal and seat."""
        self.every_place = sum(self.places) * _ALL
        self.unit = 1
        """The parts in which the field counts what this deal is worth."""
        self.tables: dict[str, tuple[DealResult, ...]] = {}
        self.own: dict[str, Tally] = {}
        """The tally of each entrant."""
        self.tallies: dict[Alike, Tally] = {}
        self._counts = [0] * len(SEATS)
        self._sums = [0] * len(SEATS)

    def count(self, result: DealResult, sign: int) -> int:
        """Add a result (``sign`` 1) or remove it (-1); returns by how much its entrant's earnings change."""
        entrant, index, more = result.entrant, result.seat.index, 0
        total, seats, number = 0, 0, sign
        before = self.own.get(entrant)
        if before is not None:
            total, seats, number = before.alike
            number += sign
            more -= before.earned
            self._leave(before, entrant)
        if result.basis is not Basis.AVERAGE:
            total += sign * result.score
            seats += sign * _UNITS[index]
            self._counts[index] += sign
            self._sums[index] += sign * result.score
        return more + self._enter((total, seats, number), entrant) if number else more

    def imps(self, scale: ImpScale) -> Earned:
        """The value of the differences from the means of the seats."""
        unit, means = self._means()
        earned = {alike: scale.imp_of(alike[0] * unit - _of_seats(means, alike[1]), unit) for alike in self.tallies if alike[1]}
        return 1, earned

    def cross_imps(self, scale: ImpScale, of_whole: Callable[[int], int], of_players: bool) -> Earned:
        """The average value of the differences from all other results: for players from those in the same seat, for teams from all.

        ``of_whole`` remembers the scale's IMP for whole differences, as those of players are.
        """
        compared: defaultdict[int, list[Alike]] = defaultdict(list)
        for alike in self.tallies:
            if alike[1]:
                compared[alike[1] if of_players else 0].append(alike)
        sizes = {seats: [len(self.tallies[alike].entrants) for alike in field] for seats, field in compared.items()}
        others = {seats: sum(of_field) - 1 for seats, of_field in sizes.items()}
        unit = lcm(*(each for each in others.values() if each))
        earned: dict[Alike, int] = {}
        for seats, each in others.items():
            if each:
                won = self._crossed(compared[seats], sizes[seats], scale, of_whole)
                earned.update((alike, sums * (unit // each)) for alike, sums in zip(compared[seats], won, strict=True))
        return unit, earned

    def _crossed(self, compared: Sequence[Alike], sizes: Sequence[int], scale: ImpScale, of_whole: Callable[[int], int]) -> list[int]:
        """The sum of IMP of each against all; results of the same seats have the same means, which cancel out."""
        if len({alike[1] for alike in compared}) == 1:
            imp, values = of_whole, [alike[0] for alike in compared]
        else:
            unit, means = self._means()
            imp, values = (
                cache(partial(scale.imp_of, denominator=unit)),
                [alike[0] * unit - _of_seats(means, alike[1]) for alike in compared],
            )
        return [sum(map(mul, sizes, map(imp, map(own.__sub__, values)))) for own in values]

    def _means(self) -> tuple[int, list[int]]:
        """The mean of each seat over results that count: a unit, and the number of such parts of a point."""
        unit = lcm(*(count or 1 for count in self._counts))
        return unit, [total * (unit // (count or 1)) for total, count in zip(self._sums, self._counts, strict=True)]

    def _enter(self, alike: Alike, entrant: str) -> int:
        """Add an entrant to those who are like him; returns what these have earned."""
        tally = self.tallies.get(alike)
        if tally is None:
            tally = self.tallies[alike] = Tally(alike)
        tally.entrants.add(entrant)
        self.own[entrant] = tally
        return tally.earned

    def _leave(self, tally: Tally, entrant: str) -> None:
        tally.entrants.remove(entrant)
        if not tally.entrants:
            del self.tallies[tally.alike]
        del self.own[entrant]


def _of_seats(means: Sequence[int], seats: int) -> int:
    """The sum of these seats' means."""
    if seats in _SEAT:
        return means[_SEAT[seats]]
    return sum((seats >> _BITS * index & _ALL) * mean for index, mean in enumerate(means))
