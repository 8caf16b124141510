"""The shapes that a player aims at, as tables over the 34 kinds, and the book of them for MCR.

A *set* is a chow or a pung, numbered 0–54. A *pattern* is three sets that are worth the eight
points, or nearly, by themselves (mixed straight, pure shifted chows, …), or the nine tiles of a
knitted straight; any fourth set and any pair complete it. Fan values: 1998 Chinese Official rules.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from twinwall.game.play_events import Meld, MeldType
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.values import frozen, frozen_identity

Counts = NDArray[np.int16]

CHOW_SETS = 21
SETS = CHOW_SETS + len(Tile)
DRAGONS = (Tile.RED, Tile.GREEN, Tile.WHITE)


def chow_set(suit: int, low_rank: int) -> int:
    """The number of the chow whose lowest tile is ``low_rank`` (1–7) of ``suit`` (0–2)."""
    return suit * 7 + low_rank - 1


def pung_set(kind: int) -> int:
    return CHOW_SETS + kind


def set_of_meld(meld: Meld) -> int:
    """The set that a meld is; a kong counts as the pung of its kind."""
    if meld.type is MeldType.CHOW:
        suit, low = divmod(min(meld.tiles), 9)
        return chow_set(suit, low + 1)
    return pung_set(meld.tiles[0])


def _set_counts() -> Counts:
    counts = np.zeros((SETS, len(Tile)), dtype=np.int16)
    for suit in range(3):
        for low in range(1, 8):
            first = suit * 9 + low - 1
            counts[chow_set(suit, low), first : first + 3] = 1
    for kind in range(len(Tile)):
        counts[pung_set(kind), kind] = 3
    return counts


SET_COUNTS: Counts = _set_counts()
"""Tiles of every set, (55, 34)."""
SET_IS_CHOW = np.arange(SETS) < CHOW_SETS
_SIMPLE_KINDS = np.array([tile.suit.value != "z" and 2 <= tile.rank <= 8 for tile in Tile])
SET_IS_SIMPLE = (SET_COUNTS[:, ~_SIMPLE_KINDS] == 0).all(axis=1)
PAIR_IS_SIMPLE = _SIMPLE_KINDS
PAIR_IS_SUITED = np.arange(len(Tile)) < Tile.EAST
OUTSIDE_KINDS = np.array([tile.is_honour or tile.rank in (1, 9) for tile in Tile])


class Aim(IntEnum):
    """What a player may like better or worse: kinds of hands, and the patterns of like shape together."""

    MIXED_STRAIGHT = 0
    MIXED_SHIFTED = 1
    MIXED_TRIPLE = 2
    PURE_STRAIGHT = 3
    PURE_SHIFTED = 4
    PUNGS = 5
    FLUSH = 6
    PAIRS = 7
    KNITTED = 8


@frozen_identity
class PatternTable:
    """The patterns of a rule set: ``counts`` (n, 34) tiles, ``sets`` (n, 55) how often each set occurs, ``fan`` (n,) the
    pattern's own value, ``aim`` (n,) what it is to a player's taste, ``chows`` and ``simple`` (n,) whether all of
    it is chows, or without ends and honours."""

    counts: Counts
    sets: Counts
    fan: NDArray[np.int16]
    aim: NDArray[np.int16]
    chows: NDArray[np.bool_]
    simple: NDArray[np.bool_]


def _three_sets() -> Iterator[tuple[Aim, int, tuple[int, int, int]]]:
    suits = tuple(permutations(range(3)))
    for a, b, c in suits:
        yield Aim.MIXED_STRAIGHT, 8, (chow_set(a, 1), chow_set(b, 4), chow_set(c, 7))
        for low in range(1, 6):
            yield Aim.MIXED_SHIFTED, 6, (chow_set(a, low), chow_set(b, low + 1), chow_set(c, low + 2))
        for rank in range(7):
            yield Aim.PUNGS, 8, (pung_set(a * 9 + rank), pung_set(b * 9 + rank + 1), pung_set(c * 9 + rank + 2))
    for low in range(1, 8):
        yield Aim.MIXED_TRIPLE, 8, (chow_set(0, low), chow_set(1, low), chow_set(2, low))
    for rank in range(9):
        yield Aim.PUNGS, 16, (pung_set(rank), pung_set(9 + rank), pung_set(18 + rank))
    for suit in range(3):
        yield Aim.PURE_STRAIGHT, 16, (chow_set(suit, 1), chow_set(suit, 4), chow_set(suit, 7))
        for step in (1, 2):
            for low in range(1, 8 - 2 * step):
                yield Aim.PURE_SHIFTED, 16, (chow_set(suit, low), chow_set(suit, low + step), chow_set(suit, low + 2 * step))
        for low in range(1, 8):
            yield Aim.PURE_SHIFTED, 24, (chow_set(suit, low),) * 3
        for rank in range(7):
            yield Aim.PUNGS, 24, (pung_set(suit * 9 + rank), pung_set(suit * 9 + rank + 1), pung_set(suit * 9 + rank + 2))


def knitted_kinds() -> tuple[tuple[int, ...], ...]:
    """The six knitted straights: 147, 258 and 369 each in its own suit."""
    starts = [[start + 3 * step for step in range(3)] for start in range(3)]
    return tuple(
        tuple(suit * 9 + rank for ranks, suit in zip(starts, order, strict=True) for rank in ranks) for order in permutations(range(3))
    )


def pattern_table(listed: Iterable[tuple[Aim, int, tuple[int, int, int]]], knitted: Sequence[tuple[int, ...]] = ()) -> PatternTable:
    """The table of patterns of three sets, given as what they are, their fan and the sets' numbers, and of ``knitted`` straights."""
    rows = sorted(set(listed))
    sets = np.zeros((len(rows) + len(knitted), SETS), dtype=np.int16)
    for row, (_, _, numbers) in enumerate(rows):
        for number in numbers:
            sets[row, number] += 1
    counts = sets @ SET_COUNTS
    for row, kinds in enumerate(knitted, start=len(rows)):
        counts[row, list(kinds)] = 1
    fan = np.array([fan for _, fan, _ in rows] + [12] * len(knitted), dtype=np.int16)
    aim = np.array([aim for aim, _, _ in rows] + [Aim.KNITTED] * len(knitted), dtype=np.int16)
    return PatternTable(
        counts,
        sets,
        fan,
        aim,
        chows=sets[:, ~SET_IS_CHOW].sum(axis=1) == 0,
        simple=(counts[:, ~_SIMPLE_KINDS] == 0).all(axis=1),
    )


