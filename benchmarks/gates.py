"""Tables with four gates, at the level of the planner: how long a wall takes with one and with two exchangers.

``python -m benchmarks.gates --json``. Each seat has a drum, a gate and shuttles of its own. A tile that its own seat wants
stays there; any other is led to an exchanger, which carries one tile at a time to the chute of another seat. The planner
is the controller's (``controller.planner``); decisions, bytes and firmware know one gate, so none of them is in this.
Each seat's tray is served from its middle by two shuttles, one on either side, because one alone, at 1.0 s a tile,
would need more than the 32 s; all other times are the reference table's.
"""

from __future__ import annotations

import argparse
import heapq
import json
import statistics
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from controller.planner import Candidate, best
from controller.state import OpenDeal, Position
from firmware_bridge.messages import Capabilities
from tests.building.deals import any_deal
from twinwall.game.tiles import Tile
from twinwall.simulator.mechanics import MechanicsSettings

SEATS = range(4)
UNREAD = 0.01
READ_S = 0.11
"""From a tile's coming to rest until the second of two frames has been read."""
EXCHANGE_S = 0.55
"""An exchanger takes a tile to another seat and comes back."""
MOST_BACKLOG = 3
"""Tiles on their way to a seat, whose two chutes hold two each, while one more may be sent."""
WAITING = 3
"""Tiles that may wait for an exchanger, in all."""
DETOUR = 2.0
"""What carrying a tile to another seat weighs, against one tile of backlog."""


@dataclass(slots=True)
class Seat:
    """One seat's drum, gate, cells and shuttles."""

    drum: list[Tile]
    row: deque[Tile] = field(default_factory=deque)
    gate: Tile | None = None
    entered_s: float = -1.0
    clear_s: float = 0.0
    catching: bool = False
    cells: list[Tile] = field(default_factory=list)
    backlog: int = 0
    shuttle_free_s: list[float] = field(default_factory=lambda: [0.0, 0.0])
    filled: int = 0


