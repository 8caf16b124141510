"""Cost of a hall that runs everything of its tables: processor time and memory by process, and the addition of each further table.

``python -m benchmarks.hall [--tables N] [--seconds S] [--json]`` starts ``twinwall hall serve --guided N`` in a folder of its own and
measures its processes while there is no phone and no play. ``to_the_link_s`` is the time from the command to the director's link, which it
prints once the pages answer. The cost of play is measured by ``benchmarks.cost``.
"""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.cost import Meter
from benchmarks.support.measuring import run_measure
from tests.support.wire.brokers import free_port

OF_A_TABLE = ("station", "table")
"""Processes of which each table has its own."""
_SETTLE_S = 10.0


@contextmanager
def served(folder: Path, tables: int) -> Iterator[tuple[subprocess.Popen[str], float]]:
    """Run a hall of guided tables; yield it, and its seconds until it was ready."""
    ports = [word for name in ("--port", "--broker-port", "--phones-port") for word in (name, str(free_port()))]
    words = [sys.executable, "-m", "cli", "hall", "serve", str(folder), "--tables", str(tables), "--guided", str(tables), *ports]
    began_s = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            said = next((line for line in process.stdout if "Ctrl-C" in line), None)
            if said is None:
                raise SystemExit("the hall did not start")
            yield process, time.monotonic() - began_s
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()


def measure(tables: int = 4, seconds: float = 20.0) -> dict[str, object]:
    """Measure each kind of process while nothing is played, and the addition of each table."""
    with tempfile.TemporaryDirectory(prefix="twinwall-hall-") as folder, served(Path(folder) / "hall", tables) as (process, to_the_link_s):
        meter = Meter(process.pid)
        time.sleep(_SETTLE_S)
        meter.look()
        meter.started()
        began = time.monotonic()
        time.sleep(seconds)
        meter.look()
        passed_s = time.monotonic() - began
    parts = {
        name: {
            "processes": len(part.cpu_s),
            "rss_mib": round(part.rss_mib),
            "pss_mib": round(part.pss_mib),
            "start_core_s": round(part.start_s, 1),
            "core_share": round((part.total_s - part.start_s) / passed_s, 4),
        }
        for name, part in sorted((("hall" if name == "demo" else name), part) for name, part in meter.parts.items())
    }
    own = [part for name, part in meter.parts.items() if name in OF_A_TABLE]
    return {
        "tables": tables,
        "to_the_link_s": round(to_the_link_s, 1),
        "rss_mib": round(meter.rss_mib),
        "pss_mib": round(meter.pss_mib),
        "a_table_pss_mib": round(sum(part.pss_mib for part in own) / tables),
        "a_table_rss_mib": round(sum(part.rss_mib for part in own) / tables),
        "a_table_core_share": round(sum(part.total_s - part.start_s for part in own) / passed_s / tables, 4),
        "parts": parts,
    }


if __name__ == "__main__":
    run_measure(measure)
