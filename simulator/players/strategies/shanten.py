"""Shanten: how many tiles of a hand must be exchanged before one more completes it, with or without a suit that must be lacking."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Self

from mahjong.shanten import Shanten

from simulator.players.player_view import PlayerView
from simulator.players.strategies.player import Kong, mixed
from twinwall.game.tiles import COPIES, Tile
from twinwall.values import frozen

RANKS = 9
SUITS = 3
_HONOURS = 7
_PAIRS = 7
_NO_SUIT, _NO_HONOURS = (0,) * RANKS, (0,) * _HONOURS
_REMEMBERED = 1 << 17


@frozen
class Holding:
    """Own tiles by kind, and the copies of each kind that are not seen."""

    counts: tuple[int, ...]
    unseen: tuple[int, ...]

    def kinds(self) -> Iterator[Tile]:
        return (Tile(kind) for kind, count in enumerate(self.counts) if count)

    def without(self, tile: Tile, count: int = 1) -> Self:
        """The hand when this many copies of a kind have left it."""
        return replace(self, counts=(*self.counts[:tile], self.counts[tile] - count, *self.counts[tile + 1 :]))

    def away(self) -> int:
        """How far the hand is from complete; what a strategy aims at makes it."""
        raise NotImplementedError

    def value(self) -> int:
        """How good the hand is: near to complete first, then how many unseen tiles bring it nearer."""
        raise NotImplementedError

    def best(self, view: PlayerView, salt: int, among: frozenset[Tile] = frozenset(Tile)) -> tuple[Tile, Self]:
        """The best discard and what it leaves; of equal ones what lies open most."""
        visible = view.visible()
        left = {tile: self.without(tile) for tile in self.kinds() if tile in among}
        away = {tile: after.away() for tile, after in left.items()}
        nearest = (tile for tile in left if away[tile] == min(away.values()))
        tile = max(nearest, key=lambda tile: (left[tile].value(), visible[tile], mixed(salt, tile)))
        return tile, left[tile]

    def harmless_kong(self, view: PlayerView, now: int, lain: Callable[[Tile], Self]) -> Kong | None:
        """The first kong that leaves the hand no further than ``now``; ``lain`` is the hand with all four of a tile laid face down."""
        for tile in self.kinds():
            if tile in view.pungs and self.without(tile).away() <= now:
                return Kong(tile, added=True)
            if self.counts[tile] == COPIES and lain(tile).away() <= now:
                return Kong(tile, added=False)
        return None

    def nearer(self, useful: Sequence[int], kinds: Iterable[int], away: Callable[[Sequence[int]], int]) -> int:
        """How many unseen tiles of these kinds bring the useful ones nearer, by what ``away`` says of them."""
        counts, now, found = list(useful), away(useful), 0
        for kind in kinds:
            if self.unseen[kind]:
                counts[kind] += 1
                if away(counts) < now:
                    found += self.unseen[kind]
                counts[kind] -= 1
        return found


def distance_in_two(counts: Sequence[int], melds: int, suits: tuple[int, int]) -> int:
    """Tiles that must be exchanged before any one tile completes the hand (0: ready, −1: complete), in ``suits`` alone; four alike are two
    pairs.

    ``counts`` are the concealed tiles by kind (27), ``melds`` how many sets lie open, ``suits`` the two suits that may be kept.
    """
    one, other = (tuple(counts[RANKS * suit : RANKS * (suit + 1)]) for suit in suits)
    away = _regular((*min(one, other), *max(one, other), *_NO_SUIT, *_NO_HONOURS), melds)
    return away if melds else min(away, _PAIRS - 1 - min(sum(count // 2 for count in (*one, *other)), _PAIRS))


def distance_in_all(counts: tuple[int, ...], melds: int) -> int:
    """The same in all three suits and honours; ``counts`` has 34 entries. Seven pairs must be different ones."""
    away = _regular(counts, melds)
    return away if melds else min(away, Shanten.calculate_shanten_for_chiitoitsu_hand(counts))


@lru_cache(maxsize=_REMEMBERED)
def _regular(counts: tuple[int, ...], melds: int) -> int:
    """The distance to four sets and a pair, by the ``mahjong`` library; what takes a fifth copy of a tile is no way to get there.

    Where ``counts`` leaves out tiles that cannot be used, honours that fit nothing take their place, since the library tells the
    number of melds from that of the tiles.
    """
    missing = max(0, 13 - 3 * melds - sum(counts))
    spare = max(0, -(-(missing - _HONOURS) // 3))  # so few tiles are left that three less, taken for a meld, are two exchanges less
    padded = [*counts[:-_HONOURS], *(count or int(place < missing - 3 * spare) for place, count in enumerate(counts[-_HONOURS:]))]
    return Shanten.calculate_shanten_for_regular_hand(padded) + 2 * spare
