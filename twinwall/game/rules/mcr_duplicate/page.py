"""The page of duplicate MCR: its fans, its flags, and how open questions were settled."""

from __future__ import annotations

from twinwall.game.hands import AFTER_KONG_DISCARD, KONG_REPLACEMENT, LAST_DISCARD, LAST_DRAW, LAST_OF_KIND, ROBBING_KONG
from twinwall.game.rules.mcr_duplicate.examples import EXAMPLES
from twinwall.game.rules.mcr_duplicate.fan_table import FAN_KINDS
from twinwall.game.rules.rule_page import FanRow, RulePage, SlipField

_OPENING = """\
The rule set `mcr-duplicate` plays the Chinese Official rules of 1998 with own walls for each seat, as Aono Shigeru describes
it in デュプリケート方式マージャン (on the first event, Sanya, October 2015). The text that we have of that paper has lost its
digits: fan values, the minimum of 8 and the flat 8 points are those of the rules of 1998, and its worked hands, winners and
near misses agree with them. Fans add up. PyMahjongGB finds them; the last column names what never counts beside a fan.
"""

_REQUEST = (
    (f"`{LAST_DRAW}`", "妙手回春: self-drawn, and no tile will be drawn any more in the hand"),
    (f"`{LAST_DISCARD}`", "海底捞月: on a discard after which no tile will be drawn"),
    (f"`{KONG_REPLACEMENT}`", "杠上开花; needs a kong among the melds"),
    (f"`{ROBBING_KONG}`", f"抢杠和; `{LAST_OF_KIND}` is worth nothing beside it"),
    (f"`{LAST_OF_KIND}`", "和绝张: the other three lie open in rivers and melds, concealed kongs apart"),
    (f"`{AFTER_KONG_DISCARD}`", "accepted, and worth nothing"),
    ("request keys", "none beyond those of all rule sets; `order` of a meld changes nothing"),
    ("`not-allowed`", "the reason for a chow that was claimed from another seat than the left neighbour"),
)

_READINGS = """\
- **Deal.** 34 tiles a seat: 13, and 21 draws from the seat's own wall, in the order of the deal. East too draws its
  fourteenth tile. There are no flowers.
- **Turn.** A seat draws from the wall in front of itself, whoever claimed what. A win goes before a pung or kong, these
  before a chow, which is the left neighbour's discard. Of several who win on one tile the nearest in turn order does, if
  the option `several_winners` says nothing else. Who has passed a tile, or discarded it, may win on it later.
- **The end, `lap`** (Aono). Who draws the last tile of its wall discards, then each of the other three has its turn once
  more. The lap counts seats, so a claim that skips one shortens it. The final discard can only be won on. A hand also
  ends when the seat to draw has an empty wall. `last_draw` and `last_discard` are the tile drawn and the tile laid in
  the lap's last turn.
- **The end, `next-empty`** (Botzone, mahjongsoft). The hand is drawn when the seat to draw has an empty wall, and a
  discard is the final one when the next seat's wall is empty.
- **Kong.** It is replaced by the next tile of the own wall, so there is none without a draw left, and none in a turn
  without a draw. A concealed kong lies face down until its hand is shown, and cannot be robbed.
- **Minimum.** What counts is the total of all fans, those of the way the tile came included. Below it the answer still
  names fans and total.
- **Division.** Of all ways to divide a hand the one that adds up to most counts. What a fan is made of counts once: the
  123, 456 and 789 of a pure straight give no short straight and no two terminal chows among themselves, the three chows
  of a mixed triple chow no mixed double chow, a pung of dragons or of the own winds no pung of honours. A further set may
  be combined once with one that is used.
- **Pungs of terminals or honours.** Nine gates takes the place of one of its own, little four winds and big three winds of
  those of their winds; another pung counts.
- **Waits.** Edge, closed and single wait count when the concealed tiles wait for one kind only. A kind of which the winner
  itself holds all four still counts as waited for, so 1m 234m 444m has no single wait for 1m (PyMahjongGB; some
  programs read it otherwise). What lies in rivers and in others' melds changes nothing.
- **Last of its kind** looks at what lies open only. On a discard the winning tile is the fourth; self-drawn too.
- **WMO's book.** Where the book of the World Mahjong Organization (麻将竞赛规则, 2014) differs from the rules of 1998, those of
  1998 are followed: Aono's paper builds on 中国麻将競賽規則, and PyMahjongGB and the play on line count so. With `book = "wmo"`
  two concealed kongs are worth 8, not 6, and a concealed and a melded one 6, not 5. A self-drawn hand of seven pairs, and
  equally nine gates, seven shifted pairs, thirteen orphans, four concealed pungs and both hands of knitted tiles, then has a
  fully concealed hand (4) in place of self-drawn (1). Concealed kongs among three or four kongs count as in 1998.
- **明暗杠** (5) is not in the list of 1998 but in all play on line. Without the option `mixed_kongs` the two kongs count
  as a concealed one (2) and a melded one (1).
- **Payments.** Each of the three others pays 8, whoever discarded; beside that the discarder pays the fans, of a
  self-drawn hand everybody. So the winner has 24 + F on a discard and 3 × (8 + F) self-drawn; a drawn hand is 0.
- **`self_draw = "rounded"`.** The winner has 24 + F, each other pays 8 and a third of F, rounded up. What rounding takes
  goes to nobody.
- **Several winners.** `each-minus-others` adds up the settlements of all winners, so each pays 8 for each other winner.
  In `each-full` (as published records of 2022 have it) each winner has 24 + F whole, the discarder pays 8 and the fans
  of all, a bystander 8 once; that does not sum to zero.
- **False win.** By `false_win` it costs what the referee finds right, 4 or 8 IMP in the comparison, or points that
  are paid to each other seat. Play goes on.
"""

PAGE = RulePage(
    title="Duplicate MCR: Chinese Official mahjong with own walls",
    opening=_OPENING,
    fans=tuple(
        FanRow(kind.id, kind.english, kind.chinese, kind.japanese, str(kind.value), kind.meaning, kind.excludes, EXAMPLES[kind.id])
        for kind in FAN_KINDS
    ),
    request=_REQUEST,
    readings=_READINGS,
    slip=(SlipField("Fan", "番", "番"),),
)
