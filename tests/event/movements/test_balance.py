"""Balance: what was reached, beside bounds that no schedule passes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.event.movements.balance import Balance, Respect, balance, team_balance
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.seating import GroupSeating, SeatedTable, SessionSeating, four
from twinwall.event.movements.teams import team_schedule


def session(number: int, *tables: str, out: str = "") -> SessionSeating[str]:
    seated = tuple(SeatedTable(index, four(members)) for index, members in enumerate(tables, 1))
    return SessionSeating(number, (GroupSeating("1", seated),), tuple(out))


def test_the_same_two_tables_twice_are_told_from_what_could_have_been() -> None:
    meetings, comparisons, places, winds, tables, out = balance([session(1, "abcd", "efgh"), session(2, "abcd", "efgh")])
    assert meetings == Balance(Respect.MEETINGS, 0, 2, 0, 2, 12, 4)
    assert comparisons == Balance(Respect.COMPARISONS, 0, 2, 0, 1, 4, 0)
    assert (places.most, places.most_bound) == (2, 1)
    assert winds == Balance(Respect.WINDS, 8, 8, 8, 8)
    assert (tables.fewest, tables.most, tables.fewest_bound, tables.most_bound) == (0, 2, 1, 1)
    assert out.at_bound


def test_who_sits_out_twice_while_others_never_do_is_seen() -> None:
    out = balance([session(1, "abcd", out="e"), session(2, "abcd", out="e")])[-1]
    assert (out.fewest, out.most, out.fewest_bound, out.most_bound) == (0, 2, 0, 1)


def test_winds_are_uneven_in_a_session_of_fewer_hands_than_winds() -> None:
    winds = balance([session(1, "abcd")], hands=2)[3]
    assert (winds.fewest, winds.most, winds.at_bound) == (0, 1, True)


@pytest.mark.slow
@given(fours=st.integers(1, 24), sessions=st.integers(1, 9))
def test_no_schedule_passes_a_bound(fours: int, sessions: int) -> None:
    for each in (*balance(individual_schedule(range(4 * fours), sessions)), *team_balance(team_schedule(range(4 * fours), sessions))):
        assert each.fewest <= each.fewest_bound <= each.most_bound <= each.most
        assert each.repeats >= each.repeats_bound


@given(sessions=st.integers(1, 5), chance=st.randoms(use_true_random=False))
def test_however_tables_and_places_are_named_sixteen_who_meet_once_pass_no_bound(sessions: int, chance: object) -> None:
    schedule = []
    for seating in individual_schedule(range(16), sessions):
        numbers, places = [1, 2, 3, 4], [0, 1, 2, 3]
        chance.shuffle(numbers)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
        chance.shuffle(places)  # type: ignore[attr-defined]
        named = (SeatedTable(n, four([at.places[place] for place in places])) for n, at in zip(numbers, seating.tables, strict=True))
        schedule.append(SessionSeating(seating.number, (GroupSeating("1", tuple(named)),)))
    for each in balance(schedule):
        assert each.fewest <= each.fewest_bound <= each.most_bound <= each.most, each


def test_sixteen_who_move_to_four_other_tables_need_not_come_back_to_one() -> None:
    first, second = individual_schedule(range(16), 2)
    elsewhere = tuple(SeatedTable(table.number + 4, table.places) for table in second.tables)
    balances = balance([first, replace(second, groups=(GroupSeating("1", elsewhere),))])
    (tables,) = (each for each in balances if each.respect is Respect.TABLES)
    assert (tables.most, tables.most_bound, tables.at_bound) == (1, 1, True)


@given(fours=st.integers(2, 8), chance=st.randoms(use_true_random=False))
def test_no_random_schedule_passes_a_bound(fours: int, chance: object) -> None:
    names = [str(number) for number in range(4 * fours + 1)]
    schedule = []
    for number in (1, 2, 3):
        chance.shuffle(names)  # type: ignore[attr-defined]  # Hypothesis gives a random.Random
        tables = tuple(SeatedTable(t + 1, four(names[4 * t : 4 * t + 4])) for t in range(fours))
        schedule.append(SessionSeating(number, (GroupSeating("1", tables),), (names[-1],)))
    for each in balance(schedule):
        assert each.fewest <= each.fewest_bound <= each.most_bound <= each.most, each
        assert each.repeats >= each.repeats_bound, each


@pytest.mark.parametrize("teams", [16, 64])
def test_two_teams_share_a_group_once_at_most_in_five_sessions(teams: int) -> None:
    assert team_balance(team_schedule(range(teams), 5))[0].at_bound


def test_an_empty_schedule_has_nothing_uneven() -> None:
    assert all(each.at_bound for each in balance([]))
