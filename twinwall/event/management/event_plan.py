"""What follows from a description and a number of entrants: tables, entrants who sit out, and how often pairs meet.

Pages say it in a sentence before anything is played.
"""

from functools import lru_cache
from typing import Literal

from twinwall.event.management.changes import EventDescribed
from twinwall.event.movements.balance import Balance, balance, team_balance
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.next_session import out_by_construction
from twinwall.event.movements.options import FieldOption, field_options
from twinwall.event.movements.teams import team_schedule
from twinwall.event.results import EntrantKind
from twinwall.values import frozen

FOUR = 4
MOST_ENTRANTS = 256
MOST_COMPUTED = 20_000
"""Most seats of all sessions for which the balance is computed; more would take too long."""


@frozen
class EventPlan:
    """An event in numbers.

    Attributes:
        entrants: teams, or players of an individual event.
        over: entrants beyond the last multiple of four; this many sit out in every session.
        missing: how many more entrants would fill all tables.
        tables: that play in a session.
        meetings: how often two players share a table, or two teams a group; None if only each session's seats decide it (by standing, or
         without a construction for the number).
        options: what can be done with the number; ``by_standing``: whether groups follow the standings.
    """

    kind: Literal["team", "individual"]
    entrants: int
    over: int
    missing: int
    tables: int
    sessions: int
    minutes: int
    meetings: Balance | None = None
    options: tuple[FieldOption, ...] = ()
    by_standing: bool = False

    @property
    def players(self) -> int:
        """Players who play at one time."""
        return FOUR * self.tables


def event_plan(description: EventDescribed, entrants: int) -> EventPlan:
    over = entrants % FOUR
    playing = entrants - over
    tables = playing if description.kind == "team" else playing // FOUR
    by_standing = description.groups == "by-standing"
    known = not by_standing and FOUR <= entrants <= MOST_ENTRANTS and playing * description.sessions <= MOST_COMPUTED
    return EventPlan(
        description.kind,
        entrants,
        over,
        -entrants % FOUR,
        tables,
        description.sessions,
        description.minutes,
        _meetings(description.kind, entrants, description.sessions) if known else None,
        field_options(EntrantKind(description.kind), entrants, description.sessions) if entrants <= MOST_ENTRANTS else (),
        by_standing,
    )


@lru_cache(maxsize=64)
def _meetings(kind: str, entrants: int, sessions: int) -> Balance | None:
    if out_by_construction(entrants, sessions) is None:
        return None
    if kind == "team":
        return team_balance(team_schedule(range(entrants), sessions))[0]
    return balance(individual_schedule(range(entrants), sessions))[0]
