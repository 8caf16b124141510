"""Planner: the greedy choice of a position for a tile just read.

The weights come from simulated builds (``python -m benchmarks.feeder``). The least backlog counts most, then the seat with
most left to do. Far places are filled first, so that near ones are left for the last tiles, which have no choice. A
tile on which another can be laid is worth a detour. The mean time is flat around these weights, and looking further
ahead gains nothing measurable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TRAVEL_BONUS = 1.0
"""Per second of shuttle travel, against one tile of backlog."""
FILLED_WEIGHT = 0.5
"""Per tile that the seat's tray holds already."""
FREES_UPPER_BONUS = 1.0
POSITIONS_PER_S = 40.0


@dataclass(frozen=True, slots=True)
class PlacementCandidate:
    """A position that wants the tile and could take it now: (place, index), tiles already on their way to that
    place, shuttle travel in positions, tiles its tray already holds, whether it lets an upper tile be laid, and what it costs
    besides to get there."""

    position: tuple[int, int]
    backlog: int
    travel: int
    filled: int
    frees_upper: bool
    detour: float = 0.0

    @property
    def cost(self) -> float:
        """Lower is better."""
        balance = self.backlog + self.detour + FILLED_WEIGHT * self.filled
        return balance - TRAVEL_BONUS * self.travel / POSITIONS_PER_S - FREES_UPPER_BONUS * self.frees_upper


def best(candidates: Iterable[PlacementCandidate]) -> tuple[int, int] | None:
    """The position of least cost; equal costs go to the lower place and index, so that a choice can be repeated."""
    chosen = min(candidates, key=lambda candidate: (candidate.cost, candidate.position), default=None)
    return None if chosen is None else chosen.position
