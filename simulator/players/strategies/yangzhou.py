"""How a simulated player plays Yangzhou: as in ``pattern_strategy``, with the hands in view that reach its minimum of 13.

It aims at fans worth 15 or more, at half flushes and triplets, and at a double chow (10) beside a chow that goes with it;
closed hands of chows bring the rest. It never claims a third chow of one suit, which would bind it to the full flush.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simulator.players.player_view import PlayerView
from simulator.players.strategies.fan_patterns import DRAGONS, SETS, Aim, Book, chow_set, pattern_table, pung_set
from simulator.players.strategies.player import ClaimAnswer, PatternStrategy, Taste
from twinwall.game.play_events import Claim, MeldType
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS, Seat, Tile

_RANKS = range(1, 8)
_SUITS = range(3)
_OPEN_CHOWS = 2
"""How many chows of one suit may lie open without a duty."""

_DOUBLE, _PAIR_OF_CHOWS = 10, 1
_HALF_FLUSH, _TRIPLE = 15, 60


def _patterns() -> Iterator[tuple[Aim, int, tuple[int, int, int]]]:
    """Three sets each: what they are to a player's taste, what they are worth, and their numbers."""
    for low in _RANKS:
        same = (chow_set(0, low), chow_set(1, low), chow_set(2, low))
        yield Aim.MIXED_TRIPLE, _HALF_FLUSH, same
    for suit in _SUITS:
        yield Aim.PURE_STRAIGHT, _HALF_FLUSH, (chow_set(suit, 1), chow_set(suit, 4), chow_set(suit, 7))
        for low in _RANKS:
            double = chow_set(suit, low)
            yield Aim.PURE_SHIFTED, _TRIPLE, (double, double, double)
            for other in _beside(suit, low):
                first, second, third = sorted((double, double, other))
                yield Aim.PURE_SHIFTED, _DOUBLE + _PAIR_OF_CHOWS, (first, second, third)


def _beside(suit: int, low: int) -> Iterator[int]:
    """The chows that are worth a point beside one: six in a row, both ends, the same in another suit."""
    yield from (chow_set(suit, rank) for rank in (low - 3, low + 3) if rank in _RANKS)
    if low in (1, 7):
        yield chow_set(suit, 8 - low)
    yield from (chow_set(other, low) for other in _SUITS if other != suit)


@lru_cache(maxsize=16)
def _set_fans(seat: Seat, round_wind: Seat) -> NDArray[np.int16]:
    """What each set is worth by itself, (55,): dragons and the winds of seat and round 1 each."""
    fans = np.zeros(SETS, dtype=np.int16)
    for kind in (*DRAGONS, *(Tile.EAST + SEATS.index(wind) for wind in (seat, round_wind))):
        fans[pung_set(kind)] += 1
    return fans


BOOK = Book(
    pattern_table(_patterns()),
    minimum=13,
    set_fans=_set_fans,
    all_chows=1,
    all_simples=1,
    closed=2,
    all_pungs=_HALF_FLUSH,
    half_flush=_HALF_FLUSH,
    full_flush=_TRIPLE,
    special_hands=False,
)
"""A closed hand gains 門清, and mostly a point for its wait or the self-draw."""


class YangzhouStrategy(PatternStrategy):
    def __init__(self, rules: RuleSet, taste: Taste) -> None:
        super().__init__(rules, taste, BOOK)

    def answer_discard(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on a discard, or None; never a chow that binds the hand to the full flush."""
        answer = super().answer_discard(view, tile, source)
        if answer is None or answer.claim is not Claim.CHOW:
            return answer
        laid = sum(meld.type is MeldType.CHOW and meld.tiles[0].suit is tile.suit for meld in view.melds)
        return answer if laid < _OPEN_CHOWS else None


strategy = YangzhouStrategy
"""How ``strategies`` finds it."""
