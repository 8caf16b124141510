"""Changes that prepare an event of sixteen players, as individuals and as four teams; and the seats of several sessions."""

from collections.abc import Sequence

from twinwall.event.management.changes import (
    EnteredPlayer,
    EnteredTeam,
    EntrantsEntered,
    EventChange,
    EventDescribed,
    SeatedGroup,
    SeatedPlayers,
    SessionSeated,
    TablesChosen,
)
from twinwall.event.movements.next_session import following_individual_session
from twinwall.event.movements.seating import SessionSeating, Who
from twinwall.event.movements.solver import EFFORT

TABLES = ("1", "2", "3", "4")
PLAYERS = EntrantsEntered(tuple(EnteredPlayer(str(number)) for number in range(1, 17)))
INDIVIDUAL = EventDescribed("individual", "mcr-duplicate", sessions=2)


def at(table: str, *players: str) -> SeatedPlayers:
    first, second, third, fourth = players
    return SeatedPlayers(table, (first, second, third, fourth))


def rows(session: int = 1) -> SessionSeated:
    tables = tuple(at(table, *(str(4 * index + place + 1) for place in range(4))) for index, table in enumerate(TABLES))
    return SessionSeated(session, (SeatedGroup("1", tables),))


def team_rows(session: int = 1) -> SessionSeated:
    """Team k has the players 4k + 1 to 4k + 4; its player at table t sits at place (t + k) mod 4."""
    held = {(t, (t + k) % 4): str(4 * k + t + 1) for t in range(4) for k in range(4)}
    tables = tuple(at(table, *(held[t, place] for place in range(4))) for t, table in enumerate(TABLES))
    return SessionSeated(session, (SeatedGroup("1", tables, ("A", "B", "C", "D")),))


TEAMS = EntrantsEntered(
    PLAYERS.players, tuple(EnteredTeam(name, tuple(str(4 * k + i) for i in range(1, 5))) for k, name in enumerate("ABCD"))
)
PREPARED: Sequence[EventChange] = (INDIVIDUAL, PLAYERS, TablesChosen(TABLES), rows())
PREPARED_TEAMS: Sequence[EventChange] = (EventDescribed("team", "mcr-duplicate"), TEAMS, TablesChosen(TABLES), team_rows())


def planned_schedule(present: Sequence[Sequence[Who]], effort: float = EFFORT) -> tuple[SessionSeating[Who], ...]:
    """Sessions for whoever is present in each of them, one following the other; ``present`` has the players of each session."""
    planned: list[SessionSeating[Who]] = []
    for players in present:
        planned.append(following_individual_session(players, planned, None, effort=effort))
    return tuple(planned)
