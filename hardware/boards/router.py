"""Maze router for two layers: the cheapest way over a grid from each pad to its net's copper, no nearer to other nets than allowed.

A net that finds no way is routed before all others in another round.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from math import hypot

import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen

_VIA_COST, _ACROSS = 12.0, 1.3
"""In steps: a via; a step along y in front, along x behind."""
_STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

Cell = tuple[int, int, int]
"""Layer, row, column."""


class WaySearch:
    """Ways to the copper of one net; blocked are cells by layer, row and column, those at the edge too, and places for vias."""

    def __init__(self, blocked: NDArray[np.bool_], no_vias: NDArray[np.bool_]) -> None:
        self._high, self._wide = no_vias.shape
        self._free, self._drill = (~blocked).tobytes(), (~no_vias).tobytes()
        self._goals = set[int]()
        self._box = [self._high, self._wide, 0, 0]
        self._steps = [
            [(dy * self._wide + dx, hypot(dx, dy) * (_ACROSS if (dx if layer else dy) and not (dx and dy) else 1.0)) for dx, dy in _STEPS]
            for layer in (0, 1)
        ]

    def reach(self, cells: Sequence[Cell]) -> None:
        """Make cells of the net's copper goals."""
        for layer, row, column in cells:
            self._goals.add((layer * self._high + row) * self._wide + column)
            low_row, low_column, row_most, column_most = self._box
            self._box = [min(low_row, row), min(low_column, column), max(row_most, row), max(column_most, column)]

    def cheapest(self, starts: Sequence[Cell]) -> list[Cell] | None:
        """The cheapest way from cells of a pad to the nearest goal, or None. Cells are counted through."""
        wide, whole, free = self._wide, self._high * self._wide, self._free
        low_row, low_column, row_most, column_most = self._box
        down = [max(low_row - row, row - row_most, 0) for row in range(self._high)]
        across = [max(low_column - column, column - column_most, 0) for column in range(wide)]
        costs, before = [1e9] * (2 * whole), dict[int, int]()
        heap = [(0.0, 0.0, (layer * self._high + row) * wide + column) for layer, row, column in starts]
        for _, _, cell in heap:
            costs[cell] = 0.0
        while heap:
            _, cost, cell = heappop(heap)
            if cell in self._goals:
                way = [cell]
                while way[-1] in before:
                    way.append(before[way[-1]])
                return [(each // whole, each % whole // wide, each % wide) for each in reversed(way)]
            if cost > costs[cell]:
                continue
            layer, flat = divmod(cell, whole)
            ways = self._steps[layer]
            if self._drill[flat]:
                ways = [*ways, ((1 - 2 * layer) * whole, _VIA_COST)]
            for by, price in ways:
                other = cell + by
                if free[other] and (total := cost + price) < costs[other]:
                    costs[other], before[other] = total, cell
                    flat = other % whole
                    rows, columns = down[flat // wide], across[flat % wide]
                    ahead = rows + 0.41 * columns if rows > columns else columns + 0.41 * rows
                    heappush(heap, (total + ahead, total, other))
        return None


GRID, NARROW, CLEAR, EDGE = 0.254, 0.25, 0.24, 0.6
"""In mm: step, width of a track without a width of its own, distance between nets, distance to the edge."""
VIA, VIA_WIDE = 0.4, 1.6
"""Radius of a via, and the widest track that one may be in: it carries 2.2 A."""
_ROUNDS = 12
BOTH = 2

Box = tuple[float, float, float, float]
Point = tuple[float, float]


@frozen
class Pad:
    """A pad: its net, middle, half its size, whether it is on both layers, and its number."""

    net: str
    x: float
    y: float
    half_wide: float
    half_high: float
    through: bool
    number: str


@frozen
class Copper:
    """A straight track of a layer, 0 in front, or a via, whose layer is ``BOTH``."""

    net: str
    start: Point
    end: Point
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
    """The grid with all copper that stands already; for each half width, the net alone that may have copper at a cell, or none."""

    def __init__(self, pads: Sequence[Pad], widths: Mapping[str, float], board: Box) -> None:
        self._pads, self._widths = pads, widths
        left, top, right, bottom = board
        self._across, self._down = int((right - left) / GRID) + 1, int((bottom - top) / GRID) + 1
        middle = (left + right) / 2, (top + bottom) / 2
        self._left, self._top = middle[0] - self._across // 2 * GRID, middle[1] - self._down // 2 * GRID
        self._x = self._left + GRID * np.arange(self._across)
        self._y = (self._top + GRID * np.arange(self._down))[:, None]
        self._numbers = {net: number for number, net in enumerate(sorted({pad.net for pad in pads}), start=1)} | {"": -1}
        self._under_pads = np.zeros((self._down, self._across), dtype=np.bool_)
        self._owners = {}
        for half in {NARROW / 2, VIA, *(widths[net] / 2 for net in self._numbers.keys() & widths.keys())}:
            edge = EDGE + half
            outside = (self._x < left + edge) | (self._x > right - edge) | (self._y < top + edge) | (self._y > bottom - edge)
            self._owners[half] = np.stack([np.where(outside, -1, 0)] * 2).astype(np.int16)
        for pad in pads:
            at, size, half = (pad.x, pad.y), (pad.half_wide, pad.half_high), widths.get(pad.net, NARROW) / 2
            track = max(pad.half_wide, half), max(pad.half_high, half)
            self._claim(pad.net, at, at, (0, 1) if pad.through else (0,), CLEAR if pad.number else 1.5, size=track)
            window, away = self._away(at, at, VIA + 0.1, size)
            self._under_pads[window] |= away < VIA + 0.1 - 1e-6
        self.pieces: list[Copper] = []

    def join(self, net: str, pads: Sequence[Pad]) -> bool:
        """Route a net, each time to the pad next to those that are joined; False where a pad finds no way."""
        width = self._widths.get(net, NARROW)
        no_vias = self._blocked(net, VIA).any(axis=0) | self._under_pads | (width > VIA_WIDE)
        search = WaySearch(self._blocked(net, width / 2), no_vias)
        search.reach([*self._cells(pads[0])])
        left = [(hypot(pad.x - pads[0].x, pad.y - pads[0].y), pad) for pad in pads[1:]]
        while left:
            left.sort(key=lambda each: each[0], reverse=True)
            _, pad = left.pop()
            way = search.cheapest([*self._cells(pad)])
            if way is None:
                return False
            self._lay(net, way)
            search.reach([*way, *self._cells(pad)])
            left = [(min(away, hypot(each.x - pad.x, each.y - pad.y)), each) for away, each in left]
        return True

    def _blocked(self, net: str, half: float) -> NDArray[np.bool_]:
        """Cells of both layers where copper of a net with this half width would be too near to something else."""
        owner = self._owners[half]
        blocked: NDArray[np.bool_] = (owner != 0) & (owner != self._numbers[net])
        return blocked

    def _half(self, piece: Copper) -> float:
        return VIA if piece.layer == BOTH else self._widths.get(piece.net, NARROW) / 2

    def _cells(self, pad: Pad) -> Iterator[Cell]:
        """The cell of a pad's middle on its layers."""
        column, row = round((pad.x - self._left) / GRID), round((pad.y - self._top) / GRID)
        yield from ((layer, row, column) for layer in ((0, 1) if pad.through else (0,)))

    def _at(self, cell: Cell) -> Point:
        return round(self._left + cell[2] * GRID, 4), round(self._top + cell[1] * GRID, 4)

    def _claim(self, net: str, start: Point, end: Point, layers: Sequence[int], margin: float, *, size: Point = (0.0, 0.0)) -> None:
        """No other net may have copper nearer than ``margin`` to a line, or to the rectangle around a point."""
        number = self._numbers[net]
        for half, owner in self._owners.items():
            window, away = self._away(start, end, margin + half, size)
            near = away < margin + half - 1e-6
            for layer in layers:
                cells = owner[layer][window]
                cells[near] = np.where((cells == 0) | (cells == number), number, -1)[near]

    def _away(self, start: Point, end: Point, margin: float, size: Point = (0.0, 0.0)) -> tuple[tuple[slice, slice], NDArray[np.float64]]:
        """The rows and columns around a line, or the rectangle around a point, and how far from it each cell there is."""
        low = [min(a, b) - margin - half for a, b, half in zip(start, end, size, strict=True)]
        high = [max(a, b) + margin + half for a, b, half in zip(start, end, size, strict=True)]
        columns = slice(max(0, int((low[0] - self._left) / GRID)), int((high[0] - self._left) / GRID) + 2)
        rows = slice(max(0, int((low[1] - self._top) / GRID)), int((high[1] - self._top) / GRID) + 2)
        x, y = self._x[columns] - start[0], self._y[rows] - start[1]
        along = end[0] - start[0], end[1] - start[1]
        square = along[0] ** 2 + along[1] ** 2
        share = np.clip((x * along[0] + y * along[1]) / square, 0, 1) if square else 0.0
        away = np.hypot(np.maximum(abs(x - share * along[0]) - size[0], 0), np.maximum(abs(y - share * along[1]) - size[1], 0))
        return (rows, columns), away

    def _add(self, piece: Copper) -> None:
        self.pieces.append(piece)
        self._claim(piece.net, piece.start, piece.end, _layers(piece), self._half(piece) + CLEAR)

    def _lay(self, net: str, way: Sequence[Cell]) -> None:
        """Copper along a way of cells; its ends go on to the middles of their pads."""
        for cell in (way[0], way[-1]):
            for pad in self._pads:
                middle = round(pad.x, 4), round(pad.y, 4)
                if pad.net == net and cell in self._cells(pad) and middle != self._at(cell):
                    self._add(Copper(net, middle, self._at(cell), cell[0]))
        corner = way[0]
        for before, cell, after in zip(way, way[1:], [*way[2:], None], strict=False):
            if before[0] != cell[0]:
                self._add(Copper(net, self._at(cell), self._at(cell), BOTH))
                corner = cell
            elif after is None or _step(before, cell) != _step(cell, after):
                self._add(Copper(net, self._at(corner), self._at(cell), cell[0]))
                corner = cell


def _layers(piece: Copper) -> tuple[int, ...]:
    return (0, 1) if piece.layer == BOTH else (piece.layer,)


def _step(one: Cell, other: Cell) -> Cell:
    return other[0] - one[0], other[1] - one[1], other[2] - one[2]
