"""What is done with a number that is no multiple of four, and in which order tables play their hands."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.event.planned_schedules import planned_schedule
from tests.support.tiers import one_in
from twinwall.event.movements.options import FieldOption, OptionKind, field_options
from twinwall.event.movements.play_order import PlayOrder, first_hand
from twinwall.event.results import EntrantKind
from twinwall.game.session import hands_in_order, round_wind

INDIVIDUAL, TEAM = EntrantKind.INDIVIDUAL, EntrantKind.TEAM


def test_sixteen_players_all_play() -> None:
    assert field_options(INDIVIDUAL, 16, 5) == (FieldOption(OptionKind.EVERYBODY, 16, 4, 0, ((),) * 5),)


def test_of_seventeen_players_one_sits_out_in_turn_or_three_substitutes_are_wanted() -> None:
    sit_out, substitutes = field_options(INDIVIDUAL, 17, 5)
    assert (sit_out.kind, sit_out.tables, sit_out.most_out) == (OptionKind.SIT_OUT, 4, 1)
    assert sit_out.out == ((16,), (15,), (14,), (13,), (12,))
    assert (substitutes.kind, substitutes.entrants, substitutes.tables, substitutes.substitutes) == (OptionKind.SUBSTITUTES, 20, 5, 3)


def test_of_fifteen_teams_three_sit_out_or_a_phantom_team_of_four_substitutes_plays() -> None:
    sit_out, phantom = field_options(TEAM, 15, 5)
    assert (sit_out.entrants, sit_out.tables, sit_out.most_out) == (12, 12, 1)
    assert (phantom.kind, phantom.entrants, phantom.substitutes) == (OptionKind.PHANTOM_TEAMS, 16, 4)


@pytest.mark.parametrize(("entrants", "wanted"), [(1, 7), (5, 3), (7, 1)])
def test_fewer_than_eight_players_need_substitutes_to_compare_two_tables(entrants: int, wanted: int) -> None:
    (only,) = field_options(INDIVIDUAL, entrants, 3)
    assert (only.kind, only.substitutes, only.tables) == (OptionKind.SUBSTITUTES, wanted, 2)


def test_no_entrants_have_no_option() -> None:
    assert field_options(INDIVIDUAL, 0, 3) == field_options(TEAM, 0, 3) == ()


@settings(max_examples=25)
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


@given(order=st.sampled_from(get_args(PlayOrder)), table=st.integers(0, 7), hands=st.integers(1, 16))
def test_every_table_plays_every_hand_once(order: PlayOrder, table: int, hands: int) -> None:
    assert sorted(hands_in_order(1, hands, first_hand(order, table, hands))) == list(range(1, hands + 1))


def test_barometer_tables_begin_with_the_same_hand_and_staggered_ones_in_different_winds() -> None:
    assert {first_hand("barometer", table) for table in range(4)} == {1}
    assert [round_wind(first_hand("staggered", table)).value for table in range(4)] == ["E", "S", "W", "N"]
    assert hands_in_order(1, 16, first_hand("staggered", 3)) == (*range(13, 17), *range(1, 13))


def test_a_session_of_seventeen_hands_is_refused() -> None:
    with pytest.raises(ValueError, match="1 to 16 hands, not 17"):
        first_hand("barometer", 0, 17)
