"""What the sensors of the draw gates tell of a hand that people play at a simulated table."""

from dataclasses import dataclass

from benchmarks.played_tables.acts import PutBackTile, TurnUpShared
from benchmarks.played_tables.hand_on_table import HandOnTable
from simulator.disturbances.acts import Draw


@dataclass(frozen=True, slots=True)
class GatePassage:
    """A tile passes the gate of ``wall``, out of it or back; ``rear`` where it is the rear gate."""

    at_ms: int
    wall: int
    out: bool
    rear: bool = False


def gate_passages(hand: HandOnTable) -> tuple[GatePassage, ...]:
    """What the sensors of the gates tell, in order."""
    edges = []
    for timed in hand.acts:
        match timed.act:
            case Draw(wall=wall):
                edges.append(GatePassage(timed.at_ms, wall, out=True))
            case PutBackTile(wall=wall):
                edges.append(GatePassage(timed.at_ms, wall, out=False))
            case TurnUpShared(place=place):
                edges.append(GatePassage(timed.at_ms, place, out=True, rear=True))
            case _:
                pass
    return tuple(edges)
