"""The fans of Chinese Official mahjong (1998): our stable ids, names, values, what they are, and what they take the place of.

The list has 81 fans; flowers, one of them, are not in the set, and the mixed pair of kongs that all
online play knows (option ``mixed_kongs``) is added. Ids never change: records, pages and exports
carry them. Which division of a hand counts, and how fans add up, is PyMahjongGB's to find (``fans``).
"""

from __future__ import annotations

from dataclasses import dataclass

MELDED_KONG = "melded-kong"
CONCEALED_KONG = "concealed-kong"
MIXED_KONGS = "concealed-kong-and-melded-kong"
TWO_CONCEALED_KONGS = "two-concealed-kongs"
FULLY_CONCEALED = "fully-concealed-hand"
SELF_DRAWN = "self-drawn"


@dataclass(frozen=True, slots=True)
class McrFan:
    """One fan of the list."""

    value: int
    id: str
    english: str
    chinese: str
    japanese: str
    meaning: str
    excludes: tuple[str, ...] = ()
    """The fans that never count beside it."""
    library: str = ""
    """How PyMahjongGB calls it, where otherwise than by its Chinese name."""

    @property
    def library_name(self) -> str:
        """How PyMahjongGB calls it."""
        return self.library or self.chinese


_CLOSED = ("concealed-hand", "fully-concealed-hand")
_PUNGS_OF_ENDS = ("all-pungs", "outside-hand", "pung-of-terminals-or-honors")
_KONGS = (TWO_CONCEALED_KONGS, "two-melded-kongs", MIXED_KONGS, CONCEALED_KONG, MELDED_KONG)

