"""A session of sixteen hands: round winds, and which place has which seat wind. The dealer moves on after every hand, whoever won, so the
hand number gives the winds (Aono, "Duplicate-format mahjong": E1-E4, S1-S4, W1-W4, N1-N4)."""

from typing import Literal

from twinwall.game.tiles import SEATS, Seat

HANDS = 16


def round_wind(hand: int) -> Seat:
    return SEATS[(_checked(hand) - 1) // 4]


def hand_name(hand: int) -> str:
    """``E1`` to ``N4`` for hand 1 to 16."""
    return f"{round_wind(hand).value}{(hand - 1) % 4 + 1}"


def place_of(seat: Seat, hand: int) -> int:
    """The place 0 to 3 (counter-clockwise) of a seat wind in this hand."""
    return (_checked(hand) - 1 + seat.index) % 4


def seat_at(place: int, hand: int) -> Seat:
    """The seat wind of place 0 to 3 in this hand."""
    return SEATS[(place - _checked(hand) + 1) % 4]


def hands_in_order(first: int, last: int, begins: int = 0) -> tuple[int, ...]:
    """The hands ``first`` to ``last`` in the order played: from ``begins`` to ``last``, then from ``first``."""
    begins = begins or first
    return (*range(begins, last + 1), *range(first, begins))


def check_hands(first: int, last: int, begins: int) -> None:
    """Raise ValueError for hands that cannot be played in this order."""
    if first > last:
        raise ValueError(f"first ({first}) must not be after last ({last})")
    if begins and not first <= begins <= last:
        raise ValueError(f"begins ({begins}) must be a hand from first ({first}) to last ({last})")


def _checked(hand: int) -> int:
    if not 1 <= hand <= HANDS:
        raise ValueError(f"a session has hands 1 to {HANDS}, not {hand}")
    return hand


HANDS_OF_A_ROUND = 4

PlayOrder = Literal["barometer", "staggered"]
"""The order in which the tables of a group play the hands of a session.

barometer: all tables play the same hand at the same time; standings follow each deal. staggered: tables start in different rounds, the
first in East, the second in South, and so on. All tables play every deal, and no seat wind changes.
"""


def first_hand(order: PlayOrder, table: int, hands: int = HANDS) -> int:
    """The hand, from 1, with which a table begins; after the last hand it continues with the first. ``order``: of the event. ``table``:
    position in its group, from 0. ``hands``: of the session, 1 to 16; the last round may have fewer than four."""
    if not 1 <= hands <= HANDS:
        raise ValueError(f"a session has 1 to {HANDS} hands, not {hands}")
    if order == "barometer":
        return 1
    rounds = -(-hands // HANDS_OF_A_ROUND)
    return table % rounds * HANDS_OF_A_ROUND + 1
