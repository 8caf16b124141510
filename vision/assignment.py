"""Assignment problem: gives each row a column of its own at the least total cost (``cheapest``), by the Hungarian method.

H. W. Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2 (1955), with shortest augmenting paths.
"""

import numpy as np
from numpy.typing import NDArray


def cheapest(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return each row's column (n), all different, of the least total cost; ``cost`` is n × m, n ≤ m, finite, else ValueError."""
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"{rows} rows cannot each have one of {columns} columns")
    if not np.isfinite(cost).all():
        raise ValueError("a cost is not a finite number")
    of_row, of_column = np.zeros(rows), np.zeros(columns)
    taken_by = np.full(columns, -1, np.intp)
    for row in range(rows):
        _augment(cost, row, of_row, of_column, taken_by)
    answer = np.empty(rows, np.intp)
    held = np.flatnonzero(taken_by >= 0)
    answer[taken_by[held]] = held
    return answer


def _augment(
    cost: NDArray[np.float64], row: int, of_row: NDArray[np.float64], of_column: NDArray[np.float64], taken_by: NDArray[np.intp]
) -> None:
    """Assign one more row, reassigning others where that is cheaper; changes the potentials and ``taken_by`` in place."""
    columns = cost.shape[1]
    distance = np.full(columns, np.inf)
    came_from = np.full(columns, -1, np.intp)
    done = np.zeros(columns, bool)
    column, current = -1, row
    while True:
        reached = cost[current] - of_row[current] - of_column + (distance[column] if column >= 0 else 0.0)
        better = ~done & (reached < distance)
        distance[better], came_from[better] = reached[better], column
        column = int(np.where(done, np.inf, distance).argmin())
        done[column] = True
        if taken_by[column] < 0:
            break
        current = int(taken_by[column])
    nearest = distance[column]
    of_row[row] += nearest
    passed = done & (taken_by >= 0)
    of_row[taken_by[passed]] += nearest - distance[passed]
    of_column[passed] -= nearest - distance[passed]
    while column >= 0:
        before = int(came_from[column])
        taken_by[column] = row if before < 0 else taken_by[before]
        column = before
