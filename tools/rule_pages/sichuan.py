"""The page of Sichuan mahjong: an example of each fan, its flags, and how open questions were settled."""

from __future__ import annotations

from collections.abc import Mapping

from tools.rule_pages.rule_page import Example, FanRow, RulePage
from twinwall.game.hands import (
    AFTER_KONG_DISCARD,
    KONG_REPLACEMENT,
    LAST_DISCARD,
    LAST_DRAW,
    LAST_OF_KIND,
    ROBBING_KONG,
)
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import WinningHand
from twinwall.game.rules.sichuan import fan_table as fans
from twinwall.game.rules.sichuan.scoring import EARTHLY_HAND, HEAVENLY_HAND, SichuanHand
from twinwall.game.tiles import Seat, parse_tile, parse_tiles

_PUNG, _KONG, _ADDED, _CONCEALED = MeldType.PUNG, MeldType.KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG


def _hand(
    concealed: str,
    winning: str,
    *melds: tuple[MeldType, str, Seat | None],
    source: Seat | None = Seat.SOUTH,
    flags: tuple[str, ...] = (),
    seat: Seat = Seat.EAST,
) -> WinningHand:
    laid = tuple(Meld(kind, parse_tiles(tiles), claimed_from) for kind, tiles, claimed_from in melds)
    return SichuanHand(seat, Seat.EAST, parse_tiles(concealed), laid, parse_tile(winning), source, frozenset(flags))


_PLAIN_HAND = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p"

EXAMPLES: Mapping[str, Example] = {
    fans.PLAIN: Example(_hand(_PLAIN_HAND, "7p"), {fans.PLAIN: 1}, 1),
    fans.ALL_TRIPLETS: Example(_hand("2m 2m 2m 7m 7m 7m 4p 4p 8p 8p", "4p", (_PUNG, "9p 9p 9p", Seat.WEST)), {fans.ALL_TRIPLETS: 1}, 2),
    fans.ONE_SUIT: Example(_hand("1s 2s 3s 3s 4s 5s 5s 6s 7s 7s 8s 9s 9s", "9s"), {fans.ONE_SUIT: 1}, 4),
    fans.SEVEN_PAIRS: Example(_hand("1m 1m 3m 3m 6m 6m 2p 2p 5p 5p 8p 8p 9p", "9p", source=None), {fans.SEVEN_PAIRS: 1}, 4),
    fans.TRIPLETS_258: Example(
        _hand("2m 2m 2m 8m 8m 8m 2p 2p 5p 5p", "2p", (_PUNG, "5m 5m 5m", Seat.NORTH)),
        {fans.TRIPLETS_258: 1},
        8,
        {"jiang_dui": True},
    ),
    fans.OUTSIDE: Example(
        _hand("1m 1m 1m 2m 3m 1p 2p 3p 7p 8p", "9p", (_PUNG, "9m 9m 9m", Seat.WEST)), {fans.OUTSIDE: 1}, 4, {"dai_yao": True}
    ),
    fans.FOUR_MELDS: Example(
        _hand(
            "6p",
            "6p",
            (_PUNG, "1m 1m 1m", Seat.SOUTH),
            (_PUNG, "4m 4m 4m", Seat.WEST),
            (_PUNG, "3p 3p 3p", Seat.NORTH),
            (_PUNG, "9p 9p 9p", Seat.SOUTH),
        ),
        {fans.FOUR_MELDS: 1},
        4,
        {"dan_diao": True},
    ),
    fans.KONG_REPLACEMENT_WIN: Example(
        _hand("1m 2m 3m 7m 8m 9m 2p 2p 5p 6p", "7p", (_CONCEALED, "5m 5m 5m 5m", None), source=None, flags=(KONG_REPLACEMENT,)),
        {fans.PLAIN: 1, fans.FOUR_ALIKE: 1, fans.KONG_REPLACEMENT_WIN: 1},
        4,
    ),
    fans.KONG_DISCARD_WIN: Example(_hand(_PLAIN_HAND, "7p", flags=(AFTER_KONG_DISCARD,)), {fans.PLAIN: 1, fans.KONG_DISCARD_WIN: 1}, 2),
    fans.ROBBED_KONG: Example(_hand(_PLAIN_HAND, "7p", flags=(ROBBING_KONG,)), {fans.PLAIN: 1, fans.ROBBED_KONG: 1}, 2),
    fans.FOUR_ALIKE: Example(
        _hand("3m 4m 5m 7m 8m 9m 2p 2p 5p 6p", "7p", (_PUNG, "3m 3m 3m", Seat.WEST)), {fans.PLAIN: 1, fans.FOUR_ALIKE: 1}, 2
    ),
    fans.LAST_TILE: Example(
        _hand(_PLAIN_HAND, "7p", source=None, flags=(LAST_DRAW,)), {fans.PLAIN: 1, fans.LAST_TILE: 1}, 2, {"hai_di": True}
    ),
    fans.LAST_COPY: Example(_hand(_PLAIN_HAND, "7p", flags=(LAST_OF_KIND,)), {fans.PLAIN: 1, fans.LAST_COPY: 1}, 2, {"jue_zhang": True}),
    fans.HEAVENLY: Example(
        _hand(_PLAIN_HAND, "7p", source=None, flags=(HEAVENLY_HAND,)), {fans.PLAIN: 1, fans.HEAVENLY: 1}, 8, {"heaven_earth": True}
    ),
    fans.EARTHLY: Example(
        _hand(_PLAIN_HAND, "7p", source=None, flags=(EARTHLY_HAND,), seat=Seat.WEST),
        {fans.PLAIN: 1, fans.EARTHLY: 1},
        8,
        {"heaven_earth": True},
    ),
}
"""The smallest hand that shows each fan."""

