"""How a simulated player plays Sichuan: it gives up a suit, then comes nearer to a complete hand, and takes every win.

Every decision is a function of what the player sees and of its taste, as in ``player``. There is no chow, and a kong
is paid at once, so pungs are claimed when they bring the hand nearer and kongs when they do not set it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.players.player_view import PlayerView
from simulator.players.strategies.player import ClaimAnswer, Kong, Player
from simulator.players.strategies.shanten import RANKS, SUITS, Holding, distance_in_two
from twinwall.game.play_events import Claim
from twinwall.game.rules.divisions import counts_of
from twinwall.game.tiles import COPIES, Seat, Tile
from twinwall.values import frozen

KINDS = RANKS * SUITS
_KEPT_PAIRS = ((0, 1), (0, 2), (1, 2))
_STEP = 200
"""What one tile nearer to a complete hand is worth, in tiles that may yet bring it nearer: more than there can be."""
_HOPELESS_DISTANCE = 14
"""How far away a hand is whose melds are of all suits: it cannot win."""
_EAGER_CLAIM = 92
"""The ``claim_gain`` (percent) up to which a player also claims a pung that only leaves it as near, if more tiles help then."""


@frozen
class _SichuanHolding(Holding):
    """With how many sets lie open, and the suits they are of."""

    melds: int
    open_suits: frozenset[int]

    def away(self) -> int:
        """How far from complete the hand is in the two suits that suit it best."""
        return min((distance_in_two(self.counts, self.melds, suits) for suits in self._kept()), default=_HOPELESS_DISTANCE)

    def value(self) -> int:
        away = self.away()
        near = (suits for suits in self._kept() if distance_in_two(self.counts, self.melds, suits) == away)
        return max(map(self._nearer, near), default=0) - _STEP * away

    def _kept(self) -> Iterator[tuple[int, int]]:
        return (suits for suits in _KEPT_PAIRS if self.open_suits <= set(suits))

    def _nearer(self, suits: tuple[int, int]) -> int:
        """How many unseen tiles bring the hand nearer in these suits."""
        kinds = (RANKS * suit + rank for suit in suits for rank in range(RANKS))
        return self.nearer(self.counts, kinds, lambda counts: distance_in_two(counts, self.melds, suits))

    def with_meld(self, tile: Tile, from_hand: int) -> _SichuanHolding:
        """The hand when a set of this kind lies open, made with this many of its own tiles."""
        fewer = self.without(tile, from_hand)
        return replace(fewer, melds=self.melds + 1, open_suits=self.open_suits | {tile // RANKS})


class SichuanStrategy(Player):
    def choose_discard(self, view: PlayerView) -> Tile:
        """The tile to throw: the one that leaves the best hand; of equal ones what lies open most."""
        return _hand_of(view).best(view, self._taste.salt)[0]

    def answer_discard(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        if self._wins(view, tile, source):
            return ClaimAnswer(Claim.WIN)
        held = view.concealed.count(tile)
        if held < 2:
            return None
        hand = _hand_of(view)
        if held == COPIES - 1 and view.draws_left and hand.with_meld(tile, held).away() <= hand.away():
            return ClaimAnswer(Claim.KONG, (tile,) * held)
        laid, now = hand.with_meld(tile, 2), hand.value()
        after = laid.best(view, self._taste.salt)[1].value()
        gain = after - now if self._taste.claim_gain <= _EAGER_CLAIM else after // _STEP - now // _STEP
        return ClaimAnswer(Claim.PUNG, (tile,) * 2) if gain > 0 else None

    def choose_kong(self, view: PlayerView) -> Kong | None:
        if not view.draws_left:
            return None
        hand = _hand_of(view)
        now = min(hand.without(tile).away() for tile in hand.kinds())
        return hand.harmless_kong(view, now, lambda tile: hand.with_meld(tile, COPIES))


def _hand_of(view: PlayerView) -> _SichuanHolding:
    suits = frozenset(meld.tiles[0] // RANKS for meld in view.melds)
    return _SichuanHolding(tuple(counts_of(view.concealed)[:KINDS]), tuple(view.unseen()[:KINDS]), len(view.melds), suits)


strategy = SichuanStrategy
"""How ``strategies`` finds it."""
