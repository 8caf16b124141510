"""Labelling: which table each four of a draw gets, and at which of its places each of its members sits.

Constructions fix who meets whom and who is compared with whom; numbers of tables and names of places are free. They are
given here session by session so that nobody comes to the same table or place more often than needed, as far as a greedy
choice with exchanges reaches. Steps are bounded by the number of tables; nothing is drawn at random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

from twinwall.event.movements.constructions import Draw, Four
from twinwall.event.movements.seating import PLACES, SeatedGroup, SeatedTable, SessionSeating, four

_ORDERS = tuple(permutations(PLACES))
_WEIGHT = 8
"""A visit more at the same table or place counts so many times as much: one person with three is worse than two with two."""
_ROUNDS = 4
"""Rounds of exchanges; a round tries every pair once."""


@dataclass(frozen=True, slots=True)
class Visits:
    """How often each entrant has been at a table, held a place and been compared with another."""

    tables: Counter[tuple[int, int]] = field(default_factory=Counter)
    places: Counter[tuple[int, int]] = field(default_factory=Counter)
    compared: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, seating: SessionSeating[int]) -> None:
        """Count a session that is fixed."""
        for group in seating.groups:
            for table in group.tables:
                self.tables.update((who, table.number) for who in table.places)
                self.places.update((who, place) for place, who in enumerate(table.places))
            for place in PLACES:
                for one, other in combinations((table.places[place] for table in group.tables), 2):
                    self.compared.update([(one, other), (other, one)])


def labelled(made: Sequence[Draw]) -> tuple[SessionSeating[int], ...]:
    """Sessions 1, 2, … with the tables and places of each draw."""
    visits, seatings = Visits(), []
    for number, draw in enumerate(made, 1):
        seating = _with_tables(number, tuple(_with_places(group, visits) for group in draw), visits)
        visits.add(seating)
        seatings.append(seating)
    return tuple(seatings)


def _with_places(group: tuple[Four, ...], visits: Visits) -> tuple[Four, ...]:
    """The group's fours with their places exchanged: all alike in a group of four tables, where the construction says who is compared."""
    if len(group) == len(PLACES):
        costs = [[sum(_WEIGHT ** visits.places[fours[old], new] for fours in group) for new in PLACES] for old in PLACES]
        best = _cheapest(costs)
        return tuple(four(fours[best.index(place)] for place in PLACES) for fours in group)
    placed: list[Four] = []
    for fours in group:
        costs = [[_WEIGHT ** visits.places[who, new] + _compared(who, new, placed, visits) for new in PLACES] for who in fours]
        best = _cheapest(costs)
        placed.append(four(fours[best.index(place)] for place in PLACES))
    return tuple(placed)


def _compared(who: int, place: int, placed: Sequence[Four], visits: Visits) -> int:
    """How often somebody was compared with those who hold a place at the tables so far."""
    return sum(visits.compared[who, other[place]] for other in placed)


def _cheapest(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The new place of each old one."""
    return min(_ORDERS, key=lambda order: sum(costs[old][new] for old, new in enumerate(order)))


def _with_tables(number: int, groups: Sequence[Sequence[Four]], visits: Visits) -> SessionSeating[int]:
    """Groups get consecutive tables, and fours the tables of their group."""
    size = len(groups[0])
    ranges = [range(block * size + 1, block * size + size + 1) for block in range(len(groups))]
    everybody = [[who for fours in group for who in fours] for group in groups]
    blocks = _assigned([[_table_cost(members, tables, visits) for tables in ranges] for members in everybody])
    seated = {block: _seated(group, ranges[block], visits) for group, block in zip(groups, blocks, strict=True)}
    return SessionSeating(number, tuple(SeatedGroup(str(block + 1), seated[block]) for block in range(len(groups))))


def _seated(group: Sequence[Four], tables: range, visits: Visits) -> tuple[SeatedTable[int], ...]:
    chosen = _assigned([[_table_cost(fours, [table], visits) for table in tables] for fours in group])
    by_table = {tables[index]: fours for index, fours in zip(chosen, group, strict=True)}
    return tuple(SeatedTable(table, by_table[table]) for table in tables)


def _table_cost(members: Sequence[int], tables: Sequence[int], visits: Visits) -> int:
    return sum(_WEIGHT ** visits.tables[who, table] for who in members for table in tables)


def _assigned(costs: Sequence[Sequence[int]]) -> list[int]:
    """A column for each row, every one once: the cheapest that is free, then exchanges of two as long as they help."""
    free = list(range(len(costs)))
    chosen = []
    for row in costs:
        column = min(free, key=lambda each: row[each])
        free.remove(column)
        chosen.append(column)
    for _ in range(_ROUNDS):
        before = list(chosen)
        for one, other in combinations(range(len(chosen)), 2):
            a, b = chosen[one], chosen[other]
            if costs[one][b] + costs[other][a] < costs[one][a] + costs[other][b]:
                chosen[one], chosen[other] = b, a
        if chosen == before:
            break
    return chosen
