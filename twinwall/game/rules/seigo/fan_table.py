"""The yaku of riichi as Seigo plays them (整合麻雀 改): ids, names, han closed and open, and their names in the library.

Ids never change: records, pages and exports carry them. A yakuman is 13 han. There is no win on a
replacement (嶺上開花), since a kong is not replaced.
"""

from __future__ import annotations

from dataclasses import dataclass

YAKUMAN = 13

RIICHI = "riichi"
DOUBLE_RIICHI = "double-riichi"
IPPATSU = "ippatsu"
SELF_DRAW = "self-draw"
LAST_DRAW_WIN = "last-turn-self-draw"
LAST_DISCARD_WIN = "last-turn-discard"
ROBBED_KONG = "robbed-kong"
HEAVENLY = "heavenly-hand"
EARTHLY = "earthly-hand"
ALL_SIMPLES = "all-simples"
DORA = "dora"
URA_DORA = "ura-dora"
RED_FIVE = "red-five"


@dataclass(frozen=True, slots=True)
class Yaku:
    """One yaku; ``han_open`` is None where the hand must be closed. ``library`` are its names in ``YakuConfig``."""

    id: str
    english: str
    chinese: str
    japanese: str
    han: int
    han_open: int | None
    meaning: str
    library: tuple[str, ...]
    excludes: tuple[str, ...] = ()
    double: bool = False
    """Whether it is a double yakuman where those are played."""

    @property
    def is_yakuman(self) -> bool:
        """Whether it counts alone, beside other yakuman only."""
        return self.han >= YAKUMAN


_WINDS = ("east", "south", "west", "north")

