"""Drum: one for all gates. Falling tiles are poured into it, and every gate catches from it at random."""

from collections.abc import Callable, Iterable
from random import Random

from simulator.tabletop import PhysicalTile


class Drum:
    """Tiles, and whether it turns; ``catchers`` are called at every change. A ``blocked`` one gives none."""

    def __init__(self) -> None:
        self.blocked = False
        self.tiles: list[PhysicalTile] = []
        self.turning = False
        self.catchers: list[Callable[[], None]] = []

    def turn(self, on: bool) -> None:
        """Turn or rest; tiles already caught stay in their rows."""
        self.turning = on
        self._stir()

    def block(self, blocked: bool) -> None:
        """Something gets between drum and gates, or is taken out."""
        self.blocked = blocked
        self._stir()

    def pour(self, tiles: Iterable[PhysicalTile]) -> None:
        self.tiles.extend(tiles)
        self._stir()

    def caught(self, chance: Random) -> PhysicalTile:
        """One of the tiles, which leaves the drum."""
        return self.tiles.pop(chance.randrange(len(self.tiles)))

    def _stir(self) -> None:
        for catcher in self.catchers:
            catcher()
