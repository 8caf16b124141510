"""The fans of Sichuan mahjong, from ``fans.toml``.

The source's numbers of 平胡, 対対胡, 清一色 and the cap are given there; the others are those of the rule page.
"""

from __future__ import annotations

from twinwall.game.rules.fan_list import fan_list

PLAIN = "plain-hand"
ALL_TRIPLETS = "all-triplets"
ONE_SUIT = "one-suit"
SEVEN_PAIRS = "seven-pairs"
TRIPLETS_258 = "all-triplets-258"
OUTSIDE = "outside-hand"
FOUR_MELDS = "four-melds"
KONG_REPLACEMENT_WIN = "kong-replacement"
KONG_DISCARD_WIN = "kong-discard"
ROBBED_KONG = "robbed-kong"
FOUR_ALIKE = "four-alike"
LAST_TILE = "last-tile"
LAST_COPY = "last-copy"
HEAVENLY = "heavenly-hand"
EARTHLY = "earthly-hand"

FAN_KINDS = fan_list("sichuan")
"""All fans; those of shape come first."""
BY_ID = {kind.id: kind for kind in FAN_KINDS}

NUMBERED = frozenset({PLAIN, ALL_TRIPLETS, ONE_SUIT, HEAVENLY, EARTHLY})
"""Fans whose number the source states where its text is whole."""
