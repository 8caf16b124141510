"""Constructions and schedules known before the first session: what they promise about pairs, for every number of entrants."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import TIER, Tier, examples, one_in
from twinwall.event.movements.balance import Balance, Respect, balance
from twinwall.event.movements.difference_matrices import difference_matrix
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.seating import MovementError, check_players

PLAYERS = [f"player {number}" for number in range(1, 17)]


def in_respect(respect: Respect, balances: tuple[Balance, ...]) -> Balance:
    return next(each for each in balances if each.respect is respect)


@given(players=st.permutations(PLAYERS))
def test_every_pair_of_sixteen_players_meets_exactly_once_and_is_compared_exactly_once(players: list[str]) -> None:
    balances = balance(individual_schedule(players, 5))
    for respect in (Respect.MEETINGS, Respect.COMPARISONS):
        each = in_respect(respect, balances)
        assert (each.fewest, each.most, each.at_bound) == (1, 1, True)


@pytest.mark.parametrize("sessions", range(1, 6))
def test_sixteen_players_come_back_to_a_table_or_place_as_seldom_as_can_be_when_nobody_meets_twice(sessions: int) -> None:
    assert all(each.at_bound for each in balance(individual_schedule(PLAYERS, sessions)))


@pytest.mark.parametrize("players", [16, 20, 64])
def test_a_schedule_of_fewer_sessions_begins_as_one_of_more_does(players: int) -> None:
    longest = individual_schedule(range(players), 7)
    assert all(longest[:sessions] == individual_schedule(range(players), sessions) for sessions in range(1, 7))


def test_sixteen_players_have_five_sessions_of_four_tables() -> None:
    schedule = individual_schedule(PLAYERS, 5)
    assert [seating.number for seating in schedule] == [1, 2, 3, 4, 5]
    assert [[table.number for table in seating.tables] for seating in schedule] == [[1, 2, 3, 4]] * 5


@pytest.mark.parametrize("players", one_in(8, range(16, 257, 16)))
def test_players_in_sixteens_neither_meet_nor_are_compared_twice_in_five_sessions(players: int) -> None:
    balances = balance(individual_schedule(range(players), 5))
    assert in_respect(Respect.MEETINGS, balances).at_bound
    assert in_respect(Respect.COMPARISONS, balances).at_bound
    assert in_respect(Respect.MEETINGS, balances).repeats == in_respect(Respect.COMPARISONS, balances).repeats == 0


@settings(max_examples=examples(30))
@given(fours=st.integers(1, 64 if TIER is Tier.NIGHTLY else 16), sessions=st.integers(1, 12))
def test_everybody_sits_once_in_every_session_whatever_the_numbers(fours: int, sessions: int) -> None:
    schedule = individual_schedule(range(4 * fours), sessions)
    assert len(schedule) == sessions
    for seating in schedule:
        check_players(seating)
        assert {who for table in seating.tables for who in table.places} == set(range(4 * fours))
        assert [table.number for table in seating.tables] == list(range(1, fours + 1))


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=examples(20))
@given(fours=st.integers(4, 64))
def test_nobody_meets_twice_before_the_sessions_of_the_difference_matrix_are_over(fours: int) -> None:
    sessions = difference_matrix(fours).sessions()
    assert in_respect(Respect.MEETINGS, balance(individual_schedule(range(4 * fours), min(sessions, 6)))).most == 1


@given(fours=st.integers(2, 16), sessions=st.integers(1, 8), chance=st.randoms(use_true_random=False))
def test_a_schedule_does_not_depend_on_what_players_are_called(fours: int, sessions: int, chance: object) -> None:
    numbers = list(range(4 * fours))
    chance.shuffle(numbers)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
    named = individual_schedule([f"player {number}" for number in numbers], sessions)
    assert named == tuple(
        seating.as_others(lambda who: f"player {numbers[who]}") for seating in individual_schedule(range(4 * fours), sessions)
    )


@pytest.mark.parametrize("order", one_in(9, range(1, 65)))
def test_differences_of_two_rows_of_a_difference_matrix_are_all_different(order: int) -> None:
    matrix = difference_matrix(order)
    assert matrix.order == order
    at_table = [[[matrix.moved(table, column, k) for column in range(4)] for table in range(order)] for k in range(matrix.sessions())]
    pairs = [((c, four[c]), (d, four[d])) for session in at_table for four in session for c, d in combinations(range(4), 2)]
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize(("players", "named"), [(17, "not for 17"), (0, "not for 0"), (260, "not for 260")])
def test_numbers_of_players_that_no_construction_has_are_refused(players: int, named: str) -> None:
    with pytest.raises(MovementError, match=named):
        individual_schedule(range(players), 3)


def test_a_schedule_without_sessions_is_refused() -> None:
    with pytest.raises(MovementError, match="at least one session"):
        individual_schedule(range(16), 0)


def test_a_player_twice_is_refused_by_name() -> None:
    with pytest.raises(MovementError, match="player 2 is there more than once"):
        individual_schedule(["player 2", *PLAYERS[1:]], 5)
