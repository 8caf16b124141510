"""Shared by figures of several parts: a command that runs the named parts, times of work, and random payments."""

import argparse
import inspect
import json
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar, get_args, get_type_hints

from tests.support.event.sessions import paid

Parts = Mapping[str, Callable[[], dict[str, object]]]
_R = TypeVar("_R")
_TICKS = os.sysconf("SC_CLK_TCK")


def parts_parser(text: str | None, parts: Parts) -> argparse.ArgumentParser:
    """Return a parser of ``--only PART… --json``."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--only", nargs="+", default=list(parts), choices=parts, metavar="PART", help=f"of {', '.join(parts)}")
    parser.add_argument("--json", action="store_true")
    return parser


def run_parts(options: argparse.Namespace, parts: Parts) -> int:
    """Run the named parts, and print."""
    report = {part: parts[part]() for part in options.only}
    print(json.dumps(report, indent=1) if options.json else report)
    return 0


def run_measure(measure: Callable[..., Mapping[str, object]]) -> None:
    """Run a benchmark's one function from the command line, with an option for each parameter and ``--json``, and print. An ``Annotated``
    parameter names its possible values: ``Annotated[int, range(1, 17)]``."""
    parser = argparse.ArgumentParser(description=inspect.getdoc(inspect.getmodule(measure)))
    hints = get_type_hints(measure, include_extras=True)
    for name, each in inspect.signature(measure).parameters.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(each.default, bool):
            parser.add_argument(option, action="store_true")
        else:
            _, choices = (*get_args(hints[name]), None, None)[:2]
            shown = None if choices is None else f"{choices[0]}…{choices[-1]}"
            parser.add_argument(option, type=type(each.default), default=each.default, choices=choices, metavar=shown, help="(%(default)s)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines")
    options = vars(parser.parse_args())
    as_json = options.pop("json")
    figures = measure(**options)
    print(json.dumps(figures, indent=1) if as_json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


def timed(work: Callable[[], _R]) -> tuple[float, _R]:
    """Return processor seconds of some work, and its result."""
    began_s = time.process_time()
    result = work()
    return time.process_time() - began_s, result


def percentiles(times_ms: Iterable[float]) -> dict[str, int]:
    """Return median, 95th percentile and maximum."""
    ordered = sorted(times_ms)
    p95 = ordered[max(0, round(0.95 * len(ordered)) - 1)]
    return {"p50": round(statistics.median(ordered)), "p95": round(p95), "max": round(ordered[-1])}


def drawn_scores(chance: random.Random) -> tuple[int, ...]:
    """Return what four places get for a random win, or for a drawn hand."""
    winner, source = chance.randrange(4), chance.randrange(5)
    return paid(winner, chance.randrange(8, 40), None if source in (winner, 4) else source)


def process_cpu_s(pid: int) -> float:
    """Return user and system time of a process, 0 if it has ended (/proc/PID/stat, fields 14 and 15: proc(5))."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def process_pss_kib(pid: int) -> float:
    """Return a process's proportional set, 0 if it has ended (/proc/PID/smaps_rollup: proc(5))."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return float(next(line.split()[1] for line in lines if line.startswith("Pss:")))
