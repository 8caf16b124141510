"""Cost of a session: processor time and memory of every process of a demo.

``python -m benchmarks.cost [--tables N] [--hands N] [--seed S] [--idle S] [--json]``. Processor time is the user and system
time of each process; the time before all controllers ran is the start. Memory is the highest sum over all processes at one moment: of
resident sets, which count a shared page once a process, and of proportional sets, which count it once. ``--idle`` keeps the pages up after
the session and measures idle processor time for that many seconds.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.support.measuring import run_measure
from cli.demo.supervisor import family

PARTS = ("broker", "vault", "dashboard", "world", "cameras", "players", "readiness", "station", "phones", "table")
PERIOD_S = 0.5
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class ProcessCost:
    """All processes of one kind: processor seconds so far and at the end of the start, and the highest memory."""

    cpu_s: dict[int, float] = field(default_factory=dict)
    start_s: float = 0.0
    rss_mib: float = 0.0
    pss_mib: float = 0.0

    @property
    def total_s(self) -> float:
        """Processor seconds of all processes of this kind."""
        return sum(self.cpu_s.values())


class Meter:
    """Reads /proc for a demo and all its descendants."""

    def __init__(self, demo: int) -> None:
        self._demo = demo
        self._names: dict[int, str] = {}
        self.parts: dict[str, ProcessCost] = {}
        self.rss_mib = self.pss_mib = 0.0

    def look(self) -> None:
        """Read all processes once."""
        resident: defaultdict[str, float] = defaultdict(float)
        proportional: defaultdict[str, float] = defaultdict(float)
        for pid in family(self._demo):
            try:
                name = self._name(pid)
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            part = self.parts.setdefault(name, ProcessCost())
            part.cpu_s[pid] = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
            here, share = (mib(rollup, key) for key in ("Rss", "Pss"))
            resident[name] += here
            proportional[name] += share
        for name, part in self.parts.items():
            part.rss_mib, part.pss_mib = max(part.rss_mib, resident[name]), max(part.pss_mib, proportional[name])
        self.rss_mib, self.pss_mib = max(self.rss_mib, sum(resident.values())), max(self.pss_mib, sum(proportional.values()))

    def started(self) -> None:
        """Count processor time from now on as the session's."""
        for part in self.parts.values():
            part.start_s = part.total_s

    def _name(self, pid: int) -> str:
        if pid == self._demo:
            return "demo"
        if pid not in self._names:
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            part = next((part for part in PARTS if part in words), None)
            if part is None:
                return "other"  # it has not become what it is to be yet
            self._names[pid] = part
        return self._names[pid]


def mib(rollup: str, key: str) -> float:
    """Return one number of a smaps_rollup, in MiB."""
    found = re.search(rf"^{key}:\s+(\d+) kB", rollup, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


@contextmanager
def demo(folder: Path, words: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Run a demo with these options."""
    command = [sys.executable, "-m", "cli", "demo", "--fast", "--folder", str(folder), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()


def ended(process: subprocess.Popen[str]) -> dict[str, object]:
    """Return the demo's report; exit with its error output if it failed."""
    said, complained = process.communicate()
    if process.returncode:
        sys.exit(f"the demo ended with {process.returncode}: {complained.strip()}")
    report: dict[str, object] = json.loads(said)
    return report


def costs(meter: Meter, hands: int) -> dict[str, object]:
    """Return processor time and memory of all processes together, and of each kind."""
    session_s = sum(part.total_s - part.start_s for part in meter.parts.values())
    return {
        "core_s": round(sum(part.total_s for part in meter.parts.values()), 1),
        "core_s_per_hand": round(session_s / hands, 2),
        "start_core_s": round(sum(part.start_s for part in meter.parts.values()), 1),
        "peak_rss_mib": round(meter.rss_mib),
        "peak_pss_mib": round(meter.pss_mib),
        "parts": {
            name: {
                "processes": len(part.cpu_s),
                "start_core_s": round(part.start_s, 2),
                "core_s_per_hand": round((part.total_s - part.start_s) / hands, 2),
                "rss_mib": round(part.rss_mib),
                "pss_mib": round(part.pss_mib),
            }
            for name, part in sorted(meter.parts.items(), key=lambda item: -item[1].total_s)
        },
    }


def measure(tables: int = 1, hands: int = 1, seed: int = 1, port: int = 8092, idle: float = 0.0) -> dict[str, object]:
    """Run one session and measure it, then ``idle`` seconds after it."""
    folder = Path(tempfile.mkdtemp(prefix="twinwall-cost-")) / "demo"
    words = ["--tables", str(tables), "--hands", str(hands), "--seed", str(seed), "--port", str(port)]
    idle_shares: dict[str, float] = {}
    began = time.monotonic()
    with demo(folder, words if idle else [*words, "--headless", "--json"]) as process:
        meter, running = Meter(process.pid), False
        while process.poll() is None and not (idle and len(list(folder.glob("table-*/ledger/records/*.json"))) >= tables * hands):
            meter.look()
            if not running and len(list(folder.glob("table-*/ledger/events.jsonl"))) == tables:
                running = True
                meter.started()
            time.sleep(PERIOD_S)
        wall_s = time.monotonic() - began
        if idle:
            idle_shares = idle_share(meter, idle)
        report = ended(process) if not idle else {}
    return {
        **{"tables": tables, "hands": hands, "seed": seed},
        "wall_s": round(wall_s, 1),
        **costs(meter, tables * hands),
        **({"idle_core_share": idle_shares} if idle else {}),
        **({name: report[name] for name in ("reads", "faults", "stages_s") if name in report}),
    }


def idle_share(meter: Meter, seconds: float) -> dict[str, float]:
    """Return the share of a core that each kind of process uses while nothing happens."""
    time.sleep(3.0)  # the last pages are still on their way
    meter.look()
    before, began = {name: part.total_s for name, part in meter.parts.items()}, time.monotonic()
    time.sleep(seconds)
    meter.look()
    passed_s = time.monotonic() - began
    return {name: round((part.total_s - before[name]) / passed_s, 4) for name, part in meter.parts.items()}


if __name__ == "__main__":
    run_measure(measure)
