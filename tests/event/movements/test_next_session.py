"""The next session by the solver: nobody meets again while that can be, fixed seats hold, played sessions stay. Whole schedules with needs,
with one player less, and with people who come and go."""

import sys
from collections.abc import Sequence
from typing import Protocol

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.support.event.managed import planned_schedule
from tests.support.tiers import examples, one_in
from twinwall.event.movements.balance import balance, team_balance
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.next_session import (
    following_individual_session,
    following_team_session,
    next_individual_session,
    next_team_session,
    seated_and_out,
)
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
QUICK = 0.05
"""Enough for a valid answer, not always for the best."""
solving = settings(max_examples=examples(10), deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""Shrinking an example would solve hundreds of them."""


class Following(Protocol):
    """A session of players, or of teams, after those that were played."""

    def __call__(self, entrants: Sequence[int], played: Sequence[SessionSeating[int]], /, *, effort: float) -> SessionSeating[int]: ...


@solving
@given(players=st.integers(4, 36), sessions=st.integers(1, 2), by_standing=st.booleans())
def test_everybody_sits_once_or_sits_out(players: int, sessions: int, by_standing: bool) -> None:
    played: list[SessionSeating[int]] = []
    for number in range(1, sessions + 1):
        seating = next_individual_session(range(players), played, by_standing=by_standing, effort=QUICK)
        check_players(seating)
        assert seating.number == number
        assert sorted([*sorted(who for table in seating.tables for who in table.places), *seating.sitting_out]) == list(range(players))
        assert len(seating.sitting_out) == players % 4
        assert [table.number for table in seating.tables] == list(range(1, players // 4 + 1))
        played.append(seating)


@solving
@given(players=st.integers(8, 20), chance=st.randoms(use_true_random=False))
def test_a_session_does_not_depend_on_what_players_are_called(players: int, chance: object) -> None:
    names = [f"player {number}" for number in range(players)]
    chance.shuffle(names)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
    first = next_individual_session(range(players), effort=QUICK)
    named = next_individual_session(names, [first.as_others(names.__getitem__)], effort=QUICK)
    assert named == next_individual_session(range(players), [first], effort=QUICK).as_others(names.__getitem__)


def test_the_same_question_has_the_same_answer_and_leaves_the_played_sessions_as_they_were() -> None:
    played = [individual_schedule(range(20), 1)[0]]
    before = list(played)
    assert len({next_individual_session(range(20), played, effort=0.2) for _ in range(2)}) == 1
    assert played == before


def test_thirteen_players_have_one_sit_out_and_nobody_meets_more_than_twice_in_five_sessions() -> None:
    played: list[SessionSeating[int]] = []
    for _ in range(5):
        played.append(next_individual_session(range(13), played, effort=0.5))
    meetings, *_, out = balance(played)
    assert meetings.most == 2
    assert (out.fewest, out.most) == (0, 1)


@pytest.mark.parametrize("following", [following_individual_session, following_team_session])
@pytest.mark.parametrize("before", [13, 14, 16])
def test_who_comes_late_or_was_absent_does_not_sit_out_before_the_others_have(following: Following, before: int) -> None:
    played = [following(range(before), (), effort=QUICK)]
    for _ in range(2):
        played.append(following(range(before + 1), played, effort=QUICK))
        assert len(played[-1].sitting_out) == (before + 1) % 4
        assert before not in played[-1].sitting_out


@solving
@given(players=st.integers(16, 36), table=st.integers(1, 4), place=st.integers(0, 3), by_standing=st.booleans())
def test_fixed_seats_hold_in_every_session(players: int, table: int, place: int, by_standing: bool) -> None:
    needs = SeatingNeeds({3: FixedSeat(table, place), 5: FixedSeat(table=1 + table % 4), 7: FixedSeat(place=place)})
    played: list[SessionSeating[int]] = []
    for _ in range(2):
        played.append(next_individual_session(range(players), played, needs, by_standing=by_standing, effort=QUICK))
        assert fixed_seats_hold(played[-1], needs)


def test_two_who_need_the_same_place_at_any_table_do_not_share_a_table() -> None:
    needs = SeatingNeeds({who: FixedSeat(place=0) for who in range(4)})
    assert fixed_seats_hold(next_individual_session(range(16), [], needs, effort=QUICK), needs)


def test_a_club_with_more_members_than_tables_is_told_who_could_not_be_kept_apart() -> None:
    needs = SeatingNeeds(apart_at_first=(frozenset(range(5)),))
    assert len(together(next_individual_session(range(16), [], needs, effort=QUICK), needs)) == 1


@pytest.mark.parametrize(
    ("needs", "sentence"),
    [
        ({1: FixedSeat(5)}, "1 needs table 5, but tables 1 to 4 play"),
        ({1: FixedSeat(2, 0), 2: FixedSeat(2, 0)}, "1 and 2 need the same seat at table 2"),
        ({who: FixedSeat(2) for who in range(5)}, "no seating holds all fixed seats"),
        ({1: FixedSeat(place=4)}, "a table has places 0 to 3"),
    ],
)
def test_seats_that_cannot_be_given_are_refused(needs: dict[int, FixedSeat], sentence: str) -> None:
    with pytest.raises(MovementError, match=sentence):
        next_individual_session(range(16), [], SeatingNeeds(needs), effort=QUICK)


def test_three_players_and_a_needed_table_that_does_not_play_are_refused() -> None:
    with pytest.raises(MovementError, match="at least 4 players or teams, not 3"):
        next_individual_session(range(3))
    with pytest.raises(MovementError, match="3 needs table 9, but tables 1 to 4 play"):
        individual_schedule(range(16), 5, SeatingNeeds({3: FixedSeat(9)}))


def test_sixty_four_players_play_in_sixteens_by_standing() -> None:
    standing = [*range(32, 64), *range(32)]
    seating = next_individual_session(standing, individual_schedule(range(64), 2), by_standing=True, effort=QUICK)
    assert [sorted(group.members) for group in seating.groups] == [list(range(start, start + 16)) for start in (32, 48, 0, 16)]


@solving
@given(teams=st.sampled_from([16, 20, 33]), chance=st.randoms(use_true_random=False))
def test_no_two_teams_share_a_group_again_in_three_sessions_by_standing(teams: int, chance: object) -> None:
    standing = list(range(teams))
    played: list[SessionSeating[int]] = []
    for _ in range(3):
        chance.shuffle(standing)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
        played.append(next_team_session(standing, played, effort=0.5))
        assert all(len(group.members) == 4 for group in played[-1].groups)
        assert sorted([*(team for group in played[-1].groups for team in group.members), *played[-1].sitting_out]) == list(range(teams))
    assert team_balance(played)[0].most == 1


def test_teams_that_have_not_met_are_grouped_by_standing_alone() -> None:
    standing = list(reversed(range(16)))
    assert [set(group.members) for group in next_team_session(standing, effort=QUICK).groups] == [
        set(standing[start : start + 4]) for start in range(0, 16, 4)
    ]


def test_who_never_sat_out_sits_out_first_and_of_the_others_who_played_most() -> None:
    """Five play five sessions in which each sits out once; the sixth comes late. A second time sits out who was never absent."""

    def session(number: int, playing: Sequence[int], out: tuple[int, ...]) -> SessionSeating[int]:
        return SessionSeating(number, (GroupSeating("1", (SeatedTable(1, four(playing)),)),), out)

    played = [session(n, [who for who in range(1, 6) if who != n], (n,)) for n in range(1, 6)]
    assert seated_and_out(range(1, 7), played) == ((1, 2, 3, 4), (5, 6))
    assert seated_and_out((6, 5, 4, 3, 2, 1), played) == ((5, 4, 3, 2), (6, 1))
    played.append(session(6, (1, 2, 3, 6), (4, 5)))
    assert seated_and_out(range(1, 6), played)[1] == (3,)


QUICK_SCHEDULE = 0.2


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


@pytest.mark.parametrize("players", one_in(2, [7, 11, 15, 19, 23]))
def test_nobody_sits_out_twice_before_everybody_has_once(players: int) -> None:
    assert balance(planned_schedule([range(players)] * 6, effort=QUICK_SCHEDULE))[-1].at_bound


@pytest.mark.parametrize("begun", [1, 2, 4])
def test_an_event_that_began_with_other_tables_and_places_goes_on_with_its_construction(begun: int) -> None:
    played = [with_other_labels(seating) for seating in individual_schedule(range(16), begun)]
    for _ in range(begun, 5):
        played.append(following_individual_session(range(16), played, effort=QUICK_SCHEDULE))
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
        played.append(following_team_session(range(teams), played, effort=QUICK_SCHEDULE))
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
