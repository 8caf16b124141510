"""Cost of a hall that runs everything of its tables: processor time and memory by process, and the addition of each further table.

``python -m benchmarks.hall [--tables N] [--seconds S] [--json]`` starts ``twinwall hall serve --guided N`` in a folder of its own and
measures its processes while there is no phone and no play. ``to_the_link_s`` is the time from the command to the director's link, which it
prints once the pages answer. It also measures one look at a gate's frame, which a station takes once an interval while a phone is its
camera. The cost of play is measured by ``benchmarks.cost``.
"""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.cost import Meter
from benchmarks.support.measuring import run_measure
from tableside.station.camera_worker import Stillness
from tableside.station.settings import StationCameraSection
from tests.support.vision.pictures import empty_gate, face, gate_with
from tests.support.wire.brokers import free_port
from twinwall.game.tiles import Tile
from vision.cameras.pictures import decode_picture, encode_picture
from vision.cameras.port import CameraFrame, use_one_thread

OF_A_TABLE = ("station", "table")
"""Processes of which each table has its own."""
_SETTLE_S = 10.0
_LOOKS = 50


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
        "gate_look": gate_look(),
    }


def gate_look() -> dict[str, float]:
    """Measure one look at a gate's frame: a JPEG file is decoded and searched for a tile."""
    use_one_thread()
    rng = np.random.default_rng(1)
    files = [encode_picture(picture) for picture in (empty_gate(rng), gate_with(face(Tile.P5, 320), rng))]
    stillness, began_s = Stillness(), time.process_time()
    for number in range(_LOOKS):
        stillness.take(CameraFrame(decode_picture(files[number % 2], "a drawn frame"), number, number + 1))
    look_s = (time.process_time() - began_s) / _LOOKS
    interval_s = StationCameraSection("").look_interval_s
    return {"ms": round(1000 * look_s, 1), "interval_s": interval_s, "core_share": round(look_s / (interval_s + look_s), 3)}


if __name__ == "__main__":
    run_measure(measure)
