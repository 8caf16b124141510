"""The page of Seigo mahjong: its yaku, its request keys and flags, and how open questions were settled."""

from __future__ import annotations

from tools.rule_pages.rule_page import FanRow, RulePage
from tools.rule_pages.seigo_examples import EXAMPLES
from twinwall.game.hands import ROBBING_KONG
from twinwall.game.rules.seigo import fan_table as fans
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
  海底 and 河底. All else is that of its base, riichi.
- **Deal.** 31 tiles a seat: 13, and 18 draws from the own wall; East too draws its fourteenth. Twelve tiles are shared,
  six stacks of two, the upper tile first. The indicator is place 10 (counted from 0), the ura indicator 11; those of
  kongs are 8 and 9, 6 and 7, 4 and 5, 2 and 3.
- **Turn.** A seat draws or claims; after a claim its wall keeps the tile. Each seat has 18 turns, whatever is left (7a).
- **Claims (1).** "Pon" includes the open kong. At its own turn a seat can claim a discard made since its last turn: a
  pung or kong of the three last discards, a chow of the left neighbour's only. The seat whose turn comes first has it.
- **Wins on a discard** are called at once and go before every claim. A discard that was passed cannot be won on later.
  Several may win on one tile; the sticks go to the nearest to the discarder.
- **Rivers (2, 5).** The place of a discard is its turn. The place of a claimed tile, and of a turn with a kong, stays empty.
- **Riichi (3).** With the discard of a drawn tile, a closed hand, not at turn 18, whatever points one has. No seat can
  claim the tile; it can be won on, and then the stick is not paid.
- **First turn and 一発 (4).** Calls and kongs change nothing: 天和 and 地和 are self-draws at turn 1, double riichi is
  declared at turn 1, 一発 lasts up to and including the next own draw.
- **Kong (5, 6, 8).** Possible at every turn, four in a hand of all seats together. A concealed or added kong needs a drawn
  tile, and not one at the turn of a claim; an open one takes the place of the draw. Nothing is drawn or discarded, the
  indicator is turned up at once (of an added one when it cannot be robbed any more), and the next seat has its turn.
- **Robbing.** An added kong may be won on, a concealed one never. At turn 18 that is 河底 as well.
- **海底 and 河底 (7b).** Every self-draw of a turn 18, and every win on what is discarded or added at one.
- **Furiten.** Who finds a wait among its own discards (claimed ones too), or has let one pass since its last turn, in
  riichi since riichi, wins self-drawn only. A hand shown in spite of it is `not-allowed`.
- **Swap calling.** After a claim neither the claimed tile nor the other end of the run may be discarded; a claim that
  would leave nothing to discard is not made.
- **In riichi** the drawn tile is discarded, or makes a concealed kong that changes no wait. `record replay` and `record settle` judge
  this and the ready hand with the walls; the referee rules on the price.
- **The end.** After the last turn all hands are laid open. Nothing ends a hand early, and there is no 流し満貫.
- **Ready** is a hand that lacks one tile of which it does not itself hold all four. Hands that are not ready pay in equal
  parts those that are.
- **Payments.** East is the dealer and pays and gets more. A duplicate hand stands for itself: no counters, no repeated
  hands; sticks of a drawn hand go back. There is no 包.
- **Yakuman** add up, and stand alone; 13 han of other yaku are one as well, with `counted_yakuman`. A pair of a wind that
  is both seat and round counts 4 fu; a run-only hand with an open meld counts 30.
- **At a table** the shared tiles stand behind the walls, three to a seat: 10, 11, 9 behind East's, 8, 2, 3 behind South's,
  6, 7, 0 behind West's, 4, 5, 1 behind North's. Each leaves by a rear gate, is laid open in the middle, and play waits
  until it has been read. The tile that declares riichi lies upright, with a stick by it.
- **Red fives** cannot be distinguished at the table, so hands played there have none.
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
)
