"""The fans of Chinese Official mahjong (1998): our stable ids, Chinese names, values, and the names PyMahjongGB gives them.

The list has 81 fans; flowers, one of them, are not in the set, and the mixed pair of kongs that all
online play knows (option ``mixed_kongs``) is added. Ids never change: records, pages and exports
carry them. A third column stands where the library writes a fan otherwise than the rule text.
"""

from __future__ import annotations

from dataclasses import dataclass

MELDED_KONG = "melded-kong"
CONCEALED_KONG = "concealed-kong"
MIXED_KONGS = "concealed-kong-and-melded-kong"


@dataclass(frozen=True, slots=True)
class FanKind:
    """One fan of the list; ``library_name`` is how PyMahjongGB calls it."""

    id: str
    name: str
    value: int
    library_name: str


# Value, then id and Chinese name (and the library's name where it differs).
_TABLE: tuple[tuple[int, tuple[tuple[str, ...], ...]], ...] = (
    (
        88,
        (
            ("big-four-winds", "大四喜"),
            ("big-three-dragons", "大三元"),
            ("all-green", "绿一色"),
            ("nine-gates", "九莲宝灯"),
            ("four-kongs", "四杠"),
            ("seven-shifted-pairs", "连七对"),
            ("thirteen-orphans", "十三幺"),
        ),
    ),
    (
        64,
        (
            ("all-terminals", "清幺九"),
            ("little-four-winds", "小四喜"),
            ("little-three-dragons", "小三元"),
            ("all-honors", "字一色"),
            ("four-concealed-pungs", "四暗刻"),
            ("pure-terminal-chows", "一色双龙会"),
        ),
    ),
    (48, (("quadruple-chow", "一色四同顺"), ("four-pure-shifted-pungs", "一色四节高"))),
    (32, (("four-pure-shifted-chows", "一色四步高"), ("three-kongs", "三杠"), ("all-terminals-and-honors", "混幺九"))),
    (
        24,
        (
            ("seven-pairs", "七对"),
            ("greater-honors-and-knitted-tiles", "七星不靠"),
            ("all-even-pungs", "全双刻"),
            ("full-flush", "清一色"),
            ("pure-triple-chow", "一色三同顺"),
            ("pure-shifted-pungs", "一色三节高"),
            ("upper-tiles", "全大"),
            ("middle-tiles", "全中"),
            ("lower-tiles", "全小"),
        ),
    ),
    (
        16,
        (
            ("pure-straight", "清龙"),
            ("three-suited-terminal-chows", "三色双龙会"),
            ("pure-shifted-chows", "一色三步高"),
            ("all-five", "全带五"),
            ("triple-pung", "三同刻"),
            ("three-concealed-pungs", "三暗刻"),
        ),
    ),
    (
        12,
        (
            ("lesser-honors-and-knitted-tiles", "全不靠"),
            ("knitted-straight", "组合龙"),
            ("upper-four", "大于五"),
            ("lower-four", "小于五"),
            ("big-three-winds", "三风刻"),
        ),
    ),
    (
        8,
        (
            ("mixed-straight", "花龙"),
            ("reversible-tiles", "推不倒"),
            ("mixed-triple-chow", "三色三同顺"),
            ("mixed-shifted-pungs", "三色三节高"),
            ("chicken-hand", "无番和"),
            ("last-tile-draw", "妙手回春"),
            ("last-tile-claim", "海底捞月"),
            ("out-with-replacement-tile", "杠上开花"),
            ("robbing-the-kong", "抢杠和"),
        ),
    ),
    (
        6,
        (
            ("all-pungs", "碰碰和"),
            ("half-flush", "混一色"),
            ("mixed-shifted-chows", "三色三步高"),
            ("all-types", "五门齐"),
            ("melded-hand", "全求人"),
            ("two-concealed-kongs", "双暗杠"),
            ("two-dragons-pungs", "双箭刻"),
        ),
    ),
    (5, ((MIXED_KONGS, "明暗杠"),)),
    (4, (("outside-hand", "全带幺"), ("fully-concealed-hand", "不求人"), ("two-melded-kongs", "双明杠"), ("last-tile", "和绝张"))),
    (
        2,
        (
            ("dragon-pung", "箭刻"),
            ("prevalent-wind", "圈风刻"),
            ("seat-wind", "门风刻"),
            ("concealed-hand", "门前清"),
            ("all-chows", "平和"),
            ("tile-hog", "四归一"),
            ("double-pung", "双同刻"),
            ("two-concealed-pungs", "双暗刻"),
            (CONCEALED_KONG, "暗杠"),
            ("all-simples", "断幺"),
        ),
    ),
    (
        1,
        (
            ("pure-double-chow", "一般高"),
            ("mixed-double-chow", "喜相逢"),
            ("short-straight", "连六"),
            ("two-terminal-chows", "老少副"),
            ("pung-of-terminals-or-honors", "幺九刻"),
            (MELDED_KONG, "明杠"),
            ("one-voided-suit", "缺一门"),
            ("no-honors", "无字"),
            ("edge-wait", "边张", "独听・边张"),
            ("closed-wait", "坎张", "独听・嵌张"),
            ("single-wait", "单钓将", "独听・单钓"),
            ("self-drawn", "自摸"),
        ),
    ),
)

FAN_KINDS: tuple[FanKind, ...] = tuple(FanKind(row[0], row[1], value, row[-1]) for value, rows in _TABLE for row in rows)
"""All fans, the most valuable first."""
