"""Balance of a schedule (``balance``): what it reaches in each respect, and the bound that no schedule can exceed.

A bound is a rounded average: when n equal shares have a given total, somebody has at least ⌈total/n⌉ and somebody at most ⌊total/n⌋. For
most numbers of entrants it is an open question whether a schedule reaches all bounds at once (social golfer problem: Harvey and Winterer,
"Solving the MOLR and social golfer problems", 2005), so a missed bound is no fault.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import combinations, pairwise
from math import comb

from twinwall.event.movements.seating import PLACES, SessionSeating, Who, at_places, at_tables, in_one_group
from twinwall.game.tiles import HANDS, SEATS, seat_at
from twinwall.values import frozen

Circles = Callable[[SessionSeating[Who]], Sequence[tuple[Who, ...]]]
"""Returns a session's sets of entrants; any two in a set meet, or are compared."""
Shares = Mapping[object, int]


class Respect(Enum):
    """What a schedule balances."""

    MEETINGS = "meetings"
    """How often two entrants share a table, or two teams a group."""
    COMPARISONS = "comparisons"
    """How often two players have the same place at two tables of a group."""
    PLACES = "places"
    """How often a player holds one place."""
    WINDS = "winds"
    """In how many hands a player has one seat wind."""
    TABLES = "tables"
    """How often a player sits at one table."""
    SITTING_OUT = "sitting out"
    """How many sessions an entrant sits out."""


@frozen
class Balance:
    """The fewest and the most of any pair or entrant. No schedule's fewest is above ``fewest_bound``, and no schedule's most below
    ``most_bound``; for places and tables of sixteen players, none without a repeat. ``repeats``: times beyond the first, added up, only of
    pairs; no schedule has fewer than ``repeats_bound``."""

    respect: Respect
    fewest: int
    most: int
    fewest_bound: int
    most_bound: int
    repeats: int = 0
    repeats_bound: int = 0

    @property
    def at_bound(self) -> bool:
        """Whether no schedule can be better in this respect alone; see ``fewest_bound`` for sixteen players."""
        return (self.fewest, self.most, self.repeats) == (self.fewest_bound, self.most_bound, self.repeats_bound)


def balance(schedule: Sequence[SessionSeating[Who]], hands: int = HANDS, team: int = 1) -> tuple[Balance, ...]:
    """The balance, in every respect, of sessions in which each entrant is a player. ``schedule``: sessions played or to be played; players
    who come and go are judged by the sessions that they play. ``hands``: of a session, 1 to 16. ``team``: players in a team, who cannot
    meet and are never compared; 1 in an individual event."""
    winds: list[Counter[object]] = [Counter(seat_at(place, hand) for hand in range(1, hands + 1)) for place in PLACES]
    numbers = {table.number for seating in schedule for table in seating.tables}
    tables = _of_shares(Respect.TABLES, schedule, len(numbers), lambda number, _place: {number: 1})
    return (
        _of_pairs(Respect.MEETINGS, schedule, at_tables, team),
        _of_pairs(Respect.COMPARISONS, schedule, at_places, team),
        _among_sixteen(_of_shares(Respect.PLACES, schedule, len(PLACES), lambda _number, place: {place: 1}), schedule, at_places),
        _of_shares(Respect.WINDS, schedule, len(SEATS), lambda _number, place: winds[place]),
        _among_sixteen(tables, schedule, at_tables) if len(numbers) == len(PLACES) else tables,
        _sitting_out(schedule),
    )


def team_balance(schedule: Sequence[SessionSeating[Who]]) -> tuple[Balance, ...]:
    """The balance of sessions of teams: how often two teams share a group, and who sits out."""
    return _of_pairs(Respect.MEETINGS, schedule, in_one_group), _sitting_out(schedule)


def entrants_of(schedule: Iterable[SessionSeating[Who]]) -> tuple[Who, ...]:
    """Everybody who sits or sits out in a session, in the order of appearance."""
    circles = (circle for seating in schedule for circle in (*in_one_group(seating), seating.sitting_out))
    return tuple(dict.fromkeys(who for circle in circles for who in circle))


