"""Constructions known before the first session: what they promise about pairs, for any number of entrants; groups of teams."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.event.managed import planned_schedule
from tests.support.tiers import TIER, Tier, examples, one_in
from twinwall.event.movements.balance import Balance, Respect, balance, team_balance
from twinwall.event.movements.constructions import difference_matrix
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.options import FieldOption, OptionKind, field_options
from twinwall.event.movements.seating import (
    FixedSeat,
    GroupSeating,
    SeatedTable,
    SeatingNeeds,
    SessionSeating,
    at_tables,
    check_players,
    fixed_seats_hold,
    four,
)
from twinwall.event.movements.teams import in_groups, seat_players, team_schedule, team_tables
from twinwall.event.results import EntrantKind
from twinwall.game.tiles import first_hand, hands_in_order, round_wind

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


def session(number: int, *tables: str, out: str = "") -> SessionSeating[str]:
    seated = tuple(SeatedTable(index, four(members)) for index, members in enumerate(tables, 1))
    return SessionSeating(number, (GroupSeating("1", seated),), tuple(out))


def test_two_tables_a_bench_or_winds_that_come_again_are_told_from_what_could_have_been() -> None:
    meetings, comparisons, places, winds, tables, out = balance([session(1, "abcd", "efgh"), session(2, "abcd", "efgh")])
    assert meetings == Balance(Respect.MEETINGS, 0, 2, 0, 2, 12, 4)
    assert comparisons == Balance(Respect.COMPARISONS, 0, 2, 0, 1, 4, 0)
    assert (places.most, places.most_bound) == (2, 1)
    assert winds == Balance(Respect.WINDS, 8, 8, 8, 8)
    assert (tables.fewest, tables.most, tables.fewest_bound, tables.most_bound) == (0, 2, 1, 1)
    assert out.at_bound
    out = balance([session(1, "abcd", out="e"), session(2, "abcd", out="e")])[-1]
    assert (out.fewest, out.most, out.fewest_bound, out.most_bound) == (0, 2, 0, 1)
    winds = balance([session(1, "abcd")], hands=2)[3]
    assert (winds.fewest, winds.most, winds.at_bound) == (0, 1, True)
    assert all(each.at_bound for each in balance([]))


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


@pytest.mark.parametrize("teams", [16, 64])
def test_two_teams_share_a_group_once_at_most_in_five_sessions(teams: int) -> None:
    assert team_balance(team_schedule(range(teams), 5))[0].at_bound


INDIVIDUAL, TEAM = EntrantKind.INDIVIDUAL, EntrantKind.TEAM


NOBODY_OUT = ((),) * 5
ONE_IN_TURN = ((16,), (15,), (14,), (13,), (12,))
THREE_IN_TURN = ((8, 9, 14), (1, 3, 13), (0, 4, 11), (2, 7, 10), (5, 6, 12))


@pytest.mark.parametrize(
    ("kind", "entrants", "options"),
    [
        (INDIVIDUAL, 16, [FieldOption(OptionKind.EVERYBODY, 16, 4, 0, NOBODY_OUT)]),
        (
            INDIVIDUAL,
            17,
            [FieldOption(OptionKind.SIT_OUT, 16, 4, 0, ONE_IN_TURN), FieldOption(OptionKind.SUBSTITUTES, 20, 5, 3, NOBODY_OUT)],
        ),
        (
            TEAM,
            15,
            [FieldOption(OptionKind.SIT_OUT, 12, 12, 0, THREE_IN_TURN), FieldOption(OptionKind.PHANTOM_TEAMS, 16, 16, 4, NOBODY_OUT)],
        ),
        *((INDIVIDUAL, few, [FieldOption(OptionKind.SUBSTITUTES, 8, 2, 8 - few, NOBODY_OUT)]) for few in (1, 5, 7)),
        (INDIVIDUAL, 0, []),
        (TEAM, 0, []),
    ],
)
def test_entrants_who_are_no_multiple_of_four_sit_out_in_turn_or_substitutes_fill_up(
    kind: EntrantKind, entrants: int, options: list[FieldOption]
) -> None:
    assert list(field_options(kind, entrants, 5)) == options
    assert all(option.most_out == (option.kind is OptionKind.SIT_OUT) for option in options)


@settings(max_examples=examples(25))
@given(kind=st.sampled_from(EntrantKind), entrants=st.integers(8, 256), sessions=st.integers(1, 8))
def test_whoever_sits_out_does_so_once_before_anybody_does_twice(kind: EntrantKind, entrants: int, sessions: int) -> None:
    first = field_options(kind, entrants, sessions)[0]
    out = Counter(who for session in first.out for who in session)
    assert all(len(session) == entrants - first.entrants for session in first.out)
    assert max(out.values(), default=0) - min((out[who] for who in range(entrants)), default=0) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("players", one_in(2, [13, 15, 19]))
def test_those_sit_out_who_were_announced(players: int) -> None:
    schedule = planned_schedule([range(players)] * 7, effort=0.1)
    assert tuple(seating.sitting_out for seating in schedule) == field_options(INDIVIDUAL, players, 7)[0].out


def test_barometer_tables_begin_with_the_same_hand_and_staggered_ones_in_different_winds() -> None:
    assert {first_hand("barometer", table) for table in range(4)} == {1}
    assert [round_wind(first_hand("staggered", table)).value for table in range(4)] == ["E", "S", "W", "N"]
    assert hands_in_order(1, 16, first_hand("staggered", 3)) == (*range(13, 17), *range(1, 13))


def members(teams: int) -> dict[int, tuple[int, ...]]:
    return {team: (10 * team + 1, 10 * team + 2, 10 * team + 3, 10 * team + 4) for team in range(teams)}


def seated(schedule: tuple[SessionSeating[int], ...]) -> list[SessionSeating[int]]:
    played: list[SessionSeating[int]] = []
    for seating in schedule:
        played.append(seat_players(seating, members(max(seating.groups[-1].members) + 64), played))
    return played


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
    assert seat_players(in_groups(1, [[0, 1, 2, 3]], sitting_out=[4]), members(5)).sitting_out == (41, 42, 43, 44)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "17 players": (lambda: individual_schedule(range(17), 3), "not for 17"),
    "no players": (lambda: individual_schedule((), 3), "not for 0"),
    "260 players": (lambda: individual_schedule(range(260), 3), "not for 260"),
    "no sessions": (lambda: individual_schedule(range(16), 0), "at least one session"),
    "a player twice": (lambda: individual_schedule(["player 2", *PLAYERS[1:]], 5), "player 2 is there more than once"),
    "17 hands": (lambda: first_hand("barometer", 0, 17), "1 to 16 hands, not 17"),
    "a team without players": (lambda: seat_players(in_groups(1, [[0, 1, 2, 3]]), members(3)), "not known of 3"),
    "a player of two teams": (
        lambda: seat_players(in_groups(1, [[0, 1, 2, 3]]), {**members(4), 2: (11, 22, 23, 24)}),
        "11 is there more than once",
    ),
    "a team twice": (lambda: team_tables("ABCA"), "A is there more than once"),
    "three teams": (lambda: team_tables("ABC"), "4 teams, not for 3"),
}


@pytest.mark.parametrize(("seat", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_seated_is_refused_by_name(seat: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        seat()


@pytest.mark.slow
@settings(max_examples=examples(20))
@given(who=st.integers(0, 15), place=st.integers(0, 3), session=st.integers(0, 3))
def test_a_player_of_a_team_who_needs_a_table_and_a_place_has_them(who: int, place: int, session: int) -> None:
    player = 10 * (who // 4) + who % 4 + 1
    needs = SeatingNeeds({player: FixedSeat(2, place)})
    seating = seat_players(team_schedule(range(4), 4)[session], members(4), (), needs)
    assert fixed_seats_hold(seating, needs)
    assert all({player // 10 for player in table} == {0, 1, 2, 3} for table in at_tables(seating))
