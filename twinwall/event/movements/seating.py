"""Seatings: who sits at which place of which table, and in which group, in one session.

A place is physical, 0 to 3 counter-clockwise, and kept for a session; ``twinwall.game.session`` says which wind a place
holds in a hand. All tables of a session turn their winds together, so those who hold the same place at two tables of a
group hold the same wind in every hand and are compared. The types are generic: places hold teams, player numbers, or the
indices of a construction. How a seating is made is left to the other modules of this folder.

``Past`` has how often people met, were compared, held a place and sat at a table. Needs are seats that are given to people who need them,
and people who do not sit at one table. A fixed seat always holds or the seating is refused. People are kept apart where that can be;
``together`` names those for whom it could not.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import Generic, TypeVar

from twinwall.values import frozen

PLACES = range(4)
TABLES_IN_GROUP = 4
"""Tables that are compared with each other, unless an event makes larger groups."""

Who = TypeVar("Who", bound=Hashable)
Other = TypeVar("Other", bound=Hashable)


class MovementError(ValueError):
    """Entrants or wishes of which no movement can be made; the message says what is needed."""


@frozen
class SeatedTable(Generic[Who]):
    """A table of a session, from 1, and who sits at its places 0 to 3."""

    number: int
    places: tuple[Who, Who, Who, Who]


@frozen
class GroupSeating(Generic[Who]):
    """Tables that play the same deals and are compared with each other."""

    name: str
    tables: tuple[SeatedTable[Who], ...]

    @property
    def members(self) -> tuple[Who, ...]:
        """Everybody of the group once: a team, which sits at four tables, too."""
        return tuple(dict.fromkeys(who for table in self.tables for who in table.places))


@frozen
class SessionSeating(Generic[Who]):
    """A session, from 1: its groups, and who sits out."""

    number: int
    groups: tuple[GroupSeating[Who], ...]
    sitting_out: tuple[Who, ...] = ()

    @property
    def tables(self) -> tuple[SeatedTable[Who], ...]:
        """All tables, group by group."""
        return tuple(table for group in self.groups for table in group.tables)

    def as_others(self, other: Callable[[Who], Other]) -> "SessionSeating[Other]":
        """The same seating with everybody called otherwise."""
        return SessionSeating(
            self.number,
            tuple(
                GroupSeating(group.name, tuple(SeatedTable(table.number, four(map(other, table.places))) for table in group.tables))
                for group in self.groups
            ),
            tuple(map(other, self.sitting_out)),
        )


def four(members: Iterable[Who]) -> tuple[Who, Who, Who, Who]:
    """Four people, or four teams, as a tuple of that length; raises ValueError for another number."""
    first, second, third, fourth = members
    return first, second, third, fourth


def refuse_repeats(entrants: Sequence[Who]) -> None:
    """Raise MovementError, with the names, when somebody is there more than once."""
    twice = sorted(str(entrant) for entrant, times in Counter(entrants).items() if times > 1)
    if twice:
        raise MovementError(f"{', '.join(twice)} is there more than once")


def check_players(seating: SessionSeating[Who]) -> None:
    """Raise MovementError unless everybody sits once or sits out, and no table number is used twice."""
    refuse_repeats([*(who for table in seating.tables for who in table.places), *seating.sitting_out])
    refuse_repeats([f"table {table.number}" for table in seating.tables])


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


@frozen
class FixedSeat:
    """The number of the table and the place 0 to 3 that somebody needs; None where any will do."""

    table: int | None = None
    place: int | None = None

    def is_at(self, table: int, place: int) -> bool:
        """Whether a seat is one that will do."""
        return self.table in (None, table) and self.place in (None, place)


@frozen
class SeatingNeeds(Generic[Who]):
    """What seats must be like besides fair.

    Attributes:
        fixed: who needs which seat, in every session.
        apart_at_first: sets of people, such as the members of a club, of whom no two share a table in the first session; in a team event
            sets of teams, and a group.
    """

    fixed: Mapping[Who, FixedSeat] = field(default_factory=dict)
    apart_at_first: tuple[frozenset[Who], ...] = ()

    def among(self, present: Collection[Who]) -> "SeatingNeeds[Who]":
        """The needs of those who are present."""
        there = frozenset(present)
        fixed = {who: seat for who, seat in self.fixed.items() if who in there}
        return SeatingNeeds(fixed, tuple(people & there for people in self.apart_at_first))

    def apart(self, number: int) -> tuple[frozenset[Who], ...]:
        """Sets of whom no two meet in a session."""
        return self.apart_at_first if number == 1 else ()


def check_fixed(needs: SeatingNeeds[Who], tables: int) -> None:
    """Raise MovementError for a seat that is not there, or that two people need."""
    holders: dict[FixedSeat, Who] = {}
    for who, seat in needs.fixed.items():
        if seat.table is not None and not 1 <= seat.table <= tables:
            raise MovementError(f"{who} needs table {seat.table}, but tables 1 to {tables} play: choose another table for {who}")
        if seat.place is not None and seat.place not in range(4):
            raise MovementError(f"{who} needs place {seat.place}, but a table has places 0 to 3")
        if seat.table is not None and seat.place is not None and holders.setdefault(seat, who) != who:
            raise MovementError(f"{holders[seat]} and {who} need the same seat at table {seat.table}: choose another one for {who}")


def fixed_seats_hold(seating: SessionSeating[Who], needs: SeatingNeeds[Who]) -> bool:
    """Whether everybody who needs a seat and plays has it."""
    return all(
        needs.fixed.get(who, FixedSeat()).is_at(table.number, place) for table in seating.tables for place, who in enumerate(table.places)
    )


def together(seating: SessionSeating[Who], needs: SeatingNeeds[Who]) -> tuple[tuple[Who, Who], ...]:
    """Pairs at one table whom the needs of this session would keep apart."""
    return tuple(
        pair
        for table in seating.tables
        for pair in combinations(dict.fromkeys(table.places), 2)
        if any(people.issuperset(pair) for people in needs.apart(seating.number))
    )
