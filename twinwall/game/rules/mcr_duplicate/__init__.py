"""Duplicate mahjong by the Chinese Official rules of 1998, as the Mahjong International League plays it. ``turns``: turn order and state
changes; ``legality``: what is allowed; ``fans``: fans; ``scoring``: minimum and payments."""

from collections.abc import Mapping
from typing import Protocol

from twinwall.game.play import PlayState
from twinwall.game.play_events import HandShown, Payment, PlayEvent, penalty_payments
from twinwall.game.rule_set import Illegal, NoWin, Permissions, RuleSet, SlipField, Win, WinningHand
from twinwall.game.rules.mcr_duplicate import legality, scoring, turns
from twinwall.game.rules.mcr_duplicate.scoring import NAME, McrOptions
from twinwall.game.rules.option_form import read_options
from twinwall.game.tiles import Seat
from twinwall.values import frozen


class McrPlay(RuleSet, Protocol):
    """A rule set with the turns, claims and kongs of duplicate MCR under the options ``play``."""

    @property
    def play(self) -> McrOptions:
        """How a hand goes."""

    def permissions(self, state: PlayState) -> Permissions:
        return turns.permissions(state, self.play)

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        return legality.illegal(state, event, self.play)

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        return turns.apply(state, event, self.play)

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        return turns.winning_hand(state, shown, round_wind, self.play)


@frozen
class McrDuplicate(McrPlay):
    """The rule set ``mcr-duplicate``; the methods are those of ``RuleSet``."""

    options: McrOptions
    name = NAME
    slip = (SlipField("Fan", "番", "番"),)

    @property
    def play(self) -> McrOptions:
        return self.options

    @property
    def zero_sum(self) -> bool:
        """False if a self-draw is rounded, or several winners are each paid in full."""
        return self.options.self_draw == "sum" and self.options.several_winners != scoring.EACH_FULL

    @property
    def usual_most(self) -> int:
        """A self-drawn win with one of the highest fans, and some more."""
        return 3 * (scoring.BASE + 100)

    @property
    def replaces_from_end(self) -> bool:
        return turns.from_end(self.options)

    def score(self, hand: WinningHand) -> Win | NoWin:
        return scoring.score(hand, self.options)

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        source = None if state.winner is state.turn else state.turn
        return (*scoring.win_payments(wins, source, self.options), *penalty_payments(state.penalties))

    def entered_payments(self, winner: Seat, source: Seat | None, total: int) -> Mapping[Seat, int] | Illegal | None:
        """A win of ``total`` fan; None if several may win on one tile."""
        if self.options.several_winners != scoring.NEAREST:
            return None
        return scoring.entered(winner, source, total, self.options)


def rule_set(options: Mapping[str, object]) -> RuleSet:
    return McrDuplicate(read_options(McrOptions, NAME, options))
