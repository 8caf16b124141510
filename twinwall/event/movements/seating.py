"""Seatings: who sits at which place of which table, and in which group, in one session.

A place is physical, 0 to 3 counter-clockwise, and kept for a session; ``twinwall.game.session`` says which wind a place
holds in a hand. All tables of a session turn their winds together, so those who hold the same place at two tables of a
group hold the same wind in every hand and are compared. The types are generic: places hold teams, player numbers, or the
indices of a construction. How a seating is made is left to the other modules of this folder.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
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
