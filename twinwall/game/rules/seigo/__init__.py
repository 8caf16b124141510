"""Seigo ("consistent") mahjong, revised (整合麻雀 改): riichi in which turns go round evenly and each gives one tile.

Options are in ``options``; ``state`` holds what these rules add to what is seen of a hand; turn order and the end of the hand
are in ``turns``, what is allowed in ``legality`` and, with the walls known, in ``duties``, what events change in
``transitions``; yaku are in ``fan_table``, complete hands in ``shapes``, han and fu in ``values``, who wins and pays in ``scoring``,
sticks and hands that are not ready in ``settlement``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twinwall.game.payments import Payment
from twinwall.game.play import PlayState
from twinwall.game.play_events import HandShown, PlayEvent
from twinwall.game.rule_set import Illegal, NoWin, Permissions, RuleSet, SlipField, Win, WinningHand, Witness
from twinwall.game.rules.seigo import legality, scoring, settlement, transitions, turns
from twinwall.game.rules.seigo.duties import SeigoWitness
from twinwall.game.rules.seigo.options import NAME, SeigoOptions
from twinwall.game.rules.seigo.scoring import SeigoHand
from twinwall.game.rules.seigo.state import SHARED_ROWS, SeigoState, of_seigo
from twinwall.game.tiles import Seat
from twinwall.game.walls import HAND_SIZE, WallLayout


@dataclass(frozen=True, slots=True)
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
        """All hands taken, East to draw."""
        return SeigoState.beginning(NAME, self.walls.draws)

    def permissions(self, state: PlayState) -> Permissions:
        """What may happen next."""
        return turns.permissions(of_seigo(state), self.options)

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        """Why an event may not happen; None when it may."""
        return legality.illegal(of_seigo(state), event, self.options)

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        """The state after a legal event."""
        return transitions.apply(of_seigo(state), event, self.options)

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        """The declared hand with its turn, riichi, indicators, and whether it is furiten."""
        return turns.winning_hand(of_seigo(state), shown, round_wind)

    def score(self, hand: WinningHand) -> Win | NoWin:
        """Judge a hand and pay it; raises DocumentError when it is written wrongly."""
        return scoring.score(hand, self.options)

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Wins and sticks, or hands that are not ready, and penalties."""
        return settlement.payments(of_seigo(state), wins, self.options)

    def witness(self, round_wind: Seat) -> Witness:  # noqa: ARG002 - a wait needs no yaku to be one
        """Sees riichi that is not ready, or not kept."""
        return SeigoWitness()


def rule_set(options: Mapping[str, object]) -> RuleSet:
    """The rule set with its options; raises RuleSetError for an unknown option or value."""
    return Seigo(SeigoOptions.chosen(options))
