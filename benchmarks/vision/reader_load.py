"""Load of the gate reader on a small machine: memory at its peak, and reads on half of one core. ``benchmarks.vision.gate`` runs it in a
process of its own, so that nothing else is counted. It prints one JSON object."""

import json
import multiprocessing
import os
import resource
import sys
import time

import cv2
import numpy as np

from simulator.cameras.gate import GateCamera
from simulator.scene import GateScene, WindowTile
from twinwall.game.tiles import ALL_TILES
from vision.cameras.port import CameraFrame
from vision.gate.gate_reader import GateReader
from vision.model.classifier import Classifier

FRAMES = 60
PERIOD_S = 0.5
SECONDS = 6.0


def frames() -> list[CameraFrame]:
    """Return gate frames with a tile each."""
    camera = GateCamera(seed=3)
    return [
        CameraFrame(camera.render(GateScene(WindowTile(ALL_TILES[index % 34].text, bool(index % 2), (0.0, 0.0), 0.0, False, index))), 0, 1)
        for index in range(FRAMES)
    ]


def _spin() -> None:
    while True:
        pass


def main() -> int:
    """Measure and print; the clock of the half core runs while another process keeps the same core busy."""
    cv2.setNumThreads(1)
    seen = frames()
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reader = GateReader(Classifier())
    for frame in seen:
        reader.read(frame)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    os.nice(5)
    rival = multiprocessing.get_context("fork").Process(target=_spin, daemon=True)
    rival.start()
    walls, until = list[float](), time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        begun = time.perf_counter()
        reader.read(seen[len(walls) % FRAMES])
        walls.append(time.perf_counter() - begun)
    rival.kill()
    print(
        json.dumps(
            {
                "peak_mib": round(peak_kib / 1024, 1),
                "of_which_frames_and_simulator_mib": round(before_kib / 1024, 1),
                "half_core_reads_per_s": round(len(walls) / SECONDS, 1),
                "half_core_slowest_ms": round(max(walls) * 1000, 1),
                "half_core_periods_missed": int(np.sum(np.array(walls) > PERIOD_S)),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
