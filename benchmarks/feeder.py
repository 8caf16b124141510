"""How long a wall takes and whether it is right: whole builds in simulated time, and builds with every fault at once.

``python -m benchmarks.feeder --json`` runs the controller's decisions, the bytes of the line, the firmware's C core and the machine in one
thread (``tests/building``). It prints distributions beside the bound: the gate's period for every tile and every unreadable showing. Times
of builds are the machine's own, not this computer's.

``--full`` runs the long ones, some hours of a core. ``--record FILE`` keeps each finished part, continues an earlier run, and adds all up;
``--limit`` ends a run after this many seconds; ``--only`` names the series to run. The file of another version of the programs is replaced.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from benchmarks.support.parts import Measured, Run, RunRecord, Series, sources_digest
from controller.ledger.journal_events import OperationIssued
from controller.wall.placing import is_exchanged
from firmware_bridge.electrics.wired_machine import capabilities_of
from simulator.mechanics import REFERENCE_FAULTS, FaultPlan, MechanicsSettings
from tests.support.building.bench import StuckError
from tests.support.building.cuts import Cut, Moment, build_with_cut, moments, operations_of_a_build
from tests.support.building.deals import MACHINES, MCR, Staff, any_deal, table_that_builds
from tests.support.building.quick import Chances, QuickBuild
from twinwall.values import frozen

BOUND = 1.017
"""Factor of tiles × gate period with nothing but 1 % unread: 1 % more showings, and the drum's last tiles, which are slow to catch."""
READABLE_BUT_FOR_SOME = FaultPlan(unread=0.01)
"""1 % of showings cannot be read, and nothing else goes wrong."""
CUT_SEED = 1
"""Seed of the build with the power cuts."""
ONE_EXCHANGER, TWO_EXCHANGERS = MACHINES["four gates, one exchanger"], MACHINES["four gates, two exchangers"]
SERIES = (
    "plain_136",
    "plain_108",
    "faults_136",
    "ten_times_the_faults_136",
    "four_gates_one_exchanger",
    "four_gates_two_exchangers",
    "four_gates_faults",
    "power_cuts",
    "state_level",
    "state_level_four_gates",
)
R = TypeVar("R")


@frozen
class Timed:
    """One build in simulated time; ``stuck`` is 1 if it never ended."""

    took_s: float
    staff_calls: int
    wrong: int
    stuck: int
    exchanged: int = 0
    """Operations that led a tile to another gate's seat."""


def timed_build(seed: int, rules: str, faults: FaultPlan, machine: MechanicsSettings | None = None) -> Timed:
    """Build one wall; staff come 5 s after they are called."""
    bench, staff = table_that_builds(seed, rules=rules, faults=faults, machine=machine), Staff()
    bench.staff = staff.attend
    try:
        bench.build(3600.0)
    except StuckError:
        return Timed(bench.now_s, len(staff.calls), 0, 1)
    issued = (event.command for event in bench.events if isinstance(event, OperationIssued))
    exchanged = sum(is_exchanged(bench.setup.capabilities, command) for command in issued)
    return Timed(bench.took_s, len(staff.calls), len(bench.wrong_positions()), 0, exchanged)


def share(ordered: Sequence[float], part: float) -> float:
    """Return the quantile at ``part`` of ordered values."""
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def distribution(measured: Measured[Timed], tiles: int, gates: int = 1) -> dict[str, object]:
    """Return the figures of builds, those that needed a person apart; the bound is that of the gates."""
    builds = measured.results
    alone = sorted(build.took_s for build in builds if not build.staff_calls and not build.stuck)
    figures = counted(measured) | {"with_staff": sum(bool(build.staff_calls) for build in builds)}
    if not alone:
        return figures
    least_s = tiles / gates * MechanicsSettings().gate_period_s
    mean_s = statistics.mean(alone)
    if gates > 1:
        figures |= {"exchanged_share": round(statistics.mean(build.exchanged for build in builds) / tiles, 3)}
    return figures | {
        "mean_s": round(mean_s, 2),
        "p50_s": round(share(alone, 0.5), 2),
        "p95_s": round(share(alone, 0.95), 2),
        "max_s": round(alone[-1], 2),
        "ratio_to_gate": round(mean_s / least_s, 4),
        "bound_s": round(BOUND * least_s, 2),
    }


def counted(measured: Measured[Timed] | Measured[Quick] | Measured[Struck]) -> dict[str, object]:
    """Count builds, places with a wrong tile, and builds that never ended, with the processor time of each build."""
    builds = measured.results
    return {
        "builds": len(builds),
        "of": measured.of,
        "wrong_positions": sum(build.wrong for build in builds),
        "stuck": sum(build.stuck for build in builds),
        "processor_ms_each": round(1000 * measured.processor_s / len(builds), 1) if builds else None,
    }


TEN_TIMES = FaultPlan(unread=0.1, jam=10 / 2000, double_feed=10 / 500, face_down=10 / 300, shuttle=10 / 3000)


@frozen
class Quick:
    """One build without time: decided messages, calls of staff, places with a wrong tile, ``stuck`` (1 if it never ended), and tiles that
    fell from the wall after the sensors' last look."""

    messages: int
    staff_calls: int
    wrong: int
    stuck: int
    lost: int


def quick_build(seed: int, machine: MechanicsSettings | None = None) -> Quick:
    """Build one wall at the level of decisions and places, with every fault."""
    setup, deal = any_deal(seed)
    if machine is not None:
        setup = replace(setup, capabilities=capabilities_of(machine))
    build = QuickBuild(replace(setup, frames_to_agree=1), deal, seed, Chances())
    try:
        build.build()
    except StuckError:
        return Quick(build.messages, build.staff_calls, 0, 1, 0)
    return Quick(build.messages, build.staff_calls, build.wrong_positions(), 0, build.lost)


