"""A Swiss of 64 players and three sessions, from ledgers: groups drawn anew by the standings, a share carried over, a substitute.

Whatever the program adds up is computed here a second time, from the plain scores.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

from tests.event.golden.expected import cross_imps, place, player_imps
from tests.support.event.sessions import HANDS, Play, paid, release, take
from twinwall.event.event_standings import StandingRules
from twinwall.event.field import EventField, Group, SessionGroups
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.hall import Hall
from twinwall.event.store.programme import Programme

pytestmark = pytest.mark.slow

PLAYERS = tuple(str(number) for number in range(101, 165))
GROUP, SESSIONS = 16, 3
SHARE = Fraction(1, 3)
ABSENT, SUBSTITUTE = "164", "900"
"""Who does not come to the last session, and who plays instead."""


@dataclass(frozen=True)
class Swiss:
    """The event as it was played: each session's groups in their order, its hands, and the hall after all of it."""

    drawn: tuple[tuple[tuple[str, ...], ...], ...]
    plays: tuple[Play, ...]
    hall: Hall


def seats(players: Sequence[str]) -> list[tuple[str, ...]]:
    """Four tables of a group, by place."""
    return [tuple(players[4 * table : 4 * table + 4]) for table in range(4)]


def payment(chance: random.Random) -> tuple[int, ...]:
    winner, source = chance.randrange(4), chance.randrange(5)
    if source == 4 and chance.random() < 0.3:
        return (0, 0, 0, 0)
    return paid(winner, chance.choice((8, 9, 12, 17, 24, 32, 88)), None if source in (winner, 4) else source)


def session_plays(session: int, groups: Sequence[Sequence[str]], chance: random.Random) -> Iterator[Play]:
    for hand in range(1, HANDS + 1):
        for index, group in enumerate(groups):
            for table, players in enumerate(seats(group), 1):
                sitting = [SUBSTITUTE if (session, player) == (SESSIONS, ABSENT) else player for player in players]
                n = (session - 1) * HANDS + hand
                yield Play(n, session, hand, str(4 * index + table), sitting, payment(chance))


def seated(session: int, groups: int) -> SessionGroups:
    names = [tuple(str(4 * index + table) for table in range(1, 5)) for index in range(groups)]
    stands_for = {SUBSTITUTE: ABSENT} if session == SESSIONS else {}
    return SessionGroups(session, tuple(Group("ABCD"[index], tables) for index, tables in enumerate(names)), stands_for)


@cache
def swiss(points: Points = Points.IMP) -> Swiss:
    """The event: before each session its groups are drawn by the standings, as a director would."""
    chance = random.Random(64)
    hall = Hall(Programme("Swiss", EventField(EntrantKind.INDIVIDUAL), points=points, rules=StandingRules(SHARE)))
    drawn: list[tuple[tuple[str, ...], ...]] = []
    played: list[Play] = []
    for session in range(1, SESSIONS + 1):
        order = [at.entrant for at in hall.standings().ranking] or list(PLAYERS)
        drawn.append(tuple(tuple(order[first : first + GROUP]) for first in range(0, len(PLAYERS), GROUP)))
        sessions = tuple(seated(number, len(drawn[-1])) for number in range(1, session + 1))
        hall.set_programme(replace(hall.programme, field=EventField(EntrantKind.INDIVIDUAL, (), sessions)))
        plays = list(session_plays(session, drawn[-1], chance))
        take(hall, plays, journal=f"session {session}")
        release(hall, plays)
        played += plays
    return Swiss(tuple(drawn), tuple(played), hall)


def rows(event: Swiss, n: int, group: int | None = None) -> list[tuple[str, int, int]]:
    """Entrant, seat and score of a deal, in a group or everywhere."""
    found = []
    for play in event.plays:
        if play.n == n and group in (None, (int(play.table) - 1) // 4):
            for seat in range(4):
                player = play.players[place(seat, play.hand)]
                found.append((ABSENT if player == SUBSTITUTE else player, seat, play.scores[seat]))
    return found


def expected(event: Swiss, *, cross: bool) -> list[dict[str, Fraction]]:
    """The total of each player after each session."""
    totals = [dict.fromkeys(PLAYERS, Fraction(0))]
    for session in range(1, SESSIONS + 1):
        won: defaultdict[str, Fraction] = defaultdict(Fraction)
        for n in range((session - 1) * HANDS + 1, session * HANDS + 1):
            fields = [cross_imps(rows(event, n))] if cross else [player_imps(rows(event, n, group)) for group in range(4)]
            for field in fields:
                for player, points in field.items():
                    won[player] += points
        totals.append({player: won[player] + SHARE * totals[-1][player] for player in PLAYERS})
    return totals[1:]


def test_three_sessions_come_to_what_their_scores_come_to_by_themselves() -> None:
    event = swiss()
    standings = event.hall.standings()
    assert standings.sessions == (1, 2, 3)
    assert {at.entrant: at.total for at in standings.ranking} == expected(event, cross=False)[-1]
    assert {at.entrant: at.total for at in standings.before} == expected(event, cross=False)[-2]


def test_ranks_fall_with_totals_and_groups_were_drawn_by_them() -> None:
    event = swiss()
    after_two = expected(event, cross=False)[1]
    third = [player for group in event.drawn[2] for player in group]
    assert sorted(third) == sorted(PLAYERS)
    assert all(after_two[above] >= after_two[below] for above, below in pairwise(third))
    ranking = event.hall.standings().ranking
    assert [at.rank for at in ranking] == [1 + sum(other.rank < at.rank for other in ranking) for at in ranking]


def test_the_substitute_is_no_entrant_and_the_absent_player_has_the_points() -> None:
    standings = swiss().hall.standings()
    assert SUBSTITUTE not in {at.entrant for at in standings.ranking}
    assert ABSENT in standings.points[SESSIONS]


def test_a_session_s_groups_are_compared_within_themselves_and_under_their_own_names() -> None:
    groups = swiss().hall.standings().groups
    assert [(group.session, group.name, len(group.ranking), len(group.deals)) for group in groups] == [
        (session, name, GROUP, HANDS) for session in (1, 2, 3) for name in "ABCD"
    ]


def test_cross_imp_compare_with_the_whole_field_and_sum_to_zero_in_every_session() -> None:
    event = swiss(Points.CROSS)
    standings = event.hall.standings()
    assert {at.entrant: at.total for at in standings.ranking} == expected(event, cross=True)[-1]
    assert [sum(won.values()) for won in standings.points.values()] == [0, 0, 0]
