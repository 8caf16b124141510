"""Maze router for two layers: the cheapest way over a grid from each pad to its net's copper, no nearer to other nets than allowed.

A net that finds no way is routed before all others in another round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import hypot

import numpy as np
from numpy.typing import NDArray

GRID, NARROW, CLEAR, EDGE = 0.254, 0.25, 0.24, 0.6
"""In mm: step, width of a track without a width of its own, distance between nets, distance to the edge."""
VIA = 0.4
"""Radius of a via."""
_VIA_COST, _ACROSS = 12.0, 1.3
"""In steps: a via; a step along y in front, along x behind."""
_ROUNDS = 12
BOTH = 2
_STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

Cell = tuple[int, int, int]
"""Layer, row, column."""
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Pad:
    """A pad: its net, middle, half its size, whether it is on both layers, and its number."""

    net: str
    x: float
    y: float
    half_wide: float
    half_high: float
    through: bool
    number: str


@dataclass(frozen=True, slots=True)
class Copper:
    """A straight track of a layer, 0 in front, or a via, whose layer is ``BOTH``."""

    net: str
    start: tuple[float, float]
    end: tuple[float, float]
    layer: int


def route(pads: Sequence[Pad], widths: Mapping[str, float], board: Box) -> list[Copper]:
    """Copper that joins the pads of every net; raises RuntimeError where a net still finds no way after all rounds."""
    nets = defaultdict[str, list[Pad]](list)
    for pad in pads:
        nets[pad.net].append(pad)
    nets.pop("", None)
    order = sorted(
        nets, key=lambda net: (-widths.get(net, NARROW), -len(nets[net]), max(pad.x for pad in nets[net]) - min(pad.x for pad in nets[net]))
    )
    for _ in range(_ROUNDS):
        maze = _Maze(pads, widths, board)
        failed = next((net for net in order if not maze.join(net, nets[net])), None)
        if failed is None:
            return maze.pieces
        order.remove(failed)
        order.insert(0, failed)
    raise RuntimeError(f"{failed} finds no way")


class _Maze:
    """The grid with all copper that stands already."""

    def __init__(self, pads: Sequence[Pad], widths: Mapping[str, float], board: Box) -> None:
        self._pads, self._widths = pads, widths
        left, top, right, bottom = board
        self._across, self._down = int((right - left) / GRID) + 1, int((bottom - top) / GRID) + 1
        middle = (left + right) / 2, (top + bottom) / 2
        self._left, self._top = middle[0] - self._across // 2 * GRID, middle[1] - self._down // 2 * GRID
        self._x = self._left + GRID * np.arange(self._across)
        self._y = (self._top + GRID * np.arange(self._down))[:, None]
        self._board = board
        self.pieces: list[Copper] = []

    def join(self, net: str, pads: Sequence[Pad]) -> bool:
        """Route a net; False where a pad finds no way."""
        half = self._widths.get(net, NARROW) / 2
        tracks, vias = self._blocked(net, half), self._blocked(net, VIA).any(axis=0)
        vias |= self._under_pads()
        reached: set[Cell] = set(self._cells(pads[0]))
        left = list(pads[1:])
        while left:
            left.sort(key=lambda pad: min(hypot(pad.x - other.x, pad.y - other.y) for other in pads if other not in left), reverse=True)
            pad = left.pop()
            way = _cheapest(set(self._cells(pad)), reached, tracks, vias)
            if way is None:
                return False
            self._lay(net, way)
            reached |= {*way, *self._cells(pad)}
        return True

    def _cells(self, pad: Pad) -> Iterator[Cell]:
        """The cell of a pad's middle on its layers."""
        column, row = round((pad.x - self._left) / GRID), round((pad.y - self._top) / GRID)
        yield from ((layer, row, column) for layer in ((0, 1) if pad.through else (0,)))

    def _at(self, cell: Cell) -> tuple[float, float]:
        return round(self._left + cell[2] * GRID, 4), round(self._top + cell[1] * GRID, 4)

    def _blocked(self, net: str, half: float) -> NDArray[np.bool_]:
        """Cells of both layers where copper of a net with this half width would be too near to something else."""
        left, top, right, bottom = self._board
        edge = EDGE + half
        blocked = np.zeros((2, self._down, self._across), dtype=np.bool_)
        blocked |= (self._x < left + edge) | (self._x > right - edge) | (self._y < top + edge) | (self._y > bottom - edge)
        for pad in self._pads:
            if pad.net != net or not net:
                margin = CLEAR + half if pad.number else 1.5 + half
                for layer in (0, 1) if pad.through else (0,):
                    self._stamp(blocked[layer], (pad.x, pad.y), (pad.x, pad.y), margin, (pad.half_wide, pad.half_high))
        for piece in self.pieces:
            if piece.net != net:
                own = VIA if piece.layer == BOTH else self._widths.get(piece.net, NARROW) / 2
                for layer in (0, 1) if piece.layer == BOTH else (piece.layer,):
                    self._stamp(blocked[layer], piece.start, piece.end, own + CLEAR + half)
        return blocked

    def _under_pads(self) -> NDArray[np.bool_]:
        """Cells where a via would touch a pad, also one of its own net."""
        found = np.zeros((self._down, self._across), dtype=np.bool_)
        for pad in self._pads:
            self._stamp(found, (pad.x, pad.y), (pad.x, pad.y), VIA + 0.1, (pad.half_wide, pad.half_high))
        return found

    def _stamp(
        self,
        layer: NDArray[np.bool_],
        start: tuple[float, float],
        end: tuple[float, float],
        margin: float,
        half: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Mark cells nearer than ``margin`` to a line, or to the rectangle around a point."""
        low = [min(a, b) - margin - size for a, b, size in zip(start, end, half, strict=True)]
        high = [max(a, b) + margin + size for a, b, size in zip(start, end, half, strict=True)]
        columns = slice(max(0, int((low[0] - self._left) / GRID)), int((high[0] - self._left) / GRID) + 2)
        rows = slice(max(0, int((low[1] - self._top) / GRID)), int((high[1] - self._top) / GRID) + 2)
        x, y = self._x[columns] - start[0], self._y[rows] - start[1]
        along = end[0] - start[0], end[1] - start[1]
        square = along[0] ** 2 + along[1] ** 2
        share = np.clip((x * along[0] + y * along[1]) / square, 0, 1) if square else 0.0
        away = np.hypot(np.maximum(abs(x - share * along[0]) - half[0], 0), np.maximum(abs(y - share * along[1]) - half[1], 0))
        layer[rows, columns] |= away < margin - 1e-6

    def _lay(self, net: str, way: Sequence[Cell]) -> None:
        """Copper along a way of cells; its ends go on to the middles of their pads."""
        for cell in (way[0], way[-1]):
            for pad in self._pads:
                middle = round(pad.x, 4), round(pad.y, 4)
                if pad.net == net and cell in self._cells(pad) and middle != self._at(cell):
                    self.pieces.append(Copper(net, middle, self._at(cell), cell[0]))
        corner = way[0]
        for before, cell, after in zip(way, way[1:], [*way[2:], None], strict=False):
            if before[0] != cell[0]:
                self.pieces.append(Copper(net, self._at(cell), self._at(cell), BOTH))
                corner = cell
            elif after is None or _step(before, cell) != _step(cell, after):
                self.pieces.append(Copper(net, self._at(corner), self._at(cell), cell[0]))
                corner = cell


def _step(one: Cell, other: Cell) -> Cell:
    return other[0] - one[0], other[1] - one[1], other[2] - one[2]


def _cheapest(starts: set[Cell], goals: set[Cell], blocked: NDArray[np.bool_], no_vias: NDArray[np.bool_]) -> list[Cell] | None:
    """The cheapest way from a pad to copper of its net, or None; cells are counted through, and those at the edge are blocked."""
    high, wide = no_vias.shape
    whole = high * wide
    free, drill = (~blocked).ravel().tolist(), (~no_vias).ravel().tolist()
    low, top = (np.min(list(goals), axis=0), np.max(list(goals), axis=0))
    away = [np.maximum(np.maximum(low[axis] - np.arange(size), np.arange(size) - top[axis]), 0) for axis, size in ((1, high), (2, wide))]
    down, across = away[0][:, None], away[1][None, :]
    ahead = (np.maximum(down, across) + 0.41 * np.minimum(down, across)).ravel().tolist()
    steps = [
        [(dy * wide + dx, hypot(dx, dy) * (_ACROSS if (dx if layer else dy) and not (dx and dy) else 1.0)) for dx, dy in _STEPS]
        for layer in (0, 1)
    ]
    ends = {layer * whole + row * wide + column for layer, row, column in goals}
    costs = [1e9] * (2 * whole)
    before: dict[int, int] = {}
    heap = []
    for layer, row, column in starts:
        costs[layer * whole + row * wide + column] = 0.0
        heap.append((ahead[row * wide + column], 0.0, layer * whole + row * wide + column))
    while heap:
        _, cost, cell = heappop(heap)
        if cell in ends:
            way = [cell]
            while way[-1] in before:
                way.append(before[way[-1]])
            return [(each // whole, each % whole // wide, each % wide) for each in reversed(way)]
        if cost > costs[cell]:
            continue
        layer, flat = divmod(cell, whole)
        ways = [(cell + by, price) for by, price in steps[layer] if free[cell + by]]
        other = (1 - layer) * whole + flat
        if drill[flat] and free[other]:
            ways.append((other, _VIA_COST))
        for other, price in ways:
            total = cost + price
            if total < costs[other]:
                costs[other], before[other] = total, cell
                heappush(heap, (total + ahead[other % whole], total, other))
    return None
