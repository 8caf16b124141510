"""Which rules a table can lead a hand of.

The table leads hands in which everything that is not concealed lies in rivers, melds and shown hands: a hand that a win
ends, or one that goes on when winners have left. Rules with tiles that belong to no seat (indicators that are turned up,
and with them riichi and discards that wait to be claimed) need a wall, keys and readings that it does not have.
"""

from __future__ import annotations

from controller.state import HAND_TILES
from twinwall.game.play import RuleSet


def can_lead(rules: RuleSet) -> bool:
    """Whether every tile of the set is in the wall of a seat."""
    return sum(HAND_TILES + seat.draws_left for seat in rules.start().seats) == len(rules.tiles)
