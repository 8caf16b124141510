"""Team events: the Latin square of a group, groups drawn beforehand, and the players of a team."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from twinwall.event.movements.balance import balance
from twinwall.event.movements.seating import (
    FixedSeat,
    MovementError,
    SeatingNeeds,
    SessionSeating,
    at_tables,
    check_players,
    fixed_seats_hold,
)
from twinwall.event.movements.teams import in_groups, seat_players, team_schedule, team_tables


def members(teams: int) -> dict[int, tuple[int, ...]]:
    return {team: (10 * team + 1, 10 * team + 2, 10 * team + 3, 10 * team + 4) for team in range(teams)}


def seated(schedule: tuple[SessionSeating[int], ...]) -> list[SessionSeating[int]]:
    played: list[SessionSeating[int]] = []
    for seating in schedule:
        played.append(seat_players(seating, members(max(seating.groups[-1].members) + 64), played))
    return played


def test_each_of_four_teams_sits_once_at_every_table_and_once_at_every_place() -> None:
    tables = team_tables("ABCD")
    assert [table.number for table in tables] == [1, 2, 3, 4]
    assert ["".join(table.places) for table in tables] == ["ABCD", "DABC", "CDAB", "BCDA"]


@given(groups=st.integers(1, 16), sessions=st.integers(1, 8))
def test_every_team_of_every_session_sits_once_at_each_table_and_place_of_its_group(groups: int, sessions: int) -> None:
    for seating in team_schedule(range(4 * groups), sessions):
        assert sorted(team for group in seating.groups for team in group.members) == list(range(4 * groups))
        for group in seating.groups:
            assert all(set(table.places) == set(group.members) for table in group.tables)
            assert all({table.places[place] for table in group.tables} == set(group.members) for place in range(4))


@pytest.mark.slow
@settings(max_examples=examples(10))
@given(groups=st.integers(1, 5), sessions=st.integers(1, 5))
def test_a_player_of_a_team_sits_once_and_never_against_his_own_team(groups: int, sessions: int) -> None:
    for seating in seated(team_schedule(range(4 * groups), sessions)):
        check_players(seating)
        assert len([who for table in seating.tables for who in table.places]) == 16 * groups
        assert all(len({player // 10 for player in table}) == 4 for table in at_tables(seating))


def test_four_teams_in_four_sessions_meet_every_opponent_once_and_hold_every_place_twice_at_most() -> None:
    meetings, _, places, *_ = balance(seated(team_schedule(range(4), 4)), team=4)
    assert (meetings.fewest, meetings.most, meetings.at_bound) == (1, 1, True)
    assert places.most <= 2


@pytest.mark.slow
@pytest.mark.parametrize("teams", [8, 12])
def test_players_of_eight_or_twelve_teams_are_compared_with_nobody_twice_in_three_sessions(teams: int) -> None:
    meetings, comparisons, *_ = balance(seated(team_schedule(range(teams), 3)), team=4)
    assert (meetings.repeats, comparisons.repeats) == (0, 0)


def test_a_team_that_sits_out_has_all_its_players_sit_out() -> None:
    seating = seat_players(in_groups(1, [[0, 1, 2, 3]], sitting_out=[4]), members(5))
    assert seating.sitting_out == (41, 42, 43, 44)


def test_a_team_without_players_is_named() -> None:
    with pytest.raises(MovementError, match="not known of 3"):
        seat_players(in_groups(1, [[0, 1, 2, 3]]), members(3))


def test_a_player_of_two_teams_is_named() -> None:
    with pytest.raises(MovementError, match="11 is there more than once"):
        seat_players(in_groups(1, [[0, 1, 2, 3]]), {**members(4), 2: (11, 22, 23, 24)})


def test_a_team_twice_and_another_number_of_teams_are_refused() -> None:
    with pytest.raises(MovementError, match="A is there more than once"):
        team_tables("ABCA")
    with pytest.raises(MovementError, match="4 teams, not for 3"):
        team_tables("ABC")


@pytest.mark.slow
@settings(max_examples=examples(20))
@given(who=st.integers(0, 15), place=st.integers(0, 3), session=st.integers(0, 3))
def test_a_player_of_a_team_who_needs_a_table_and_a_place_has_them(who: int, place: int, session: int) -> None:
    player = 10 * (who // 4) + who % 4 + 1
    needs = SeatingNeeds({player: FixedSeat(2, place)})
    teams = team_schedule(range(4), 4)[session]
    seating = seat_players(teams, members(4), (), needs)
    assert fixed_seats_hold(seating, needs)
    assert all({player // 10 for player in table} == {0, 1, 2, 3} for table in at_tables(seating))