PATTERNS: PatternTable = pattern_table(_three_sets(), knitted_kinds())
"""The patterns of MCR."""


@frozen
class Family:
    """Hands of four sets out of ``sets`` (55,) with a pair out of ``pairs`` (34,)."""

    aim: Aim
    sets: NDArray[np.bool_]
    pairs: NDArray[np.bool_]


def _flush(suit: int) -> Family:
    kinds = np.array([tile // 9 == suit or tile.is_honour for tile in Tile])
    return Family(Aim.FLUSH, (SET_COUNTS[:, ~kinds] == 0).all(axis=1), kinds)


ALL_PUNGS = Family(Aim.PUNGS, ~SET_IS_CHOW, np.ones(len(Tile), dtype=bool))
FLUSHES: tuple[Family, ...] = tuple(_flush(suit) for suit in range(3))


@lru_cache(maxsize=16)
def set_fans(seat: Seat, round_wind: Seat) -> NDArray[np.int16]:
    """What each set is worth by itself, (55,): dragons and own winds 2 each, other ends and winds 1."""
    fans = np.zeros(SETS, dtype=np.int16)
    for tile in Tile:
        if OUTSIDE_KINDS[tile]:
            fans[pung_set(tile)] = 1
    for dragon in DRAGONS:
        fans[pung_set(dragon)] = 2
    own, prevailing = (Tile.EAST + SEATS.index(wind) for wind in (seat, round_wind))
    fans[pung_set(own)] = 2
    fans[pung_set(prevailing)] = 4 if own == prevailing else 2
    return fans


@lru_cache(maxsize=1024)
def rows_with(patterns: PatternTable, melds: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which pattern and fourth set (n, 55) together contain all these sets."""
    wanted = np.zeros(SETS, dtype=np.int16)
    for number in melds:
        wanted[number] += 1
    lacking = np.maximum(wanted - patterns.sets, 0)
    contained: NDArray[np.bool_] = lacking.sum(axis=1)[:, None] <= (lacking > 0)
    return contained


@frozen_identity
class Book:
    """What a rule set makes worth aiming at, in its own points."""

    patterns: PatternTable
    minimum: int
    set_fans: Callable[[Seat, Seat], NDArray[np.int16]]
    """What each set is worth by itself, (55,), to a seat in a round."""
    all_chows: int
    all_simples: int
    closed: int
    """What a hand gains by staying closed."""
    all_pungs: int
    half_flush: int
    full_flush: int
    special_hands: bool
    """Whether seven pairs, knitted honours and thirteen orphans win."""


MCR = Book(
    PATTERNS,
    minimum=8,
    set_fans=set_fans,
    all_chows=2,
    all_simples=2,
    closed=2,
    all_pungs=6,
    half_flush=6,
    full_flush=24,
    special_hands=True,
)
