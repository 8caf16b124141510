"""Shanten: how many tiles of a hand must be exchanged before one more completes it.

Where all suits may be kept the ``mahjong`` library counts. It does not know rules in which a suit must be lacking and four
alike are two pairs: for them a suit is summed up once by what can be taken from it (sets, partial sets, a pair), a bit for
each way, and two suits are put together without looking at tiles again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from mahjong.shanten import Shanten

from twinwall.game.tiles import Tile

RANKS = 9
SUITS = 3
_SETS = 4
_HONOURS = 7
_PAIRS = 7
_REMEMBERED = 1 << 17

Way = tuple[int, int, int]
"""What one way takes from a suit: sets, partial sets (one tile short), and whether a pair besides."""

_MOST_PARTIALS = 8


@dataclass(frozen=True, slots=True)
class Holding:
    """Own tiles by kind, and the copies of each kind that are not seen."""

    counts: tuple[int, ...]
    unseen: tuple[int, ...]

    def kinds(self) -> Iterator[Tile]:
        """The kinds that are held."""
        return (Tile(kind) for kind, count in enumerate(self.counts) if count)

    def without(self, tile: Tile, count: int = 1) -> Self:
        """The hand when this many copies of a kind have left it."""
        return replace(self, counts=(*self.counts[:tile], self.counts[tile] - count, *self.counts[tile + 1 :]))

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


def distance(counts: Sequence[int], melds: int, suits: tuple[int, int]) -> int:
    """Tiles that must be exchanged before any one tile completes the hand (0: ready, −1: complete), in ``suits`` alone.

    ``counts`` are the concealed tiles by kind (27), ``melds`` how many sets lie open, ``suits`` the two suits that may be kept.
    """
    first, second = RANKS * suits[0], RANKS * suits[1]
    one, other = tuple(counts[first : first + RANKS]), tuple(counts[second : second + RANKS])
    away = _away(_ways(one), _ways(other), melds)
    return away if melds else min(away, _PAIRS - 1 - min(_pairs(one) + _pairs(other), _PAIRS))


@lru_cache(maxsize=_REMEMBERED)
def distance_in_all(counts: tuple[int, ...], melds: int) -> int:
    """The same in all three suits and honours, by the ``mahjong`` library; ``counts`` has 34 entries. Seven pairs must be different ones,
    and what takes a fifth copy of a tile is no way to get there.

    Where ``counts`` leaves out tiles that cannot be used, honours that fit nothing take their place, since the library tells the
    number of melds from that of the tiles.
    """
    missing = max(0, 13 - 3 * melds - sum(counts))
    spare = max(0, -(-(missing - _HONOURS) // 3))  # so few tiles are left that three less, taken for a meld, are two exchanges less
    padded = [*counts[:-_HONOURS], *(count or int(place < missing - 3 * spare) for place, count in enumerate(counts[-_HONOURS:]))]
    away = Shanten.calculate_shanten_for_regular_hand(padded) + 2 * spare
    return away if melds else min(away, Shanten.calculate_shanten_for_chiitoitsu_hand(counts))


@lru_cache(maxsize=_REMEMBERED)
def _pairs(counts: tuple[int, ...]) -> int:
    return sum(count // 2 for count in counts)


@lru_cache(maxsize=_REMEMBERED)
def _away(one: int, other: int, melds: int) -> int:
    """The distance of two suits together, each given as a set of ways."""
    return 2 * (_SETS - melds) - max(_worth(first, second, melds) for first in _each(one) for second in _each(other))


def _worth(one: Way, other: Way, melds: int) -> int:
    """How many exchanges the taken parts save; no more parts count than there are places for."""
    wanted = _SETS - melds
    sets = min(one[0] + other[0], wanted)
    pairs = one[2] + other[2]
    # A second pair is a partial set: it may become a triplet.
    partials = min(one[1] + other[1] + max(0, pairs - 1), wanted - sets)
    return 2 * sets + partials + min(pairs, 1)


def _each(ways: int) -> Iterator[Way]:
    """The ways of a set."""
    while ways:
        lowest = ways & -ways
        number = lowest.bit_length() - 1
        yield number // 2 // _MOST_PARTIALS, number // 2 % _MOST_PARTIALS, number % 2
        ways ^= lowest


@lru_cache(maxsize=_REMEMBERED)
def _ways(counts: tuple[int, ...]) -> int:
    """The best ways to take parts from one suit, as a set: none is worse in all three numbers than another."""
    partials: dict[tuple[int, int], int] = {}
    for sets, short, pair in _each(_all_ways(counts)):  # in the order of their numbers: the most partial sets come last
        partials[sets, pair] = short
    ways = [(sets, short, pair) for (sets, pair), short in partials.items()]
    best = [way for way in ways if not any(way is not one and way[0] <= one[0] and way[1] <= one[1] and way[2] <= one[2] for one in ways)]
    return sum(1 << _number(way) for way in best)


def _number(way: Way) -> int:
    return (way[0] * _MOST_PARTIALS + way[1]) * 2 + way[2]


_SET, _PARTIAL = _number((1, 0, 0)), _number((0, 1, 0))
_WITHOUT_PAIR = sum(1 << number for number in range(0, _number((5, 0, 0)), 2))
_PARTS = (
    ((0, 0, 0), _SET),
    ((0, 1, 2), _SET),
    ((0, 0), _PARTIAL),
    ((0, 1), _PARTIAL),
    ((0, 2), _PARTIAL),
    ((0,), 0),
)
"""The tiles of each part as steps up from its lowest, and by how much its number makes a way's number greater."""


@lru_cache(maxsize=_REMEMBERED)
def _all_ways(counts: tuple[int, ...]) -> int:
    """Every way to take parts from one suit: something is done with its lowest tile, and then with what is left."""
    lowest = next((rank for rank, count in enumerate(counts) if count), None)
    if lowest is None:
        return 1
    ways = 0
    for steps, number in _PARTS:
        left = _taken(counts, lowest, steps)
        if left is not None:
            rest = _all_ways(left)
            ways |= rest << number
            if steps == (0, 0):
                ways |= (rest & _WITHOUT_PAIR) << 1
    return ways


def _taken(counts: tuple[int, ...], lowest: int, steps: tuple[int, ...]) -> tuple[int, ...] | None:
    """What is left of a suit without one part; None where it does not hold the part."""
    left = [*counts, 0, 0]
    for step in steps:
        left[lowest + step] -= 1
    return tuple(left[:RANKS]) if min(left) >= 0 else None
