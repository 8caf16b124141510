"""Which rules a table can lead a hand of.

The table has a declared hand shown and judged at once, and the hand ends with it. Rules in which a winner lays one tile
face up and leaves, while the others play on, or in which riichi is declared and discards wait to be claimed, need
keys, lamps and readings that it does not have.
"""

from __future__ import annotations

from twinwall.game.play import RuleSet, TileDrawn


def can_lead(rules: RuleSet) -> bool:
    """Whether nothing has to be told at a seat's turn that is only read when its hand is shown."""
    first = rules.start()
    return not rules.permissions(rules.apply(first, TileDrawn(first.turn))).face_up
