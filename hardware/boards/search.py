"""The cheapest way over a grid of two layers from a pad to the copper of its net (A*)."""

from collections.abc import Sequence
from heapq import heappop, heappush
from math import hypot

import numpy as np
from numpy.typing import NDArray

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
