"""Whether tiles are a complete riichi hand, and which tiles complete one."""

from collections.abc import Sequence

from twinwall.game.rules.divisions import KINDS, counts_of, is_divided
from twinwall.game.tiles import COPIES, Tile

_SUITED = 27
_PAIRS = 7
_TERMINALS_AND_HONOURS = (0, 8, 9, 17, 18, 26, *range(_SUITED, KINDS))


def is_complete(counts: Sequence[int], melds: int) -> bool:
    """Whether concealed tiles (with the winning one) and this many melds are a hand: sets and a pair, seven different pairs, or thirteen
    orphans."""
    if sum(counts) + 3 * melds != 14:
        return False
    return is_divided(counts) or (melds == 0 and (counts.count(2) == _PAIRS or _thirteen_orphans(counts)))


def waits(concealed: Sequence[Tile], melds: int) -> frozenset[Tile]:
    """The kinds that complete 13 tiles (melds count as three), except one of which the seat holds all four."""
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
    """Whether a kind that is not held can complete a hand: beside a held tile, or as an orphan."""
    if kind in _TERMINALS_AND_HONOURS:
        return True
    return counts[kind - 1] > 0 or counts[kind + 1] > 0


def _thirteen_orphans(counts: Sequence[int]) -> bool:
    held = [counts[kind] for kind in _TERMINALS_AND_HONOURS]
    return all(held) and sum(held) == sum(counts)
