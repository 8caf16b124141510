"""What completes a hand, by its rules, and how many exchanges it is from there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mahjong.shanten import Shanten

from twinwall.game.hands import BELOW_MINIMUM
from twinwall.game.play_events import Meld
from twinwall.game.rule_set import RuleSet, Win, WinningHand
from twinwall.game.tiles import ALL_TILES, COPIES, Seat, Tile
from twinwall.game.walls import HAND_SIZE


@dataclass(frozen=True, slots=True)
class Waits:
    """The kinds that complete a hand, each list in canonical order."""

    discards: tuple[Tile, ...] = ()
    """Those with which it may be won on a discard."""
    draws: tuple[Tile, ...] = ()
    """Those with which it may only be won by drawing them, because a discard makes it worth too little."""
    short: tuple[Tile, ...] = ()
    """Those with which it is complete but worth too little, unless the moment adds something to it."""

    @property
    def all(self) -> frozenset[Tile]:
        """Every kind that completes the hand."""
        return frozenset((*self.discards, *self.draws, *self.short))


class WaitFinder:
    """Finds the waits of hands of one rule set in one round; equal hands are judged once."""

    def __init__(self, rules: RuleSet, round_wind: Seat) -> None:
        self._rules, self._round = rules, round_wind
        self._found: dict[tuple[Seat, tuple[Tile, ...], tuple[Meld, ...]], Waits] = {}

    def waits(self, seat: Seat, concealed: Iterable[Tile], melds: tuple[Meld, ...]) -> Waits:
        """What a hand without its winning tile waits for; nothing where it has not the right number of tiles.

        Fans that depend on the moment (last tile, kong replacement …) are not counted. A kind of which the hand has all four copies
        is no wait.
        """
        key = (seat, tuple(sorted(concealed)), melds)
        if key not in self._found:
            self._found[key] = self._judge(*key)
        return self._found[key]

    def _judge(self, seat: Seat, concealed: tuple[Tile, ...], melds: tuple[Meld, ...]) -> Waits:
        if len(concealed) != HAND_SIZE - 3 * len(melds):
            return Waits()
        held = [*concealed, *(tile for meld in melds for tile in meld.tiles)]
        discards, draws, short = [], [], []
        for kind in self._rules.walls.kinds:
            drawn = WinningHand(seat, self._round, concealed, melds, kind, None)
            if held.count(kind) == COPIES or not self._completes(drawn):
                continue
            if isinstance(self._rules.score(replace(drawn, source=seat.next)), Win):
                discards.append(kind)
            elif isinstance(self._rules.score(drawn), Win):
                draws.append(kind)
            else:
                short.append(kind)
        return Waits(tuple(discards), tuple(draws), tuple(short))

    def _completes(self, hand: WinningHand) -> bool:
        outcome = self._rules.score(hand)
        return isinstance(outcome, Win) or outcome.reason == BELOW_MINIMUM


def exchanges(concealed: Iterable[Tile]) -> int:
    """Shanten by the common forms (four sets and a pair, seven pairs, thirteen orphans): 0 when one tile completes the hand.

    By the ``mahjong`` library. Forms that only one rule set has, and suits that must be lacking, are not looked at.
    """
    counts = [0] * len(ALL_TILES)
    for tile in concealed:
        counts[tile] += 1
    return int(Shanten.calculate_shanten(counts))