FAN_KINDS: tuple[Yaku, ...] = (
    Yaku(RIICHI, "Riichi", "立直", "立直", 1, None, "the hand is ready and closed, and was declared so", ("riichi",)),
    Yaku(
        DOUBLE_RIICHI,
        "Double riichi",
        "两立直",
        "ダブル立直",
        2,
        None,
        "riichi at one's first turn, whatever was called before",
        ("daburu_riichi",),
        (RIICHI,),
    ),
    Yaku(IPPATSU, "Ippatsu", "一发", "一発", 1, None, "a win up to and including the draw after riichi, whatever was called", ("ippatsu",)),
    Yaku(SELF_DRAW, "Fully concealed self-draw", "门前清自摸和", "門前清自摸和", 1, None, "self-drawn with a closed hand", ("tsumo",)),
    Yaku("pinfu", "Pinfu", "平和", "平和", 1, None, "four runs, a worthless pair and an open-ended wait", ("pinfu",)),
    Yaku(ALL_SIMPLES, "All simples", "断幺九", "断么九", 1, 1, "tiles 2 to 8 only", ("tanyao",)),
    Yaku("identical-runs", "One pair of identical runs", "一杯口", "一盃口", 1, None, "two equal runs of one suit", ("iipeiko",)),
    Yaku("white-dragon", "White dragon", "役牌 白", "役牌 白", 1, 1, "a triplet of it", ("haku",)),
    Yaku("green-dragon", "Green dragon", "役牌 发", "役牌 發", 1, 1, "a triplet of it", ("hatsu",)),
    Yaku("red-dragon", "Red dragon", "役牌 中", "役牌 中", 1, 1, "a triplet of it", ("chun",)),
    Yaku("seat-wind", "Seat wind", "役牌 自风", "役牌 自風", 1, 1, "a triplet of it", tuple(f"seat_wind_{wind}" for wind in _WINDS)),
    Yaku("round-wind", "Round wind", "役牌 场风", "役牌 場風", 1, 1, "a triplet of it", tuple(f"round_wind_{wind}" for wind in _WINDS)),
    Yaku(LAST_DRAW_WIN, "Last turn, self-drawn", "海底捞月", "海底摸月", 1, 1, "any self-drawn win at turn 18", ("haitei",)),
    Yaku(LAST_DISCARD_WIN, "Last turn, on a discard", "河底捞鱼", "河底撈魚", 1, 1, "any win on a discard of turn 18", ("houtei",)),
    Yaku(ROBBED_KONG, "Robbing a kong", "抢杠", "搶槓", 1, 1, "the winning tile was added to a pung", ("chankan",)),
    Yaku("three-colour-runs", "Three-colour runs", "三色同顺", "三色同順", 2, 1, "the same run in each suit", ("sanshoku",)),
    Yaku("straight", "Straight", "一气通贯", "一気通貫", 2, 1, "123, 456 and 789 of one suit", ("ittsu",)),
    Yaku(
        "outside-hand", "Outside hand", "混全带幺九", "混全帯么九", 2, 1, "a terminal or an honour in every set and the pair", ("chantai",)
    ),
    Yaku("seven-pairs", "Seven pairs", "七对子", "七対子", 2, None, "seven different pairs", ("chiitoitsu",)),
    Yaku("all-triplets", "All triplets", "对对和", "対々和", 2, 2, "four triplets or kongs", ("toitoi",)),
    Yaku(
        "three-concealed-triplets",
        "Three concealed triplets",
        "三暗刻",
        "三暗刻",
        2,
        2,
        "three triplets or kongs made without a claim",
        ("sanankou",),
    ),
    Yaku(
        "three-colour-triplets", "Three-colour triplets", "三色同刻", "三色同刻", 2, 2, "the same triplet in each suit", ("sanshoku_douko",)
    ),
    Yaku("three-kongs", "Three kongs", "三杠子", "三槓子", 2, 2, "three kongs", ("sankantsu",)),
    Yaku("terminals-and-honours", "All terminals and honours", "混老头", "混老頭", 2, 2, "terminals and honours only", ("honroto",)),
    Yaku(
        "little-dragons",
        "Little three dragons",
        "小三元",
        "小三元",
        2,
        2,
        "two triplets of dragons and a pair of the third",
        ("shosangen",),
    ),
    Yaku("half-flush", "Half flush", "混一色", "混一色", 3, 2, "one suit and honours", ("honitsu",)),
    Yaku(
        "terminals-outside",
        "Terminals in every set",
        "纯全带幺九",
        "純全帯么九",
        3,
        2,
        "a terminal in every set and the pair",
        ("junchan",),
    ),
    Yaku(
        "two-identical-runs",
        "Two pairs of identical runs",
        "二杯口",
        "二盃口",
        3,
        None,
        "twice two equal runs",
        ("ryanpeiko",),
        ("identical-runs",),
    ),
    Yaku("full-flush", "Full flush", "清一色", "清一色", 6, 5, "one suit only", ("chinitsu",), ("half-flush",)),
    Yaku(
        "thirteen-orphans",
        "Thirteen orphans",
        "国士无双",
        "国士無双",
        YAKUMAN,
        None,
        "one of each terminal and honour, and one more",
        ("kokushi",),
    ),
    Yaku(
        "thirteen-orphans-13-waits",
        "Thirteen orphans on thirteen waits",
        "国士无双十三面",
        "国士無双十三面待ち",
        YAKUMAN,
        None,
        "thirteen orphans, and the winning tile made the pair",
        ("daburu_kokushi",),
        ("thirteen-orphans",),
        double=True,
    ),
    Yaku(
        "nine-gates",
        "Nine gates",
        "九莲宝灯",
        "九蓮宝燈",
        YAKUMAN,
        None,
        "1112345678999 of one suit and one more of it",
        ("chuuren_poutou",),
    ),
    Yaku(
        "true-nine-gates",
        "True nine gates",
        "纯正九莲宝灯",
        "純正九蓮宝燈",
        YAKUMAN,
        None,
        "nine gates on nine waits",
        ("daburu_chuuren_poutou",),
        ("nine-gates",),
        double=True,
    ),
    Yaku(
        "four-concealed-triplets",
        "Four concealed triplets",
        "四暗刻",
        "四暗刻",
        YAKUMAN,
        None,
        "four triplets made without a claim",
        ("suuankou",),
    ),
    Yaku(
        "four-concealed-triplets-pair",
        "Four concealed triplets on a pair wait",
        "四暗刻单骑",
        "四暗刻単騎",
        YAKUMAN,
        None,
        "four concealed triplets, and the winning tile made the pair",
        ("suuankou_tanki",),
        ("four-concealed-triplets",),
        double=True,
    ),
    Yaku("big-dragons", "Big three dragons", "大三元", "大三元", YAKUMAN, YAKUMAN, "triplets of all dragons", ("daisangen",)),
    Yaku(
        "little-winds",
        "Little four winds",
        "小四喜",
        "小四喜",
        YAKUMAN,
        YAKUMAN,
        "triplets of three winds and a pair of the fourth",
        ("shosuushi",),
    ),
    Yaku("big-winds", "Big four winds", "大四喜", "大四喜", YAKUMAN, YAKUMAN, "triplets of all winds", ("daisuushi",), double=True),
    Yaku("all-honours", "All honours", "字一色", "字一色", YAKUMAN, YAKUMAN, "honours only", ("tsuisou",)),
    Yaku("all-terminals", "All terminals", "清老头", "清老頭", YAKUMAN, YAKUMAN, "terminals only", ("chinroto",)),
    Yaku(
        "all-green", "All green", "绿一色", "緑一色", YAKUMAN, YAKUMAN, "2, 3, 4, 6, 8 of bamboos and the green dragon only", ("ryuisou",)
    ),
    Yaku("four-kongs", "Four kongs", "四杠子", "四槓子", YAKUMAN, YAKUMAN, "four kongs", ("suukantsu",)),
    Yaku(HEAVENLY, "Heavenly hand", "天和", "天和", YAKUMAN, None, "the dealer's self-drawn win at turn 1", ("tenhou",)),
    Yaku(
        EARTHLY,
        "Earthly hand",
        "地和",
        "地和",
        YAKUMAN,
        None,
        "another seat's self-drawn win at turn 1, whatever was called before",
        ("chiihou",),
    ),
    Yaku(DORA, "Dora", "宝牌", "ドラ", 1, 1, "each tile that an indicator names; no yaku", ("dora",)),
    Yaku(RED_FIVE, "Red five", "赤宝牌", "赤ドラ", 1, 1, "each red five, with the option `red_fives`; no yaku", ("aka_dora",)),
    Yaku(URA_DORA, "Ura dora", "里宝牌", "裏ドラ", 1, None, "in riichi, each tile that a lower indicator names; no yaku", ("ura_dora",)),
)
"""All yaku, then the dora."""

BY_ID = {kind.id: kind for kind in FAN_KINDS}
BONUSES = frozenset({DORA, URA_DORA, RED_FIVE})
"""What adds han and is no yaku."""
