"""A hand for each yaku of Seigo, the smallest that shows it."""

from __future__ import annotations

from collections.abc import Mapping

from tools.rule_pages.rule_page import Example
from twinwall.game.hands import ROBBING_KONG
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rules.seigo import fan_table as fans
from twinwall.game.rules.seigo.scoring import DOUBLE_RIICHI, EARTHLY_HAND, HEAVENLY_HAND, IPPATSU, SeigoHand
from twinwall.game.tiles import Seat, parse_tile, parse_tiles

_CHOW, _PUNG, _KONG, _CONCEALED = MeldType.CHOW, MeldType.PUNG, MeldType.KONG, MeldType.CONCEALED_KONG
_E, _S, _W, _N = Seat.EAST, Seat.SOUTH, Seat.WEST, Seat.NORTH
_LATE = 18


def _hand(
    concealed: str,
    winning: str,
    *melds: tuple[MeldType, str, Seat | None],
    source: Seat | None = _W,
    flags: tuple[str, ...] = (),
    seat: Seat = _S,
    turn: int | None = None,
    riichi_turn: int | None = None,
    dora: str = "",
    ura: str = "",
    red: str = "",
) -> SeigoHand:
    laid = tuple(Meld(kind, parse_tiles(tiles), claimed_from) for kind, tiles, claimed_from in melds)
    return SeigoHand(
        seat,
        _E,
        parse_tiles(concealed),
        laid,
        parse_tile(winning),
        source,
        frozenset(flags),
        turn=turn,
        riichi_turn=riichi_turn,
        dora=parse_tiles(dora),
        ura=parse_tiles(ura),
        red=frozenset(parse_tiles(red)),
    )


_CLOSED = "123m 456p 789s 99p 13s"
"""Ready for 2s, and worth nothing by itself."""
_WHITE = (_PUNG, "PPP", _E)

