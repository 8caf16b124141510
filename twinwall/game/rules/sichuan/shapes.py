"""What the ways to divide a hand amount to: a division is worth what it is for its triplets and its ends alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from twinwall.game.rules import divisions as shared

_REMEMBERED = 1 << 16
"""Hands kept."""
_NO_HONOURS = (0,) * (shared.KINDS - 3 * shared.RANKS)


@dataclass(frozen=True, slots=True, order=True)
class DivisionTraits:
    """What one way to divide the concealed tiles amounts to."""

    outside: bool
    """Every set and the pair has a 1 or a 9."""
    triplets: bool
    """No set is a run."""


def divisions(counts: Sequence[int]) -> tuple[DivisionTraits, ...]:
    """What the ways to divide tiles into sets and exactly one pair amount to; none where there is no way.

    ``counts`` has 27 entries: how many tiles there are of each kind, in canonical order.
    """
    return _traits((*counts, *_NO_HONOURS))


@lru_cache(maxsize=_REMEMBERED)
def _traits(counts: tuple[int, ...]) -> tuple[DivisionTraits, ...]:
    return tuple(sorted({DivisionTraits(_is_outside(division), not division.chows) for division in shared.divisions(counts)}))


def _is_outside(division: shared.Division) -> bool:
    ends = all(kind % shared.RANKS in (0, shared.RANKS - 1) for kind in (*division.triplets, division.pair))
    return ends and all(chow % shared.RANKS in (0, shared.RANKS - 3) for chow in division.chows)
