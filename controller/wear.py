"""Tells from a table's journal which kinds of a set are read less surely than they were: worn, chipped or dirty tiles.

Pure. A kind's surety in one wall is the mean over its showings at the gate: the digits of certainty of a read, nothing
for a look that was unsure. The last walls are held against the first ones of the same set.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from controller.events import JournalEvent
from controller.events.wall import DealOpened, TileArrived, TileRead
from twinwall.game.tiles import Tile
from vision.reading import Reason

WALLS = 3
"""So many first and last walls of a set are compared."""
_MOST_DIGITS = 4.0
_LOST_DIGITS = 0.7
_LOW_DIGITS = 2.5
"""A kind that is still read at 99.7 % or better needs no advice, whatever it lost."""
_DOUBTS = frozenset({Reason.UNSURE.value, Reason.NOT_A_TILE.value, Reason.SHAPE.value})


@dataclass(frozen=True, slots=True)
class Worn:
    """A kind of the set with these backs, and its digits of certainty in the first and in the last walls."""

    back: int
    tile: Tile
    then: float
    now: float


def worn(events: Iterable[JournalEvent], walls: int = WALLS) -> list[Worn]:
    """The kinds that have lost most, first; a set needs at least twice as many walls as are compared."""
    looks = _looks(events)
    found = []
    for (back, tile), by_wall in looks.items():
        sureties = [sum(digits) / len(digits) for _, digits in sorted(by_wall.items())]
        if len(sureties) < 2 * walls:
            continue
        then, now = (sum(part) / walls for part in (sureties[:walls], sureties[-walls:]))
        if now <= then - _LOST_DIGITS and now <= _LOW_DIGITS:
            found.append(Worn(back, tile, then, now))
    return sorted(found, key=lambda one: (one.now - one.then, one.back, one.tile))


def _looks(events: Iterable[JournalEvent]) -> dict[tuple[int, Tile], dict[int, list[float]]]:
    """Digits of certainty of every look by set and kind, then by wall; a doubtful look counts for the kind that its showing ended with."""
    looks: dict[tuple[int, Tile], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    wall, backs, doubts = 0, dict[int, int](), defaultdict[int, int](int)
    for event in events:
        match event:
            case DealOpened():
                wall = event.n
            case TileArrived(gate=gate):
                backs[gate], doubts[gate] = event.back, 0
            case TileRead(None, _, reason, gate=gate):
                doubts[gate] += reason in _DOUBTS
            case TileRead(tile, probability, _, gate=gate) if tile is not None:
                digits = min(-math.log10(max(1.0 - probability, 10.0**-_MOST_DIGITS)), _MOST_DIGITS)
                looks[backs.get(gate, 0), tile][wall] += [digits, *[0.0] * doubts[gate]]
                doubts[gate] = 0
            case _:
                pass
    return looks