def quick_build_at_four_gates(seed: int) -> Quick:
    """As ``quick_build``, at four gates with two exchangers."""
    return quick_build(seed, TWO_EXCHANGERS)


def at_state_level(measured: Measured[Quick]) -> dict[str, object]:
    """Return wrong positions over many builds with every fault, and what they cost."""
    builds = measured.results
    return counted(measured) | {
        "fell_after_the_last_look": sum(build.lost for build in builds),
        "staff_calls": sum(build.staff_calls for build in builds),
        "messages": sum(build.messages for build in builds),
        "processor_s": round(measured.processor_s, 1),
    }


@frozen
class Struck:
    """One build with a power cut: places with a wrong tile, and ``stuck`` (1 if it never ended)."""

    wrong: int
    stuck: int


@cache
def cuts() -> tuple[tuple[Cut, Moment], ...]:
    """Return every power cut in one build: at each of its operations, of the feeder, the controller or both."""
    return tuple((cut, moment) for cut in Cut for moment in moments(operations_of_a_build(CUT_SEED)))


def cut_build(number: int) -> Struck:
    """Repeat that build with one of the power cuts."""
    cut, moment = cuts()[number]
    try:
        bench = build_with_cut(CUT_SEED, cut, moment)
    except StuckError:
        return Struck(0, 1)
    return Struck(len(bench.wrong_positions()), 0)


def power_cuts(measured: Measured[Struck]) -> dict[str, object]:
    """Return the figures of one build repeated with different power cuts."""
    return counted(measured) | {"cuts_there_are": len(cuts())}


@frozen
class Size:
    """Numbers of builds of each kind; ``cuts`` is the step through the power cuts."""

    plain: int
    small: int
    faulty: int
    bytes: int
    quick: int
    cuts: int
    gates: int
    quick_gates: int


SHORT, FULL = Size(30, 20, 40, 5, 150, 211, 6, 40), Size(400, 200, 1000, 5000, 100_000, 1, 200, 10_000)


def measure(size: Size, run: Run, other: MechanicsSettings | None = None) -> dict[str, object]:
    """Return all figures; ``other`` is the machine of the plain builds, None for the reference table's."""
    kinds: tuple[tuple[str, str, FaultPlan, MechanicsSettings | None, int, int], ...] = (
        ("plain_136", MCR, READABLE_BUT_FOR_SOME, other, size.plain, 136),
        ("plain_108", "sichuan", READABLE_BUT_FOR_SOME, None, size.small, 108),
        ("faults_136", MCR, REFERENCE_FAULTS, None, size.faulty, 136),
        ("ten_times_the_faults_136", MCR, TEN_TIMES, None, size.bytes, 136),
        ("four_gates_one_exchanger", MCR, READABLE_BUT_FOR_SOME, ONE_EXCHANGER, size.gates, 136),
        ("four_gates_two_exchangers", MCR, READABLE_BUT_FOR_SOME, TWO_EXCHANGERS, size.gates, 136),
        ("four_gates_faults", MCR, REFERENCE_FAULTS, TWO_EXCHANGERS, size.gates, 136),
    )
    figures: dict[str, object] = {
        name: distribution(
            run.measured(
                Series(name, partial(timed_build, rules=rules, faults=faults, machine=machine), Timed, range(1, count + 1)),
            ),
            tiles,
            machine.gates if machine else 1,
        )
        for name, rules, faults, machine, count, tiles in kinds
    }
    struck = Series("power_cuts", cut_build, Struck, range(0, len(cuts()), size.cuts))
    figures["power_cuts"] = power_cuts(run.measured(struck))
    quick = (("state_level", quick_build, size.quick), ("state_level_four_gates", quick_build_at_four_gates, size.quick_gates))
    return figures | {
        name: at_state_level(run.measured(Series(name, build, Quick, range(1, count + 1), 250))) for name, build, count in quick
    }


def main() -> int:
    """Print the figures; return 1 if a position was wrong or a build never ended."""
    parser = argparse.ArgumentParser(description="how long a wall takes, and whether it is right")
    parser.add_argument(
        "--full",
        action="store_true",
        help="the long runs: 7,200 builds through bytes, 110,000 of decisions, a power cut at every operation",
    )
    parser.add_argument("--processes", type=int, default=1, help="processes to share the builds (default 1)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep each part of the run in a file, and continue from it")
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="S", help="end after this many seconds")
    parser.add_argument("--only", nargs="+", default=[], choices=SERIES, help="run these; show the others from the file")
    parser.add_argument("--cells", type=int, default=4, metavar="N", help="bypass cells of the table that builds plain_136 (default 4)")
    parser.add_argument("--queue", type=int, default=2, metavar="N", help="tiles that its chutes hold (default 2)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines for people")
    options = parser.parse_args()
    other = MechanicsSettings(bypass_cells=options.cells, shuttle_queue=options.queue)
    made = "" if other == MechanicsSettings() else f" {options.cells} {options.queue}"
    record = RunRecord(options.record, sources_digest(Path(__file__).parents[1]) + made if options.record else "")
    run = Run(options.processes, time.monotonic() + options.limit, record, frozenset(options.only))
    figures = measure(FULL if options.full else SHORT, run, other)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, values in figures.items():
            print(f"{name}: {values}")
    return int(any(isinstance(values, dict) and (values["wrong_positions"] or values.get("stuck")) for values in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
