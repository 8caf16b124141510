"""The fans of a hand (Chinese Official rules of 1998, ``fans.toml``), found by PyMahjongGB. The library writes past its arrays with too
many tiles and accepts five equal tiles beside a meld, so both are refused before. It decides how a hand divides, which fans exclude each
other, and which division counts most."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from MahjongGB import MahjongFanCalculator

from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import KONG_REPLACEMENT, LAST_DISCARD, LAST_DRAW, LAST_OF_KIND, ROBBING_KONG, Fan, WinningHand
from twinwall.game.rules.fan_list import fan_list

MELDED_KONG = "melded-kong"
CONCEALED_KONG = "concealed-kong"
MIXED_KONGS = "concealed-kong-and-melded-kong"
TWO_CONCEALED_KONGS = "two-concealed-kongs"
FULLY_CONCEALED = "fully-concealed-hand"
SELF_DRAWN = "self-drawn"

FAN_KINDS = fan_list("mcr-duplicate")
"""All fans, the most valuable first."""

_MOST_OF_ONE_FAN = 4
_HAND_TILES = 14
_LAST_TILE_FLAGS = frozenset({LAST_DRAW, LAST_DISCARD})
_KONG_FLAGS = frozenset({KONG_REPLACEMENT, ROBBING_KONG})

_CODES: tuple[str, ...] = (
    *(f"{letter}{rank}" for letter in "WBT" for rank in range(1, 10)),
    *(f"F{wind}" for wind in range(1, 5)),
    *(f"J{dragon}" for dragon in range(1, 4)),
)
"""The library's tile codes, by ``Tile``."""

_PACKS = {
    MeldType.CHOW: ("CHI", 1),
    MeldType.PUNG: ("PENG", 1),
    MeldType.KONG: ("GANG", 1),
    MeldType.ADDED_KONG: ("GANG", 1),
    MeldType.CONCEALED_KONG: ("GANG", 0),
}
"""The library's name of a meld, and 1 if another seat's discard is in it."""

_FANS: dict[tuple[int, str], Fan] = {
    (kind.value * count, next(iter(kind.library), kind.chinese)): Fan(kind.id, kind.chinese, kind.value, count)
    for kind in FAN_KINDS
    for count in range(1, _MOST_OF_ONE_FAN + 1)
}
"""Our fan for the library's points and name."""

_WMO_VALUES = {TWO_CONCEALED_KONGS: 8, MIXED_KONGS: 6}
_ALWAYS_CLOSED = frozenset(
    {"nine-gates", "seven-shifted-pairs", "thirteen-orphans", "four-concealed-pungs", "seven-pairs"}
    | {"greater-honors-and-knitted-tiles", "lesser-honors-and-knitted-tiles"}
)
"""Fans of concealed hands only; in WMO's book, the self-drawn ones also have Fully Concealed Hand."""
_BY_ID = {kind.id: Fan(kind.id, kind.chinese, kind.value, 1) for kind in FAN_KINDS}


def has_five_of_a_kind(hand: WinningHand) -> bool:
    tiles = [hand.winning, *hand.concealed]
    for meld in hand.melds:
        tiles.extend(meld.tiles)
    tiles.sort()
    return any(tile == fourth_after for tile, fourth_after in zip(tiles, tiles[4:], strict=False))


def fans_of(hand: WinningHand, mixed_kongs: bool) -> tuple[Fan, ...] | None:
    """The fans of a hand of possible tiles and well-formed melds, the most valuable first; None if it does not win. ``mixed_kongs``: a
    melded and a concealed kong count together (5), not each alone."""
    if len(hand.concealed) + 3 * len(hand.melds) + 1 != _HAND_TILES:
        return None
    flags = hand.flags
    try:
        found = MahjongFanCalculator(
            tuple([_pack(meld) for meld in hand.melds]),
            tuple([_CODES[tile] for tile in hand.concealed]),
            _CODES[hand.winning],
            0,
            hand.source is None,
            LAST_OF_KIND in flags,
            bool(flags and flags & _KONG_FLAGS),
            bool(flags and flags & _LAST_TILE_FLAGS),
            hand.seat.index,
            hand.round.index,
        )
    except TypeError as error:
        if str(error) == "ERROR_NOT_WIN":
            return None
        raise AssertionError(f"PyMahjongGB refused a well-formed hand: {error}: {hand}") from error
    fans = our_fans(found)
    # The library always lists the mixed pair of kongs last.
    return _with_mixed_kongs(fans, mixed_kongs) if fans and fans[-1].id == MIXED_KONGS else fans


def by_wmo(fans: Iterable[Fan], hand: WinningHand) -> tuple[Fan, ...]:
    """The fans by the book of the World Mahjong Organization (2014), with its values. The division stays the same: special hands are worth
    so much more than others that their three more fan change no choice."""
    found = {fan.id: replace(fan, value=_WMO_VALUES.get(fan.id, fan.value)) for fan in fans}
    if hand.source is None and not found.keys().isdisjoint(_ALWAYS_CLOSED):
        found.pop(SELF_DRAWN, None)
        found[FULLY_CONCEALED] = _BY_ID[FULLY_CONCEALED]
    return tuple(sorted(found.values(), key=lambda fan: -fan.value))


def our_fans(found: Iterable[tuple[int, str]]) -> tuple[Fan, ...]:
    """Our fans for the library's (points and name each); raises LookupError for an unknown one."""
    try:
        return tuple([_FANS[points_and_name] for points_and_name in found])
    except KeyError as error:
        points, name = error.args[0]
        raise LookupError(
            f"PyMahjongGB found {name} for {points} points, which is none of the fans that Twinwall knows: "
            "install the version of it that uv.lock names"
        ) from None


def _pack(meld: Meld) -> tuple[str, str, int]:
    """The library's form of a meld; it names a chow by its middle tile."""
    name, melded = _PACKS[meld.type]
    return name, _CODES[sorted(meld.tiles)[1]], melded


def _with_mixed_kongs(fans: Sequence[Fan], mixed_kongs: bool) -> tuple[Fan, ...]:
    split = () if mixed_kongs else (_BY_ID[CONCEALED_KONG], _BY_ID[MELDED_KONG])
    return tuple(sorted((*fans[:-1], *(split or fans[-1:])), key=lambda fan: -fan.value))
