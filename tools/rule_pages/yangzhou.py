"""The page of Yangzhou mahjong: an example of each fan, its flags, and how open questions were settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tools.rule_pages.rule_page import Example, FanRow, RulePage
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import WinningHand
from twinwall.game.rules.yangzhou import fan_table as fans
from twinwall.game.rules.yangzhou.containment import taken_away
from twinwall.game.rules.yangzhou.options import LIGHT, NECESSARY, TABLES, FanClass
from twinwall.game.tiles import Seat, parse_tile, parse_tiles

_CHOW, _PUNG, _KONG, _ADDED, _CONCEALED = (
    MeldType.CHOW,
    MeldType.PUNG,
    MeldType.KONG,
    MeldType.ADDED_KONG,
    MeldType.CONCEALED_KONG,
)
_SMALL: Mapping[str, object] = MappingProxyType({"minimum": 1, "values": 13})
"""Options that let a hand of small fans alone win, so that they can be shown."""
_EIGHTEEN: Mapping[str, object] = MappingProxyType({"minimum": 18})


def _hand(concealed: str, winning: str, *melds: tuple[MeldType, str, Seat | None], source: Seat | None = Seat.WEST) -> WinningHand:
    """A hand of East in the south round."""
    laid = tuple(Meld(kind, parse_tiles(tiles), claimed_from) for kind, tiles, claimed_from in melds)
    return WinningHand(Seat.EAST, Seat.SOUTH, parse_tiles(concealed), laid, parse_tile(winning), source)


EXAMPLES: Mapping[str, Example] = {
    fans.SEAT_WIND: Example(_hand("2m 3m 4p 5p 6p 7s 8s 9s N N", "1m", (_PUNG, "E E E", Seat.SOUTH)), {fans.SEAT_WIND: 1}, 1, _SMALL),
    fans.ROUND_WIND: Example(_hand("2m 3m 4p 5p 6p 7s 8s 9s N N", "1m", (_PUNG, "S S S", Seat.NORTH)), {fans.ROUND_WIND: 1}, 1, _SMALL),
    fans.RED_DRAGON: Example(_hand("2m 3m 4p 5p 6p 7s 8s 9s N N", "1m", (_PUNG, "C C C", Seat.NORTH)), {fans.RED_DRAGON: 1}, 1, _SMALL),
    fans.GREEN_DRAGON: Example(_hand("2m 3m 4p 5p 6p 7s 8s 9s N N", "1m", (_PUNG, "F F F", Seat.NORTH)), {fans.GREEN_DRAGON: 1}, 1, _SMALL),
    fans.WHITE_DRAGON: Example(_hand("2m 3m 4p 5p 6p 7s 8s 9s N N", "1m", (_PUNG, "P P P", Seat.NORTH)), {fans.WHITE_DRAGON: 1}, 1, _SMALL),
    fans.SINGLE_WAIT: Example(_hand("1m 2m 3m 4p 5p 6p 7s 8s 9s N", "N", (_PUNG, "W W W", Seat.SOUTH)), {fans.SINGLE_WAIT: 1}, 1, _SMALL),
    fans.CLOSED_WAIT: Example(_hand("1m 3m 4p 5p 6p 7s 8s 9s N N", "2m", (_PUNG, "W W W", Seat.SOUTH)), {fans.CLOSED_WAIT: 1}, 1, _SMALL),
    fans.EDGE_WAIT: Example(_hand("1m 2m 4p 5p 6p 7s 8s 9s N N", "3m", (_PUNG, "W W W", Seat.SOUTH)), {fans.EDGE_WAIT: 1}, 1, _SMALL),
    fans.SELF_DRAWN: Example(
        _hand("2m 3m 4p 5p 6p 7s 8s 9s N N", "1m", (_PUNG, "W W W", Seat.SOUTH), source=None), {fans.SELF_DRAWN: 1}, 1, _SMALL
    ),
    fans.CONCEALED_HAND: Example(
        _hand("2m 3m 4p 5p 6p 6p 7p 8p 7s 8s 9s N N", "1m"), {fans.ALL_CHOWS: 1, fans.CONCEALED_HAND: 1}, 2, _SMALL
    ),
    fans.ONE_VOIDED_SUIT: Example(
        _hand("2m 3m 4p 5p 6p 7p 8p 9p 5m 5m", "1m", (_PUNG, "6m 6m 6m", Seat.SOUTH)),
        {fans.ONE_VOIDED_SUIT: 1, fans.SHORT_STRAIGHT: 1},
        2,
        _SMALL,
    ),
    fans.ALL_SIMPLES: Example(
        _hand("2m 3m 4p 5p 6p 6s 7s 8s 5m 5m", "4m", (_PUNG, "6s 6s 6s", Seat.SOUTH)), {fans.ALL_SIMPLES: 1}, 1, _SMALL
    ),
    fans.TWO_TERMINAL_CHOWS: Example(
        _hand("2m 3m 7m 8m 9m 4p 5p 6p N N", "1m", (_PUNG, "W W W", Seat.SOUTH)), {fans.TWO_TERMINAL_CHOWS: 1}, 1, _SMALL
    ),
    fans.MIXED_DOUBLE_CHOW: Example(
        _hand("5s 6s 7s 6p 7p 1m 2m 3m N N", "5p", (_PUNG, "W W W", Seat.SOUTH)), {fans.MIXED_DOUBLE_CHOW: 1}, 1, _SMALL
    ),
    fans.SHORT_STRAIGHT: Example(
        _hand("3m 4m 5m 6m 7m 1s 2s 3s N N", "8m", (_PUNG, "W W W", Seat.SOUTH)), {fans.SHORT_STRAIGHT: 1}, 1, _SMALL
    ),
    fans.ALL_CHOWS: Example(_hand("2m 3m 4p 5p 6p 7s 8s 9s N N", "1m", (_CHOW, "6p 7p 8p", Seat.NORTH)), {fans.ALL_CHOWS: 1}, 1, _SMALL),
    fans.TERMINAL_PAIR: Example(
        _hand("2m 3m 4p 5p 6p 7s 8s 9s 9m 9m", "1m", (_PUNG, "4s 4s 4s", Seat.SOUTH)), {fans.TERMINAL_PAIR: 1}, 1, _SMALL
    ),
    fans.CONCEALED_TRIPLET: Example(
        _hand("2m 3m 4p 5p 6p W W W N N", "1m", (_PUNG, "9s 9s 9s", Seat.SOUTH)), {fans.CONCEALED_TRIPLET: 1}, 1, _SMALL
    ),
    fans.MELDED_KONG: Example(
        _hand("2m 3m 4p 5p 6p N N", "1m", (_KONG, "W W W W", Seat.SOUTH), (_ADDED, "9s 9s 9s 9s", Seat.WEST)),
        {fans.MELDED_KONG: 2},
        2,
        _SMALL,
    ),
    fans.CONCEALED_KONG: Example(
        _hand("2m 3m 4p 5p 6p N N", "1m", (_CONCEALED, "W W W W", None), (_PUNG, "9s 9s 9s", Seat.WEST)),
        {fans.CONCEALED_KONG: 1},
        2,
        _SMALL,
    ),
    fans.PURE_DOUBLE_CHOW: Example(
        _hand("1m 2m 3m 1m 2m 3m 4p 6p 7s 7s", "5p", (_PUNG, "E E E", Seat.SOUTH), source=None),
        {fans.PURE_DOUBLE_CHOW: 1, fans.SEAT_WIND: 1, fans.SELF_DRAWN: 1, fans.CLOSED_WAIT: 1},
        13,
    ),
    fans.HALF_FLUSH: Example(_hand("1m 2m 3m 5m 6m 7m E E N N", "N", (_PUNG, "9m 9m 9m", Seat.SOUTH)), {fans.HALF_FLUSH: 1}, 15),
    fans.PURE_STRAIGHT: Example(_hand("1m 2m 3m 4m 5m 6m 7m 8m 7s 7s", "9m", (_PUNG, "W W W", Seat.SOUTH)), {fans.PURE_STRAIGHT: 1}, 15),
    fans.MIXED_TRIPLE_CHOW: Example(
        _hand("2m 3m 4m 2p 3p 4p 2s 3s 7s 7s", "4s", (_PUNG, "W W W", Seat.SOUTH)), {fans.MIXED_TRIPLE_CHOW: 1}, 15
    ),
    fans.ALL_TRIPLETS: Example(
        _hand("1m 1m 1m 7s 7s N N", "N", (_PUNG, "5p 5p 5p", Seat.SOUTH), (_PUNG, "9s 9s 9s", Seat.SOUTH)),
        {fans.ALL_TRIPLETS: 1, fans.CONCEALED_TRIPLET: 1},
        16,
    ),
    fans.MIXED_TERMINAL_CHOWS: Example(
        _hand("1m 2m 3m 7m 8m 9m 1s 2s 3s 8s 9s W W", "7s"), {fans.MIXED_TERMINAL_CHOWS: 1, fans.CONCEALED_HAND: 1, fans.EDGE_WAIT: 1}, 17
    ),
    fans.MIXED_SHORT_STRAIGHTS: Example(
        _hand("3p 4p 5p 6p 7p 8p 3s 4s 5s 7s 8s W W", "6s"), {fans.MIXED_SHORT_STRAIGHTS: 1, fans.CONCEALED_HAND: 1}, 16
    ),
    fans.TWO_DOUBLE_CHOWS: Example(
        _hand("1m 2m 3m 1m 2m 3m 5p 6p 7p 5p 6p W W", "7p"), {fans.TWO_DOUBLE_CHOWS: 1, fans.CONCEALED_HAND: 1}, 31
    ),
    fans.MIXED_QUADRUPLE_CHOW: Example(
        _hand("3p 4p 5p 3p 4p 5p 3s 4s 5s 3m 4m W W", "5m"), {fans.MIXED_QUADRUPLE_CHOW: 1, fans.CONCEALED_HAND: 1}, 31
    ),
    fans.FULL_FLUSH: Example(
        _hand("1m 1m 3m 4m 6m 7m 8m 9m 9m 9m", "2m", (_CHOW, "5m 6m 7m", Seat.NORTH)),
        {fans.FULL_FLUSH: 1, fans.TERMINAL_PAIR: 1, fans.SHORT_STRAIGHT: 1, fans.CONCEALED_TRIPLET: 1},
        63,
    ),
    fans.PURE_TRIPLE_CHOW: Example(
        _hand("1m 2m 3m 1m 2m 3m 1m 2m 5p 6p 7p W W", "3m"), {fans.PURE_TRIPLE_CHOW: 1, fans.ALL_CHOWS: 1, fans.CONCEALED_HAND: 1}, 62
    ),
    fans.MIXED_DOUBLE_CHOWS: Example(
        _hand("3p 4p 5p 3p 4p 5p 3s 4s 5s 4s 5s W W", "3s"), {fans.MIXED_DOUBLE_CHOWS: 1, fans.CONCEALED_HAND: 1}, 61
    ),
    fans.DOUBLE_SHORT_STRAIGHT: Example(
        _hand("2p 3p 4p 2p 3p 4p 5p 6p 7p 6p 7p W W", "5p"), {fans.DOUBLE_SHORT_STRAIGHT: 1, fans.HALF_FLUSH: 1, fans.CONCEALED_HAND: 1}, 76
    ),
    fans.DOUBLE_TERMINAL_CHOWS: Example(
        _hand("1p 2p 3p 1p 2p 3p 7p 8p 9p 8p 9p W W", "7p"),
        {fans.DOUBLE_TERMINAL_CHOWS: 1, fans.HALF_FLUSH: 1, fans.CONCEALED_HAND: 1, fans.EDGE_WAIT: 1},
        77,
    ),
    fans.ALL_HONORS: Example(
        _hand("E E E S S S N N C C", "N", (_PUNG, "W W W", Seat.SOUTH)),
        {fans.ALL_HONORS: 1, fans.SEAT_WIND: 1, fans.ROUND_WIND: 1, fans.CONCEALED_TRIPLET: 2},
        244,
    ),
    fans.QUADRUPLE_CHOW: Example(
        _hand("1m 2m 3m 1m 2m 3m 1m 2m 3m 2m 3m W W", "1m"), {fans.QUADRUPLE_CHOW: 1, fans.HALF_FLUSH: 1, fans.CONCEALED_HAND: 1}, 496
    ),
    "double-chow-straight": Example(
        _hand("4m 5m 6m 7m 8m 9m 4m 5m 5p 5p", "6m", (_CHOW, "1m 2m 3m", Seat.NORTH)),
        {fans.PURE_STRAIGHT: 1, fans.PURE_DOUBLE_CHOW: 1, fans.ONE_VOIDED_SUIT: 1, fans.ALL_CHOWS: 1, "double-chow-straight": 1},
        52,
        _EIGHTEEN,
    ),
    "half-flush-straight": Example(
        _hand("4m 5m 6m 7m 8m 9m N N E E", "E", (_CHOW, "1m 2m 3m", Seat.NORTH)),
        {fans.HALF_FLUSH: 1, fans.PURE_STRAIGHT: 1, fans.SEAT_WIND: 1, "half-flush-straight": 1},
        51,
        _EIGHTEEN,
    ),
    "half-flush-triplets": Example(
        _hand("1m 1m N N", "N", (_PUNG, "3m 3m 3m", Seat.SOUTH), (_PUNG, "7m 7m 7m", Seat.SOUTH), (_PUNG, "W W W", Seat.SOUTH)),
        {fans.HALF_FLUSH: 1, fans.ALL_TRIPLETS: 1, "half-flush-triplets": 1},
        50,
        _EIGHTEEN,
    ),
    "full-flush-straight": Example(
        _hand("4m 5m 6m 7m 8m 9m 5m 5m 8m 8m", "8m", (_CHOW, "1m 2m 3m", Seat.NORTH)),
        {fans.FULL_FLUSH: 1, fans.PURE_STRAIGHT: 1, fans.CONCEALED_TRIPLET: 1, "full-flush-straight": 1},
        131,
        _EIGHTEEN,
    ),
    "full-flush-triplets": Example(
        _hand("1m 1m 5m 5m", "5m", (_PUNG, "3m 3m 3m", Seat.SOUTH), (_PUNG, "7m 7m 7m", Seat.SOUTH), (_PUNG, "9m 9m 9m", Seat.SOUTH)),
        {fans.FULL_FLUSH: 1, fans.ALL_TRIPLETS: 1, fans.TERMINAL_PAIR: 1, "full-flush-triplets": 1},
        131,
        _EIGHTEEN,
    ),
}
"""A small hand that shows each fan and each bonus."""

_REQUEST = (
    ("`order` of a meld", "a whole number that grows in the order in which melds were made; by default the place in the list"),
    (
        "`last_draw`, `last_discard`, `kong_replacement`, `robbing_kong`, `last_of_kind`, `after_kong_discard`",
        "accepted, and worth nothing",
    ),
)

_READINGS = """\
- **Deal.** 34 tiles a seat: 13, and 21 draws from the seat's own wall. The dealer's fourteenth tile is its first draw.
- **Turn.** A chow comes from the left neighbour. A win goes before a pung or kong, these before a chow. All who can may
  win on the same tile.
