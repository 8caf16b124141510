"""The fans of Chinese Official mahjong (1998), from ``fans.toml``.

Which division of a hand counts, and how fans add up, is PyMahjongGB's to find (``fans``).
"""

from __future__ import annotations

from twinwall.game.rules.fan_list import fan_list

MELDED_KONG = "melded-kong"
CONCEALED_KONG = "concealed-kong"
MIXED_KONGS = "concealed-kong-and-melded-kong"
TWO_CONCEALED_KONGS = "two-concealed-kongs"
FULLY_CONCEALED = "fully-concealed-hand"
SELF_DRAWN = "self-drawn"

FAN_KINDS = fan_list("mcr-duplicate")
"""All fans, the most valuable first."""
