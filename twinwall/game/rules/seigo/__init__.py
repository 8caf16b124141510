"""Seigo ("consistent") mahjong, revised (整合麻雀 改): riichi in which every seat gets one tile at each of its turns, in even rounds.
``state``: public state; ``turns``: turn order and state changes; ``legality``: what is allowed, also with walls;
``shapes``: complete hands; ``values``: yaku, han and fu; ``scoring``: wins; ``settlement``: payments at the end."""

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
    """The rule set ``seigo``; the methods are those of ``RuleSet``."""

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
        return scoring.score(hand, self.options)

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Wins and sticks, or hands that are not ready, and penalties."""
        return payments(of_seigo(state), wins, self.options)

    def witness(self, round_wind: Seat) -> Witness:  # noqa: ARG002 - a wait needs no yaku to be one
        return SeigoWitness()


def rule_set(options: Mapping[str, object]) -> RuleSet:
    return Seigo(SeigoOptions.chosen(options))
