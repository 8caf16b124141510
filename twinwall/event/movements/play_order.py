"""Play order: the hand with which each table begins a session, the same for all or in another wind for each.

A hand of a session is a deal with its round wind and dealer, so the order changes no seat wind. All tables still play every deal, and
comparisons wait for the last of them.
"""

from typing import Literal

from twinwall.game.session import HANDS

HANDS_OF_A_ROUND = 4

PlayOrder = Literal["barometer", "staggered"]
"""The order in which the tables of a group play the hands of a session.

barometer: all tables play the same hand at the same time; standings follow each deal. staggered: tables start in different rounds, the
first in East, the second in South, and so on.
"""


def first_hand(order: PlayOrder, table: int, hands: int = HANDS) -> int:
    """The hand, from 1, with which a table begins; after the last hand it continues with the first.

    Args:
        order: of the event.
        table: position in its group, from 0.
        hands: of the session, 1 to 16; the last round may have fewer than four.
    """
    if not 1 <= hands <= HANDS:
        raise ValueError(f"a session has 1 to {HANDS} hands, not {hands}")
    if order == "barometer":
        return 1
    rounds = -(-hands // HANDS_OF_A_ROUND)
    return table % rounds * HANDS_OF_A_ROUND + 1
