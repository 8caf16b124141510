"""Time and accuracy of gate reads, on one thread: ``.venv/bin/python -m benchmarks.vision.gate``.

Gate frames and tables come from the simulated cameras, as JPEG files; time counts from the file's bytes (``with_decode``) and from the
decoded picture. ``--photos`` adds labelled photographs, grouped by their part in training. One JSON object on standard output: all that the
model's card quotes. A Raspberry Pi is not measured; half a core of this machine stands for it.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator

from benchmarks.vision.photographs import groups, unknown_to
from simulator.cameras.gate import GateCamera
from simulator.cameras.optics import jpeg
from simulator.cameras.table import TableCamera
from simulator.scene import GateScene, LaidTile, TableScene, WindowTile
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES, parse_tile
from vision.cameras.port import CameraFrame, decode_picture
from vision.enrol.evaluate import look_both_ways, summarise
from vision.gate.gate_reader import GateReader
from vision.model.classifier import MODEL_PATH, Classifier
from vision.reading import Read
from vision.table.table_reader import TableReader

QUALITY = 90
SLOTS = 5
MOUNTINGS = 4


def gate(classifier: Classifier, rounds: int) -> dict[str, object]:
    """Read every kind in every round, under several mountings of the camera, with foreign tiles and spoilt frames."""
    reader, rng = GateReader(classifier), np.random.default_rng(1)
    times: dict[str, list[float]] = {"decision_ms": [], "with_decode_ms": []}
    outcomes: Counter[str] = Counter()
    for number in range(rounds):
        camera = GateCamera(seed=number % MOUNTINGS)
        faces = [(tile.text, False) for tile in ALL_TILES] + [("flower", False)] * 4 + [(tile.text, True) for tile in ALL_TILES[::8]]
        for face, spoilt in faces:
            file = jpeg(camera.render(GateScene(_gate_tile(face, spoilt, rng))), QUALITY)
            begun = time.perf_counter()
            image = decode_picture(file, "the simulated gate")
            decoded = time.perf_counter()
            answer = reader.read(CameraFrame(image, 0, 1))
            ended = time.perf_counter()
            times["decision_ms"].append((ended - decoded) * 1000)
            times["with_decode_ms"].append((ended - begun) * 1000)
            kind = "spoilt" if spoilt else "foreign" if face == "flower" else "tile"
            outcomes[
                f"{kind}_refused" if not isinstance(answer, Read) else f"{kind}_{'right' if answer.tile.text == face else 'wrong'}"
            ] += 1
    return {"reads": sum(outcomes.values()), **{name: _spread(values) for name, values in times.items()}, "outcomes": dict(outcomes)}


def table(classifier: Classifier, rounds: int) -> dict[str, object]:
    """Read five slots at a time of tables that are three quarters full."""
    mat, rng = Mat(), np.random.default_rng(2)
    outcomes: Counter[str] = Counter()
    slots = [
        slot for place in range(4) for area in (Area.RIVER, Area.MELD, Area.HAND) for slot in mat.slots(place, area) if _lies_flat(slot)
    ]
    for number in range(rounds):
        laid = {slot: _laid(slot, rng) for slot in slots if rng.random() < 0.75}
        file = jpeg(TableCamera(number, mat).render(TableScene(1, tuple(laid.values()))), QUALITY)
        frame, reader = CameraFrame(decode_picture(file, "the simulated table"), 0, 1), TableReader(mat, classifier)
        for start in range(0, len(slots), SLOTS):
            for reading in reader.read(frame, slots[start : start + SLOTS]):
                there = laid.get(reading.slot)
                if there is None:
                    outcomes["empty_right" if not reading.occupied else "empty_taken_for_a_tile"] += 1
                elif reading.reason is not None:
                    outcomes["tile_refused"] += 1
                else:
                    outcomes["tile_right" if reading.tile is parse_tile(there.face) else "tile_wrong"] += 1
    return {"outcomes": dict(outcomes)}


def photographs(classifier: Classifier, folder: Path) -> dict[str, object]:
    """Read each group of crops both ways up, as ``twinwall tiles evaluate`` does, which alone lists confusions."""
    found: dict[str, object] = {}
    for name, crops in groups(folder).items():
        outcome = summarise(look_both_ways(classifier, crops)).to_json()
        found[name] = {key: _short(value) for key, value in outcome.items() if key != "confusions"}
    for name, number, crops in unknown_to(folder):
        outcome = summarise(look_both_ways(Classifier(only=number), crops)).to_json()
        found[f"{name}: by the one network that does not know it"] = {
            key: _short(value) for key, value in outcome.items() if key != "confusions"
        }
    return found


def load() -> dict[str, object]:
    """Measure memory, and reads on half a core, in a process of its own."""
    outcome = subprocess.run(
        [sys.executable, "-m", "benchmarks.vision.reader_load"], capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, object] = json.loads(outcome.stdout)
    return found | {"model_mb": round(MODEL_PATH.stat().st_size / 1e6, 2)}


def _short(value: object) -> object:
    """Round shares to four digits."""
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def _gate_tile(face: str, spoilt: bool, rng: Generator) -> WindowTile:
    offset = (float(rng.uniform(-1.5, 1.5)), float(rng.uniform(-1.5, 1.5)))
    return WindowTile(face, bool(rng.random() < 0.5), offset, float(rng.uniform(-3, 3)), spoilt, int(rng.integers(2**30)))


def _laid(slot: Slot, rng: Generator) -> LaidTile:
    """Return a tile at a slot, loosely in a river or meld and pushed together in a hand, either way round."""
    off_mm, askew_deg = (0.2, 0.5) if slot.area is Area.HAND else (1.0, 3.0)
    offset = (float(rng.uniform(-off_mm, off_mm)), float(rng.uniform(-off_mm, off_mm)))
    angle = float(rng.uniform(-askew_deg, askew_deg)) + 180.0 * int(rng.integers(2))
    sideways = slot.area is Area.MELD and bool(rng.random() < 0.3)
    return LaidTile(ALL_TILES[int(rng.integers(34))].text, slot.place, str(slot.area), slot.index, sideways, offset, angle)


def _lies_flat(slot: Slot) -> bool:
    """Whether a slot is not a kong's fourth tile, which may have another too close beside it."""
    return slot.area is not Area.MELD or slot.index % 4 != 3


def _spread(values: list[float]) -> dict[str, float]:
    p50, p99 = np.percentile(values, (50, 99))
    return {"p50": round(float(p50), 2), "p99": round(float(p99), 2)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Figures of the tile reader, as JSON.")
    parser.add_argument("--gate-rounds", type=int, default=30, help="times every kind is read in the gate")
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--photos", type=Path, help="folder with labels.json and the photographs")
    parser.add_argument("--json", action="store_true", help="print one JSON object; always so")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    classifier = Classifier()
    found: dict[str, object] = {"gate": gate(classifier, options.gate_rounds), "table": table(classifier, options.tables), "load": load()}
    if options.photos:
        found["photographs"] = photographs(classifier, options.photos)
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
