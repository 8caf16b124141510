"""Schedules of individual events (``individual_schedule``), known before the first session, and their labels: each four's table, and each
member's place.

A construction fixes who meets whom and who is compared with whom; table numbers and places are free. They are chosen session by session:
first so that people have the seats that they need, then so that players return to the same table or place as rarely as a greedy choice with
exchanges can achieve. Then the first sessions are labelled again, with regard to all others. The number of tables bounds the steps; nothing
is random.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, combinations, permutations

from twinwall.event.movements.constructions import Draw, Four, draws, left_out
from twinwall.event.movements.seating import (
    PLACES,
    TABLES_IN_GROUP,
    FixedSeat,
    GroupSeating,
    SeatedTable,
    SeatingNeeds,
    SessionSeating,
    Who,
    at_tables,
    check_fixed,
    four,
    past_of,
    refuse_repeats,
)


def individual_schedule(
    players: Sequence[Who], sessions: int, needs: SeatingNeeds[Who] | None = None, played: Sequence[SessionSeating[Who]] = ()
) -> tuple[SessionSeating[Who], ...]:
    """Sessions in which pairs of players meet, and are compared, as rarely as a construction allows.

    Sixteen players in five sessions are the affine plane of order 4: every pair meets once and is compared once. With 16·m players there
    are m groups of four tables; with other numbers all tables are one group. With one player less than a multiple of 4 three sit out each
    session, and of fifteen no two meet twice. ``balance`` says what was reached.

    ``players`` are in the order of the construction's points. ``needs`` hold as far as the construction allows; ``fixed_seats_hold`` and
    ``together`` check them. ``played``: the first of these sessions; they keep their tables and places if the same players met in them.
    Raises MovementError for a number of players that is neither a multiple of 4 nor one less, or above 256, a player twice, no session, or
    a needed seat that does not exist."""
    refuse_repeats(players)
    needs = needs or SeatingNeeds()
    made = draws(len(players), max(sessions, TOGETHER) if sessions > 0 else sessions)
    check_fixed(needs, len(players) // len(PLACES))
    points = _points(players, made[0], needs) if needs.apart_at_first else list(players)
    fixed = tuple((index, needs.fixed[who]) for index, who in enumerate(points) if who in needs.fixed)
    schedule = tuple(seating.as_others(points.__getitem__) for seating in labelled(made, len(players), fixed)[:sessions])
    if list(played) == list(schedule[: len(played)]) or _who_met(played) != _who_met(schedule[: len(played)]):
        return schedule
    point_of = {who: point for point, who in enumerate(points)}
    as_points = tuple(seating.as_others(point_of.__getitem__) for seating in played)
    return tuple(seating.as_others(points.__getitem__) for seating in labelled(made, len(players), fixed, as_points)[:sessions])


def _who_met(schedule: Sequence[SessionSeating[Who]]) -> list[tuple[int, set[frozenset[Who]], set[Who]]]:
    """Of each session: its number, who shared a table, and who sat out."""
    return [(seating.number, set(map(frozenset, at_tables(seating))), set(seating.sitting_out)) for seating in schedule]


def _points(players: Sequence[Who], first: Draw, needs: SeatingNeeds[Who]) -> list[Who]:
    """Players in an order that puts members of one set at different tables in the first session, unless they are more than tables.

    The points of a draw are taken from each table in turn; members of a set take consecutive ones.
    """
    tables = [fours for group in first for fours in group]
    at_tables = [fours[place] for place in PLACES for fours in tables]
    order = [*at_tables, *sorted(set(range(len(players))) - set(at_tables))]
    sets = sorted(needs.apart_at_first, key=len, reverse=True)
    set_of = {who: number for number, people in reversed(list(enumerate(sets))) for who in people}
    by_set = sorted(players, key=lambda who: set_of.get(who, len(sets)))
    at = dict(zip(order, by_set, strict=True))
    return [at[point] for point in range(len(players))]


_ORDERS = tuple(permutations(PLACES))
_WRONG = 1 << 120
"""The cost of a wrong seat: that of 40 visits."""
_ROUNDS = 4
"""Rounds of exchanges, and rounds in which the first sessions are labelled again; a round tries every pair once."""
TOGETHER = 5
"""The number of first sessions labelled together: those in which each pair of sixteen meets once."""
_REMEMBERED = 16
Fixed = tuple[tuple[int, FixedSeat], ...]
"""By entrant, the seat that is needed."""


@lru_cache(maxsize=_REMEMBERED)
def labelled(
    made: tuple[Draw, ...], entrants: int, fixed: Fixed, played: tuple[SessionSeating[int], ...] = ()
) -> tuple[SessionSeating[int], ...]:
    """Sessions 1, 2, … with the tables and places of each draw; ``fixed`` holds as far as the draws allow.

    The first ``TOGETHER`` sessions depend on each other, so a schedule that will be continued must have all of them from the start. Played
    sessions keep their labels.
    """
    sessions = list(played)
    for number, draw in enumerate(made[len(played) :], len(played) + 1):
        sessions.append(_Labels(fixed, sessions).session(number, draw, entrants))
        if number == TOGETHER:
            _label_again(sessions, made, entrants, fixed, len(played))
    return tuple(sessions)


def _label_again(sessions: list[SessionSeating[int]], made: Sequence[Draw], entrants: int, fixed: Fixed, played: int) -> None:
    """Label each session that was not played again, with regard to all others, until nothing changes."""
    for _ in range(_ROUNDS):
        before = list(sessions)
        for index in range(played, len(sessions)):
            labels = _Labels(fixed, sessions[:index], sessions[index + 1 :])
            sessions[index] = labels.session(index + 1, made[index], entrants)
        if sessions == before:
            return


class _Labels:
    """Chooses the labels of a session with regard to those before and after it."""

    def __init__(self, fixed: Fixed, earlier: Sequence[SessionSeating[int]], later: Sequence[SessionSeating[int]] = ()) -> None:
        self._fixed, self._past = dict(fixed), past_of(earlier)
        self._at_places: Counter[tuple[int, int]] = Counter()
        """The cost of a visit to a place, summed over the schedules that end with this session or a later one."""
        self._at_tables: Counter[tuple[int, int]] = Counter()
        self._ends = len(later) + 1
        self._count()
        for seating in later:
            self._past.add(seating)
            self._count()

    def session(self, number: int, draw: Draw, entrants: int) -> SessionSeating[int]:
        """A session; groups get consecutive tables."""
        groups = [self._with_places(group) for group in draw]
        starts = accumulate((len(group) for group in groups), initial=1)
        ranges = [range(start, start + len(group)) for start, group in zip(starts, groups, strict=False)]
        blocks = self._blocks(groups, ranges)
        tables = [self._tables(groups[index], ranges[block]) for block, index in enumerate(blocks)]
        return SessionSeating(
            number, tuple(GroupSeating(str(block), of_group) for block, of_group in enumerate(tables, 1)), left_out(draw, entrants)
        )

    def _with_places(self, group: tuple[Four, ...]) -> tuple[Four, ...]:
        """The fours with places exchanged. Groups of up to four tables get one exchange: there the construction says who is compared."""
        if len(group) <= TABLES_IN_GROUP:
            order = _cheapest([[sum(self._place(fours[old], new) for fours in group) for new in PLACES] for old in PLACES])
            return tuple(four(fours[order.index(place)] for place in PLACES) for fours in group)
        placed: list[Four] = []
        for fours in group:
            costs = [[self._place(who, new) + self._compared(who, new, placed) for new in PLACES] for who in fours]
            order = _cheapest(costs)
            placed.append(four(fours[order.index(place)] for place in PLACES))
        return tuple(placed)

    def _blocks(self, groups: Sequence[Sequence[Four]], ranges: Sequence[range]) -> list[int]:
        """The group of each range of tables; a smaller group, which is the last one, keeps the last tables."""
        whole = [index for index, group in enumerate(groups) if len(group) == len(groups[0])]
        costs = [[sum(self._table(fours, ranges[block]) for fours in groups[index]) for index in whole] for block in whole]
        return [*_assigned(costs), *range(len(whole), len(groups))]

    def _tables(self, group: Sequence[Four], tables: range) -> tuple[SeatedTable[int], ...]:
        chosen = _assigned([[self._table(fours, [table]) for fours in group] for table in tables])
        return tuple(SeatedTable(table, group[index]) for table, index in zip(tables, chosen, strict=True))

    def _count(self) -> None:
        """Add the costs for a schedule that ends with the sessions so far."""
        self._at_places.update({at: _again(times) for at, times in self._past.places.items()})
        self._at_tables.update({at: _again(times) for at, times in self._past.tables.items()})

    def _place(self, who: int, place: int) -> int:
        wrong = self._fixed.get(who, FixedSeat()).place not in (None, place)
        return self._at_places[who, place] + wrong * _WRONG

    def _table(self, members: Sequence[int], tables: Sequence[int]) -> int:
        wanted = [seat.table for who in members if (seat := self._fixed.get(who)) is not None and seat.table is not None]
        again = sum(self._at_tables[who, table] for who in members for table in tables)
        return again + _WRONG * sum(table not in tables for table in wanted)

    def _compared(self, who: int, place: int, placed: Sequence[Four]) -> int:
        """How often somebody is compared with those at this place at the tables so far, times the schedules with costs."""
        return self._ends * sum(self._past.compared[frozenset((who, other[place]))] for other in placed)


def _again(times: int) -> int:
    """The cost of a return: eightfold each time, because three visits by one person are worse than two by two."""
    return (1 << 3 * times) - 1


def _cheapest(costs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The new place of each old one, at the least cost."""
    return min(_ORDERS, key=lambda order: sum(costs[old][new] for old, new in enumerate(order)))


def _assigned(costs: Sequence[Sequence[int]]) -> list[int]:
    """A different column for each row: the cheapest free one, then exchanges of two while they help."""
    free = list(range(len(costs)))
    chosen = []
    for row in costs:
        column = min(free, key=lambda each: row[each])
        free.remove(column)
        chosen.append(column)
    for _ in range(_ROUNDS):
        before = list(chosen)
        for one, other in combinations(range(len(chosen)), 2):
            a, b = chosen[one], chosen[other]
            if costs[one][b] + costs[other][a] < costs[one][a] + costs[other][b]:
                chosen[one], chosen[other] = b, a
        if chosen == before:
            break
    return chosen
