"""Whether tiles are a complete riichi hand, and which tiles would complete one; what it is worth is not asked here.

A suit is summed up once for all as whether it divides into sets, or into sets and one pair, and
remembered, since the same suits come again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from twinwall.game.tiles import COPIES, Tile

KINDS = 34
_RANKS = 9
_SUITED = 27
_PAIRS = 7
_TERMINALS_AND_HONOURS = (0, 8, 9, 17, 18, 26, *range(_SUITED, KINDS))
_REMEMBERED = 1 << 17
"""Suits kept: about 400,000 can occur, a few thousand often."""


def counts_of(tiles: Iterable[Tile]) -> list[int]:
    """How many there are of each of the 34 kinds."""
    counts = [0] * KINDS
    for tile in tiles:
        counts[tile] += 1
    return counts


def is_complete(counts: Sequence[int], melds: int) -> bool:
    """Whether concealed tiles (with the winning one) complete a hand beside this many melds: sets and a pair, seven
    different pairs, or thirteen orphans."""
    if sum(counts) + 3 * melds != 14:
        return False
    return _sets_and_pair(counts) or (melds == 0 and (_seven_pairs(counts) or _thirteen_orphans(counts)))


def waits(concealed: Sequence[Tile], melds: int) -> frozenset[Tile]:
    """The kinds that would complete 13 tiles, melds counted as three; a kind of which the seat holds all four is none."""
    counts = counts_of(concealed)
    found = set()
    for kind in range(KINDS):
        if counts[kind] < COPIES and (counts[kind] or _may_wait_on_absent(counts, kind)):
            counts[kind] += 1
            if is_complete(counts, melds):
                found.add(Tile(kind))
            counts[kind] -= 1
    return frozenset(found)


def _may_wait_on_absent(counts: Sequence[int], kind: int) -> bool:
    """Whether a kind that is not held can complete a hand at all: beside a tile held, or as an orphan."""
    if kind in _TERMINALS_AND_HONOURS:
        return True
    return counts[kind - 1] > 0 or counts[kind + 1] > 0


def _sets_and_pair(counts: Sequence[int]) -> bool:
    pairs = 0
    for count in counts[_SUITED:]:
        if count in (1, 4):
            return False
        pairs += count == 2
    for suit in range(0, _SUITED, _RANKS):
        pair = _divides(tuple(counts[suit : suit + _RANKS]))
        if pair is None:
            return False
        pairs += pair
    return pairs == 1


@lru_cache(maxsize=_REMEMBERED)
def _divides(counts: tuple[int, ...]) -> bool | None:
    """Whether a suit's tiles divide into sets with one pair (True) or without (False); None where they do not divide."""
    total = sum(counts)
    if total % 3 == 0:
        return False if _all_sets(list(counts)) else None
    if total % 3 == 1:
        return None
    for rank, count in enumerate(counts):
        if count >= 2:
            left = list(counts)
            left[rank] -= 2
            if _all_sets(left):
                return True
    return None


def _all_sets(left: list[int]) -> bool:
    """Whether tiles of one suit divide into sets alone: a triplet of the lowest rank may be taken wherever it can,
    since three equal runs are three triplets as well."""
    for rank in range(_RANKS):
        runs = left[rank] % 3
        if runs:
            if rank > _RANKS - 3 or left[rank + 1] < runs or left[rank + 2] < runs:
                return False
            left[rank + 1] -= runs
            left[rank + 2] -= runs
    return True


def _seven_pairs(counts: Sequence[int]) -> bool:
    return counts.count(2) == _PAIRS


def _thirteen_orphans(counts: Sequence[int]) -> bool:
    held = [counts[kind] for kind in _TERMINALS_AND_HONOURS]
    return all(held) and sum(held) == sum(counts)