FAN_KINDS: tuple[McrFan, ...] = (
    McrFan(
        88,
        "big-four-winds",
        "Big four winds",
        "大四喜",
        "大四喜",
        "pungs or kongs of all four winds",
        ("big-three-winds", "prevalent-wind", "seat-wind", "all-pungs", "pung-of-terminals-or-honors"),
    ),
    McrFan(
        88,
        "big-three-dragons",
        "Big three dragons",
        "大三元",
        "大三元",
        "pungs or kongs of all three dragons",
        ("two-dragons-pungs", "dragon-pung"),
    ),
    McrFan(88, "all-green", "All green", "绿一色", "緑一色", "only 2, 3, 4, 6 and 8 of bamboo and the green dragon", ("half-flush",)),
    McrFan(
        88,
        "nine-gates",
        "Nine gates",
        "九莲宝灯",
        "九蓮宝燈",
        "1112345678999 of one suit without a meld, and any tile of it",
        ("full-flush", *_CLOSED, "no-honors", "one-voided-suit"),
    ),
    McrFan(88, "four-kongs", "Four kongs", "四杠", "四槓", "four kongs of any sort", ("three-kongs", "all-pungs", "single-wait", *_KONGS)),
    McrFan(
        88,
        "seven-shifted-pairs",
        "Seven shifted pairs",
        "连七对",
        "連七対",
        "seven pairs in a row in one suit",
        ("full-flush", "seven-pairs", *_CLOSED, "single-wait", "no-honors", "one-voided-suit"),
    ),
    McrFan(
        88,
        "thirteen-orphans",
        "Thirteen orphans",
        "十三幺",
        "十三幺",
        "one of each terminal and honour, and one of them twice",
        ("all-terminals-and-honors", "all-types", *_CLOSED, "single-wait"),
    ),
    McrFan(
        64,
        "all-terminals",
        "All terminals",
        "清幺九",
        "清幺九",
        "only terminals",
        ("all-terminals-and-honors", *_PUNGS_OF_ENDS, "double-pung", "no-honors"),
    ),
    McrFan(
        64,
        "little-four-winds",
        "Little four winds",
        "小四喜",
        "小四喜",
        "pungs or kongs of three winds and a pair of the fourth",
        ("big-three-winds",),
    ),
    McrFan(
        64,
        "little-three-dragons",
        "Little three dragons",
        "小三元",
        "小三元",
        "pungs or kongs of two dragons and a pair of the third",
        ("two-dragons-pungs", "dragon-pung"),
    ),
    McrFan(64, "all-honors", "All honours", "字一色", "字一色", "only honours", ("all-terminals-and-honors", *_PUNGS_OF_ENDS)),
    McrFan(
        64,
        "four-concealed-pungs",
        "Four concealed pungs",
        "四暗刻",
        "四暗刻",
        "four pungs or kongs made without a claim; the tile that completes the last must be drawn",
        ("three-concealed-pungs", "two-concealed-pungs", "all-pungs", *_CLOSED),
    ),
    McrFan(
        64,
        "pure-terminal-chows",
        "Pure terminal chows",
        "一色双龙会",
        "一色双竜会",
        "twice 123 and 789 and a pair of 5, in one suit",
        ("full-flush", "seven-pairs", "all-chows", "pure-double-chow", "two-terminal-chows", "no-honors", "one-voided-suit"),
    ),
    McrFan(
        48,
        "quadruple-chow",
        "Quadruple chow",
        "一色四同顺",
        "一色四同順",
        "four equal chows",
        ("pure-triple-chow", "pure-shifted-pungs", "pure-double-chow", "tile-hog", "seven-pairs"),
    ),
    McrFan(
        48,
        "four-pure-shifted-pungs",
        "Four pure shifted pungs",
        "一色四节高",
        "一色四節高",
        "four pungs in a row in one suit",
        ("pure-shifted-pungs", "pure-triple-chow", "all-pungs"),
    ),
    McrFan(
        32,
        "four-pure-shifted-chows",
        "Four pure shifted chows",
        "一色四步高",
        "一色四歩高",
        "four chows in one suit, each one higher than the last, or each two higher",
        ("pure-shifted-chows", "short-straight", "two-terminal-chows"),
    ),
    McrFan(32, "three-kongs", "Three kongs", "三杠", "三槓", "three kongs of any sort", _KONGS),
    McrFan(32, "all-terminals-and-honors", "All terminals and honours", "混幺九", "混幺九", "only terminals and honours", _PUNGS_OF_ENDS),
    McrFan(24, "seven-pairs", "Seven pairs", "七对", "七対", "seven pairs; four equal tiles are two", (*_CLOSED, "single-wait")),
    McrFan(
        24,
        "greater-honors-and-knitted-tiles",
        "Greater honours and knitted tiles",
        "七星不靠",
        "七星不靠",
        "all seven honours, and seven tiles of 147, 258 and 369, each row from another suit",
        ("lesser-honors-and-knitted-tiles", "all-types", *_CLOSED, "single-wait"),
    ),
    McrFan(
        24,
        "all-even-pungs",
        "All even pungs",
        "全双刻",
        "全双刻",
        "pungs and the pair of 2, 4, 6 and 8 only",
        ("all-pungs", "all-simples", "no-honors"),
    ),
    McrFan(24, "full-flush", "Full flush", "清一色", "清一色", "one suit only", ("one-voided-suit", "no-honors")),
    McrFan(
        24,
        "pure-triple-chow",
        "Pure triple chow",
        "一色三同顺",
        "一色三同順",
        "three equal chows",
        ("pure-shifted-pungs", "pure-double-chow"),
    ),
    McrFan(
        24,
        "pure-shifted-pungs",
        "Pure shifted pungs",
        "一色三节高",
        "一色三節高",
        "three pungs in a row in one suit",
        ("pure-triple-chow",),
    ),
    McrFan(24, "upper-tiles", "Upper tiles", "全大", "全大", "only 7, 8 and 9", ("upper-four", "no-honors")),
    McrFan(24, "middle-tiles", "Middle tiles", "全中", "全中", "only 4, 5 and 6", ("all-simples", "no-honors")),
    McrFan(24, "lower-tiles", "Lower tiles", "全小", "全小", "only 1, 2 and 3", ("lower-four", "no-honors")),
    McrFan(16, "pure-straight", "Pure straight", "清龙", "清竜", "123, 456 and 789 of one suit"),
    McrFan(
        16,
        "three-suited-terminal-chows",
        "Three-suited terminal chows",
        "三色双龙会",
        "三色双竜会",
        "123 and 789 in two suits and a pair of 5 of the third",
        ("all-chows", "mixed-double-chow", "two-terminal-chows", "no-honors"),
    ),
    McrFan(
        16,
        "pure-shifted-chows",
        "Pure shifted chows",
        "一色三步高",
        "一色三歩高",
        "three chows in one suit, each one higher than the last, or each two higher",
    ),
    McrFan(16, "all-five", "All fives", "全带五", "全帯五", "a 5 in every set and in the pair", ("all-simples", "no-honors")),
    McrFan(16, "triple-pung", "Triple pung", "三同刻", "三同刻", "a pung of the same number in each suit", ("double-pung",)),
    McrFan(
        16,
        "three-concealed-pungs",
        "Three concealed pungs",
        "三暗刻",
        "三暗刻",
        "three pungs or kongs made without a claim",
        ("two-concealed-pungs",),
    ),
    McrFan(
        12,
        "lesser-honors-and-knitted-tiles",
        "Lesser honours and knitted tiles",
        "全不靠",
        "全不靠",
        "fourteen single tiles, honours or of 147, 258 and 369, each row from another suit",
        ("all-types", *_CLOSED, "single-wait"),
    ),
    McrFan(
        12, "knitted-straight", "Knitted straight", "组合龙", "組合竜", "147, 258 and 369, each row from another suit, and a set and a pair"
    ),
    McrFan(12, "upper-four", "Upper four", "大于五", "大于五", "only 6 to 9", ("no-honors",)),
    McrFan(12, "lower-four", "Lower four", "小于五", "小于五", "only 1 to 4", ("no-honors",)),
    McrFan(12, "big-three-winds", "Big three winds", "三风刻", "三風刻", "pungs or kongs of three winds"),
    McrFan(8, "mixed-straight", "Mixed straight", "花龙", "花竜", "123, 456 and 789, each of another suit"),
    McrFan(
        8,
        "reversible-tiles",
        "Reversible tiles",
        "推不倒",
        "推不倒",
        "only tiles that look the same upside down: 1 2 3 4 5 8 9 of dots, 2 4 5 6 8 9 of bamboo, the white dragon",
        ("one-voided-suit",),
    ),
    McrFan(8, "mixed-triple-chow", "Mixed triple chow", "三色三同顺", "三色三同順", "the same chow in each suit"),
    McrFan(8, "mixed-shifted-pungs", "Mixed shifted pungs", "三色三节高", "三色三節高", "three pungs in a row, each of another suit"),
    McrFan(8, "chicken-hand", "Chicken hand", "无番和", "無番和", "a hand without any other fan"),
    McrFan(8, "last-tile-draw", "Last tile draw", "妙手回春", "妙手回春", "self-drawn with the last tile of the hand", ("self-drawn",)),
    McrFan(8, "last-tile-claim", "Last tile claim", "海底捞月", "海底撈月", "on the last discard of the hand"),
    McrFan(
        8,
        "out-with-replacement-tile",
        "Out with replacement tile",
        "杠上开花",
        "槓上開花",
        "self-drawn with the tile that replaces a kong",
        ("self-drawn",),
    ),
    McrFan(8, "robbing-the-kong", "Robbing the kong", "抢杠和", "搶槓和", "on the tile that is added to a pung", ("last-tile",)),
    McrFan(6, "all-pungs", "All pungs", "碰碰和", "碰碰和", "four pungs or kongs and a pair"),
    McrFan(6, "half-flush", "Half flush", "混一色", "混一色", "one suit and honours"),
    McrFan(
        6,
        "mixed-shifted-chows",
        "Mixed shifted chows",
        "三色三步高",
        "三色三歩高",
        "three chows, each of another suit and one higher than the last",
    ),
    McrFan(6, "all-types", "All types", "五门齐", "五門斉", "each suit, winds and dragons"),
    McrFan(
        6, "melded-hand", "Melded hand", "全求人", "全求人", "four claimed melds, and the pair completed on a discard", ("single-wait",)
    ),
    McrFan(
        6,
        TWO_CONCEALED_KONGS,
        "Two concealed kongs",
        "双暗杠",
        "双暗槓",
        "two concealed kongs; 8 by the WMO's book",
        ("two-concealed-pungs", CONCEALED_KONG),
    ),
    McrFan(6, "two-dragons-pungs", "Two dragon pungs", "双箭刻", "双箭刻", "pungs or kongs of two dragons", ("dragon-pung",)),
    McrFan(
        5,
        MIXED_KONGS,
        "Concealed and melded kong",
        "明暗杠",
        "明暗槓",
        "a concealed kong and a melded one; option `mixed_kongs`; 6 by the WMO's book",
        (CONCEALED_KONG, MELDED_KONG),
    ),
    McrFan(4, "outside-hand", "Outside hand", "全带幺", "全帯幺", "a terminal or an honour in every set and in the pair"),
    McrFan(
        4,
        "fully-concealed-hand",
        "Fully concealed hand",
        "不求人",
        "不求人",
        "self-drawn without a claim",
        ("concealed-hand", "self-drawn"),
    ),
    McrFan(4, "two-melded-kongs", "Two melded kongs", "双明杠", "双明槓", "two kongs that are not concealed", (MELDED_KONG,)),
    McrFan(4, "last-tile", "Last of its kind", "和绝张", "和絶張", "the other three of the winning tile lie open"),
    McrFan(2, "dragon-pung", "Dragon pung", "箭刻", "箭刻", "each pung or kong of dragons"),
    McrFan(2, "prevalent-wind", "Prevalent wind", "圈风刻", "圏風刻", "a pung or kong of the round's wind"),
    McrFan(2, "seat-wind", "Seat wind", "门风刻", "門風刻", "a pung or kong of the seat's wind"),
    McrFan(2, "concealed-hand", "Concealed hand", "门前清", "門前清", "no claimed meld, on a discard"),
    McrFan(2, "all-chows", "All chows", "平和", "平和", "four chows, and a pair that is no honour", ("no-honors",)),
    McrFan(2, "tile-hog", "Tile hog", "四归一", "四帰一", "each kind of which the hand holds all four, but not as a kong"),
    McrFan(2, "double-pung", "Double pung", "双同刻", "双同刻", "each two pungs of the same number in two suits"),
    McrFan(2, "two-concealed-pungs", "Two concealed pungs", "双暗刻", "双暗刻", "two pungs or kongs made without a claim"),
    McrFan(2, CONCEALED_KONG, "Concealed kong", "暗杠", "暗槓", "a concealed kong"),
    McrFan(2, "all-simples", "All simples", "断幺", "断幺", "no terminal and no honour", ("no-honors",)),
    McrFan(1, "pure-double-chow", "Pure double chow", "一般高", "一般高", "each two equal chows"),
    McrFan(1, "mixed-double-chow", "Mixed double chow", "喜相逢", "喜相逢", "each two chows of the same numbers in two suits"),
    McrFan(1, "short-straight", "Short straight", "连六", "連六", "each two chows of one suit that make six in a row"),
    McrFan(1, "two-terminal-chows", "Two terminal chows", "老少副", "老少副", "each 123 and 789 of one suit"),
    McrFan(
        1,
        "pung-of-terminals-or-honors",
        "Pung of terminals or honours",
        "幺九刻",
        "幺九刻",
        "each pung or kong of terminals, or of winds that are neither the round's nor the seat's",
    ),
    McrFan(1, MELDED_KONG, "Melded kong", "明杠", "明槓", "a kong that is not concealed"),
    McrFan(1, "one-voided-suit", "One voided suit", "缺一门", "欠一門", "no tile of one of the suits"),
    McrFan(1, "no-honors", "No honours", "无字", "無字", "no honour"),
    McrFan(1, "edge-wait", "Edge wait", "边张", "辺張", "the only tile waited for is the 3 of 12, or the 7 of 89", library="独听・边张"),
    McrFan(1, "closed-wait", "Closed wait", "坎张", "嵌張", "the only tile waited for is the middle one of a chow", library="独听・嵌张"),
    McrFan(1, "single-wait", "Single wait", "单钓将", "単釣将", "the only tile waited for completes the pair", library="独听・单钓"),
    McrFan(1, "self-drawn", "Self-drawn", "自摸", "自摸", "the winning tile was drawn"),
)
"""All fans, the most valuable first."""
