"""What the seats of a session heed: who met whom in the past, seats that people need, and people who do not sit at one table.

A fixed seat always holds or the seating is refused. People are kept apart where that can be; ``together`` names those for
whom it could not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from itertools import combinations
from typing import Generic, Literal

from twinwall.event.movements.seating import PLACES, MovementError, SessionSeating, Who
from twinwall.game.session import HANDS
from twinwall.game.values import frozen


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


HANDS_OF_A_ROUND = 4


PlayOrder = Literal["barometer", "staggered"]
"""In which order the tables of a group play the hands of a session.

barometer: all tables play the same hand at the same time; a deal is over in one turn, and standings follow turn by turn. staggered: tables
start in different rounds, the first in East, the second in South, and so on round the winds.
"""


def first_hand(order: PlayOrder, table: int, hands: int = HANDS) -> int:
    """The number of the hand, from 1, with which a table begins; after the last one it plays on from the first.

    Args:
        order: of the event.
        table: position in its group, from 0.
        hands: of the session, 1 to 16; the last round may have fewer than four.
    """
    if not 1 <= hands <= HANDS:
        raise ValueError(f"a session has 1 to {HANDS} hands, not {hands}")
    if order == "barometer":
        return 1
    rounds = -(-hands // HANDS_OF_A_ROUND)
    return table % rounds * HANDS_OF_A_ROUND + 1


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

    def among(self, present: Collection[Who]) -> SeatingNeeds[Who]:
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