- **End.** The seat to draw has an empty wall: a drawn hand, no payments. A discard after which the next seat's wall is
  empty can only be won on.
- **Kong.** The next tile of the own wall replaces it: without a draw left, or in a turn without a draw, there is none. A
  concealed kong lies face down until its hand is shown. A robbed kong is a discard of its seat.
- **Passed wins.** A seat that did not declare a win worth the minimum may not win on any discard before its own turn,
  which comes when it draws or claims. A seat with four exposed melds, none a concealed kong, that throws a tile it could
  have won with is free to win. `record replay` and `record settle` judge this with the walls.
- **Division.** All divisions and all places of the winning tile are tried; the highest total counts. Only four sets and
  a pair win.
- **Containment.** A fan that every hand with a higher fan has counts nothing beside it; the list shows the
  result for default options. With `containment = "listed"` 鋼板 also scores 双板板, and 一条龍 also 老少 and 連副.
- **Definitions.** 混一色 needs a suit and an honour, 欠一 exactly two suits. Three equal chows are 鉄板, four 鋼板.
- **Repeated fans.** 老少, 斉相 and 連副 count the greatest number of disjoint pairs of chows; a chow may serve different
  fans. A double wind counts as seat and as round wind.
- **Waits.** Exactly one kind completes the shape, whatever that hand would be worth; a kind of which the winner holds all
  four still counts.
