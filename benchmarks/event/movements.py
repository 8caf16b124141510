"""Movements: every balance beside its bound, and the time to find seats, for 4 to 64 teams and 16 to 256 players.

Made are whole schedules from constructions, consecutive sessions by standing (random before each, from a seed), schedules after a late
arrival, an absence and with two fixed seats, and numbers of players that are no multiple of four. Times are processor seconds for a whole
schedule and for its slowest session; the solver is loaded before. A balance is fewest to most / its bounds, and repeats / their bound where
pairs are counted; ``at_bound`` names the respects that no schedule could improve.
"""

import random
import time
from collections.abc import Callable, Sequence

from twinwall.event.movements.balance import Balance, Respect, balance, team_balance
from twinwall.event.movements.next_session import following_individual_session, following_team_session
from twinwall.event.movements.seating import FixedSeat, SeatingNeeds, SessionSeating, fixed_seats_hold
from twinwall.event.movements.solver import EFFORT, Partition, solve
from twinwall.event.movements.teams import seat_players

SESSIONS = 5
SEED = 1
LIMIT_S = 10.0
ODD = (13, 14, 15, 17, 18, 19, 30, 62, 254)

Seatings = list[SessionSeating[int]]


def measure() -> dict[str, object]:
    """Measure all kinds of field."""
    solve(Partition((1,)), EFFORT)
    rows = [
        *(_of_teams(teams, by_standing=False) for teams in range(4, 65, 4)),
        *(_of_teams(teams, by_standing=True) for teams in range(4, 65, 4)),
        *(_of_players("construction", [range(players)] * SESSIONS) for players in range(16, 257, 16)),
        *(_of_players("sitting out in turn", [range(players)] * SESSIONS) for players in ODD),
        *(_of_players("late arrival, absence, two fixed seats", _coming_and_going(players), _needs()) for players in (16, 64, 256)),
        *(_by_standing(players) for players in (32, 64, 128, 256)),
    ]
    return {"sessions": SESSIONS, "limit_s": LIMIT_S, "slowest_s": max(_seconds(row) for row in rows), "fields": rows}


def _of_teams(teams: int, *, by_standing: bool) -> dict[str, object]:
    chance = random.Random(SEED)
    members = {team: tuple(4 * team + player for player in range(4)) for team in range(teams)}
    of_teams: Seatings = []
    of_players: Seatings = []

    def next_one() -> None:
        order = chance.sample(range(teams), teams) if by_standing and of_teams else range(teams)
        of_teams.append(following_team_session(order, of_teams, by_standing=by_standing and bool(of_teams)))
        of_players.append(seat_players(of_teams[-1], members, of_players))

    times = _timed(next_one)
    balances = {"of groups": team_balance(of_teams)[:1], "of players": balance(of_players, team=4)}
    return _row("teams", teams, "by standing" if by_standing else "construction", times, balances)


def _of_players(way: str, present: Sequence[Sequence[int]], needs: SeatingNeeds[int] | None = None) -> dict[str, object]:
    played: Seatings = []

    def next_one() -> None:
        played.append(following_individual_session(present[len(played)], played, needs))

    times = _timed(next_one)
    held = needs is None or all(fixed_seats_hold(seating, needs) for seating in played)
    return _row("players", len(present[0]), way, times, {"balance": balance(played)}) | (
        {} if needs is None else {"fixed_seats_hold": held}
    )


def _by_standing(players: int) -> dict[str, object]:
    chance = random.Random(SEED)
    played: Seatings = []

    def next_one() -> None:
        order = chance.sample(range(players), players) if played else range(players)
        played.append(following_individual_session(order, played, by_standing=bool(played)))

    times = _timed(next_one)
    return _row("players", players, "sixteens by standing", times, {"balance": balance(played)})


def _coming_and_going(players: int) -> list[list[int]]:
    """The last player comes to session 2; player 7 misses session 3; player 8 withdraws before session 5."""
    everybody = list(range(players))
    gone = [{players - 1}, set(), {7}, set(), {8}]
    return [[who for who in everybody if who not in missing] for missing in gone]


def _needs() -> SeatingNeeds[int]:
    return SeatingNeeds({2: FixedSeat(table=2), 3: FixedSeat(table=1, place=0)})


def _timed(next_one: Callable[[], None]) -> list[float]:
    times = []
    for _ in range(SESSIONS):
        began = time.process_time()
        next_one()
        times.append(time.process_time() - began)
    return times


def _row(kind: str, count: int, way: str, times: Sequence[float], balances: dict[str, tuple[Balance, ...]]) -> dict[str, object]:
    return {
        kind: count,
        "way": way,
        "seconds": round(sum(times), 2),
        "slowest_session_s": round(max(times), 2),
        **{whose: {each.respect.value: _said(each) for each in of} for whose, of in balances.items()},
        "at_bound": [f"{whose}: {each.respect.value}" for whose, of in balances.items() for each in of if each.at_bound],
    }


def _said(each: Balance) -> str:
    reached = f"{each.fewest}-{each.most}/{each.fewest_bound}-{each.most_bound}"
    pairs = each.respect in {Respect.MEETINGS, Respect.COMPARISONS}
    return f"{reached}, repeats {each.repeats}/{each.repeats_bound}" if pairs else reached


def _seconds(row: dict[str, object]) -> float:
    seconds = row["seconds"]
    assert isinstance(seconds, float)
    return seconds
