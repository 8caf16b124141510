"""Yangzhou mahjong, whose fans are mostly of chows ("揚州の麻雀", blog, 27 November 2015). Turns, claims and kongs are those of duplicate
MCR with two options (``Yangzhou.play``). ``options``: options and values; ``patterns``: fans; ``scoring``: value,
contained fans and payments; ``duties``: passed wins."""

from collections.abc import Mapping

from twinwall.game.play import PlayState
from twinwall.game.play_events import Payment
from twinwall.game.rule_set import NoWin, RuleSet, Win, WinningHand, Witness
from twinwall.game.rules.mcr_duplicate import McrPlay
from twinwall.game.rules.mcr_duplicate.scoring import McrOptions
from twinwall.game.rules.yangzhou import scoring
from twinwall.game.rules.yangzhou.duties import YangzhouWitness
from twinwall.game.rules.yangzhou.options import NAME, YangzhouOptions
from twinwall.game.tiles import Seat
from twinwall.values import frozen


@frozen
class Yangzhou(McrPlay):
    """The rule set ``yangzhou``; the methods are those of ``RuleSet``."""

    options: YangzhouOptions
    name = NAME
    play = McrOptions(end="next-empty", several_winners="each-minus-others")
    """A hand ends when the seat to draw has an empty wall; several may win on one tile."""

    def score(self, hand: WinningHand) -> Win | NoWin:
        return scoring.score(hand, self.options)

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Wins, within the stake if there is one, and penalties."""
        return scoring.payments(state, wins, self.options)

    def witness(self, round_wind: Seat) -> Witness:
        return YangzhouWitness(self.options, round_wind)


def rule_set(options: Mapping[str, object]) -> RuleSet:
    return Yangzhou(YangzhouOptions.chosen(options))