- **Triplets.** One that a discard completed is not concealed. A concealed kong is 暗槓 alone.
- **Bonuses.** The composite totals of the minimum 18 are bonuses for two fans that both count; small fans come on top. 板龍
  with 平胡 is 51.
- **Minimum.** All points count, 自摸 and bonuses as well.
- **Duty.** Three chows of one suit bind their seat to 清一色: another win is `not-allowed`.
- **包.** Melds are taken in the order made, without concealed kongs. If the third is a chow and the win is 清一色, who
  discarded that chow's tile pays all of it: 3S for a self-draw, 2S for a discard. A chow as fourth set is no 包.
- **Own values.** An event's own six `values` have no bonuses; `minimum` is then any number.
- **円子.** A seat pays no more than its `stake`, to the winner who sits nearest first. `score` knows no stake; penalties
  are not limited.
- **Light scale.** It has no bonuses. `minimum` and `values` beside it are refused.
- **False wins** have no price in the source: the referee rules.
"""

_OPENING = """\
The rule set `yangzhou` plays the rules of the blog article 揚州の麻雀 (27 November 2015) with own walls for each seat.
Points are added. Big fans have the values of the minimum 7, 13 or 18, or of the light scale; the list gives them in
this order. The examples are hands of East in the south round.
"""


def _rows() -> Iterator[FanRow]:
    away = taken_away(NECESSARY)
    for kind in fans.FAN_KINDS:
        excludes = tuple(other.id for other in fans.FAN_KINDS if other.id in away[kind.id])
        yield FanRow(kind.id, kind.english, kind.chinese, kind.japanese, _worth(kind.worth), kind.meaning, excludes, EXAMPLES[kind.id])
    for bonus in fans.BONUSES:
        note = "a bonus, no fan: " + " and ".join(fans.BY_ID[fan_id].japanese for fan_id in bonus.fans) + " together"
        yield FanRow(bonus.id, bonus.english, bonus.chinese, bonus.japanese, f"- / - / {bonus.value} / -", note, (), EXAMPLES[bonus.id])


def _worth(worth: FanClass | int) -> str:
    return str(worth) if isinstance(worth, int) else " / ".join(str(values.of[worth]) for values in (*TABLES.values(), LIGHT))


PAGE = RulePage(
    title="Yangzhou (揚州の麻雀)",
    opening=_OPENING,
    fans=tuple(_rows()),
    request=_REQUEST,
    readings=_READINGS,
)
