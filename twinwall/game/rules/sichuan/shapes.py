"""How the concealed tiles of a hand divide into sets and one pair, suit by suit.

What a division is worth depends only on whether all its sets are triplets and whether every part has
a 1 or a 9, so a suit is summed up as the set of such forms, a bit each; forms of two suits combine
without looking at tiles again. A suit's forms are remembered, since the same suits come again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

RANKS = 9
_PAIR, _TRIPLETS, _OUTSIDE = 1, 2, 4
_FORMS = 8
_REMEMBERED = 1 << 17
"""Suits kept: about 400,000 can occur, a few thousand often."""


@dataclass(frozen=True, slots=True)
class DivisionTraits:
    """What one way to divide the concealed tiles amounts to."""

    triplets: bool
    """No set is a run."""
    outside: bool
    """Every set and the pair has a 1 or a 9."""


def divisions(counts: Sequence[int]) -> tuple[DivisionTraits, ...]:
    """What the ways to divide tiles into sets and exactly one pair amount to; none where there is no way.

    ``counts`` has 27 entries: how many tiles there are of each kind, in canonical order.
    """
    characters = _suit_forms(tuple(counts[:RANKS]))
    dots = _suit_forms(tuple(counts[RANKS : 2 * RANKS]))
    bamboos = _suit_forms(tuple(counts[2 * RANKS : 3 * RANKS]))
    return _DIVISIONS[_together(_together(characters, dots), bamboos)]


@lru_cache(maxsize=_REMEMBERED)
def _suit_forms(counts: tuple[int, ...]) -> int:
    """The forms that one suit's tiles can be divided into: bit ``f`` stands for form ``f``."""
    if sum(counts) % 3 == 1:
        return 0
    return _forms(list(counts), 0, _TRIPLETS | _OUTSIDE)


def _forms(left: list[int], rank: int, form: int) -> int:
    while rank < RANKS and not left[rank]:
        rank += 1
    if rank == RANKS:
        return 1 << form
    found = 0
    outside = form if rank in (0, RANKS - 1) else form & ~_OUTSIDE
    if left[rank] >= 3:
        left[rank] -= 3
        found |= _forms(left, rank, outside)
        left[rank] += 3
    if left[rank] >= 2 and not form & _PAIR:
        left[rank] -= 2
        found |= _forms(left, rank, outside | _PAIR)
        left[rank] += 2
    if rank < RANKS - 2 and left[rank + 1] and left[rank + 2]:
        for step in range(3):
            left[rank + step] -= 1
        run = form & ~_TRIPLETS
        found |= _forms(left, rank, run if rank in (0, RANKS - 3) else run & ~_OUTSIDE)
        for step in range(3):
            left[rank + step] += 1
    return found


@cache
def _together(one: int, other: int) -> int:
    """The forms of two groups of tiles taken together; two pairs are no form."""
    found = 0
    for first in range(_FORMS):
        for second in range(_FORMS):
            if one >> first & 1 and other >> second & 1 and not first & second & _PAIR:
                found |= 1 << ((first & second) | ((first | second) & _PAIR))
    return found


def _divisions_of(forms: int) -> tuple[DivisionTraits, ...]:
    return tuple(
        DivisionTraits(bool(form & _TRIPLETS), bool(form & _OUTSIDE)) for form in range(_FORMS) if forms >> form & 1 and form & _PAIR
    )


_DIVISIONS = tuple(_divisions_of(forms) for forms in range(1 << _FORMS))
