"""The session that follows: that of a construction as long as it fits, else the solver's.

A construction fits while the same entrants play, the same people met in its sessions, all needs hold and no entrant sits out
twice before everybody has once.
"""

from collections import Counter
from collections.abc import Sequence

from twinwall.event.movements.balance import entrants_of
from twinwall.event.movements.constructions import draws, left_out
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.needs import SeatingNeeds, fixed_seats_hold, together
from twinwall.event.movements.next_session import next_individual_session, next_team_session
from twinwall.event.movements.seating import PLACES, TABLES_IN_GROUP, SessionSeating, Who
from twinwall.event.movements.solver import EFFORT
from twinwall.event.movements.teams import team_schedule

SIXTEEN = TABLES_IN_GROUP * len(PLACES)
"""Players of a group by standing."""


def following_individual_session(
    players: Sequence[Who],
    played: Sequence[SessionSeating[Who]] = (),
    needs: SeatingNeeds[Who] | None = None,
    *,
    by_standing: bool = False,
    effort: float = EFFORT,
) -> SessionSeating[Who]:
    """The session after those that were played, for the players who are present.

    Args:
        players: the best in front when ``by_standing``, otherwise in the same order for all sessions.
        played: the sessions before.
        needs: fixed seats, and people to keep apart.
        by_standing: whether groups of sixteen follow the standing.
        effort: of the solver, see ``EFFORT``.

    Raises:
        MovementError: for fewer than four players, a player twice, or needs that contradict each other.
    """
    needs = SeatingNeeds() if needs is None else needs.among(players)
    number = len(played) + 1
    if not by_standing and _has_construction(len(players)):
        schedule = individual_schedule(players, number, needs, played)
        if schedule[:-1] == tuple(played) and _fits(schedule, needs):
            return schedule[-1]
    return next_individual_session(players, played, needs, by_standing=by_standing, effort=effort)


def following_team_session(
    teams: Sequence[Who],
    played: Sequence[SessionSeating[Who]] = (),
    needs: SeatingNeeds[Who] | None = None,
    *,
    by_standing: bool = False,
    effort: float = EFFORT,
) -> SessionSeating[Who]:
    """The session of teams after those that were played; arguments and errors as for players, with groups of four teams."""
    needs = needs or SeatingNeeds()
    number = len(played) + 1
    if not by_standing and _has_construction(len(teams)):
        schedule = team_schedule(teams, number)
        if _groups(schedule[:-1]) == _groups(played) and not together(schedule[-1], needs) and _evenly_out(schedule):
            return schedule[-1]
    return next_team_session(teams, played, needs, effort=effort)


def out_by_construction(entrants: int, sessions: int) -> tuple[tuple[int, ...], ...] | None:
    """Who sits out in each session of a construction in which no entrant does so twice before all have once; None when there is none."""
    if not _has_construction(entrants):
        return None
    out = tuple(left_out(draw, entrants) for draw in draws(entrants, sessions))
    return out if _in_turn(out, range(entrants)) else None


def _has_construction(entrants: int) -> bool:
    """Whether there is one in which none sits out, or with one entrant less one in which none does so twice at first."""
    return entrants <= 256 and ((entrants % len(PLACES) == 0 and entrants > 0) or (entrants % len(PLACES) == 3 and entrants >= SIXTEEN - 1))


def _fits(schedule: Sequence[SessionSeating[Who]], needs: SeatingNeeds[Who]) -> bool:
    return fixed_seats_hold(schedule[-1], needs) and not together(schedule[-1], needs) and _evenly_out(schedule)


def _evenly_out(schedule: Sequence[SessionSeating[Who]]) -> bool:
    """Whether no entrant sits out twice before all have once."""
    return _in_turn([seating.sitting_out for seating in schedule], entrants_of(schedule))


def _in_turn(out: Sequence[Sequence[Who]], entrants: Sequence[Who]) -> bool:
    times = Counter(who for session in out for who in session)
    return not times or max(times.values()) - min(times[who] for who in entrants) <= 1


def _groups(schedule: Sequence[SessionSeating[Who]]) -> list[set[frozenset[Who]]]:
    return [{frozenset(group.members) for group in seating.groups} for seating in schedule]
