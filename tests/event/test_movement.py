"""Movements: the guarantees for teams and for pairs of players."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.event.movement import MovementError, individual_sessions, team_tables

PLAYERS = [f"player {number}" for number in range(1, 17)]
DERANGEMENTS = [order for order in permutations(range(5)) if all(own != other for own, other in enumerate(order))]


def test_each_of_four_teams_sits_once_at_every_table_and_once_at_every_place() -> None:
    tables = team_tables("ABCD")
    assert [table.number for table in tables] == [1, 2, 3, 4]
    assert ["".join(table.places) for table in tables] == ["ABCD", "DABC", "CDAB", "BCDA"]


@given(seat_class=st.sampled_from(DERANGEMENTS), players=st.permutations(PLAYERS))
def test_every_pair_of_sixteen_players_meets_exactly_once_and_is_compared_exactly_once(
    seat_class: tuple[int, ...], players: list[str]
) -> None:
    met: Counter[frozenset[str]] = Counter()
    compared: Counter[frozenset[str]] = Counter()
    for session in individual_sessions(players, seat_class):
        assert sorted(player for table in session.tables for player in table.places) == sorted(players)
        met.update(frozenset(pair) for table in session.tables for pair in combinations(table.places, 2))
        for place in range(4):
            compared.update(frozenset(pair) for pair in combinations((table.places[place] for table in session.tables), 2))
    pairs = {frozenset(pair) for pair in combinations(players, 2)}
    assert met == compared == Counter(pairs)


def test_there_are_five_sessions_of_four_tables() -> None:
    sessions = individual_sessions(PLAYERS)
    assert [session.number for session in sessions] == [1, 2, 3, 4, 5]
    assert [[table.number for table in session.tables] for session in sessions] == [[1, 2, 3, 4]] * 5


@pytest.mark.parametrize("seat_class", [(0, 1, 2, 3, 4), (1, 0, 2, 4, 3), (1, 1, 1, 1, 1), (1, 2, 3, 0)])
def test_seats_from_the_tables_own_class_or_from_no_permutation_are_refused(seat_class: tuple[int, ...]) -> None:
    with pytest.raises(MovementError, match="derangement"):
        individual_sessions(PLAYERS, seat_class)


def test_fifteen_players_are_refused() -> None:
    with pytest.raises(MovementError, match="16 players, not for 15"):
        individual_sessions(PLAYERS[1:])


def test_a_player_or_a_team_twice_is_refused_by_name() -> None:
    with pytest.raises(MovementError, match="player 2 is there more than once"):
        individual_sessions(["player 2", *PLAYERS[1:]])
    with pytest.raises(MovementError, match="A is there more than once"):
        team_tables("ABCA")
