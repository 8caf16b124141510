"""The solver (``solve``): divides entrants among groups, tables and places at the least cost. Only this module imports OR-Tools.

OR-Tools is the optional part ``schedule``. Without it each entrant gets the cheapest part with room, with more repeats. A call uses one
worker, a seed and a limit in OR-Tools' deterministic time, so the same question has the same answer on a busy machine. The best answer
before the limit counts. ``next_session`` decides what costs how much.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, TypeAlias

from twinwall.values import frozen

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    Parts: TypeAlias = list[list[cp_model.IntVar]]
    """For each entrant and part, whether the part has the entrant."""


EFFORT = 2.0
"""How long the solver tries to improve, in units of OR-Tools' deterministic time; each takes about a second. A session with g groups asks
up to 4·g + 1 times and gives each question a quarter of it, or a g-th with more than four groups."""
PairCosts = Mapping[tuple[int, int], int]
"""The cost of two entrants in one part, the lower number first; other pairs cost nothing."""


@frozen
class Partition:
    """Parts of these ``sizes`` to divide entrants 0, 1, … among. ``costs``: for each entrant, the cost of each part; empty when no part
    costs anything. ``fixed``: entrants with given parts; ``apart``: sets of entrants who must be in different parts."""

    sizes: tuple[int, ...]
    pairs: tuple[tuple[tuple[int, int], int], ...] = ()
    costs: tuple[tuple[int, ...], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(
        cls,
        sizes: Iterable[int],
        pairs: PairCosts,
        costs: Iterable[Iterable[int]] = (),
        fixed: Mapping[int, int] | None = None,
        apart: Iterable[Iterable[int]] = (),
    ) -> Partition:
        return cls(
            tuple(sizes), tuple(sorted(pairs.items())), tuple(map(tuple, costs)), tuple((fixed or {}).items()), tuple(map(tuple, apart))
        )

    def without(self, pairs: PairCosts) -> Partition:
        return replace(self, apart=(*self.apart, *pairs))

    def with_costs(self, pairs: PairCosts) -> Partition:
        return replace(self, pairs=tuple(sorted((Counter(dict(self.pairs)) + Counter(pairs)).items())))


@lru_cache(maxsize=256)
def solve(partition: Partition, effort: float) -> tuple[int, ...] | None:
    """Each entrant's part at the least cost found; None if nothing found meets ``fixed`` and ``apart``.

    Answers are cached, because a page asks each time it is shown. Without OR-Tools the first fit is the answer.
    """
    first = first_fit(partition)
    try:
        from ortools.sat.python import cp_model  # noqa: PLC0415 - optional, and it takes seconds to load
    except ImportError:
        return first
    model = cp_model.CpModel()
    parts = _divided(model, partition, first)
    model.minimize(sum(_terms(model, partition, parts)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = effort
    match solver.solve(model):
        case cp_model.OPTIMAL | cp_model.FEASIBLE:
            pass
        case cp_model.UNKNOWN:
            return first
        case _:
            return None
    return tuple(next(number for number, is_in in enumerate(of_entrant) if solver.boolean_value(is_in)) for of_entrant in parts)


def solver_is_installed() -> bool:
    """Whether OR-Tools is installed; does not load it."""
    try:
        return bool(version("ortools"))
    except PackageNotFoundError:
        return False


def first_fit(partition: Partition) -> tuple[int, ...] | None:
    """Without the solver: for each entrant the cheapest part with room, fixed ones first; None if that fails."""
    rivals: defaultdict[int, set[int]] = defaultdict(set)
    for entrants in partition.apart:
        for entrant in entrants:
            rivals[entrant].update(set(entrants) - {entrant})
    prices: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for (one, other), cost in partition.pairs:
        prices[one].append((other, cost))
        prices[other].append((one, cost))
    room, taken, fixed = list(partition.sizes), dict[int, int](), dict(partition.fixed)
    for entrant in sorted(range(sum(partition.sizes)), key=lambda each: each not in fixed):
        costs = list(partition.costs[entrant]) if partition.costs else [0] * len(room)
        for other, cost in prices[entrant]:
            if other in taken:
                costs[taken[other]] += cost
        closed = {taken[rival] for rival in rivals[entrant] if rival in taken}
        free = [part for part in range(len(room)) if room[part] and part not in closed and fixed.get(entrant, part) == part]
        if not free:
            return None
        taken[entrant] = min(free, key=costs.__getitem__)
        room[taken[entrant]] -= 1
    return tuple(taken[entrant] for entrant in range(len(taken)))


def _divided(model: cp_model.CpModel, partition: Partition, first: tuple[int, ...] | None) -> Parts:
    parts = [[model.new_bool_var("") for _ in partition.sizes] for _ in range(sum(partition.sizes))]
    fixed = dict(partition.fixed)
    for entrant, of_entrant in enumerate(parts):
        model.add_exactly_one(of_entrant)
        for number, is_in in enumerate(of_entrant):
            if first:
                model.add_hint(is_in, number == first[entrant])
        if entrant in fixed:
            model.add(of_entrant[fixed[entrant]] == 1)
    for number, size in enumerate(partition.sizes):
        model.add(sum(of_entrant[number] for of_entrant in parts) == size)
        for entrants in partition.apart:
            model.add_at_most_one(parts[entrant][number] for entrant in entrants)
    return parts


def _terms(model: cp_model.CpModel, partition: Partition, parts: Parts) -> Iterator[cp_model.LinearExpr]:
    """The costs of entrants in their parts, and of pairs that share one."""
    for of_entrant, costs in zip(parts, partition.costs, strict=False):
        yield from (cost * is_in for is_in, cost in zip(of_entrant, costs, strict=True) if cost)
    for (one, other), cost in partition.pairs:
        together = model.new_bool_var("")
        for in_one, in_other in zip(parts[one], parts[other], strict=True):
            model.add_bool_or(~in_one, ~in_other, together)
        yield cost * together
