"""Needs: seats that are given to people who need them, and people who do not sit at one table.

A fixed seat always holds or the seating is refused. People are kept apart where that can be; ``together`` names those for
whom it could not.
"""

from collections.abc import Collection, Mapping
from dataclasses import field
from itertools import combinations
from typing import Generic

from twinwall.event.movements.seating import MovementError, SessionSeating, Who
from twinwall.values import frozen


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
