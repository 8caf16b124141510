"""The page of Seigo mahjong: its yaku, its request keys and flags, and how open questions were settled."""

from __future__ import annotations

from twinwall.game.hands import ROBBING_KONG
from twinwall.game.rules.rule_page import FanRow, RulePage, SlipField
from twinwall.game.rules.seigo import fan_table as fans
from twinwall.game.rules.seigo.examples import EXAMPLES
from twinwall.game.rules.seigo.scoring import DOUBLE_RIICHI, EARTHLY_HAND, HEAVENLY_HAND, IPPATSU

_REQUEST = (
    ("`turn`", "the turn, 1 to 18, of the winner, or of who discarded; at 18 a win is 海底 or 河底. Absent: not said, neither"),
    ("`riichi_turn`", "the turn at which the winner declared riichi; 1 is double riichi. Absent: no riichi"),
    ("`dora`, `ura`", "the indicators turned up, and those below them, in tile notation; at most five each. `ura` counts in riichi only"),
    ("`red`", "the fives of which the hand holds the red one, such as `5m 5s`, with the option `red_fives`"),
    (f"`{IPPATSU}`", "一発; needs `riichi_turn`, and a turn not after the next own draw"),
    (f"`{DOUBLE_RIICHI}`", "ダブル立直; needs `riichi_turn` 1, which says the same"),
    (f"`{HEAVENLY_HAND}`, `{EARTHLY_HAND}`", "天和, 地和: a self-draw at turn 1 without melds, of East, of another seat"),
    (f"`{ROBBING_KONG}`", "搶槓"),
    ("other flags of all rule sets", "worth nothing: 海底 and 河底 follow from `turn`, and there is no 嶺上開花"),
    ("`fu` in the answer", "the points of the hand's form, beside `total`, which is the han (a yakuman: 13)"),
)

_READINGS = """\
- **Rules.** The source has eight rules, two of them numbered 7: *7a* ends the hand after North's turn 18, *7b* is on
  海底 and 河底. What it does not mention is that of its base, riichi.
- **Deal.** 31 tiles a seat: 13, and 18 draws from the seat's own wall; East too draws its fourteenth. Twelve tiles
  are shared, six stacks of two in the order of the deal, the upper tile first. The indicator is the upper tile of the
  last stack (place 10, counted from 0), the ura indicator the tile below it (11); those of kongs are the four stacks
  before it (8 and 9, 6 and 7, 4 and 5, 2 and 3). The first stack is unused.
- **Turn.** A seat draws or claims; a claim takes the place of the draw, so its wall keeps the tile. Each seat has 18
  turns and so never a nineteenth, whatever is left in the walls (7a).
- **Claims (1).** "Pon" includes the open kong. A discard can be claimed at one's own turn if it was made since one's
  last turn and nobody took it: a pung or kong of any of the three last discards, a chow of the left neighbour's only.
  Of two who want a tile the one whose turn comes first has it.
- **Wins on a discard** are called at once and stand before everything. A discard that has been passed cannot be won on
  later. Several may win on one tile; the sticks go to the nearest to the discarder.
- **Rivers (2, 5).** The place of a discard is its turn. The place of a claimed tile, and that of a turn with a kong,
  stays empty.
- **Riichi (3).** With the discard of a drawn tile, with a closed hand, not at turn 18 and without a look at the points
  one has. The tile cannot be called, at no seat's turn; it can be won on, and then the stick is not paid.
- **First turn and 一発 (4).** Calls and kongs change nothing: 天和 and 地和 are self-draws at one's turn 1, double
  riichi is declared at turn 1, and 一発 lasts up to and including one's next own draw.
- **Kong (5, 6, 8).** Possible at every turn. A concealed or added kong needs a drawn tile, and not one at the turn of a
  claim; an open one takes the place of the draw. Nothing is drawn and nothing discarded, and the next turn is the next
  seat's. It is shown what a concealed kong is made of. Its indicator is turned up at once (when it was added: once it
  cannot be robbed any more). There are four in a hand at most, of all seats together: the base knows no fifth.
- **Robbing.** An added kong may be won on, a concealed one not, not even with thirteen orphans. At turn 18 that is
  河底 as well, since 7b says so of *every* win on a discard.
- **海底 and 河底 (7b).** Every self-draw of a turn 18, and every win on what is discarded or added at one.
- **Furiten.** Of the base: who finds one of its waits among its own discards (claimed ones too), or has let one pass
  since its last turn, in riichi since riichi, wins self-drawn only. A hand that is shown in spite of it is refused as
  `not-allowed`; everything that it takes to see it lies open then.
- **Swap calling.** After a claim neither the claimed tile nor the other end of the run may be discarded; a claim that
  would leave nothing to discard is not made.
- **In riichi** the drawn tile is discarded, or makes a concealed kong that changes no wait. Whether that was kept, and
  whether the hand was ready, is judged by `replay` and `settle` with the walls; what it costs is the referee's ruling.
- **The end.** After the last turn all hands are laid open. Nothing else ends a hand early: not four kongs, four winds,
  four riichi, nine terminals. There is no 流し満貫.
- **Ready** is a hand that lacks one tile of which it does not itself hold all four. Who is not ready pays in equal parts
  who is.
- **Payments.** East is the dealer and pays and gets more. A duplicate hand stands for itself: there are no counters and no
  repeated hands, sticks of a drawn hand go back. Nobody is liable for another's yakuman (no 包).
- **Yakuman** add up, and stand alone; 13 han of other yaku are one as well, with `counted_yakuman`. A pair of a wind that
  is both seat and round counts 4 fu; a run-only hand with an open meld counts 30.
- **At a table** the shared tiles stand behind the walls, three to a seat: 10, 11, 9 behind East's, 8, 2, 3 behind South's, 6, 7, 0
  behind West's, 4, 5, 1 behind North's. Each leaves by a rear gate when it is to be turned up, is laid open in the middle, and play waits
  until it has been read. A claim at one's own turn and riichi have keys; the tile that declares riichi lies upright, with a stick by it.
- **Red fives** are not told apart from others at the table, so hands played there have none.
"""

_OPENING = """\
The rule set `seigo` plays the rules of the blog article 整合麻雀 改 with own walls for each seat. Its one principle: turns
go round evenly, and each gives one tile at most. Yaku and points are those of riichi, found by the `mahjong` package.
"""


def _worth(kind: fans.Yaku) -> str:
    if kind.is_yakuman:
        return "yakuman" + (" (double by option)" if kind.double else "")
    if kind.han_open is None:
        return f"{kind.han}, closed"
    return f"{kind.han}" if kind.han == kind.han_open else f"{kind.han}, open {kind.han_open}"


PAGE = RulePage(
    title="Seigo: riichi with even turns (整合麻雀 改)",
    opening=_OPENING,
    fans=tuple(
        FanRow(
            kind.id,
            kind.english,
            kind.chinese,
            kind.japanese,
            _worth(kind),
            kind.meaning,
            kind.excludes,
            EXAMPLES[kind.id],
        )
        for kind in fans.FAN_KINDS
    ),
    request=_REQUEST,
    readings=_READINGS,
    slip=(SlipField("Han", "番", "飜"), SlipField("Fu", "符", "符")),
)
