"""Accuracy of the camera above the building mat: taken and free places in rendered frames of tiles face down.

``python -m benchmarks.vision.walls --json`` renders frames, each by its own camera (mounting, light and felt differ), with none to all of
the places taken, tiles up to 2 mm off and 4° askew, and backs of five colours, including the cloth's own and white.
"""

import statistics
import time
from dataclasses import replace

import numpy as np

from benchmarks.support.measuring import run_measure
from simulator.cameras.table import TableCamera, TileSet, usual_look
from simulator.scene import LaidTile, TableScene
from twinwall.art.mat import Slot, WallMat
from vision.cameras.port import CameraFrame, use_one_thread
from vision.table.building_mat import BuildingMatCamera, SeenPositions

BACKS = {"blue": (150, 90, 30), "red": (60, 60, 160), "green": (70, 120, 40), "the cloth's": (66, 84, 30), "white": (225, 230, 232)}
_OFF_MM, _ASKEW_DEG = 2.0, 4.0


def laid(slot: Slot, rng: np.random.Generator) -> LaidTile:
    """Return a tile face down, about where it belongs."""
    off = (float(rng.uniform(-_OFF_MM, _OFF_MM)), float(rng.uniform(-_OFF_MM, _OFF_MM)))
    return LaidTile("back", slot.place, slot.area.value, slot.index, False, off, float(rng.uniform(-_ASKEW_DEG, _ASKEW_DEG)))


def measure(frames: int = 40, seed: int = 1) -> dict[str, object]:
    """Measure ``frames`` frames, each by its own camera."""
    use_one_thread()
    mat = WallMat()
    slots = mat.all_slots()
    imagined = overseen = undecided = refused = 0
    took_ms = []
    for number in range(frames):
        rng = np.random.default_rng((seed, number))
        share = number / max(frames - 1, 1)
        lying = frozenset(slot for slot in slots if rng.random() < share)
        look = usual_look(np.random.default_rng((seed, number, 3)))
        tiles = TileSet(back=list(BACKS.values())[number % len(BACKS)])
        camera = TableCamera(number, mat, replace(look, tiles=tiles))
        image = camera.render(TableScene(1, tuple(laid(slot, rng) for slot in sorted(lying))))
        occupancy = BuildingMatCamera(mat)
        occupancy.look(CameraFrame(image, 0, 1))
        begun_s = time.perf_counter()
        seen = occupancy.look(CameraFrame(image, 0, 2))
        took_ms.append(1000 * (time.perf_counter() - begun_s))
        if not isinstance(seen, SeenPositions):
            refused += 1
            continue
        there = {(slot.place, slot.index) for slot in lying}
        imagined += len(seen.taken - there)
        overseen += len(seen.free & there)
        undecided += len(slots) - len(seen.taken) - len(seen.free)
    return {
        "frames": frames,
        "places": frames * len(slots),
        "free_called_taken": imagined,
        "taken_called_free": overseen,
        "not_told": undecided,
        "frames_without_the_mat": refused,
        "median_ms": round(statistics.median(took_ms), 1),
    }


if __name__ == "__main__":
    run_measure(measure)
