"""Winds and places through a session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.game.session import hand_name, place_of, round_wind, seat_at
from twinwall.game.tiles import SEATS, Seat


def test_the_sixteen_hands_are_e1_to_n4() -> None:
    assert [hand_name(hand) for hand in range(1, 17)] == [f"{wind}{number}" for wind in "ESWN" for number in range(1, 5)]
    assert [round_wind(hand) for hand in (1, 4, 5, 16)] == [Seat.EAST, Seat.EAST, Seat.SOUTH, Seat.NORTH]


def test_the_dealer_moves_on_counter_clockwise_after_every_hand_and_starts_each_round_again() -> None:
    assert [place_of(Seat.EAST, hand) for hand in (1, 2, 3, 4, 5)] == [0, 1, 2, 3, 0]


@given(hand=st.integers(1, 16), seat=st.sampled_from(SEATS))
def test_place_and_seat_are_each_others_inverse(hand: int, seat: Seat) -> None:
    assert seat_at(place_of(seat, hand), hand) is seat


@pytest.mark.parametrize("hand", [0, 17])
def test_there_is_no_other_hand(hand: int) -> None:
    with pytest.raises(ValueError, match="1 to 16"):
        round_wind(hand)