def _of_pairs(respect: Respect, schedule: Sequence[SessionSeating[Who]], circles: Circles[Who], team: int = 1) -> Balance:
    """How often pairs share a circle: a table, a place in a group, or a group.

    An entrant with m meetings and n possible partners (all but the own team) meets some of them ⌈m/n⌉ times or more, with at least m − n
    repeats; a repeat belongs to two entrants. ``_forced`` counts repeats that follow from the session before.
    """
    entrants = entrants_of(schedule)
    made = [circles(seating) for seating in schedule]
    counts = _pairs(made)
    of_entrant = Counter(dict.fromkeys(entrants, 0))
    for circle in (circle for session in made for circle in session):
        of_entrant.update(dict.fromkeys(circle, len(circle) - 1))
    others = max(len(entrants) - team, 1)
    every = len(entrants) * (len(entrants) - team) // 2
    forced = sum(_forced(before, after) for before, after in pairwise(made))
    average = max((-(-times // others) for times in of_entrant.values()), default=0)
    beyond = -(-sum(max(0, times - others) for times in of_entrant.values()) // 2)
    return Balance(
        respect,
        min(counts.values(), default=0) if len(counts) == every else 0,
        max(counts.values(), default=0),
        min((times // others for times in of_entrant.values()), default=0),
        max(average, 2 if forced else 0),
        counts.total() - len(counts),
        max(beyond, forced),
    )


def _pairs(made: Sequence[Sequence[Sequence[Who]]]) -> Counter[frozenset[Who]]:
    """How often each pair shares a circle, in all sessions together."""
    return Counter(frozenset(pair) for session in made for circle in session for pair in combinations(circle, 2))


def _forced(before: Sequence[Sequence[Who]], after: Sequence[Sequence[Who]]) -> int:
    """The pairs that must have shared a circle in the session before: s people came out of c < s circles (pigeonhole principle)."""
    present = {who for circle in before for who in circle}
    repeats = 0
    for circle in after:
        each, more = divmod(sum(who in present for who in circle), max(len(before), 1))
        repeats += len(before) * (each * (each - 1) // 2) + more * each
    return repeats


def _of_shares(respect: Respect, schedule: Sequence[SessionSeating[Who]], kinds: int, shares: Callable[[int, int], Shares]) -> Balance:
    """How a player's sessions or hands are distributed over places, winds or tables; ``shares`` takes a table's number and a place."""
    counts: dict[Who, Counter[object]] = {who: Counter() for who in entrants_of(schedule)}
    for seating in schedule:
        for table in seating.tables:
            for place, who in enumerate(table.places):
                counts[who].update(shares(table.number, place))
    totals = [counted.total() for counted in counts.values()]
    return Balance(
        respect,
        min((min(counted.values()) if len(counted) == kinds else 0 for counted in counts.values()), default=0),
        max((max(counted.values(), default=0) for counted in counts.values()), default=0),
        min((total // max(kinds, 1) for total in totals), default=0),
        max((-(-total // max(kinds, 1)) for total in totals), default=0),
    )


def _among_sixteen(shares: Balance, schedule: Sequence[SessionSeating[Who]], circles: Circles[Who]) -> Balance:
    """The shares of four tables (or places), with bounds for schedules in which no two of the sixteen players share a circle twice.

    In two such sessions each circle has one player from every earlier circle, so also one from its own: four return to where they were. In
    s sessions there are 4·s·(s − 1)/2 returns. A player who comes to no place more than m times is m times at each of s/m places, and the
    remaining times at one more; a player who was at all four has the remaining times at one of them.
    """
    made = [circles(seating) for seating in schedule]
    counts = _pairs(made)
    players = {frozenset(who for circle in session for who in circle) for session in made}
    fours = all([len(circle) for circle in session] == [len(PLACES)] * len(PLACES) for session in made)
    if len(players) != 1 or not fours or max(counts.values()) > 1:
        return shares
    sessions, everybody = len(schedule), len(PLACES) ** 2
    returns = len(PLACES) * comb(sessions, 2)
    most = next(m for m in range(1, sessions + 1) if everybody * (sessions // m * comb(m, 2) + comb(sessions % m, 2)) >= returns)
    fewest = 0 if everybody * comb(max(sessions - len(PLACES) + 1, 0), 2) < returns else shares.fewest_bound
    return replace(shares, fewest_bound=min(shares.fewest_bound, fewest), most_bound=max(shares.most_bound, most))


def _sitting_out(schedule: Sequence[SessionSeating[Who]]) -> Balance:
    """Sessions that entrants sit out, among those present for the whole schedule."""
    entrants = entrants_of(schedule)
    out: Counter[Who] = Counter(dict.fromkeys(entrants, 0))
    for seating in schedule:
        out.update(seating.sitting_out)
    total, count = out.total(), max(len(entrants), 1)
    return Balance(Respect.SITTING_OUT, min(out.values(), default=0), max(out.values(), default=0), total // count, -(-total // count))
