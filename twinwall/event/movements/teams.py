"""Team events (``team_schedule``): four teams at four tables in a Latin square, groups drawn before the first session, and each player's
seat.

``next_session`` makes groups by standing.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, product
from typing import TypeVar

from twinwall.event.movements.constructions import draws
from twinwall.event.movements.seating import (
    PLACES,
    FixedSeat,
    GroupSeating,
    MovementError,
    Past,
    SeatedTable,
    SeatingNeeds,
    SessionSeating,
    Who,
    check_players,
    four,
    past_of,
    refuse_repeats,
)
from twinwall.event.results import TEAMS

Player = TypeVar("Player", bound=Hashable)


def team_tables(teams: Sequence[Who], first_table: int = 1) -> tuple[SeatedTable[Who], ...]:
    """The four tables of a group of four teams: team (s − t) mod 4 has place s of table t (both from 0).

    Every team has one player at every table and one at every place, so it plays every seat of every deal once (Aono, "Duplicate-format
    mahjong", team event). Raises MovementError unless there are four different teams.
    """
    if len(teams) != TEAMS:
        raise MovementError(f"this movement is for {TEAMS} teams, not for {len(teams)}")
    refuse_repeats(teams)
    return tuple(SeatedTable(first_table + table, four(teams[(place - table) % TEAMS] for place in PLACES)) for table in range(TEAMS))


def team_schedule(teams: Sequence[Who], sessions: int) -> tuple[SessionSeating[Who], ...]:
    """Sessions with groups drawn before the first, so that two teams share a group as rarely as a construction allows.

    With one team less than a multiple of 4, three sit out each session. Raises MovementError for a number of teams that is neither a
    multiple of 4 nor one less, or above 256, a team twice, or no session.
    """
    refuse_repeats(teams)
    schedule = []
    for number, draw in enumerate(draws(len(teams), sessions), 1):
        fours = [[teams[index] for index in indices] for group in draw for indices in group]
        playing = frozenset(team for group in fours for team in group)
        schedule.append(in_groups(number, fours, [team for team in teams if team not in playing]))
    return tuple(schedule)


def in_groups(number: int, fours: Sequence[Sequence[Who]], sitting_out: Sequence[Who] = ()) -> SessionSeating[Who]:
    """A session of groups of four teams, group g at tables 4g − 3 to 4g; each session another team is first."""
    turned = [[*teams[(number - 1) % TEAMS :], *teams[: (number - 1) % TEAMS]] for teams in fours]
    groups = [GroupSeating(str(index + 1), team_tables(teams, index * TEAMS + 1)) for index, teams in enumerate(turned)]
    return SessionSeating(number, tuple(groups), tuple(sitting_out))


def seat_players(
    seating: SessionSeating[Who],
    members: Mapping[Who, Sequence[Player]],
    played: Sequence[SessionSeating[Player]] = (),
    needs: SeatingNeeds[Player] | None = None,
) -> SessionSeating[Player]:
    """Choose which player of a team has which of its places, for new opponents and comparisons and other places.

    Player j of a team that turns by u sits at table j ⊕ u of the group; player j of one team meets player j ⊕ u ⊕ v of a team that turns by
    v. So in four sessions of the same group each player meets each opponent once. If somebody needs a place, the order of the teams turns
    too.

    Of ``members`` of a team the first four play; a substitute is listed in the replaced player's position. ``played``: the sessions before,
    of players. ``needs``: players who need a table or a place; ``fixed_seats_hold`` checks them. Raises MovementError for a team without
    four players, or a player who is in two teams."""
    before = past_of(played)
    teams = [team for group in seating.groups for team in group.members]
    missing = [str(team) for team in teams if len(members.get(team, ())) < TEAMS]
    if missing:
        raise MovementError(f"{TEAMS} players are needed of each team, and are not known of {', '.join(missing)}")
    groups = tuple(_seated_group(group, members, before, needs or SeatingNeeds()) for group in seating.groups)
    out = tuple(player for team in seating.sitting_out for player in members.get(team, ()))
    seated = SessionSeating(seating.number, groups, out)
    check_players(seated)
    return seated


def _seated_group(
    group: GroupSeating[Who], members: Mapping[Who, Sequence[Player]], before: Past[Player], needs: SeatingNeeds[Player]
) -> GroupSeating[Player]:
    """The cheapest of all turns of the teams, and, if somebody needs a place, of their order."""
    here = {player: needs.fixed[player] for team in group.members for player in members[team] if player in needs.fixed}
    orders = range(TEAMS) if any(seat.place is not None for seat in here.values()) else range(1)
    teams = group.tables[0].places
    ordered = [GroupSeating(group.name, team_tables([*teams[turn:], *teams[:turn]], group.tables[0].number)) for turn in orders]
    made = (_turned(each, members, turns) for each in ordered for turns in product(range(TEAMS), repeat=TEAMS))
    return min(made, key=lambda seated: _cost(seated, before, here))


def _turned(group: GroupSeating[Who], members: Mapping[Who, Sequence[Player]], turns: Sequence[int]) -> GroupSeating[Player]:
    turn = dict(zip(group.members, turns, strict=True))
    return GroupSeating(
        group.name,
        tuple(
            SeatedTable(table.number, four(members[team][index ^ turn[team]] for team in table.places))
            for index, table in enumerate(group.tables)
        ),
    )


def _cost(group: GroupSeating[Player], before: Past[Player], fixed: Mapping[Player, FixedSeat]) -> tuple[int, ...]:
    """Wrong seats, then repeated meetings, comparisons, places and tables; each further repeat costs more."""
    seats = [(who, table.number, place) for table in group.tables for place, who in enumerate(table.places)]
    compared = zip(*(table.places for table in group.tables), strict=True)
    return (
        sum(not fixed[who].is_at(table, place) for who, table, place in seats if who in fixed),
        sum(before.met[frozenset(pair)] for table in group.tables for pair in combinations(table.places, 2)),
        sum(before.compared[frozenset(pair)] for circle in compared for pair in combinations(circle, 2)),
        sum(8 ** before.places[who, place] for who, _table, place in seats),
        sum(before.tables[who, table] for who, table, _place in seats),
    )
