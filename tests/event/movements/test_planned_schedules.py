"""Whole schedules with needs, with one player less, and with people who come and go."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.event.managed import planned_schedule
from tests.support.tiers import one_in
from twinwall.event.movements.balance import balance
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.next_session import following_individual_session, following_team_session
from twinwall.event.movements.seating import (
    FixedSeat,
    GroupSeating,
    MovementError,
    SeatedTable,
    SeatingNeeds,
    SessionSeating,
    check_players,
    fixed_seats_hold,
    four,
    together,
)
from twinwall.event.movements.solver import solve
from twinwall.event.movements.teams import team_schedule

pytestmark = pytest.mark.slow
QUICK = 0.2


def test_of_fifteen_players_everybody_sits_out_once_and_nobody_meets_twice_in_five_sessions() -> None:
    meetings, comparisons, *_, out = balance(planned_schedule([range(15)] * 5))
    assert (meetings.most, comparisons.most) == (1, 1)
    assert (out.fewest, out.most) == (1, 1)


@given(fours=st.integers(2, 24), sessions=st.integers(1, 5))
def test_with_one_player_less_everybody_else_sits_once_or_sits_out(fours: int, sessions: int) -> None:
    for seating in individual_schedule(range(4 * fours - 1), sessions):
        check_players(seating)
        assert [table.number for table in seating.tables] == list(range(1, fours))
        assert len(seating.sitting_out) == 3
        assert {*seating.sitting_out, *(who for table in seating.tables for who in table.places)} == set(range(4 * fours - 1))


@given(who=st.integers(0, 15), table=st.integers(1, 4), place=st.integers(0, 3))
def test_one_person_with_a_fixed_seat_costs_sixteen_players_nothing(who: int, table: int, place: int) -> None:
    needs = SeatingNeeds({who: FixedSeat(table, place)})
    schedule = individual_schedule(range(16), 5, needs)
    assert all(fixed_seats_hold(seating, needs) for seating in schedule)
    assert balance(schedule)[0].at_bound


@given(fours=st.integers(4, 32), size=st.integers(2, 4), chance=st.randoms(use_true_random=False))
def test_members_of_clubs_no_larger_than_the_tables_are_apart_in_the_first_session(fours: int, size: int, chance: object) -> None:
    players = list(range(4 * fours))
    chance.shuffle(players)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
    needs = SeatingNeeds(apart_at_first=tuple(frozenset(players[start : start + size]) for start in range(0, 4 * fours - size, size)))
    assert together(individual_schedule(range(4 * fours), 2, needs)[0], needs) == ()


def test_a_needed_table_that_does_not_play_is_refused() -> None:
    with pytest.raises(MovementError, match="3 needs table 9, but tables 1 to 4 play"):
        individual_schedule(range(16), 5, SeatingNeeds({3: FixedSeat(9)}))


@pytest.mark.parametrize("players", one_in(2, [7, 11, 15, 19, 23]))
def test_nobody_sits_out_twice_before_everybody_has_once(players: int) -> None:
    assert balance(planned_schedule([range(players)] * 6, effort=QUICK))[-1].at_bound


@pytest.mark.parametrize("begun", [1, 2, 4])
def test_an_event_that_began_with_other_tables_and_places_goes_on_with_its_construction(begun: int) -> None:
    played = [with_other_labels(seating) for seating in individual_schedule(range(16), begun)]
    for _ in range(begun, 5):
        played.append(following_individual_session(range(16), played, effort=QUICK))
    meetings, comparisons, *_ = balance(played)
    assert (meetings.most, comparisons.most) == (1, 1)


def with_other_labels(seating: SessionSeating[int]) -> SessionSeating[int]:
    """The same people at each table, with the numbers of each group's tables backwards and everybody one place on."""
    groups = []
    for group in seating.groups:
        turned = [four([*table.places[1:], table.places[0]]) for table in reversed(group.tables)]
        tables = tuple(SeatedTable(table.number, places) for table, places in zip(group.tables, turned, strict=True))
        groups.append(GroupSeating(group.name, tables))
    return SessionSeating(seating.number, tuple(groups), seating.sitting_out)


def test_teams_follow_a_construction_and_after_a_withdrawal_the_solver() -> None:
    played: list[SessionSeating[int]] = []
    for teams in (16, 16, 15, 15):
        played.append(following_team_session(range(teams), played, effort=QUICK))
    assert played[:2] == list(team_schedule(range(16), 2))
    assert len(played[2].sitting_out) == 3
    assert not set(played[2].sitting_out) & set(played[3].sitting_out)


@pytest.mark.parametrize("by_standing", [True, False])
def test_without_the_solver_players_and_teams_are_seated_with_more_repeats(monkeypatch: pytest.MonkeyPatch, by_standing: bool) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    solve.cache_clear()
    players: list[SessionSeating[int]] = []
    teams: list[SessionSeating[int]] = []
    for _ in range(3):
        players.append(following_individual_session(range(38), players, by_standing=by_standing))
        check_players(players[-1])
        teams.append(following_team_session(range(9), teams, by_standing=by_standing))
    assert [len(seating.sitting_out) for seating in (*players, *teams)] == [2, 2, 2, 1, 1, 1]
    assert [table.number for table in players[-1].tables] == list(range(1, 10))
    assert len({who for seating in players for who in seating.sitting_out}) == 6
