"""An event of two sessions before the pages: four teams, one deal a session, groups drawn anew, both deals released."""

from collections.abc import Sequence

from tests.support.dashboard.hall import Hall
from tests.support.event.sessions import Play, hand_lines, paid
from tests.support.wire.streams import Line, public_events
from twinwall.event.field import EventField, Group, SessionGroups
from twinwall.event.results import EntrantKind

TABLES = ("1", "2", "3", "4")
TEAMS = ("Plum", "Orchid", "Bamboo", "Chrysanthemum")
FIELD = EventField(
    EntrantKind.TEAM, (), (SessionGroups(1, (Group("1", TABLES, TEAMS),)), SessionGroups(2, (Group("A", TABLES, TEAMS[::-1]),)))
)
DEALS = {1: (1, 1), 2: (2, 1)}
"""Session and hand of each deal."""
WINNERS = {1: (0, 0, 0, 1), 2: (0, 0, 0, 2)}
"""The seat that wins 16 fan by itself, by deal and table."""


def script(table: str, after: Sequence[Line] = ()) -> list[Line]:
    """A table's ledger, with the release of each deal after its hand, and further lines at its end."""
    players = [f"{table}{place}" for place in range(4)]
    lines: list[Line] = []
    for n, (session, hand) in DEALS.items():
        lines += hand_lines(Play(n, session, hand, table, players, paid(WINNERS[n][TABLES.index(table)], 16, None)))
        lines.append(("deal-released", {"n": n}))
    return [*lines, *after]


def play_two_sessions(hall: Hall) -> None:
    """Let the hall, whose field is ``FIELD``, play and release both deals."""
    for table in TABLES:
        hall.feed(script(table), table)
    for n, (session, hand) in DEALS.items():
        hall.release(n, session, hand)


def rule_late(hall: Hall, table: str, ruling: Line) -> None:
    hall.add(public_events(script(table, [ruling]), table)[-1:])