class FourGates:
    """One build; ``run`` returns its length in seconds."""

    def __init__(self, deal: OpenDeal, seed: int, exchangers: int) -> None:
        self._deal, self._chance = deal, Random(f"four gates {seed}")
        self._machine, self._capabilities = MechanicsSettings(), Capabilities()
        tiles = [deal.wanted(position) for position in deal.positions]
        self._chance.shuffle(tiles)
        self.seats = [Seat(tiles[seat::4]) for seat in SEATS]
        self._exchanger_free_s = [0.0] * exchangers
        self._waiting = 0
        self.exchanged = 0
        self.placed: dict[Position, Tile] = {}
        self._coming: set[Position] = set()
        self._now_s = 0.0
        self._planned: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0

    def run(self) -> float:
        """Build; raises RuntimeError when nothing can happen any more."""
        while len(self.placed) < len(self._deal.positions):
            for seat in SEATS:
                self._stir(seat)
            if not self._planned:
                raise RuntimeError(f"stuck with {len(self.placed)} tiles placed")
            self._now_s, _, action = heapq.heappop(self._planned)
            action()
        return self._now_s

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._planned, (self._now_s + seconds, self._count, action))

    def _stir(self, number: int) -> None:
        """Catch, enter, and empty the cells as far as that is possible."""
        seat, machine = self.seats[number], self._machine
        if seat.drum and not seat.catching and len(seat.row) < machine.row_places:
            seat.catching = True
            self._after(self._chance.expovariate(len(seat.drum)), partial(self._catch, seat))
        if seat.gate is None and seat.row and seat.clear_s != float("inf"):
            earliest_s = max(seat.entered_s + machine.gate_period_s, seat.clear_s + machine.gate_slide_s, self._now_s)
            seat.gate, seat.entered_s = seat.row.popleft(), earliest_s
            self._after(earliest_s - self._now_s + READ_S, partial(self._decide, number))
        for tile in list(seat.cells):
            position = self._choose(number, tile)
            if position is not None:
                seat.cells.remove(tile)
                self._send(number, position, tile)

    def _catch(self, seat: Seat) -> None:
        seat.catching = False
        if seat.drum:
            seat.row.append(seat.drum.pop(self._chance.randrange(len(seat.drum))))

    def _decide(self, number: int) -> None:
        """A tile has been read: it goes to a place, into a cell, back to the drum, or waits."""
        seat = self.seats[number]
        tile = seat.gate
        if tile is None:
            return
        if self._chance.random() < UNREAD:
            self._leave(seat)
            self._after(self._machine.recirculate_s, partial(seat.drum.append, tile))
        elif (position := self._choose(number, tile)) is not None:
            self._leave(seat)
            self._send(number, position, tile)
        elif len(seat.cells) < self._machine.bypass_cells:
            self._leave(seat)
            self._after(self._machine.divert_s, partial(seat.cells.append, tile))
        else:
            self._after(0.05, partial(self._decide, number))

    def _leave(self, seat: Seat) -> None:
        seat.gate = None
        seat.clear_s = float("inf")
        self._after(self._machine.gate_clear_s, partial(self._cleared, seat))

    def _cleared(self, seat: Seat) -> None:
        seat.clear_s = self._now_s

    def _choose(self, number: int, tile: Tile) -> Position | None:
        """The planner's choice among the places that could take the tile now."""
        candidates = []
        for place, index in self._deal.wanting(tile):
            away = place != number
            if (place, index) in self._coming or (place, index) in self.placed or self.seats[place].backlog > MOST_BACKLOG:
                continue
            below = self._capabilities.support_below(index)
            if (below is not None and (place, below) not in self.placed) or (away and self._waiting >= WAITING):
                continue
            backlog = self.seats[place].backlog
            frees_upper = self._capabilities.covered_by(index) is not None
            candidates.append(
                Candidate(
                    (place, index),
                    backlog,
                    abs(index - self._machine.wall_places // 2),
                    self.seats[place].filled,
                    frees_upper,
                    DETOUR * away,
                )
            )
        return best(candidates)

    def _send(self, number: int, position: Position, tile: Tile) -> None:
        self._coming.add(position)
        if position[0] == number:
            self.seats[number].backlog += 1
            self._after(self._machine.divert_s, partial(self._carry, position, tile))
            return
        self._waiting += 1
        self.exchanged += 1
        first = min(range(len(self._exchanger_free_s)), key=self._exchanger_free_s.__getitem__)
        begins_s = max(self._exchanger_free_s[first], self._now_s + self._machine.divert_s)
        self._exchanger_free_s[first] = begins_s + EXCHANGE_S
        self.seats[position[0]].backlog += 1
        self._after(begins_s + EXCHANGE_S - self._now_s, partial(self._hand_over, position, tile))

    def _hand_over(self, position: Position, tile: Tile) -> None:
        self._waiting -= 1
        self._carry(position, tile)

    def _carry(self, position: Position, tile: Tile) -> None:
        """A shuttle on that side of the tray's middle takes it there and comes back."""
        seat, middle = self.seats[position[0]], self._machine.wall_places // 2
        side = int(position[1] >= middle)
        way_s = abs(position[1] - middle) / self._machine.travel_positions_per_s
        begins_s = max(seat.shuttle_free_s[side], self._now_s)
        drops_s = begins_s + self._machine.pick_s + way_s + self._machine.drop_s
        seat.shuttle_free_s[side] = drops_s + way_s
        self._after(drops_s - self._now_s, partial(self._drop, position, tile))

    def _drop(self, position: Position, tile: Tile) -> None:
        self.placed[position] = tile
        self._coming.remove(position)
        self.seats[position[0]].backlog -= 1
        self.seats[position[0]].filled += 1


def measure(builds: int) -> dict[str, object]:
    """Lengths of builds with one and with two exchangers."""
    figures: dict[str, object] = {}
    for exchangers in (1, 2):
        lengths, exchanged, wrong = [], [], 0
        for seed in range(1, builds + 1):
            deal = any_deal(seed)[1]
            table = FourGates(deal, seed, exchangers)
            lengths.append(table.run())
            exchanged.append(table.exchanged / len(deal.positions))
            wrong += sum(deal.wanted(position) is not tile for position, tile in table.placed.items())
        lengths.sort()
        figures[f"four_gates_exchangers_{exchangers}"] = {
            "builds": builds,
            "wrong_positions": wrong,
            "mean_s": round(statistics.mean(lengths), 2),
            "p95_s": round(lengths[int(0.95 * builds)], 2),
            "max_s": round(lengths[-1], 2),
            "exchanged_share": round(statistics.mean(exchanged), 3),
        }
    return figures


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="how long a wall takes on a table with four gates")
    parser.add_argument("--builds", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines for people")
    options = parser.parse_args()
    figures = measure(options.builds)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, values in figures.items():
            print(f"{name}: {values}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
