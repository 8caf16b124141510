"""Long benchmark runs in parts: each part is a line of a file, so that a run can be stopped, continued and added up.

A series is one function of a seed, with many seeds. Worker processes run its parts; each returns results and their processor time, which
does not depend on other work of the computer. A line of the file names the measured programs by a digest of their sources; lines of other
sources are ignored.
"""

import hashlib
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from twinwall.values import frozen

R = TypeVar("R")
MEASURED = (
    "benchmarks/feeder.py",
    "controller",
    "firmware/core",
    "firmware/hal_memory",
    "firmware_bridge",
    "tests/support",
    "twinwall",
    "vision",
)
"""Where the sources of a run's programs are, from the repository's root."""
_SOURCES = frozenset({".py", ".c", ".h", ".onnx"})


@frozen
class Series(Generic[R]):
    """Results by seed: ``run`` of each of ``seeds``, ``together`` of them in a part; ``kind`` is the dataclass of a result."""

    name: str
    run: Callable[[int], R]
    kind: type[R]
    seeds: range
    together: int = 20

    def parts(self) -> list[range]:
        """Return the seeds of each part."""
        return [self.seeds[first : first + self.together] for first in range(0, len(self.seeds), self.together)]


@frozen
class Measured(Generic[R]):
    """The results of a series in the order of their seeds, their intended number, and their processor time."""

    results: list[R]
    of: int
    processor_s: float


@dataclass(slots=True)
class RunRecord:
    """The finished parts, by series and first seed; a file adds those of earlier runs, and stores each as soon as it is finished."""

    path: Path | None = None
    sources: str = ""
    _done: dict[tuple[str, int, int], tuple[list[dict[str, float]], float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the file's lines of these sources."""
        lines = [] if self.path is None or not self.path.exists() else self.path.read_text(encoding="utf-8").splitlines()
        for line in map(json.loads, lines):
            if line["sources"] == self.sources:
                self._done[line["series"], line["first"], line["seeds"]] = (line["results"], line["processor_s"])

    def has(self, series: str, part: range) -> bool:
        """Whether a part is finished."""
        return (series, part[0], len(part)) in self._done

    def add(self, series: str, part: range, results: list[dict[str, float]], processor_s: float) -> None:
        """Add a finished part."""
        self._done[series, part[0], len(part)] = (results, processor_s)
        if self.path is None:
            return
        line = {"series": series, "first": part[0], "seeds": len(part), "processor_s": round(processor_s, 3), "results": results}
        with self.path.open("a", encoding="utf-8") as file:
            print(json.dumps(line | {"sources": self.sources}), file=file)

    def sums(self, series: Series[R]) -> Measured[R]:
        """Return all finished parts of a series."""
        parts = [self._done[series.name, part[0], len(part)] for part in series.parts() if self.has(series.name, part)]
        results = [series.kind(**result) for rows, _ in parts for result in rows]
        return Measured(results, len(series.seeds), sum(processor_s for _, processor_s in parts))


def run_parts(series: Series[R], record: RunRecord, processes: int, end_s: float) -> None:
    """Run the unfinished parts until ``end_s`` of the monotonic clock; parts still running then are not stored."""
    tasks = [_Task(series, part) for part in series.parts() if not record.has(series.name, part)]
    if not tasks or time.monotonic() > end_s:
        return
    with _workers(min(processes, len(tasks))) as results:
        for task, rows, processor_s in results(tasks):
            record.add(series.name, task.part, rows, processor_s)
            if time.monotonic() > end_s:
                return


def sources_digest(root: Path, *own: str) -> str:
    """Return a digest of the sources of a run's programs (``MEASURED``, and the benchmark's own) below the repository's root."""
    digest = hashlib.sha256()
    for place in (*MEASURED, *own):
        for path in sorted(file for file in (root / place).rglob("*") if file.suffix in _SOURCES) or [root / place]:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@frozen
class _Task(Generic[R]):
    series: Series[R]
    part: range


_Outcome = tuple[_Task[R], list[dict[str, float]], float]


def _do(task: _Task[R]) -> _Outcome[R]:
    began_s = time.process_time()
    rows = [asdict(task.series.run(seed)) for seed in task.part]  # type: ignore[call-overload]  # results are dataclasses
    return task, rows, time.process_time() - began_s


@contextmanager
def _workers(processes: int) -> Iterator[Callable[[Sequence[_Task[R]]], Iterator[_Outcome[R]]]]:
    """Yield a function that runs tasks, in this process if there is only one."""
    if processes == 1:
        yield lambda tasks: map(_do, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield lambda tasks: pool.imap_unordered(_do, tasks)


@frozen
class Run:
    """How to run series: the number of processes, the end (``end_s`` of the monotonic clock), the record, and the series to run (none:
    all)."""

    processes: int
    end_s: float
    record: RunRecord
    only: frozenset[str] = frozenset()

    def wants(self, name: str) -> bool:
        """Whether this series must be run."""
        return not self.only or name in self.only

    def measured(self, series: Series[R]) -> Measured[R]:
        """Run a series as far as the time allows, and return its results."""
        if self.wants(series.name):
            run_parts(series, self.record, self.processes, self.end_s)
        return self.record.sums(series)
