"""Seigo ("consistent") mahjong, revised (整合麻雀 改): riichi in which turns go round evenly and each gives one tile.

``state`` holds what these rules add to what is seen of a hand, and pays sticks and hands that are not ready; turn order and what
events change are in ``turns``, what is allowed, also with the walls known, in ``legality``; yaku are in ``fan_table``, complete
hands in ``shapes``, han and fu in ``values``, who wins and pays in ``scoring``.
"""

from collections.abc import Mapping

from twinwall.game.play import PlayState
from twinwall.game.play_events import HandShown, Payment, PlayEvent
from twinwall.game.rule_set import Illegal, NoWin, Permissions, RuleSet, SlipField, Win, WinningHand, Witness
from twinwall.game.rules.seigo import legality, scoring, turns
from twinwall.game.rules.seigo.legality import SeigoWitness
from twinwall.game.rules.seigo.options import NAME, SeigoOptions
from twinwall.game.rules.seigo.scoring import SeigoHand
from twinwall.game.rules.seigo.settlement import payments
from twinwall.game.rules.seigo.state import SHARED_ROWS, SeigoState, of_seigo
from twinwall.game.tiles import Seat
from twinwall.game.walls import HAND_SIZE, WallLayout
from twinwall.values import frozen


@frozen
class Seigo(RuleSet):
    """The rule set ``seigo`` with its options chosen; the methods are those of ``RuleSet``."""

    options: SeigoOptions
    name = NAME
    hand_form = SeigoHand
    slip = (SlipField("Han", "番", "飜"), SlipField("Fu", "符", "符"))
    walls = WallLayout(wall_size=HAND_SIZE + scoring.TURNS)
    declares_riichi = True
    shared_rows = SHARED_ROWS

    @property
    def usual_most(self) -> int:
        """The dealer's limit hand."""
        return 48_000

    def start(self) -> PlayState:
        return SeigoState.beginning(NAME, self.walls.draws)

    def permissions(self, state: PlayState) -> Permissions:
        return turns.permissions(of_seigo(state), self.options)

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        return legality.illegal(of_seigo(state), event, self.options)

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        return turns.apply(of_seigo(state), event, self.options)

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        """The declared hand with its turn, riichi, indicators, and whether it is furiten."""
        return turns.winning_hand(of_seigo(state), shown, round_wind)

    def score(self, hand: WinningHand) -> Win | NoWin:
        """Judge a hand and pay it; raises DocumentError when it is written wrongly."""
        return scoring.score(hand, self.options)

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Wins and sticks, or hands that are not ready, and penalties."""
        return payments(of_seigo(state), wins, self.options)

    def witness(self, round_wind: Seat) -> Witness:  # noqa: ARG002 - a wait needs no yaku to be one
        """Sees riichi that is not ready, or not kept."""
        return SeigoWitness()


def rule_set(options: Mapping[str, object]) -> RuleSet:
    """The rule set with its options; raises RuleSetError for an unknown option or value."""
    return Seigo(SeigoOptions.chosen(options))
