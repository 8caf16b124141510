"""The yaku of riichi as Seigo plays them (整合麻雀 改), from ``fans.toml``. A yakuman is 13 han."""

from twinwall.game.rules.fan_list import fan_list

YAKUMAN = 13
DOUBLE_RIICHI = "double-riichi"
LAST_DISCARD_WIN = "last-turn-discard"
DORA, URA_DORA, RED_FIVE = "dora", "ura-dora", "red-five"
BONUSES = frozenset({DORA, URA_DORA, RED_FIVE})
"""Dora add han and are not yaku."""

FAN_KINDS = fan_list("seigo")
"""All yaku, then the dora."""
BY_ID = {kind.id: kind for kind in FAN_KINDS}