_REQUEST = (
    (
        "`finished`",
        "a list of the seats that have won before (none by default), who pay nothing: at most two, not the winner, not who pays",
    ),
    ("`order` of a meld", "a whole number that grows with every change of a meld; by default the place in the list"),
    (
        f"`{KONG_REPLACEMENT}`",
        "槓上花. If the last kong was claimed (直槓), its feeder pays alone, without 自摸加底",
    ),
    (f"`{AFTER_KONG_DISCARD}`", "槓上炮"),
    (f"`{ROBBING_KONG}`", f"搶槓; `{LAST_OF_KIND}` is worth nothing beside it"),
    (f"`{LAST_DRAW}`, `{LAST_DISCARD}`", "海底, with the option `hai_di`: no seat in play has a tile left to draw"),
    (f"`{LAST_OF_KIND}`", "絶張, with the option `jue_zhang`"),
    (f"`{HEAVENLY_HAND}`", "天和, with the option `heaven_earth`: East wins with its first draw, without a meld"),
    (f"`{EARTHLY_HAND}`", "地和, with the same option: another seat with its first draw, before any claim"),
)

_READINGS = """\
- **Deal.** 27 tiles a seat: 13, and 14 draws from the seat's own wall. The dealer's fourteenth tile is its first draw.
- **Turn.** After a pung or kong play goes on to the right of its seat, after a win to the right of the winner; of several
  winners on one tile the one farthest from the discarder counts. Winners are passed over.
- **End.** Three have won, or the seat to draw has an empty wall. Then all four hands are laid open.
- **Kong.** The next tile of the own wall replaces it: without a draw left, or in a turn without a draw, there is none.
  One tile of a concealed kong lies face up. A robbed kong becomes a pung again, without a bonus, and the tile is no
  discard after a kong.
- **Several winners.** All who can may win on the same tile; it is laid before the nearest to the discarder.
- **Passed wins.** The tile that was let pass (見逃した牌), a robbable one too, is barred until the own turn; with
  `passed_win = "any"` every discard is. A turn that is passed over counts as having come.
- **Must win.** The last four tiles of the seats in play, and every discard from then on; who is barred by a passed win
  need not. `record replay` and `record settle` judge both duties with the walls.
- **Division.** The division that multiplies to most counts. A complete hand with all three suits (欠門) is `not-a-win`.
- **Four alike.** All four of a kind in hand, melds and winning tile count ×2, however they are grouped.
- **将対 and 単釣** multiply with each other.
- **天和 and 地和** multiply by the cap (8 without one); without a cap the other fans multiply besides.
- **絶張** counts what lies open: rivers, melds and winning tiles.
- **海底** is any discard while no seat in play has a tile left, also one after a pung.
- **Wins of a kong's replacement** count as the feeder's discard only if the last kong was claimed, else as a self-draw.
- **Kong bonus.** Concealed: 2 from each who had not won when it was made; added: 1 from each; claimed: 2 from the feeder;
  rate included, cap not. It is paid if its owner has won or is ready at the end. A tile added later than it was drawn
  (`late`) earns none without `late_added_kong`.
- **A kong's bonus handed over.** Who wins on the discard after kongs gets the bonus of all kongs made since that turn
  began, whether or not their owner is ready; to the second and third winner the owner pays the same again.
- **査花猪.** With fewer than three winners a holder of three suits pays the cap times the rate to each other seat (without
  a cap `pig_without_cap`). It pays no 査叫 unless `pig_pays_not_ready`, and gets no kong bonus.
- **査叫.** With fewer than three winners, who is not ready pays each ready seat that has not won the highest (or lowest)
  value of its hand, capped, over its live waits, without the fans of the moment. A wait of which the hand holds the other
  copies is dead. A hand with dead waits alone is ready only with `dead_wait_ready`; `dead_wait_kongs` decides its kongs.
- **False wins.** Hands are judged when they are shown at the end. A win that does not stand is none; its seat, and one
  ruled dead, is not ready. The referee rules on any further price.
"""

_OPENING = """\
The rule set `sichuan` plays the rules of the blog article 四川ルール 血戦到底 (revised 29 September 2018) with own
walls for each seat. Fans multiply; 番 n is ×2ⁿ⁻¹. The article gives the numbers of 平胡, 対対胡 and 清一色, the cap
and the kong bonuses; numbers whose headings its text has lost are marked *.
"""

PAGE = RulePage(
    title="Sichuan: to the bitter end (血戦到底)",
    opening=_OPENING,
    fans=tuple(
        FanRow(
            kind.id,
            kind.english,
            kind.chinese,
            kind.japanese,
            ("the cap" if kind.value is None else f"×{kind.value}") + ("" if kind.id in fans.NUMBERED else "*"),
            kind.meaning + (f"; option `{kind.option}`" if kind.option else ""),
            kind.excludes,
            EXAMPLES[kind.id],
        )
        for kind in fans.FAN_KINDS
    ),
    request=_REQUEST,
    readings=_READINGS,
)
