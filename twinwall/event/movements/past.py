"""What happened in sessions: how often people met, were compared, held a place and sat at a table."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import field
from itertools import combinations
from typing import Generic

from twinwall.event.movements.seating import PLACES, SessionSeating, Who
from twinwall.values import frozen


@frozen
class Past(Generic[Who]):
    """Counts over sessions, by pairs and by who was where; ``add`` counts one more."""

    met: Counter[frozenset[Who]] = field(default_factory=Counter)
    compared: Counter[frozenset[Who]] = field(default_factory=Counter)
    places: Counter[tuple[Who, int]] = field(default_factory=Counter)
    tables: Counter[tuple[Who, int]] = field(default_factory=Counter)

    def add(self, seating: SessionSeating[Who]) -> None:
        """Count a session."""
        self.met.update(frozenset(pair) for circle in at_tables(seating) for pair in combinations(circle, 2))
        self.compared.update(frozenset(pair) for circle in at_places(seating) for pair in combinations(circle, 2))
        self.places.update((who, place) for table in seating.tables for place, who in enumerate(table.places))
        self.tables.update((who, table.number) for table in seating.tables for who in table.places)


def past_of(played: Iterable[SessionSeating[Who]]) -> Past[Who]:
    """The counts of all these sessions."""
    past: Past[Who] = Past()
    for seating in played:
        past.add(seating)
    return past


def at_tables(seating: SessionSeating[Who]) -> list[tuple[Who, ...]]:
    """Those who sit at one table, table by table."""
    return [table.places for table in seating.tables]


def at_places(seating: SessionSeating[Who]) -> list[tuple[Who, ...]]:
    """Those who hold the same place at the tables of a group."""
    return [tuple(table.places[place] for table in group.tables) for group in seating.groups for place in PLACES]


def in_one_group(seating: SessionSeating[Who]) -> list[tuple[Who, ...]]:
    """Those who are in one group."""
    return [group.members for group in seating.groups]
