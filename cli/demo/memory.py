"""Memory of a demo: the highest sum of the resident sets of its processes at one moment.

A page that several processes share (mostly libraries) counts once for each, so less memory is really in use; ``python
-m benchmarks.cost`` reports both.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

PERIOD_S = 0.5
_PAGE_KIB = os.sysconf("SC_PAGE_SIZE") / 1024


class MemoryMeter:
    """Notes the highest sum of resident sets; looks once in ``period_s`` at most, however often it is called."""

    def __init__(self, period_s: float = PERIOD_S) -> None:
        self.peak_mib = 0.0
        self._period_s = period_s
        self._due_s = float("-inf")

    def look(self, pid: int) -> None:
        """Take the memory into account that a process and all that descend from it hold at this moment."""
        now_s = time.monotonic()
        if now_s < self._due_s:
            return
        self._due_s = now_s + self._period_s
        self.peak_mib = max(self.peak_mib, sum(map(resident_kib, family(pid))) / 1024)


def family(pid: int) -> tuple[int, ...]:
    """A process and all that descend from it: a web server's workers are children of a child (/proc/PID/task/TID/children: proc(5))."""
    try:
        born = [int(word) for task in Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()]
    except OSError:
        born = []
    return (pid, *(descendant for child in born for descendant in family(child)))


def resident_kib(pid: int) -> float:
    """A process's resident set, 0 when it has ended (/proc/PID/statm, second number, in pages: proc(5))."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_KIB
    except OSError:
        return 0.0
