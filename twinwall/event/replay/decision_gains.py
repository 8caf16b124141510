"""Decision gains: for each decision in which the tables of a deal differ, how much more it brought a seat than the other decisions did.

The gain is the difference of two means: the seat's score at the tables that went this way, less its score at the tables that went
otherwise from the same decision. It rests on as few results as there are tables, and proves nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from twinwall.event.replay.parting import Parting, PartingWay
from twinwall.game.tiles import Seat
from twinwall.values import frozen

Scores = Mapping[str, Mapping[Seat, int]]
"""What the hand counts for at each table, by seat."""


@frozen
class DecisionGain:
    """One way that tables went, and its gain for the seat. The tables that went otherwise are ``others``."""

    seat: Seat
    turn: int
    way: PartingWay
    gain: Fraction
    others: tuple[str, ...]


def decision_gains(parted: Sequence[Parting], scores: Scores) -> list[DecisionGain]:
    """For each seat at each table the decision of the largest gain or loss, the earliest among equals; a way of several tables once.

    Tables that have no score are left out; a seat whose decisions were the same everywhere, and a decision that changed nothing, too.
    """
    found: dict[tuple[Seat, str], DecisionGain] = {}
    for gained in (each for parting in parted for each in _gains(parting, scores)):
        for table in gained.way.tables:
            before = found.get((gained.seat, table))
            if before is None or abs(gained.gain) > abs(before.gain):
                found[gained.seat, table] = gained
    unique = {id(gained): gained for gained in found.values() if gained.gain}
    return list(unique.values())


def _gains(parting: Parting, scores: Scores) -> Iterator[DecisionGain]:
    """The gains of the ways of a parting, then those of the partings after it."""
    for way in parting.ways:
        others = tuple(table for other in parting.ways if other is not way for table in other.tables if table in scores)
        here = [table for table in way.tables if table in scores]
        if here and others and way.act:
            gain = _mean(parting.seat, here, scores) - _mean(parting.seat, others, scores)
            yield DecisionGain(parting.seat, parting.turn, way, gain, others)
    for way in parting.ways:
        if way.then is not None:
            yield from _gains(way.then, scores)


def _mean(seat: Seat, tables: Sequence[str], scores: Scores) -> Fraction:
    return Fraction(sum(scores[table][seat] for table in tables), len(tables))
