"""Duplicate mahjong under the Chinese Official rules of 1998, as played by the Mahjong International League.

Turn order and what events change are in ``turns``, what is allowed in ``legality``, fans in ``fans``, minimum and payments in ``scoring``.
"""

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
    """A rule set whose turns, claims and kongs go as in duplicate MCR under the options ``play``."""

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
        """The declared hand with the flags that the public state implies."""
        return turns.winning_hand(state, shown, round_wind, self.play)


@frozen
class McrDuplicate(McrPlay):
    """The rule set ``mcr-duplicate`` with its options chosen; the methods are those of ``RuleSet``."""

    options: McrOptions
    name = NAME
    slip = (SlipField("Fan", "番", "番"),)

    @property
    def play(self) -> McrOptions:
        return self.options

    @property
    def zero_sum(self) -> bool:
        """Not where a self-draw is rounded, nor where several winners are each paid in full."""
        return self.options.self_draw == "sum" and self.options.several_winners != scoring.EACH_FULL

    @property
    def usual_most(self) -> int:
        """A self-drawn win with one of the highest fans, and some more."""
        return 3 * (scoring.BASE + 100)

    @property
    def replaces_from_end(self) -> bool:
        """By option."""
        return turns.from_end(self.options)

    def score(self, hand: WinningHand) -> Win | NoWin:
        """Judge a hand and settle it; raises DocumentError when it is written wrongly."""
        return scoring.score(hand, self.options)

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Who pays whom when the hand ends with ``wins`` (none in a drawn hand), penalties included."""
        source = None if state.winner is state.turn else state.turn
        return (*scoring.win_payments(wins, source, self.options), *penalty_payments(state.penalties))

    def entered_payments(self, winner: Seat, source: Seat | None, total: int) -> Mapping[Seat, int] | Illegal | None:
        """A win of ``total`` fan, on a discard or self-drawn; None where several may win on one tile."""
        if self.options.several_winners != scoring.NEAREST:
            return None
        return scoring.entered(winner, source, total, self.options)


def rule_set(options: Mapping[str, object]) -> RuleSet:
    """The rule set with its options; raises RuleSetError for an unknown option or value."""
    return McrDuplicate(read_options(McrOptions, NAME, options))
