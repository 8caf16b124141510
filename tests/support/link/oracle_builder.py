"""A wall built by somebody who knows each tile before it comes to the gate."""

from __future__ import annotations

from collections import Counter
from random import Random

from firmware_bridge.link.events import Done, FeederEvent
from firmware_bridge.messages import PLACE_EDGES, RELEASE_EDGES, Bypass, Capabilities, Feed, Place, Recirculate, Release, Result, TileAtGate
from tests.support.link.pair import Pair
from twinwall.game.tiles import ALL_TILES

Spot = tuple[int, int]


class OracleBuilder:
    """Builds four dealt walls; it looks into the gate instead of reading a picture."""

    def __init__(self, pair: Pair, seed: int) -> None:
        faces = [tile.text for tile in ALL_TILES for _ in range(4)]
        Random(seed).shuffle(faces)
        self.wanted = {(seat, position): faces[34 * seat + position] for seat in range(4) for position in range(34)}
        self.pair = pair
        self.open = dict(self.wanted)
        self.cells: dict[int, str] = {}
        self.filled_cells: set[int] = set()
        self.placed: set[Spot] = set()
        self.backlog: Counter[int] = Counter()
        self._spots: dict[int, Spot] = {}
        self._bypasses: dict[int, int] = {}
        self._sizes = Capabilities()

    def build(self) -> float:
        """Build everything; return how long it took from the first FEED, in simulated seconds."""
        self.pair.up()
        began_s = self.pair.now_s
        self.pair.on_event = self._take
        self.pair.submit(Feed())
        self.pair.run_until(lambda: len(self.placed) == 136, 500.0)
        return self.pair.now_s - began_s

    def _take(self, event: FeederEvent) -> None:
        match event:
            case TileAtGate():
                self._decide()
            case Done(Result.OK, sensors, operation=operation) if operation in self._spots and sensors in (PLACE_EDGES, RELEASE_EDGES):
                spot = self._spots[operation]
                self.placed.add(spot)
                self.backlog[spot[0]] -= 1
                self._empty_cells()
            case Done(Result.OK, operation=operation) if operation in self._bypasses:
                self.filled_cells.add(self._bypasses[operation])
                self._empty_cells()
            case _:
                pass

    def _decide(self) -> None:
        seen = self.pair.mechanics.gate_tile()
        assert seen is not None
        spot = None if seen.obscured else self._best(seen.face)
        free_cell = next((cell for cell in range(4) if cell not in self.cells), None)
        if spot is not None:
            self._send(spot, Place(*spot))
        elif seen.obscured or free_cell is None:
            self.pair.submit(Recirculate())
        else:
            self.cells[free_cell] = seen.face
            self._bypasses[self.pair.submit(Bypass(free_cell))] = free_cell

    def _empty_cells(self) -> None:
        for cell, face in list(self.cells.items()):
            spot = self._best(face)
            if spot is not None and cell in self.filled_cells:
                del self.cells[cell]
                self.filled_cells.remove(cell)
                self._send(spot, Release(cell, *spot))

    def _send(self, spot: Spot, command: Place | Release) -> None:
        del self.open[spot]
        self.backlog[spot[0]] += 1
        self._spots[self.pair.submit(command)] = spot

    def _best(self, face: str) -> Spot | None:
        """The fitting place that is best now; less work left counts for little, and a lower tile frees an upper one."""
        fitting = [spot for spot, wanted in self.open.items() if wanted == face and self._reachable(spot)]
        return min(fitting, key=self._cost, default=None)

    def _reachable(self, spot: Spot) -> bool:
        below = self._sizes.support_below(spot[1])
        return self.backlog[spot[0]] <= self._sizes.shuttle_queue and (below is None or (spot[0], below) in self.placed)

    def _cost(self, spot: Spot) -> float:
        left = sum(seat == spot[0] for seat, _ in self.open)
        frees = self._sizes.covered_by(spot[1]) is not None
        return self.backlog[spot[0]] + 0.3 * spot[1] / 40 - 0.12 * left - (0.5 if frees else 0.0)
