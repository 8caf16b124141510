"""The solver: divides entrants among groups, tables and places at the least cost; the one place that imports OR-Tools.

OR-Tools is the optional part ``schedule``. A call uses one worker, a seed and a limit in OR-Tools' deterministic time, so the
same question has the same answer however busy the machine is. The best answer that is found before the limit counts. What
costs how much, and what it is for, is left to ``next_session``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, TypeAlias

from twinwall.event.movements.seating import MovementError

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    Parts: TypeAlias = list[list[cp_model.IntVar]]
    """For each entrant and part, whether he is in it."""


class SolverMissingError(MovementError):
    """OR-Tools is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "seats under constraints and groups by standing need OR-Tools, which is not installed: run `pip install 'twinwall[schedule]'`;"
            " schedules without them work as they are"
        )


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the solver looks for something better.

    Attributes:
        seed: another one may give another answer of the same cost.
        steps: for one session, in units of OR-Tools' deterministic time; a processor takes one to three seconds for one.
    """

    seed: int = 0
    steps: float = 2.0


@dataclass(frozen=True, slots=True)
class Partition:
    """Parts among which entrants 0, 1, … are divided, and what that costs.

    Attributes:
        sizes: how many entrants each part has.
        pairs: the cost of two entrants in one part; pairs that are not named cost nothing.
        costs: for each entrant, the cost of each part; empty when no part costs anything.
        fixed: entrants whose part is given.
        apart: sets of entrants of whom no two are in one part.
    """

    sizes: Sequence[int]
    pairs: Mapping[tuple[int, int], int] = field(default_factory=dict)
    costs: Sequence[Sequence[int]] = ()
    fixed: Mapping[int, int] = field(default_factory=dict)
    apart: Sequence[Collection[int]] = ()


def solve(division: Partition, effort: Effort) -> list[int]:
    """The part of each entrant at the least cost that was found.

    Raises:
        SolverMissingError: without OR-Tools.
        MovementError: when no division holds what is fixed and apart.
    """
    try:
        from ortools.sat.python import cp_model  # noqa: PLC0415 - optional, and it takes seconds to load
    except ImportError as error:
        raise SolverMissingError from error
    model = cp_model.CpModel()
    parts = _divided(model, division)
    model.minimize(sum(_terms(model, division, parts)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = effort.seed % 2**31
    solver.parameters.max_deterministic_time = effort.steps
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise MovementError("no seating holds all fixed seats at once: take one of them back")
    return [next(number for number, is_in in enumerate(of_entrant) if solver.boolean_value(is_in)) for of_entrant in parts]


def solver_is_installed() -> bool:
    """Whether OR-Tools is there; it is not loaded yet."""
    try:
        return bool(version("ortools"))
    except PackageNotFoundError:
        return False


def _divided(model: cp_model.CpModel, division: Partition) -> Parts:
    parts = [[model.new_bool_var("") for _ in division.sizes] for _ in range(sum(division.sizes))]
    simple = [number for number, size in enumerate(division.sizes) for _ in range(size)]
    for entrant, of_entrant in enumerate(parts):
        model.add_exactly_one(of_entrant)
        for number, is_in in enumerate(of_entrant):
            model.add_hint(is_in, number == simple[entrant])
        if entrant in division.fixed:
            model.add(of_entrant[division.fixed[entrant]] == 1)
    for number, size in enumerate(division.sizes):
        model.add(sum(of_entrant[number] for of_entrant in parts) == size)
        for entrants in division.apart:
            model.add_at_most_one(parts[entrant][number] for entrant in entrants)
    return parts


def _terms(model: cp_model.CpModel, division: Partition, parts: Parts) -> Iterator[cp_model.LinearExpr]:
    """What the division costs: entrants in their parts, and pairs that share one."""
    for of_entrant, costs in zip(parts, division.costs, strict=False):
        yield from (cost * is_in for is_in, cost in zip(of_entrant, costs, strict=True) if cost)
    for (one, other), cost in division.pairs.items():
        together = model.new_bool_var("")
        for in_one, in_other in zip(parts[one], parts[other], strict=True):
            model.add_bool_or(~in_one, ~in_other, together)
        yield cost * together
