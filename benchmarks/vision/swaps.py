"""Probability of a swapped pair in a finished wall, from a reader's measured confusions.

The count of four per kind finds every single misread. Two that cancel (an *a* read as *b*, and a *b* read as *a* in the same wall) pass it;
a second model's re-reads find them. This module computes from counts that ``benchmarks.vision.audit`` measures.
"""

import math

from twinwall.game.tiles import COPIES


def survival(there: float, here: float, *, positions: int, re_read: int) -> float:
    """Return the chance that one swapped pair passes the re-reads, if the second model repeats its two misreads with these probabilities (0
    to 1)."""
    both = re_read * (re_read - 1) / (positions * (positions - 1))
    neither = (positions - re_read) * (positions - re_read - 1) / (positions * (positions - 1))
    return neither + (1.0 - both - neither) * (there + here) / 2 + both * there * here


def most_swaps(misread: float, *, kinds: int = 34) -> float:
    """Return the most swapped pairs per wall that a misread rate over all kinds allows, as if it fell on one pair of kinds.

    With rate e over ``kinds`` kinds that pair has e · kinds / 2 each, so (4 · e · kinds / 2)² pairs are expected.
    """
    return (COPIES * misread * kinds / 2) ** 2


def misread_bound(misreads: int, reads: int, *, confidence: float = 0.95) -> float:
    """Return the upper limit of the true misread rate at ``confidence``, after ``misreads`` in ``reads`` independent reads: Clopper and
    Pearson's (Biometrika 26, 1934), found by halving; without misreads it is near 3 / reads."""
    if not 0 <= misreads <= reads or reads < 1:
        raise ValueError(f"{misreads} misreads of {reads} reads make no rate")
    low, high = misreads / reads, 1.0
    if misreads == reads:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(misreads, reads, middle) > 1 - confidence else (low, middle)
    return high


def _at_most(count: int, of: int, rate: float) -> float:
    """Return the chance of at most ``count`` in ``of`` trials at a rate between 0 and 1."""
    term = of * math.log1p(-rate)
    total = math.exp(term)
    for k in range(1, count + 1):
        term += math.log((of - k + 1) / k) + math.log(rate) - math.log1p(-rate)
        total += math.exp(term)
    return total
