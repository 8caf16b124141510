"""What figures of several parts share: a command that runs the parts that are named, times of work, and payments drawn by chance."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from tests.support.event.sessions import paid

Parts = Mapping[str, Callable[[], dict[str, object]]]
_R = TypeVar("_R")


def parts_parser(text: str | None, parts: Parts) -> argparse.ArgumentParser:
    """``--only PART… --json``."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--only", nargs="+", default=list(parts), choices=parts, metavar="PART", help=f"of {', '.join(parts)}")
    parser.add_argument("--json", action="store_true")
    return parser


def run_parts(options: argparse.Namespace, parts: Parts) -> int:
    """Run the parts that are named, and print."""
    report = {part: parts[part]() for part in options.only}
    print(json.dumps(report, indent=1) if options.json else report)
    return 0


def timed(work: Callable[[], _R]) -> tuple[float, _R]:
    """Seconds of processor time, and what the work gives."""
    began_s = time.process_time()
    result = work()
    return time.process_time() - began_s, result


def percentiles(times_ms: Iterable[float]) -> dict[str, int]:
    """Median, 95th percentile and the longest."""
    ordered = sorted(times_ms)
    p95 = ordered[max(0, round(0.95 * len(ordered)) - 1)]
    return {"p50": round(statistics.median(ordered)), "p95": round(p95), "max": round(ordered[-1])}


def drawn_scores(chance: random.Random) -> tuple[int, ...]:
    """What four places get for a win of some points, or for a drawn hand."""
    winner, source = chance.randrange(4), chance.randrange(5)
    return paid(winner, chance.randrange(8, 40), None if source in (winner, 4) else source)
