"""The next session for those present (``next_individual_session``): groups, tables and places by the solver, or by a construction that
fits.

The solver is for numbers that are no multiple of 4, late arrival, absence, withdrawal, fixed seats, and groups by standing. Played sessions
never change. A repeat costs the square of how often it has happened, so that those with the fewest get it.

``following_…`` takes a construction's session while it fits, and then the solver's. A construction fits while the same entrants play, its
sessions had the same meetings, all needs hold, and no entrant sits out twice before everybody has once.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, combinations

from twinwall.event.movements.balance import entrants_of
from twinwall.event.movements.constructions import draws, left_out
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.seating import (
    PLACES,
    TABLES_IN_GROUP,
    GroupSeating,
    MovementError,
    Past,
    SeatedTable,
    SeatingNeeds,
    SessionSeating,
    Who,
    check_fixed,
    fixed_seats_hold,
    four,
    in_one_group,
    past_of,
    refuse_repeats,
    together,
)
from twinwall.event.movements.solver import EFFORT, PairCosts, Partition, first_fit, solve
from twinwall.event.movements.teams import in_groups, team_schedule
from twinwall.event.results import TEAMS

MEETING = 100
"""Costs of a repeat, in this order: to meet, to be compared, to have a place, to sit at a table."""
COMPARISON = 10
PLACE = 3
TABLE = 1
APART = 1_000_000
"""Cost of two who should be kept apart."""
FEW_GROUPS = 4
"""With more groups, random members of a group have hardly met, and the solver still finds tables without a repeat."""
AGAIN = 100_000
"""Cost of two teams in one group again: more than any distance from the standing."""


def next_individual_session(
    players: Sequence[Who],
    played: Sequence[SessionSeating[Who]] = (),
    needs: SeatingNeeds[Who] | None = None,
    *,
    by_standing: bool = False,
    effort: float = EFFORT,
) -> SessionSeating[Who]:
    """Seats for the ``players`` who are present, the best first when ``by_standing``: then the first sixteen are a group, the next sixteen
    the next; otherwise groups have few repeated meetings. Those left over from tables of four sit out, first those who did so least.
    ``played``: the sessions before; ``effort``: of the solver, see ``EFFORT``. Raises MovementError for fewer than four players, a player
    twice, or needs that contradict each other."""
    number = _next_number(played)
    playing, out = seated_and_out(players, played)
    tables = len(playing) // len(PLACES)
    needs = SeatingNeeds() if needs is None else SeatingNeeds(needs.among(playing).fixed, needs.apart(number))
    check_fixed(needs, tables)
    sizes = _group_sizes(tables)
    effort /= max(4, len(sizes))
    past = past_of(played)
    entering = playing if by_standing else random.Random(f"0 {number}").sample(playing, len(playing))  # noqa: S311 - no secret
    grouping = _grouping(entering, sizes, past, needs, by_standing=by_standing)
    by_chance = len(sizes) > FEW_GROUPS and not by_standing
    groups = _members(entering, _found(first_fit(grouping) if by_chance else solve(grouping, effort)))
    first = [start + 1 for start in accumulate(sizes[:-1], initial=0)]
    seated = [GroupSeating(str(index + 1), _seats(members, first[index], past, needs, effort)) for index, members in enumerate(groups)]
    return SessionSeating(number, tuple(seated), out)


def next_team_session(
    teams: Sequence[Who], played: Sequence[SessionSeating[Who]] = (), needs: SeatingNeeds[Who] | None = None, *, effort: float = EFFORT
) -> SessionSeating[Who]:
    """Groups of four teams by standing, without former opponents while that is possible (a Swiss system). ``teams`` are present, the best
    first; in the first session the order of the draw. ``needs`` says which to keep apart in the first session. Otherwise as for players."""
    number = _next_number(played)
    playing, out = seated_and_out(teams, played)
    apart = () if needs is None else needs.apart(number)
    shared = Counter(frozenset(pair) for seating in played for circle in in_one_group(seating) for pair in combinations(circle, 2))
    sizes = [TEAMS] * (len(playing) // TEAMS)
    partition = Partition.of(sizes, _pairs(playing, {}, apart), _distances(len(playing), sizes))
    again = _pairs(playing, {pair: AGAIN * times**2 for pair, times in shared.items()})
    return in_groups(number, _members(playing, _parts(partition, again, effort)), out)


def _parts(partition: Partition, again: PairCosts, effort: float) -> tuple[int, ...]:
    """Parts without repeats, or if none are found, with few: the solver is faster with a rule than with a cost."""
    return _found(solve(partition.without(again), effort) or solve(partition.with_costs(again), effort))


def _found(parts: tuple[int, ...] | None) -> tuple[int, ...]:
    if parts is None:
        raise MovementError("no seating holds all fixed seats at once: take one of them back")
    return parts


def _next_number(played: Sequence[SessionSeating[Who]]) -> int:
    return max((seating.number for seating in played), default=0) + 1


def seated_and_out(entrants: Sequence[Who], played: Iterable[SessionSeating[Who]]) -> tuple[tuple[Who, ...], tuple[Who, ...]]:
    """Who plays, in order, and who sits out: who sat out least, then played most, then is last in the list.

    So late or formerly absent entrants do not sit out before the others have.
    """
    refuse_repeats(entrants)
    if len(entrants) < len(PLACES):
        raise MovementError(f"a session needs at least {len(PLACES)} players or teams, not {len(entrants)}")
    out_before: Counter[Who] = Counter()
    played_before: Counter[Who] = Counter()
    for seating in played:
        out_before.update(seating.sitting_out)
        played_before.update({who for group in seating.groups for who in group.members})
    times = [(out_before[who], -played_before[who]) for who in entrants]
    least_first = sorted(range(len(entrants)), key=lambda index: (times[index], -index))
    out = frozenset(least_first[: len(entrants) % len(PLACES)])
    return (tuple(who for index, who in enumerate(entrants) if index not in out), tuple(entrants[index] for index in sorted(out)))


def _group_sizes(tables: int) -> list[int]:
    """The number of tables in each group: four, or a few more if needed (four to seven with at least four tables)."""
    groups = max(1, tables // TABLES_IN_GROUP)
    each, more = divmod(tables, groups)
    return [each + (index >= groups - more) for index in range(groups)]


def _grouping(players: Sequence[Who], sizes: Sequence[int], past: Past[Who], needs: SeatingNeeds[Who], *, by_standing: bool) -> Partition:
    """The division of players among groups with these numbers of tables."""
    group_of_table = [group for group, size in enumerate(sizes) for _ in range(size)]
    fixed = {who: group_of_table[seat.table - 1] for who, seat in needs.fixed.items() if seat.table is not None}
    seats = [size * len(PLACES) for size in sizes]
    if by_standing:
        return Partition.of(seats, {}, _distances(len(players), seats), _indexed(players, fixed))
    again = {pair: times**2 for pair, times in past.met.items()}
    return Partition.of(seats, _pairs(players, again), (), _indexed(players, fixed))


def _seats(
    members: Sequence[Who], first_table: int, past: Past[Who], needs: SeatingNeeds[Who], effort: float
) -> tuple[SeatedTable[Who], ...]:
    tables = range(first_table, first_table + len(members) // len(PLACES))
    at_place = {who: seat.place for who, seat in needs.fixed.items() if seat.place is not None and who in members}
    of_tables = Partition.of(
        [len(PLACES)] * len(tables),
        _pairs(members, {}, needs.apart_at_first),
        [[TABLE * past.tables[who, table] ** 2 for table in tables] for who in members],
        _indexed(members, {who: seat.table - first_table for who, seat in needs.fixed.items() if seat.table is not None}),
        [[index for index, who in enumerate(members) if at_place.get(who) == place] for place in PLACES],
    )
    met = _pairs(members, {pair: MEETING * times**2 for pair, times in past.met.items()})
    by_table = _members(members, _parts(of_tables, met, effort))
    seated = [who for four_of_table in by_table for who in four_of_table]
    of_places = Partition.of(
        [len(tables)] * len(PLACES),
        {},
        [[PLACE * past.places[who, place] ** 2 for place in PLACES] for who in seated],
        _indexed(seated, at_place),
        [range(start, start + len(PLACES)) for start in range(0, len(seated), len(PLACES))],
    )
    compared = _pairs(seated, {pair: COMPARISON * times**2 for pair, times in past.compared.items()})
    place_of = dict(zip(seated, _parts(of_places, compared, effort), strict=True))
    return tuple(SeatedTable(table, four(sorted(who, key=place_of.__getitem__))) for table, who in zip(tables, by_table, strict=True))


def _members(entrants: Sequence[Who], part_of: Sequence[int]) -> list[list[Who]]:
    return [[who for who, of in zip(entrants, part_of, strict=True) if of == part] for part in range(max(part_of) + 1)]


def _pairs(
    entrants: Sequence[Who], costs: Mapping[frozenset[Who], int], apart: Iterable[Collection[Who]] = ()
) -> dict[tuple[int, int], int]:
    """The costs of pairs by position in ``entrants``, including people to keep apart."""
    index = {who: position for position, who in enumerate(entrants)}
    all_costs = Counter(costs)
    for people in apart:
        all_costs.update({frozenset(pair): APART for pair in combinations(people, 2)})
    here: dict[tuple[int, int], int] = {}
    for pair, cost in all_costs.items():
        positions = sorted(index[who] for who in pair if who in index)
        if len(positions) == 2:
            here[positions[0], positions[1]] = cost
    return dict(sorted(here.items()))


def _distances(entrants: int, sizes: Sequence[int]) -> list[list[int]]:
    """The squared distance of each part from the entrant's part by standing."""
    wanted = [part for part, size in enumerate(sizes) for _ in range(size)]
    return [[(part - wanted[position]) ** 2 for part in range(len(sizes))] for position in range(entrants)]


