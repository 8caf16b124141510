"""Seats of several sessions, each made after the last, as a director has them made."""

from collections.abc import Sequence

from twinwall.event.movements.next_session import following_individual_session
from twinwall.event.movements.seating import SeatingNeeds, SessionSeating, Who
from twinwall.event.movements.solver import EFFORT


def planned_schedule(
    present: Sequence[Sequence[Who]], needs: SeatingNeeds[Who] | None = None, effort: float = EFFORT
) -> tuple[SessionSeating[Who], ...]:
    """Sessions for whoever is present in each of them, one following the other; ``present`` has the players of each session."""
    planned: list[SessionSeating[Who]] = []
    for players in present:
        planned.append(following_individual_session(players, planned, needs, effort=effort))
    return tuple(planned)
