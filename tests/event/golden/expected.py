"""A small computation of what an event must come to, beside the program's: means, differences and IMP from plain scores."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

BOUNDS = (2, 4, 7, 10, 13, 17, 21, 25, 29, 33, 38, 46, 57, 69, 84, 99, 114, 133, 152, 171, 190, 228, 266, 303)
"""The smallest differences of 1, 2, 3 … IMP on the provisional scale."""


@cache
def imp(difference: Fraction | int) -> int:
    size = sum(Fraction(bound) <= abs(Fraction(difference)) for bound in BOUNDS)
    return size if difference > 0 else -size


def place(seat: int, hand: int) -> int:
    """Where the seat wind 0 to 3 sits in hand 1 to 16."""
    return (seat + hand - 1) % 4


def by_seat(rows: Iterable[tuple[str, int, int]]) -> Iterable[list[tuple[str, int]]]:
    """The players of each seat with their scores: player, seat and score of each."""
    found: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for player, seat, score in rows:
        found[seat].append((player, score))
    return found.values()


def player_imps(rows: Iterable[tuple[str, int, int]]) -> dict[str, int]:
    """The IMP of the players of a group in one deal: player, seat and score of each."""
    return {
        player: imp(score - Fraction(sum(other for _, other in of_seat), len(of_seat)))
        for of_seat in by_seat(rows)
        for player, score in of_seat
    }


def cross_imps(rows: Iterable[tuple[str, int, int]]) -> dict[str, Fraction]:
    """The cross-IMP of a field in one deal: each score against every other of its seat, averaged."""
    return {
        player: Fraction(sum(imp(score - other) for rival, other in of_seat if rival != player), len(of_seat) - 1)
        for of_seat in by_seat(rows)
        for player, score in of_seat
    }
