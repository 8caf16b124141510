"""Time of a simulated camera's frame, from scene to JPEG: ``python -m benchmarks.vision.cameras``."""

from __future__ import annotations

import json
import time

import cv2
import numpy as np

from simulator.cameras import GateCamera, TableCamera
from simulator.cameras.optics import jpeg
from simulator.scene import GateScene, LaidTile, TableScene, WindowTile
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES

QUALITY = 90


def gate_times_ms(rounds: int) -> list[float]:
    """One time for each of the 34 faces in each round, after a round that is not counted."""
    camera = GateCamera(seed=1)
    rng = np.random.default_rng(1)
    times: list[float] = []
    for number in range(rounds + 1):
        for tile in ALL_TILES:
            offset = (float(rng.uniform(-2, 2)), float(rng.uniform(-2, 2)))
            scene = GateScene(
                WindowTile(tile.text, bool(rng.random() < 0.5), offset, float(rng.uniform(-4, 4)), False, int(rng.integers(2**31)))
            )
            begun = time.perf_counter()
            jpeg(camera.render(scene), QUALITY)
            if number:
                times.append((time.perf_counter() - begun) * 1000)
    return times


def table_times_ms() -> list[float]:
    """A table that fills tile by tile to 72 tiles, one frame after each."""
    mat = Mat()
    camera = TableCamera(1, mat)
    rng = np.random.default_rng(1)
    slots = [
        slot
        for place in range(4)
        for slot in (*mat.slots(place, Area.RIVER)[:12], *(Slot(place, Area.MELD, index) for index in (0, 1, 2, 4, 5, 6)))
    ]
    laid: list[LaidTile] = []
    times: list[float] = []
    for version, slot in enumerate(slots):
        face = ALL_TILES[int(rng.integers(34))].text
        offset = (float(rng.uniform(-1, 1)), float(rng.uniform(-1, 1)))
        laid.append(LaidTile(face, slot.place, slot.area.value, slot.index, False, offset, float(rng.uniform(-2, 2))))
        begun = time.perf_counter()
        jpeg(camera.render(TableScene(version, tuple(laid))), QUALITY)
        times.append((time.perf_counter() - begun) * 1000)
    return times


def main() -> None:
    """Print the figures as one JSON document."""
    cv2.setNumThreads(1)
    figures = {"gate_ms": gate_times_ms(rounds=6), "table_72_tiles_ms": table_times_ms()}
    summary = {
        name: {"n": len(times), "p50": round(float(np.median(times)), 2), "p99": round(float(np.percentile(times, 99)), 2)}
        for name, times in figures.items()
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
