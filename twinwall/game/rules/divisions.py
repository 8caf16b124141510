"""Divides concealed tiles into sets and one pair (``divisions``), and finds the kinds that complete them. Suits divide independently, so
each suit's result is cached. Honours are a fourth suit of seven kinds without chows."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from twinwall.game.tiles import Tile
from twinwall.values import frozen

RANKS = 9
KINDS = 34
_SUITS = ((0, 9), (9, 18), (18, 27), (27, 34))
_REMEMBERED = 1 << 16
"""Suits in each cache."""
_NO_PAIR = -1


@frozen
class Division:
    """One division: the first kind of each chow, the kind of each triplet and of the pair (_NO_PAIR is possible for one suit)."""

    chows: tuple[int, ...]
    triplets: tuple[int, ...]
    pair: int


def counts_of(tiles: Iterable[Tile]) -> list[int]:
    """The number of tiles of each of the 34 kinds."""
    counts = [0] * KINDS
    for tile in tiles:
        counts[tile] += 1
    return counts


def divisions(counts: Sequence[int]) -> Iterator[Division]:
    """All divisions into sets and exactly one pair. ``counts`` is the number of tiles of each of the 34 kinds, in canonical order."""
    if not may_divide(sum(counts[first:last]) for first, last in _SUITS):
        return
    for parts in product(*(_parts(tuple(counts[first:last]), first) for first, last in _SUITS)):
        pair = max(part.pair for part in parts)
        yield Division(
            tuple([chow for part in parts for chow in part.chows]), tuple([kind for part in parts for kind in part.triplets]), pair
        )


def may_divide(sizes: Iterable[int]) -> bool:
    """Whether suits with these numbers of tiles can be sets and exactly one pair."""
    left = [size % 3 for size in sizes]
    return left.count(2) == 1 and 1 not in left


def is_divided(counts: Sequence[int]) -> bool:
    """Whether ``counts`` (as in ``divisions``) are sets and exactly one pair."""
    wholes = [_whole(tuple(counts[first:last]), first) for first, last in _SUITS]
    return wholes.count(_SETS) == len(_SUITS) - 1 and _PAIRED in wholes


def waits(counts: Sequence[int]) -> tuple[int, ...]:
    """The kinds that complete ``counts`` (as in ``divisions``, one tile short), even if all four copies are in it."""
    suits = [_suit_waits(tuple(counts[first:last]), first) for first, last in _SUITS]
    found: list[int] = []
    for index, (_, with_sets, with_pair) in enumerate(suits):
        others = sorted([whole for at, (whole, _, _) in enumerate(suits) if at != index])
        if others == [_SETS, _SETS, _SETS]:
            found.extend(with_pair)
        elif others == [_SETS, _SETS, _PAIRED]:
            found.extend(with_sets)
    return tuple(found)


_SETS, _PAIRED, _NEITHER = 0, 1, 2


@lru_cache(maxsize=_REMEMBERED)
def _suit_waits(counts: tuple[int, ...], first: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Whether one suit is sets, sets and a pair, or neither; the kinds that make it sets; and those that make it sets and a pair."""
    with_sets, with_pair = [], []
    for rank in range(len(counts)):
        whole = _whole((*counts[:rank], counts[rank] + 1, *counts[rank + 1 :]), first)
        if whole == _SETS:
            with_sets.append(first + rank)
        elif whole == _PAIRED:
            with_pair.append(first + rank)
    return _whole(counts, first), tuple(with_sets), tuple(with_pair)


@lru_cache(maxsize=_REMEMBERED)
def _whole(counts: tuple[int, ...], first: int) -> int:
    lacking = sum(counts) % 3
    if lacking == 1 or not _parts(counts, first):
        return _NEITHER
    return _PAIRED if lacking else _SETS


@lru_cache(maxsize=_REMEMBERED)
def _parts(counts: tuple[int, ...], first: int) -> tuple[Division, ...]:
    """All divisions of one suit, with a pair if the number of tiles requires one; ``first`` is the suit's first kind."""
    return tuple(_divided(list(counts), 0, first, paired=sum(counts) % 3 != 2))


def _divided(left: list[int], rank: int, first: int, *, paired: bool) -> Iterator[Division]:
    while rank < len(left) and not left[rank]:
        rank += 1
    if rank == len(left):
        if paired:
            yield Division((), (), _NO_PAIR)
        return
    kind = first + rank
    if left[rank] >= 3:
        left[rank] -= 3
        yield from [Division(rest.chows, (kind, *rest.triplets), rest.pair) for rest in _divided(left, rank, first, paired=paired)]
        left[rank] += 3
    if left[rank] >= 2 and not paired:
        left[rank] -= 2
        yield from [Division(rest.chows, rest.triplets, kind) for rest in _divided(left, rank, first, paired=True)]
        left[rank] += 2
    if len(left) == RANKS and rank < RANKS - 2 and left[rank + 1] and left[rank + 2]:
        for step in range(3):
            left[rank + step] -= 1
        yield from [Division((kind, *rest.chows), rest.triplets, rest.pair) for rest in _divided(left, rank, first, paired=paired)]
        for step in range(3):
            left[rank + step] += 1
