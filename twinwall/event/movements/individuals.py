"""Schedules of individual events that are known before the first session."""

from collections.abc import Sequence

from twinwall.event.movements.constructions import Draw, draws
from twinwall.event.movements.labelling import TOGETHER, labelled
from twinwall.event.movements.needs import SeatingNeeds, check_fixed
from twinwall.event.movements.past import at_tables
from twinwall.event.movements.seating import PLACES, SessionSeating, Who, refuse_repeats


def individual_schedule(
    players: Sequence[Who], sessions: int, needs: SeatingNeeds[Who] | None = None, played: Sequence[SessionSeating[Who]] = ()
) -> tuple[SessionSeating[Who], ...]:
    """Sessions in which pairs of players meet, and are compared, as rarely as a construction allows.

    Sixteen players in five sessions are the affine plane of order 4: every pair meets once and is compared once. With
    16·m players there are m groups of four tables; with other numbers all tables are one group. With one player less than
    a multiple of 4 three sit out each session, and of fifteen no two meet twice. ``balance`` says what was reached.

    Args:
        players: the order decides who is which point of the construction.
        sessions: 1 or more.
        needs: hold as far as the construction allows; ``fixed_seats_hold`` and ``together`` say whether they do.
        played: the first of these sessions; they keep their tables and places where the same players met in them.

    Raises:
        MovementError: for a number of players that is neither a multiple of 4 nor one less, or above 256, a player twice,
            no session, or a needed seat that is not there.
    """
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
    """Of each session its number, who sat at one table, and who sat out."""
    return [(seating.number, set(map(frozenset, at_tables(seating))), set(seating.sitting_out)) for seating in schedule]


def _points(players: Sequence[Who], first: Draw, needs: SeatingNeeds[Who]) -> list[Who]:
    """Players in the order in which members of one set have different tables in the first session, unless they are more than tables.

    The points of a draw are taken table by table, one of each table in turn; members of a set take consecutive ones.
    """
    tables = [fours for group in first for fours in group]
    at_tables = [fours[place] for place in PLACES for fours in tables]
    order = [*at_tables, *sorted(set(range(len(players))) - set(at_tables))]
    sets = sorted(needs.apart_at_first, key=len, reverse=True)
    set_of = {who: number for number, people in reversed(list(enumerate(sets))) for who in people}
    by_set = sorted(players, key=lambda who: set_of.get(who, len(sets)))
    at = dict(zip(order, by_set, strict=True))
    return [at[point] for point in range(len(players))]
