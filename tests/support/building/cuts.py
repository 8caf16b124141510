"""Power cuts at a chosen moment of a build: the feeder's, the controller's, or that of both."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from controller.ledger.journal_events import OperationIssued
from controller.state.sides import WallStage
from simulator.mechanics import MechanicsSettings
from tests.support.building.bench import BuildBench
from tests.support.building.deals import Staff, table_that_builds
from twinwall.wire.events.wall_events import WallReady

MOMENTS_S = (0.0, 0.02, 0.2, 0.45, 0.9)
"""How long after an operation was issued: before it arrives, when it is taken on, in the diverter, before and after the grip."""


class Cut(StrEnum):
    """What loses its power."""

    FEEDER = "feeder"
    CONTROLLER = "controller"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Moment:
    """``after_s`` after operation ``operation`` (1, 2, …) was issued."""

    operation: int
    after_s: float


def operations_of_a_build(seed: int) -> int:
    bench = table_that_builds(seed)
    bench.build()
    ready = next(index for index, event in enumerate(bench.events) if isinstance(event, WallReady))
    return sum(isinstance(event, OperationIssued) for event in bench.events[:ready])


def moments(operations: int) -> Iterator[Moment]:
    return (Moment(operation, after_s) for operation in range(1, operations + 1) for after_s in MOMENTS_S)


def build_with_cut(seed: int, cut: Cut, moment: Moment, machine: MechanicsSettings | None = None) -> BuildBench:
    """A build in which the power goes at this moment, at the latest when its wall stands; of the controller's journal between none
    and all unsynced lines are lost."""
    bench, staff = table_that_builds(seed, machine=machine), Staff()
    bench.staff = staff.attend
    bench.run(lambda: bench.operations >= moment.operation)
    cut_s = bench.now_s + moment.after_s
    bench.run(lambda: bench.now_s >= cut_s or bench.ready_s is not None)
    if cut is not Cut.CONTROLLER:
        bench.feeder_power_cut()
    if cut is not Cut.FEEDER:
        bench.controller_power_cut(moment.operation % 9)
    bench.ready_s = None
    bench.run(lambda: bench.ready_s is not None or bench.state.making.stage is WallStage.READY)
    return bench
