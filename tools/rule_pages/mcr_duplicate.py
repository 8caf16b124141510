"""The page of duplicate MCR: its fans, its flags, and how open questions were settled."""

from __future__ import annotations

from tools.rule_pages.mcr_examples import EXAMPLES
from tools.rule_pages.rule_page import FanRow, RulePage
from twinwall.game.hands import AFTER_KONG_DISCARD, KONG_REPLACEMENT, LAST_DISCARD, LAST_DRAW, LAST_OF_KIND, ROBBING_KONG
from twinwall.game.rules.mcr_duplicate.fan_table import FAN_KINDS

_OPENING = """\
The rule set `mcr-duplicate` plays the Chinese Official rules of 1998 with own walls for each seat, as Aono Shigeru describes
it in デュプリケート方式マージャン (on the first event, Sanya, October 2015). The text that we have of that paper has lost its
digits: fan values, the minimum of 8 and the flat 8 points are those of the rules of 1998, and its worked hands, winners and
near misses agree with them. Fans add up. PyMahjongGB finds them; what a fan replaces never counts beside it.
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
- **Deal.** 34 tiles a seat: 13, and 21 draws from the seat's own wall in the order of the deal. East too draws its
  fourteenth tile. There are no flowers.
- **Turn.** A seat draws from its own wall, whichever seat claimed. A win goes before a pung or kong, these before a chow,
  which is the left neighbour's discard. Who has passed a tile, or discarded it, may win on it later.
- **The end, `lap`** (Aono). Who draws the last tile of its wall discards, then each other seat has one more turn. A
  claim that skips a seat shortens the lap. The final discard can only be won on; a hand also ends when the seat to draw
  has an empty wall.
- **The end, `next-empty`** (Botzone, mahjongsoft). The hand is drawn when the seat to draw has an empty wall; a discard
  is the final one when the next seat's wall is empty.
- **Kong.** The next tile of the own wall replaces it: without a draw left, or in a turn without a draw, there is none. A
  concealed kong lies face down until its hand is shown, and cannot be robbed.
- **Minimum.** Below the minimum the answer still names fans and total.
- **Division.** The division of the hand with the highest total counts. What a fan is made of counts once: the chows of a
  pure straight give no short straight among themselves. A further set may be combined once with one that is used.
- **Pungs of terminals or honours.** Nine gates takes the place of one of its own, little four winds and big three winds
  of those of their winds; another pung counts.
- **Waits.** Edge, closed and single wait count when the concealed tiles wait for one kind only, rivers and others' melds
  apart. A kind of which the winner holds all four counts as waited for: 1m 234m 444m has no single wait (PyMahjongGB).
- **WMO's book** (麻将竞赛规则, 2014). The rules of 1998 are followed where the two differ. With `book = "wmo"` two
  concealed kongs are worth 8, a concealed and a melded one 6. A self-drawn hand of a special form (seven pairs, nine
  gates, thirteen orphans, four concealed pungs, knitted tiles) then has a fully concealed hand (4), not self-drawn (1).
- **明暗杠** (5) is not in the list of 1998. Without `mixed_kongs` its kongs count 2 and 1.
- **Payments.** Each other seat pays 8; the discarder pays the fans besides, of a self-drawn hand every seat. The winner
  has 24 + F on a discard and 3 × (8 + F) self-drawn; a drawn hand is 0.
- **`self_draw = "rounded"`.** The winner has 24 + F; the rest is lost.
- **Several winners.** `each-minus-others` adds up all settlements, so each winner pays 8 for each other winner. In
  `each-full` each winner has 24 + F, the discarder pays 8 and all fans, a bystander 8 once; that does not sum to zero.
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
)
