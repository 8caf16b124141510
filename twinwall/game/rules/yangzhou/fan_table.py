"""The fans of Yangzhou mahjong ("揚州の麻雀", blog, 27 November 2015): ids, names, worth, and what the source takes away.

The Japanese names are the source's own. Ids never change: records, pages and exports carry them. What a fan *is* stands
in ``patterns``; ``listed`` holds only the exclusions that the source spells out, the others follow in ``containment``.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinwall.game.rules.yangzhou.options import FanClass, YangzhouOptions

SEAT_WIND, ROUND_WIND = "seat-wind", "round-wind"
RED_DRAGON, GREEN_DRAGON, WHITE_DRAGON = "red-dragon", "green-dragon", "white-dragon"
SINGLE_WAIT, CLOSED_WAIT, EDGE_WAIT = "single-wait", "closed-wait", "edge-wait"
SELF_DRAWN, CONCEALED_HAND = "self-drawn", "concealed-hand"
ONE_VOIDED_SUIT, ALL_SIMPLES = "one-voided-suit", "all-simples"
TWO_TERMINAL_CHOWS, MIXED_DOUBLE_CHOW, SHORT_STRAIGHT = "two-terminal-chows", "mixed-double-chow", "short-straight"
ALL_CHOWS, TERMINAL_PAIR = "all-chows", "terminal-pair"
CONCEALED_TRIPLET, MELDED_KONG, CONCEALED_KONG = "concealed-triplet", "melded-kong", "concealed-kong"
PURE_DOUBLE_CHOW = "pure-double-chow"
HALF_FLUSH, PURE_STRAIGHT, MIXED_TRIPLE_CHOW, ALL_TRIPLETS = "half-flush", "pure-straight", "mixed-triple-chow", "all-triplets"
MIXED_TERMINAL_CHOWS, MIXED_SHORT_STRAIGHTS = "mixed-terminal-chows", "mixed-short-straights"
TWO_DOUBLE_CHOWS, MIXED_QUADRUPLE_CHOW = "two-double-chows", "mixed-quadruple-chow"
FULL_FLUSH, PURE_TRIPLE_CHOW = "full-flush", "pure-triple-chow"
MIXED_DOUBLE_CHOWS, DOUBLE_SHORT_STRAIGHT, DOUBLE_TERMINAL_CHOWS = (
    "mixed-double-chows",
    "double-short-straight",
    "double-terminal-chows",
)
ALL_HONORS, QUADRUPLE_CHOW = "all-honors", "quadruple-chow"


@dataclass(frozen=True, slots=True)
class YangzhouFan:
    """One fan; ``worth`` is its class, or its points where every table has the same; ``listed`` are those the source takes away for it."""

    id: str
    english: str
    chinese: str
    japanese: str
    worth: FanClass | int
    meaning: str
    listed: tuple[str, ...] = ()

    def value(self, options: YangzhouOptions) -> int:
        """What one of it is worth."""
        return self.worth if isinstance(self.worth, int) else options.table.of[self.worth]


_L, _H, _D, _F = FanClass.LOWEST, FanClass.HALF_FLUSH, FanClass.DOUBLE, FanClass.FULL_FLUSH

FAN_KINDS: tuple[YangzhouFan, ...] = (
    YangzhouFan(SEAT_WIND, "Seat wind", "门风", "門風", 1, "a triplet or kong of the own wind"),
    YangzhouFan(ROUND_WIND, "Round wind", "圈风", "圏風", 1, "a triplet or kong of the round's wind, besides the seat's"),
    YangzhouFan(RED_DRAGON, "Red dragons", "红中", "紅中", 1, "a triplet or kong of red dragons"),
    YangzhouFan(GREEN_DRAGON, "Green dragons", "发财", "發財", 1, "a triplet or kong of green dragons"),
    YangzhouFan(WHITE_DRAGON, "White dragons", "白皮", "白皮", 1, "a triplet or kong of white dragons"),
    YangzhouFan(SINGLE_WAIT, "Single wait", "独吊", "独吊", 1, "no other kind completes the hand, and the tile makes the pair"),
    YangzhouFan(CLOSED_WAIT, "Closed wait", "丫子", "丫子", 1, "no other kind completes the hand, and the tile is the middle of a chow"),
    YangzhouFan(
        EDGE_WAIT, "Edge wait", "边张", "辺張", 1, "no other kind completes the hand, and the tile is the 3 of 123 or the 7 of 789"
    ),
    YangzhouFan(SELF_DRAWN, "Self-drawn", "自摸", "自摸", 1, "won with a tile from the own wall"),
    YangzhouFan(CONCEALED_HAND, "Concealed hand", "门清", "門清", 1, "no chow, pung or exposed kong"),
    YangzhouFan(ONE_VOIDED_SUIT, "One voided suit", "缺一", "欠一", 1, "no honours, and exactly two suits"),
    YangzhouFan(ALL_SIMPLES, "All simples", "断幺", "断幺", 1, "no 1, no 9 and no honours"),
    YangzhouFan(TWO_TERMINAL_CHOWS, "Two terminal chows", "老少", "老少", 1, "each pair of chows 123 and 789 of one suit"),
    YangzhouFan(MIXED_DOUBLE_CHOW, "Mixed double chow", "齐相", "斉相", 1, "each pair of the same chow in two suits"),
    YangzhouFan(SHORT_STRAIGHT, "Short straight", "连副", "連副", 1, "each pair of chows that are six in a row of one suit"),
    YangzhouFan(ALL_CHOWS, "All chows", "平胡", "平胡", 1, "four chows; by the option `all_chows_no_honours` without honours"),
    YangzhouFan(TERMINAL_PAIR, "Terminal pair", "幺头", "幺頭", 1, "a pair of 1s or 9s in a hand without honours"),
    YangzhouFan(CONCEALED_TRIPLET, "Concealed triplet", "子格", "子格", 1, "each triplet, not a kong, of own tiles (also 招)"),
    YangzhouFan(MELDED_KONG, "Melded kong", "明杠", "明槓", 1, "each kong that was claimed or added to"),
    YangzhouFan(CONCEALED_KONG, "Concealed kong", "暗杠", "暗槓", 2, "each concealed kong"),
    YangzhouFan(PURE_DOUBLE_CHOW, "Pure double chow", "一板", "一板", _L, "two equal chows"),
    YangzhouFan(HALF_FLUSH, "Half flush", "混一色", "混一色", _H, "one suit and honours, both of them"),
    YangzhouFan(PURE_STRAIGHT, "Pure straight", "一条龙", "一条龍", _H, "123, 456 and 789 of one suit"),
    YangzhouFan(MIXED_TRIPLE_CHOW, "Mixed triple chow", "三副同", "三副同", _H, "the same chow in three suits", (MIXED_DOUBLE_CHOW,)),
    YangzhouFan(ALL_TRIPLETS, "All triplets", "对对胡", "対対胡", _H, "four triplets or kongs"),
    YangzhouFan(
        MIXED_TERMINAL_CHOWS,
        "Mixed terminal chows",
        "双飘",
        "双飄",
        _H,
        "123 and 789 in each of two suits",
        (TWO_TERMINAL_CHOWS, MIXED_DOUBLE_CHOW),
    ),
    YangzhouFan(
        MIXED_SHORT_STRAIGHTS,
        "Mixed short straights",
        "双连双喜",
        "双連双喜",
        _H,
        "the same six in a row in each of two suits",
        (SHORT_STRAIGHT, MIXED_DOUBLE_CHOW),
    ),
    YangzhouFan(TWO_DOUBLE_CHOWS, "Two double chows", "双板板", "双板板", _D, "two pairs of equal chows", (PURE_DOUBLE_CHOW,)),
    YangzhouFan(
        MIXED_QUADRUPLE_CHOW,
        "Mixed quadruple chow",
        "四副同",
        "四副同",
        _D,
        "the same chow four times, in three suits",
        (MIXED_TRIPLE_CHOW, PURE_DOUBLE_CHOW, MIXED_DOUBLE_CHOW),
    ),
    YangzhouFan(FULL_FLUSH, "Full flush", "清一色", "清一色", _F, "one suit and nothing else"),
    YangzhouFan(PURE_TRIPLE_CHOW, "Pure triple chow", "铁板", "鉄板", _F, "three equal chows", (PURE_DOUBLE_CHOW,)),
    YangzhouFan(
        MIXED_DOUBLE_CHOWS,
        "Double chows in two suits",
        "双板双喜",
        "双板双喜",
        _F,
        "two equal chows, and the same two in another suit",
        (MIXED_DOUBLE_CHOW, PURE_DOUBLE_CHOW, TWO_DOUBLE_CHOWS),
    ),
    YangzhouFan(
        DOUBLE_SHORT_STRAIGHT,
        "Double short straight",
        "双板双连",
        "双板双連",
        _F,
        "six in a row of one suit, twice",
        (PURE_DOUBLE_CHOW, TWO_DOUBLE_CHOWS, SHORT_STRAIGHT),
    ),
    YangzhouFan(
        DOUBLE_TERMINAL_CHOWS,
        "Double terminal chows",
        "双板双飘",
        "双板双飄",
        _F,
        "123 and 789 of one suit, twice (also 双板双老)",
        (PURE_DOUBLE_CHOW, TWO_DOUBLE_CHOWS, TWO_TERMINAL_CHOWS),
    ),
    YangzhouFan(ALL_HONORS, "All honours", "风清", "風清", FanClass.FOUR_FULL, "honours and nothing else", (ALL_TRIPLETS,)),
    YangzhouFan(
        QUADRUPLE_CHOW,
        "Quadruple chow",
        "钢板",
        "鋼板",
        FanClass.EIGHT_FULL,
        "four equal chows",
        (PURE_DOUBLE_CHOW, PURE_TRIPLE_CHOW),
    ),
)
"""All fans, small ones first, as the source has them."""

BY_ID = {kind.id: kind for kind in FAN_KINDS}


@dataclass(frozen=True, slots=True)
class Bonus:
    """What two fans together are worth beyond their sum where the values are those of the minimum 18 (複合役).

    It is no fan: it takes nothing away and is not taken away.
    """

    id: str
    english: str
    chinese: str
    japanese: str
    value: int
    fans: tuple[str, str]


BONUSES: tuple[Bonus, ...] = (
    Bonus("double-chow-straight", "Double chow and straight", "板龙", "板龍", 15, (PURE_DOUBLE_CHOW, PURE_STRAIGHT)),
    Bonus("half-flush-straight", "Half flush and straight", "混龙", "混龍", 10, (HALF_FLUSH, PURE_STRAIGHT)),
    Bonus("half-flush-triplets", "Half flush of triplets", "混对对", "混対対", 10, (HALF_FLUSH, ALL_TRIPLETS)),
    Bonus("full-flush-straight", "Full flush and straight", "清龙", "清龍", 30, (FULL_FLUSH, PURE_STRAIGHT)),
    Bonus("full-flush-triplets", "Full flush of triplets", "清对对", "清対対", 30, (FULL_FLUSH, ALL_TRIPLETS)),
)
"""The source's composite totals, as what each adds to the sum."""