EXAMPLES: Mapping[str, Example] = {
    fans.RIICHI: Example(_hand(_CLOSED, "2s", riichi_turn=5, turn=8), {fans.RIICHI: 1}, 1),
    fans.DOUBLE_RIICHI: Example(_hand(_CLOSED, "2s", riichi_turn=1, turn=8, flags=(DOUBLE_RIICHI,)), {fans.DOUBLE_RIICHI: 1}, 2),
    fans.IPPATSU: Example(_hand(_CLOSED, "2s", riichi_turn=5, turn=5, flags=(IPPATSU,)), {fans.RIICHI: 1, fans.IPPATSU: 1}, 2),
    fans.SELF_DRAW: Example(_hand(_CLOSED, "2s", source=None), {fans.SELF_DRAW: 1}, 1),
    "pinfu": Example(_hand("123m 456p 789s 99p 34s", "5s"), {"pinfu": 1}, 1),
    fans.ALL_SIMPLES: Example(_hand("234m 55p 678s 35s", "4s", (_PUNG, "666p", _W)), {fans.ALL_SIMPLES: 1}, 1),
    "identical-runs": Example(_hand("223344m 789s 99p 13s", "2s"), {"identical-runs": 1}, 1),
    "white-dragon": Example(_hand("123m 678s 99p 13s", "2s", _WHITE), {"white-dragon": 1}, 1),
    "green-dragon": Example(_hand("123m 678s 99p 13s", "2s", (_PUNG, "FFF", _W)), {"green-dragon": 1}, 1),
    "red-dragon": Example(_hand("123m 678s 99p 13s", "2s", (_PUNG, "CCC", _N)), {"red-dragon": 1}, 1),
    "seat-wind": Example(_hand("123m 678s 99p 13s", "2s", (_PUNG, "SSS", _W)), {"seat-wind": 1}, 1),
    "round-wind": Example(_hand("123m 678s 99p 13s", "2s", (_PUNG, "EEE", _W)), {"round-wind": 1}, 1),
    fans.LAST_DRAW_WIN: Example(_hand("456m 789s 99p 13s", "2s", (_CHOW, "123p", _E), source=None, turn=_LATE), {fans.LAST_DRAW_WIN: 1}, 1),
    fans.LAST_DISCARD_WIN: Example(_hand("456m 789s 99p 13s", "2s", (_CHOW, "123p", _E), turn=_LATE), {fans.LAST_DISCARD_WIN: 1}, 1),
    fans.ROBBED_KONG: Example(_hand("456m 789s 99p 13s", "2s", (_CHOW, "123p", _E), flags=(ROBBING_KONG,)), {fans.ROBBED_KONG: 1}, 1),
    "three-colour-runs": Example(_hand("234m 234p 99m 24s", "3s", (_PUNG, "WWW", _E)), {"three-colour-runs": 1}, 1),
    "straight": Example(_hand("123789m 99p 24s", "3s", (_CHOW, "456m", _E)), {"straight": 1}, 1),
    "outside-hand": Example(_hand("123m 99p 13s NNN", "2s", (_CHOW, "789s", _E)), {"outside-hand": 1}, 1),
    "seven-pairs": Example(_hand("1133m 2255p 7788s N", "N"), {"seven-pairs": 1}, 2),
    "all-triplets": Example(_hand("444m 88p 99s", "9s", (_PUNG, "222p", _E), (_PUNG, "WWW", _N)), {"all-triplets": 1}, 2),
    "three-concealed-triplets": Example(_hand("222m 555p 888s N", "N", (_CHOW, "123p", _E)), {"three-concealed-triplets": 1}, 2),
    "three-colour-triplets": Example(
        _hand("777m 99p 24s", "3s", (_PUNG, "777p", _E), (_PUNG, "777s", _N)), {"three-colour-triplets": 1}, 2
    ),
    "three-kongs": Example(
        _hand("99p 24s", "3s", (_KONG, "7777p", _E), (_KONG, "1111s", _N), (_CONCEALED, "WWWW", None)), {"three-kongs": 1}, 2
    ),
    "terminals-and-honours": Example(
        _hand("111m 99p WW", "W", (_PUNG, "999s", _E), (_PUNG, "NNN", _W)), {"all-triplets": 1, "terminals-and-honours": 1}, 4
    ),
    "little-dragons": Example(
        _hand("234m PP 24s", "3s", (_PUNG, "CCC", _E), (_PUNG, "FFF", _W)), {"green-dragon": 1, "red-dragon": 1, "little-dragons": 1}, 4
    ),
    "half-flush": Example(_hand("123m 66m 79m WWW", "8m", (_CHOW, "345m", _E)), {"half-flush": 1}, 2),
    "terminals-outside": Example(_hand("123m 99p 13s 111p", "2s", (_CHOW, "789s", _E)), {"terminals-outside": 1}, 2),
    "two-identical-runs": Example(_hand("223344m 778899s N", "N"), {"two-identical-runs": 1}, 3),
    "full-flush": Example(_hand("12366m 79m 555m", "8m", (_CHOW, "234m", _E)), {"full-flush": 1}, 5),
    "thirteen-orphans": Example(_hand("19m 19p 199s ESWNCF", "P"), {"thirteen-orphans": 1}, 13),
    "thirteen-orphans-13-waits": Example(_hand("19m 19p 19s ESWNCFP", "N"), {"thirteen-orphans-13-waits": 1}, 13),
    "nine-gates": Example(_hand("1112345678899m", "9m"), {"nine-gates": 1}, 13),
    "true-nine-gates": Example(_hand("1112345678999m", "5m"), {"true-nine-gates": 1}, 26, {"double_yakuman": True}),
    "four-concealed-triplets": Example(_hand("222m 555p 888s NN 99p", "9p", source=None), {"four-concealed-triplets": 1}, 13),
    "four-concealed-triplets-pair": Example(
        _hand("222m 555p 888s NNN 9p", "9p"), {"four-concealed-triplets-pair": 1}, 26, {"double_yakuman": True}
    ),
    "big-dragons": Example(_hand("234m FFF 9p", "9p", (_PUNG, "CCC", _E), (_PUNG, "PPP", _W)), {"big-dragons": 1}, 13),
    "little-winds": Example(_hand("24m NN SSS", "3m", (_PUNG, "EEE", _E), (_PUNG, "WWW", _W)), {"little-winds": 1}, 13),
    "big-winds": Example(_hand("99m NN SSS", "N", (_PUNG, "EEE", _E), (_PUNG, "WWW", _W)), {"big-winds": 1}, 26, {"double_yakuman": True}),
    "all-honours": Example(_hand("SSS CC FF", "F", (_PUNG, "EEE", _E), (_PUNG, "WWW", _W)), {"all-honours": 1}, 13),
    "all-terminals": Example(_hand("111m 99p 99s", "9s", (_PUNG, "999m", _E), (_PUNG, "111s", _W)), {"all-terminals": 1}, 13),
    "all-green": Example(_hand("234s 666s FF 24s", "3s", (_PUNG, "888s", _E)), {"all-green": 1}, 13),
    "four-kongs": Example(
        _hand("9p", "9p", (_KONG, "7777p", _E), (_KONG, "1111s", _N), (_CONCEALED, "WWWW", None), (_KONG, "2222m", _W)),
        {"four-kongs": 1},
        13,
    ),
    fans.HEAVENLY: Example(_hand(_CLOSED, "2s", source=None, seat=_E, turn=1, flags=(HEAVENLY_HAND,)), {fans.HEAVENLY: 1}, 13),
    fans.EARTHLY: Example(_hand(_CLOSED, "2s", source=None, turn=1, flags=(EARTHLY_HAND,)), {fans.EARTHLY: 1}, 13),
    fans.DORA: Example(_hand("123m 678s 99p 13s", "2s", _WHITE, dora="8p"), {"white-dragon": 1, fans.DORA: 2}, 3),
    fans.RED_FIVE: Example(_hand("567m 789s 99p 13s", "2s", _WHITE, red="5m"), {"white-dragon": 1, fans.RED_FIVE: 1}, 2, {"red_fives": 3}),
    fans.URA_DORA: Example(_hand(_CLOSED, "2s", riichi_turn=5, turn=8, dora="N", ura="9m"), {fans.RIICHI: 1, fans.URA_DORA: 1}, 2),
}
"""By the yaku's id."""
