"""Movements: four teams in a Latin square, and sixteen players over five sessions.

Places are physical, 0 to 3 counter-clockwise, and kept for a session; ``twinwall.game.session`` says which wind a place holds in a
hand. All tables of a session turn their winds together, so entrants who share a place at two tables share the wind in every
hand and are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinwall.event.results import TEAMS

PLAYERS = 16
SESSIONS = 5
NEXT_CLASS = (1, 2, 3, 4, 0)
"""The derangement that is used unless another is asked for."""

_PLACES = range(4)
_PRODUCTS = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))
"""Products in the field of four elements, 2 and 3 being the roots of x² + x + 1; its sum is exclusive or."""


class MovementError(ValueError):
    """Entrants, or a derangement, that no movement can be made of; the message says what is needed."""


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table of a session, from 1, and who sits at its places 0 to 3."""

    number: int
    places: tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class SeatedSession:
    """A session, from 1, and its four tables."""

    number: int
    tables: tuple[SeatedTable, ...]


def team_tables(teams: Sequence[str]) -> tuple[SeatedTable, ...]:
    """The four tables of a group of four teams: table t, place s (both from 0) is held by team (s − t) mod 4.

    Every team has one player at every table and one at every place, so it plays every seat of every
    deal once (Aono, "Duplicate-format mahjong", team event).

    Raises:
        MovementError: unless there are four different teams.
    """
    _check(teams, TEAMS, "teams")
    return tuple(_table(table, [teams[(place - table) % TEAMS] for place in _PLACES]) for table in range(TEAMS))


def individual_sessions(players: Sequence[str], seat_class: Sequence[int] = NEXT_CLASS) -> tuple[SeatedSession, ...]:
    """Five sessions of sixteen players in which every pair meets at a table once and is compared once.

    The players are the points of the affine plane of order 4. Its 20 lines form five parallel classes
    of four. Session i seats the four lines of class i at its tables; the place is the number of the
    player's line in class ``seat_class[i]``. Two points share exactly one line, so they share a table
    in one session and a place, at different tables, in one other.

    Args:
        players: sixteen names; the order decides who is which point.
        seat_class: a derangement of 0 to 4 (no number at its own place).

    Raises:
        MovementError: for another number of players, a name twice, or what is no derangement.
    """
    _check(players, PLAYERS, "players")
    if sorted(seat_class) != list(range(SESSIONS)) or any(own == other for own, other in enumerate(seat_class)):
        raise MovementError(f"the seats must come from a derangement of 0 to {SESSIONS - 1}, not from {list(seat_class)}")
    return tuple(
        SeatedSession(session + 1, tuple(_table(table, _line(players, session, table, seat_class[session])) for table in range(TEAMS)))
        for session in range(SESSIONS)
    )


def _line(players: Sequence[str], of_class: int, line: int, seat_class: int) -> list[str]:
    """The players on a line, by the number of their line in another class."""
    on_line = [point for point in range(PLAYERS) if _line_of(point, of_class) == line]
    return [players[point] for point in sorted(on_line, key=lambda point: _line_of(point, seat_class))]


def _line_of(point: int, of_class: int) -> int:
    """The number of the line of a parallel class through a point: y − slope·x, and x itself for the upright class."""
    x, y = divmod(point, 4)
    return x if of_class == SESSIONS - 1 else y ^ _PRODUCTS[of_class][x]


def _table(index: int, places: Sequence[str]) -> SeatedTable:
    first, second, third, fourth = places
    return SeatedTable(index + 1, (first, second, third, fourth))


def _check(entrants: Sequence[str], count: int, what: str) -> None:
    if len(entrants) != count:
        raise MovementError(f"this movement is for {count} {what}, not for {len(entrants)}")
    twice = sorted({entrant for entrant in entrants if list(entrants).count(entrant) > 1})
    if twice:
        raise MovementError(f"{', '.join(twice)} is there more than once")
