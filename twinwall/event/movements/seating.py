"""Seatings: everybody's group, table and place in one session.

A place is physical, 0 to 3 counter-clockwise, for a whole session; ``twinwall.game.tiles`` says which wind it has in a hand. All tables
change winds together, so those with the same place at two tables of a group have the same wind in every hand and are compared. Places have
teams, player numbers, or the indices of a construction, so the types are generic.

``Past`` counts how often people met, were compared, had a place and sat at a table. Needs are fixed seats, and people to keep apart. A
fixed seat always holds, or the seating is refused. People are kept apart if possible; ``together`` names those who were not.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import Generic, TypeVar

from twinwall.values import frozen

PLACES = range(4)
TABLES_IN_GROUP = 4
"""Tables that are compared, unless an event makes larger groups."""

Who = TypeVar("Who", bound=Hashable)
Other = TypeVar("Other", bound=Hashable)


class MovementError(ValueError):
    """No movement fits these entrants or needs; the message says what is needed."""


@frozen
class SeatedTable(Generic[Who]):
    """A table of a session, from 1, with the people at its places 0 to 3."""

    number: int
    places: tuple[Who, Who, Who, Who]


@frozen
class GroupSeating(Generic[Who]):
    """Tables that play the same deals and are compared."""

    name: str
    tables: tuple[SeatedTable[Who], ...]

    @property
    def members(self) -> tuple[Who, ...]:
        """Each member once, also a team, which sits at four tables."""
        return tuple(dict.fromkeys(who for table in self.tables for who in table.places))


@frozen
class SessionSeating(Generic[Who]):
    """A session, from 1: its groups, and who sits out."""

    number: int
    groups: tuple[GroupSeating[Who], ...]
    sitting_out: tuple[Who, ...] = ()

    @property
    def tables(self) -> tuple[SeatedTable[Who], ...]:
        return tuple(table for group in self.groups for table in group.tables)

    def as_others(self, other: Callable[[Who], Other]) -> "SessionSeating[Other]":
        """The same seating with ``other`` applied to everybody."""
        return SessionSeating(
            self.number,
            tuple(
                GroupSeating(group.name, tuple(SeatedTable(table.number, four(map(other, table.places))) for table in group.tables))
                for group in self.groups
            ),
            tuple(map(other, self.sitting_out)),
        )


def four(members: Iterable[Who]) -> tuple[Who, Who, Who, Who]:
    """Four people or teams as a tuple; raises ValueError for another number."""
    first, second, third, fourth = members
    return first, second, third, fourth


def refuse_repeats(entrants: Sequence[Who]) -> None:
    """Raise MovementError with the names that occur more than once."""
    twice = sorted(str(entrant) for entrant, times in Counter(entrants).items() if times > 1)
    if twice:
        raise MovementError(f"{', '.join(twice)} is there more than once")


def check_players(seating: SessionSeating[Who]) -> None:
    """Raise MovementError unless everybody sits once or sits out, and table numbers are unique."""
    refuse_repeats([*(who for table in seating.tables for who in table.places), *seating.sitting_out])
    refuse_repeats([f"table {table.number}" for table in seating.tables])


@frozen
class Past(Generic[Who]):
    """Counts over sessions, by pairs, and by person and position; ``add`` counts one more session."""

    met: Counter[frozenset[Who]] = field(default_factory=Counter)
    compared: Counter[frozenset[Who]] = field(default_factory=Counter)
    places: Counter[tuple[Who, int]] = field(default_factory=Counter)
    tables: Counter[tuple[Who, int]] = field(default_factory=Counter)

    def add(self, seating: SessionSeating[Who]) -> None:
        self.met.update(frozenset(pair) for circle in at_tables(seating) for pair in combinations(circle, 2))
        self.compared.update(frozenset(pair) for circle in at_places(seating) for pair in combinations(circle, 2))
        self.places.update((who, place) for table in seating.tables for place, who in enumerate(table.places))
        self.tables.update((who, table.number) for table in seating.tables for who in table.places)


def past_of(played: Iterable[SessionSeating[Who]]) -> Past[Who]:
    past: Past[Who] = Past()
    for seating in played:
        past.add(seating)
    return past


def at_tables(seating: SessionSeating[Who]) -> list[tuple[Who, ...]]:
    return [table.places for table in seating.tables]


def at_places(seating: SessionSeating[Who]) -> list[tuple[Who, ...]]:
    """Who has the same place at the tables of each group."""
    return [tuple(table.places[place] for table in group.tables) for group in seating.groups for place in PLACES]


def in_one_group(seating: SessionSeating[Who]) -> list[tuple[Who, ...]]:
    return [group.members for group in seating.groups]


@frozen
class FixedSeat:
    """The table and place 0 to 3 that somebody needs; None for any."""

    table: int | None = None
    place: int | None = None

    def is_at(self, table: int, place: int) -> bool:
        return self.table in (None, table) and self.place in (None, place)


@frozen
class SeatingNeeds(Generic[Who]):
    """What seats must satisfy besides fairness. ``fixed``: by person, the seat needed in every session. ``apart_at_first``: sets of people
    (such as a club's) who should not share tables in the first session; of teams, groups."""

    fixed: Mapping[Who, FixedSeat] = field(default_factory=dict)
    apart_at_first: tuple[frozenset[Who], ...] = ()

    def among(self, present: Collection[Who]) -> "SeatingNeeds[Who]":
        there = frozenset(present)
        fixed = {who: seat for who, seat in self.fixed.items() if who in there}
        return SeatingNeeds(fixed, tuple(people & there for people in self.apart_at_first))

    def apart(self, number: int) -> tuple[frozenset[Who], ...]:
        return self.apart_at_first if number == 1 else ()


def check_fixed(needs: SeatingNeeds[Who], tables: int) -> None:
    """Raise MovementError for a seat that does not exist, or that two people need."""
    holders: dict[FixedSeat, Who] = {}
    for who, seat in needs.fixed.items():
        if seat.table is not None and not 1 <= seat.table <= tables:
            raise MovementError(f"{who} needs table {seat.table}, but tables 1 to {tables} play: choose another table for {who}")
        if seat.place is not None and seat.place not in range(4):
            raise MovementError(f"{who} needs place {seat.place}, but a table has places 0 to 3")
        if seat.table is not None and seat.place is not None and holders.setdefault(seat, who) != who:
            raise MovementError(f"{holders[seat]} and {who} need the same seat at table {seat.table}: choose another one for {who}")


def fixed_seats_hold(seating: SessionSeating[Who], needs: SeatingNeeds[Who]) -> bool:
    return all(
        needs.fixed.get(who, FixedSeat()).is_at(table.number, place) for table in seating.tables for place, who in enumerate(table.places)
    )


def together(seating: SessionSeating[Who], needs: SeatingNeeds[Who]) -> tuple[tuple[Who, Who], ...]:
    """Pairs at one table that the needs of this session would keep apart."""
    return tuple(
        pair
        for table in seating.tables
        for pair in combinations(dict.fromkeys(table.places), 2)
        if any(people.issuperset(pair) for people in needs.apart(seating.number))
    )