def _indexed(entrants: Sequence[Who], fixed: Mapping[Who, int]) -> dict[int, int]:
    return {position: fixed[who] for position, who in enumerate(entrants) if who in fixed}


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
    """The session after the played ones; arguments and errors as for ``next_individual_session``. Players who are not ``by_standing`` have
    the same order in all sessions."""
    needs = SeatingNeeds() if needs is None else needs.among(players)
    number = len(played) + 1
    if not by_standing and _has_construction(len(players)):
        schedule = individual_schedule(players, number, needs, played)
        fits = fixed_seats_hold(schedule[-1], needs) and not together(schedule[-1], needs) and _evenly_out(schedule)
        if fits and schedule[:-1] == tuple(played):
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
    """The next session of teams, in groups of four; arguments and errors as for players."""
    needs = needs or SeatingNeeds()
    number = len(played) + 1
    if not by_standing and _has_construction(len(teams)):
        schedule = team_schedule(teams, number)
        if _groups(schedule[:-1]) == _groups(played) and not together(schedule[-1], needs) and _evenly_out(schedule):
            return schedule[-1]
    return next_team_session(teams, played, needs, effort=effort)


def out_by_construction(entrants: int, sessions: int) -> tuple[tuple[int, ...], ...] | None:
    """Who sits out in each session of a construction in which all sit out once before anyone does twice; None if there is none."""
    if not _has_construction(entrants):
        return None
    out = tuple(left_out(draw, entrants) for draw in draws(entrants, sessions))
    return out if _in_turn(out, range(entrants)) else None


def _has_construction(entrants: int) -> bool:
    """Whether a construction exists without sitting out, or, with one entrant less, one in which at first no entrant sits out twice."""
    return entrants <= 256 and ((entrants % len(PLACES) == 0 and entrants > 0) or (entrants % len(PLACES) == 3 and entrants >= SIXTEEN - 1))


def _evenly_out(schedule: Sequence[SessionSeating[Who]]) -> bool:
    """Whether all sit out once before anyone does twice."""
    return _in_turn([seating.sitting_out for seating in schedule], entrants_of(schedule))


def _in_turn(out: Sequence[Sequence[Who]], entrants: Sequence[Who]) -> bool:
    times = Counter(who for session in out for who in session)
    return not times or max(times.values()) - min(times[who] for who in entrants) <= 1


def _groups(schedule: Sequence[SessionSeating[Who]]) -> list[set[frozenset[Who]]]:
    return [{frozenset(group.members) for group in seating.groups} for seating in schedule]
