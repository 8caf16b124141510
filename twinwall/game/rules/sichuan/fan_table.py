"""The fans of Sichuan mahjong "to the bitter end" (四川ルール 血戦到底, revised 29 September 2018): ids, names, multipliers.

The Japanese names are the source's own. Ids never change: records, pages and exports carry them. The
source's numbers of 平胡, 対対胡, 清一色 and the cap are given there; the others are those of the rule page.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class SichuanFan:
    """One fan; ``value`` is what it multiplies by, None for the cap; ``option`` names the switch that admits it."""

    id: str
    english: str
    chinese: str
    japanese: str
    value: int | None
    meaning: str
    excludes: tuple[str, ...] = ()
    option: str | None = None


FAN_KINDS: tuple[SichuanFan, ...] = (
    SichuanFan(PLAIN, "Plain hand", "平胡", "平胡", 1, "none of the fans of shape, which are those down to four melds"),
    SichuanFan(ALL_TRIPLETS, "All triplets", "对对胡", "対対胡", 2, "four triplets or kongs and a pair"),
    SichuanFan(ONE_SUIT, "One suit", "清一色", "清一色", 4, "tiles of one suit only"),
    SichuanFan(SEVEN_PAIRS, "Seven pairs", "暗七对", "暗七対", 4, "seven pairs without a meld; four equal tiles are two pairs"),
    SichuanFan(
        TRIPLETS_258, "All triplets of 2, 5 and 8", "将对", "将対", 8, "all triplets, and only 2, 5 and 8", (ALL_TRIPLETS,), "jiang_dui"
    ),
    SichuanFan(OUTSIDE, "Outside hand", "带幺", "帯么", 4, "a 1 or a 9 in each of the four sets and in the pair", (), "dai_yao"),
    SichuanFan(
        FOUR_MELDS, "Four melds", "单钓", "単釣", 4, "four melds, and the pair made with the winning tile", (ALL_TRIPLETS,), "dan_diao"
    ),
    SichuanFan(KONG_REPLACEMENT_WIN, "Win on a kong's replacement", "杠上花", "槓上花", 2, "the winning tile replaces a kong"),
    SichuanFan(KONG_DISCARD_WIN, "Win on a kong's discard", "杠上炮", "槓上炮", 2, "the winning tile is discarded after a kong"),
    SichuanFan(ROBBED_KONG, "Robbing a kong", "抢杠", "搶槓", 2, "the winning tile was added to a pung"),
    SichuanFan(
        FOUR_ALIKE, "Four alike", "杠、归", "槓・帰", 2, "each four equal tiles of the hand, kong or not, the winning tile included"
    ),
    SichuanFan(
        LAST_TILE,
        "Last tile",
        "海底",
        "海底",
        2,
        "no seat in play has a tile left to draw: with the last tile, or on a discard then",
        (),
        "hai_di",
    ),
    SichuanFan(LAST_COPY, "Last copy", "绝张", "絶張", 2, "the other three of the winning tile lie open", (), "jue_zhang"),
    SichuanFan(HEAVENLY, "Heavenly hand", "天胡", "天和", None, "the dealer wins with its first draw", (), "heaven_earth"),
    SichuanFan(
        EARTHLY, "Earthly hand", "地胡", "地和", None, "another seat wins with its first draw, before any claim", (), "heaven_earth"
    ),
)
"""All fans; those of shape come first."""

BY_ID = {kind.id: kind for kind in FAN_KINDS}

NUMBERED = frozenset({PLAIN, ALL_TRIPLETS, ONE_SUIT, HEAVENLY, EARTHLY})
"""Fans whose number the source states where its text is whole."""
