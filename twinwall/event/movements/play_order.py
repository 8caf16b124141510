"""Play order: which hand of the session each table plays in each turn, all tables the same one or each starting in another wind.

A hand of a session is a deal with its round wind and dealer, so the order changes nobody's seat wind in a deal; all tables
still play every deal, and comparisons wait for the last of them.
"""

from __future__ import annotations

from enum import Enum

from twinwall.game.session import HANDS

HANDS_OF_A_ROUND = 4


class PlayOrder(Enum):
    """In which order the tables of a group play the hands of a session."""

    BAROMETER = "barometer"
    """All tables play the same hand at the same time; a deal is over in one turn, and standings follow turn by turn."""
    STAGGERED = "staggered"
    """Tables start in different rounds: the first in East, the second in South, and so on round the winds."""


def hands_of_table(order: PlayOrder, table: int, hands: int = HANDS) -> tuple[int, ...]:
    """The numbers of the hands, from 1, that a table plays turn by turn.

    Args:
        order: of the event.
        table: position in its group, from 0.
        hands: of the session, 1 to 16; the last round may have fewer than four.
    """
    if not 1 <= hands <= HANDS:
        raise ValueError(f"a session has 1 to {HANDS} hands, not {hands}")
    first = 0
    if order is PlayOrder.STAGGERED:
        rounds = -(-hands // HANDS_OF_A_ROUND)
        first = table % rounds * HANDS_OF_A_ROUND
    return tuple((first + turn) % hands + 1 for turn in range(hands))


def turns_apart(order: PlayOrder, tables: int, hands: int = HANDS) -> int:
    """By how many turns two tables of a group can be apart in the same deal: what the spread of an event has to allow."""
    turn_of = [{hand: turn for turn, hand in enumerate(hands_of_table(order, table, hands))} for table in range(tables)]
    return max((max(turns) - min(turns) for hand in range(1, hands + 1) if (turns := [turn[hand] for turn in turn_of])), default=0)
