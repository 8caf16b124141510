"""A hand for each fan of duplicate MCR that wins, the plainest that shows it; hands of Aono's worked example where they do."""

from __future__ import annotations

from collections.abc import Mapping

from tools.rule_pages.rule_page import Example
from twinwall.game.hands import KONG_REPLACEMENT, LAST_DISCARD, LAST_DRAW, LAST_OF_KIND, ROBBING_KONG
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import WinningHand
from twinwall.game.tiles import Seat, parse_tile, parse_tiles

_CHOW, _PUNG, _KONG, _ADDED, _CONCEALED = MeldType.CHOW, MeldType.PUNG, MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG
_E, _S, _W, _N = Seat.EAST, Seat.SOUTH, Seat.WEST, Seat.NORTH


def _hand(
    concealed: str,
    winning: str,
    *melds: tuple[MeldType, str, Seat | None],
    source: Seat | None = None,
    seat: Seat = _E,
    round_wind: Seat = _E,
    flags: tuple[str, ...] = (),
) -> WinningHand:
    laid = tuple(Meld(kind, parse_tiles(tiles), claimed_from) for kind, tiles, claimed_from in melds)
    return WinningHand(seat, round_wind, parse_tiles(concealed), laid, parse_tile(winning), source, frozenset(flags))


EXAMPLES: Mapping[str, Example] = {
    "big-four-winds": Example(
        _hand("EEE SSS WWW NN 55m", "N", source=_W),
        {"big-four-winds": 1, "three-concealed-pungs": 1, "half-flush": 1, "concealed-hand": 1},
        112,
    ),
    "big-three-dragons": Example(
        _hand("CCC FFF PP 123m 55s", "P"),
        {"big-three-dragons": 1, "three-concealed-pungs": 1, "fully-concealed-hand": 1, "one-voided-suit": 1},
        109,
    ),
    "all-green": Example(
        _hand("234s 234s 666s 88s FF", "F"),
        {"all-green": 1, "fully-concealed-hand": 1, "dragon-pung": 1, "two-concealed-pungs": 1, "pure-double-chow": 1},
        97,
    ),
    "nine-gates": Example(
        _hand("1112345678999m", "5m"), {"nine-gates": 1, "two-concealed-pungs": 1, "pung-of-terminals-or-honors": 1, "self-drawn": 1}, 92
    ),
    "four-kongs": Example(
        _hand("5s", "5s", (_KONG, "1111m", _S), (_ADDED, "2222p", _W), (_CONCEALED, "9999s", None), (_KONG, "EEEE", _N)),
        {"four-kongs": 1, "prevalent-wind": 1, "seat-wind": 1, "pung-of-terminals-or-honors": 2, "self-drawn": 1},
        95,
    ),
    "seven-shifted-pairs": Example(_hand("1122334455667m", "7m"), {"seven-shifted-pairs": 1, "self-drawn": 1}, 89),
    "thirteen-orphans": Example(_hand("19m 19p 19s ESWNCFP", "1m"), {"thirteen-orphans": 1, "self-drawn": 1}, 89),
    "all-terminals": Example(
        _hand("111m 999m 111p 999s 9p", "9p", source=_S), {"all-terminals": 1, "four-concealed-pungs": 1, "single-wait": 1}, 129
    ),
    "little-four-winds": Example(
        _hand("EEE SSS WWW N 123m", "N"),
        {
            "little-four-winds": 1,
            "three-concealed-pungs": 1,
            "half-flush": 1,
            "outside-hand": 1,
            "fully-concealed-hand": 1,
            "prevalent-wind": 1,
            "seat-wind": 1,
            "single-wait": 1,
        },
        99,
    ),
    "little-three-dragons": Example(
        _hand("CCC FFF P 123m 555s", "P"),
        {"little-three-dragons": 1, "three-concealed-pungs": 1, "fully-concealed-hand": 1, "one-voided-suit": 1, "single-wait": 1},
        86,
    ),
    "all-honors": Example(
        _hand("EEE SSS NN CC", "C", (_PUNG, "FFF", _W), source=_S),
        {"all-honors": 1, "two-dragons-pungs": 1, "prevalent-wind": 1, "seat-wind": 1, "two-concealed-pungs": 1},
        76,
    ),
    "four-concealed-pungs": Example(
        _hand("222m 555m 777p 888s E", "E"), {"four-concealed-pungs": 1, "single-wait": 1, "self-drawn": 1}, 66
    ),
    "pure-terminal-chows": Example(
        _hand("123m 123m 789m 789m 5m", "5m"), {"pure-terminal-chows": 1, "fully-concealed-hand": 1, "single-wait": 1}, 69
    ),
    "quadruple-chow": Example(
        _hand("222233334444m E", "E"), {"quadruple-chow": 1, "half-flush": 1, "fully-concealed-hand": 1, "single-wait": 1}, 59
    ),
    "four-pure-shifted-pungs": Example(
        _hand("222m 333m 444m 55m EE", "5m", source=_S),
        {"four-pure-shifted-pungs": 1, "three-concealed-pungs": 1, "half-flush": 1, "concealed-hand": 1},
        72,
    ),
    "four-pure-shifted-chows": Example(
        _hand("123m 234m 345m 456m E", "E"),
        {"four-pure-shifted-chows": 1, "half-flush": 1, "fully-concealed-hand": 1, "single-wait": 1},
        43,
    ),
    "three-kongs": Example(
        _hand("123s 5s", "5s", (_KONG, "1111m", _S), (_KONG, "2222p", _W), (_KONG, "EEEE", _N)),
        {"three-kongs": 1, "prevalent-wind": 1, "seat-wind": 1, "pung-of-terminals-or-honors": 1, "single-wait": 1, "self-drawn": 1},
        39,
    ),
    "all-terminals-and-honors": Example(
        _hand("111m 99m NN", "N", (_PUNG, "999p", _W), (_PUNG, "CCC", _S), source=_S),
        {"all-terminals-and-honors": 1, "dragon-pung": 1, "one-voided-suit": 1},
        35,
    ),
    "seven-pairs": Example(_hand("11m 33m 55p 77s EE CC P", "P"), {"seven-pairs": 1, "all-types": 1, "self-drawn": 1}, 31),
    "greater-honors-and-knitted-tiles": Example(
        _hand("28m 14p 369s EWNCFP", "S", source=_W, seat=_S), {"greater-honors-and-knitted-tiles": 1}, 24
    ),
    "all-even-pungs": Example(_hand("222m 44m 88s", "8s", (_PUNG, "666p", _W), (_PUNG, "444p", _S), source=_N), {"all-even-pungs": 1}, 24),
    "full-flush": Example(_hand("123m 234m 666m 78m 55m", "9m"), {"full-flush": 1, "fully-concealed-hand": 1, "two-terminal-chows": 1}, 29),
    "pure-triple-chow": Example(
        _hand("234m 234m 56p 99s", "7p", (_CHOW, "234m", _N)), {"pure-triple-chow": 1, "all-chows": 1, "self-drawn": 1}, 27
    ),
    "pure-shifted-pungs": Example(
        _hand("222m 333m 444m 56p 99s", "7p"),
        {"pure-shifted-pungs": 1, "three-concealed-pungs": 1, "fully-concealed-hand": 1, "no-honors": 1},
        45,
    ),
    "upper-tiles": Example(
        _hand("789m 789m 789p 777s 9s", "9s"),
        {"upper-tiles": 1, "fully-concealed-hand": 1, "pure-double-chow": 1, "mixed-double-chow": 1},
        30,
    ),
    "middle-tiles": Example(
        _hand("456m 456m 456p 444s 6s", "6s"),
        {"middle-tiles": 1, "fully-concealed-hand": 1, "pure-double-chow": 1, "mixed-double-chow": 1},
        30,
    ),
    "lower-tiles": Example(
        _hand("123m 123m 123p 111s 3s", "3s"),
        {"lower-tiles": 1, "fully-concealed-hand": 1, "pure-double-chow": 1, "mixed-double-chow": 1, "pung-of-terminals-or-honors": 1},
        31,
    ),
    "pure-straight": Example(_hand("123456789m 23p EE", "4p"), {"pure-straight": 1, "fully-concealed-hand": 1, "one-voided-suit": 1}, 21),
    "three-suited-terminal-chows": Example(
        _hand("123m 789m 123p 789p 5s", "5s"), {"three-suited-terminal-chows": 1, "fully-concealed-hand": 1, "single-wait": 1}, 21
    ),
    "pure-shifted-chows": Example(
        _hand("123m 234m 345m 78p EE", "9p"), {"pure-shifted-chows": 1, "fully-concealed-hand": 1, "one-voided-suit": 1}, 21
    ),
    "all-five": Example(
        _hand("345m 456p 567s 56m 55s", "7m"),
        {"all-five": 1, "mixed-shifted-chows": 1, "fully-concealed-hand": 1, "all-chows": 1, "mixed-double-chow": 1},
        29,
    ),
    "triple-pung": Example(
        _hand("222m 222p 222s 56m EE", "7m"), {"triple-pung": 1, "three-concealed-pungs": 1, "fully-concealed-hand": 1}, 36
    ),
    "three-concealed-pungs": Example(_hand("222m 555p 888s 56m EE", "7m"), {"three-concealed-pungs": 1, "fully-concealed-hand": 1}, 20),
    "lesser-honors-and-knitted-tiles": Example(
        _hand("147m 258p 36s ESWCF", "N"), {"lesser-honors-and-knitted-tiles": 1, "self-drawn": 1}, 13
    ),
    "knitted-straight": Example(_hand("147m 258p 369s 56m EE", "7m"), {"knitted-straight": 1, "fully-concealed-hand": 1}, 16),
    "upper-four": Example(
        _hand("678m 678p 789s 99m 67s", "8s"), {"upper-four": 1, "mixed-triple-chow": 1, "fully-concealed-hand": 1, "all-chows": 1}, 26
    ),
    "lower-four": Example(
        _hand("123m 234p 123s 44m 23s", "4s"), {"lower-four": 1, "fully-concealed-hand": 1, "all-chows": 1, "mixed-double-chow": 2}, 20
    ),
    "big-three-winds": Example(
        _hand("12m 55p", "3m", (_PUNG, "EEE", _W), (_PUNG, "SSS", _N), (_PUNG, "WWW", _S)),
        {"big-three-winds": 1, "prevalent-wind": 1, "seat-wind": 1, "one-voided-suit": 1, "edge-wait": 1, "self-drawn": 1},
        19,
    ),
    "mixed-straight": Example(_hand("123m 456p 789s 23p EE", "4p"), {"mixed-straight": 1, "fully-concealed-hand": 1}, 12),
    "reversible-tiles": Example(_hand("123p 234p 888p 45s PP", "6s"), {"reversible-tiles": 1, "fully-concealed-hand": 1}, 12),
    "mixed-triple-chow": Example(
        _hand("789p 89s 123s 11s", "7s", (_CHOW, "789m", _N)),
        {"mixed-triple-chow": 1, "outside-hand": 1, "all-chows": 1, "two-terminal-chows": 1, "edge-wait": 1, "self-drawn": 1},
        17,
    ),
    "mixed-shifted-pungs": Example(
        _hand("67m EE", "8m", (_PUNG, "222m", _W), (_PUNG, "333p", _N), (_PUNG, "444s", _S)), {"mixed-shifted-pungs": 1, "self-drawn": 1}, 9
    ),
    "chicken-hand": Example(_hand("234m 777m CC 34p", "5p", (_CHOW, "678s", _N), source=_W), {"chicken-hand": 1}, 8),
    "last-tile-draw": Example(
        _hand("234m 777m CC 34p 678s", "5p", flags=(LAST_DRAW,)), {"last-tile-draw": 1, "fully-concealed-hand": 1}, 12
    ),
    "last-tile-claim": Example(
        _hand("234m 777m CC 34p 678s", "5p", source=_S, flags=(LAST_DISCARD,)), {"last-tile-claim": 1, "concealed-hand": 1}, 10
    ),
    "out-with-replacement-tile": Example(
        _hand("234m CC 34p 678s", "5p", (_CONCEALED, "9999m", None), flags=(KONG_REPLACEMENT,)),
        {"out-with-replacement-tile": 1, "fully-concealed-hand": 1, "concealed-kong": 1, "pung-of-terminals-or-honors": 1},
        15,
    ),
    "robbing-the-kong": Example(
        _hand("234m 777m CC 34p 678s", "5p", source=_S, flags=(ROBBING_KONG,)), {"robbing-the-kong": 1, "concealed-hand": 1}, 10
    ),
    "all-pungs": Example(
        _hand("222m 555p 88s CC", "8s", (_PUNG, "111m", _S), source=_S),
        {"all-pungs": 1, "two-concealed-pungs": 1, "pung-of-terminals-or-honors": 1},
        9,
    ),
    "half-flush": Example(_hand("123m 234m 666m 78m EE", "9m"), {"half-flush": 1, "fully-concealed-hand": 1, "two-terminal-chows": 1}, 11),
    "mixed-shifted-chows": Example(
        _hand("345m 45p NN", "6p", (_KONG, "SSSS", _W), (_CHOW, "567s", _W), source=_E, seat=_N),
        {"mixed-shifted-chows": 1, "pung-of-terminals-or-honors": 1, "melded-kong": 1},
        8,
    ),
    "all-types": Example(
        _hand("123m 456p 23s EEE CC", "4s"), {"all-types": 1, "fully-concealed-hand": 1, "prevalent-wind": 1, "seat-wind": 1}, 14
    ),
    "melded-hand": Example(
        _hand("5s", "5s", (_CHOW, "123m", _N), (_PUNG, "444p", _W), (_PUNG, "EEE", _S), (_CHOW, "678s", _N), source=_S),
        {"melded-hand": 1, "prevalent-wind": 1, "seat-wind": 1},
        10,
    ),
    "two-concealed-kongs": Example(
        _hand("12345m CC", "6m", (_CONCEALED, "9999m", None), (_CONCEALED, "2222p", None)),
        {"two-concealed-kongs": 1, "fully-concealed-hand": 1, "short-straight": 1, "pung-of-terminals-or-honors": 1, "one-voided-suit": 1},
        13,
    ),
    "two-dragons-pungs": Example(
        _hand("CCC FFF 12m 55p 678s", "3m"),
        {"two-dragons-pungs": 1, "fully-concealed-hand": 1, "two-concealed-pungs": 1, "edge-wait": 1},
        13,
    ),
    "concealed-kong-and-melded-kong": Example(
        _hand("12345m CC", "6m", (_CONCEALED, "9999m", None), (_KONG, "2222p", _S)),
        {"concealed-kong-and-melded-kong": 1, "short-straight": 1, "pung-of-terminals-or-honors": 1, "one-voided-suit": 1, "self-drawn": 1},
        9,
    ),
    "outside-hand": Example(
        _hand("789p 89s 123s 11s", "7s", (_CHOW, "789m", _N)),
        {"mixed-triple-chow": 1, "outside-hand": 1, "all-chows": 1, "two-terminal-chows": 1, "edge-wait": 1, "self-drawn": 1},
        17,
    ),
    "fully-concealed-hand": Example(
        _hand("2444m 345p 566778s", "3m", seat=_S), {"fully-concealed-hand": 1, "all-chows": 1, "all-simples": 1}, 8
    ),
    "two-melded-kongs": Example(
        _hand("12345m CC", "6m", (_ADDED, "9999m", _S), (_KONG, "2222p", _S)),
        {"two-melded-kongs": 1, "short-straight": 1, "pung-of-terminals-or-honors": 1, "one-voided-suit": 1, "self-drawn": 1},
        8,
    ),
    "last-tile": Example(
        _hand("234m 678m 345p 56s 99s", "7s", source=_S, flags=(LAST_OF_KIND,)), {"last-tile": 1, "concealed-hand": 1, "all-chows": 1}, 8
    ),
    "dragon-pung": Example(
        _hand("CCC 444m 345p 67s 99s", "8s"), {"fully-concealed-hand": 1, "dragon-pung": 1, "two-concealed-pungs": 1}, 8
    ),
    "prevalent-wind": Example(
        _hand("SSS 444m 345p 67s 99s", "8s", round_wind=_S), {"fully-concealed-hand": 1, "prevalent-wind": 1, "two-concealed-pungs": 1}, 8
    ),
    "seat-wind": Example(
        _hand("SSS 444m 345p 67s 99s", "8s", seat=_S), {"fully-concealed-hand": 1, "seat-wind": 1, "two-concealed-pungs": 1}, 8
    ),
    "concealed-hand": Example(_hand("234m 345p 45s 777m EE", "6s", source=_S), {"mixed-shifted-chows": 1, "concealed-hand": 1}, 8),
    "all-chows": Example(_hand("2444m 345p 566778s", "3m", seat=_S), {"fully-concealed-hand": 1, "all-chows": 1, "all-simples": 1}, 8),
    "tile-hog": Example(
        _hand("CCC 123333m 45p 88s", "6p"), {"fully-concealed-hand": 1, "dragon-pung": 1, "tile-hog": 1, "two-concealed-pungs": 1}, 10
    ),
    "double-pung": Example(
        _hand("222m 222p 456s 78m EE", "9m"), {"fully-concealed-hand": 1, "double-pung": 1, "two-concealed-pungs": 1}, 8
    ),
    "two-concealed-pungs": Example(
        _hand("789m 789p 44s 555s 99s", "4s", seat=_W),
        {"fully-concealed-hand": 1, "two-concealed-pungs": 1, "mixed-double-chow": 1, "no-honors": 1},
        8,
    ),
    "concealed-kong": Example(
        _hand("12345m 678s CC", "6m", (_CONCEALED, "9999m", None)),
        {"fully-concealed-hand": 1, "concealed-kong": 1, "short-straight": 1, "pung-of-terminals-or-honors": 1, "one-voided-suit": 1},
        9,
    ),
    "all-simples": Example(_hand("2444m 345p 566778s", "3m", seat=_S), {"fully-concealed-hand": 1, "all-chows": 1, "all-simples": 1}, 8),
    "pure-double-chow": Example(
        _hand("234m 234m 67p 678s 99m", "8p"), {"fully-concealed-hand": 1, "all-chows": 1, "pure-double-chow": 1, "mixed-double-chow": 1}, 8
    ),
    "mixed-double-chow": Example(
        _hand("234m 234m 67p 678s 99m", "8p"), {"fully-concealed-hand": 1, "all-chows": 1, "pure-double-chow": 1, "mixed-double-chow": 1}, 8
    ),
    "short-straight": Example(
        _hand("234m 567m 67p 678s 99s", "8p"), {"fully-concealed-hand": 1, "all-chows": 1, "mixed-double-chow": 1, "short-straight": 1}, 8
    ),
    "two-terminal-chows": Example(
        _hand("789p 89s 123s 11s", "7s", (_CHOW, "789m", _N)),
        {"mixed-triple-chow": 1, "outside-hand": 1, "all-chows": 1, "two-terminal-chows": 1, "edge-wait": 1, "self-drawn": 1},
        17,
    ),
    "pung-of-terminals-or-honors": Example(
        _hand("345m 45p NN", "6p", (_KONG, "SSSS", _W), (_CHOW, "567s", _W), source=_E, seat=_N),
        {"mixed-shifted-chows": 1, "pung-of-terminals-or-honors": 1, "melded-kong": 1},
        8,
    ),
    "melded-kong": Example(
        _hand("345m 45p NN", "6p", (_KONG, "SSSS", _W), (_CHOW, "567s", _W), source=_E, seat=_N),
        {"mixed-shifted-chows": 1, "pung-of-terminals-or-honors": 1, "melded-kong": 1},
        8,
    ),
    "one-voided-suit": Example(
        _hand("234m 567m 123p 67p 99m", "8p"), {"fully-concealed-hand": 1, "all-chows": 1, "short-straight": 1, "one-voided-suit": 1}, 8
    ),
    "no-honors": Example(
        _hand("789m 789p 44s 555s 99s", "9s", seat=_W),
        {"fully-concealed-hand": 1, "two-concealed-pungs": 1, "mixed-double-chow": 1, "pung-of-terminals-or-honors": 1, "no-honors": 1},
        9,
    ),
    "edge-wait": Example(
        _hand("789p 89s 123s 11s", "7s", (_CHOW, "789m", _N)),
        {"mixed-triple-chow": 1, "outside-hand": 1, "all-chows": 1, "two-terminal-chows": 1, "edge-wait": 1, "self-drawn": 1},
        17,
    ),
    "closed-wait": Example(
        _hand("234m 567m 68p 123s 99s", "7p"), {"fully-concealed-hand": 1, "all-chows": 1, "short-straight": 1, "closed-wait": 1}, 8
    ),
    "single-wait": Example(
        _hand("234m 567m 678p 123s 9s", "9s"), {"fully-concealed-hand": 1, "all-chows": 1, "short-straight": 1, "single-wait": 1}, 8
    ),
    "self-drawn": Example(
        _hand("789p 89s 123s 11s", "7s", (_CHOW, "789m", _N)),
        {"mixed-triple-chow": 1, "outside-hand": 1, "all-chows": 1, "two-terminal-chows": 1, "edge-wait": 1, "self-drawn": 1},
        17,
    ),
}
"""By the fan's id."""
