"""Accuracy and speed of the table reader on whole tables: ``python -m benchmarks.vision.table_reader --json [--slots N]``.

The simulator's trial tables are shown as JPEG files, some frames each, and every slot of the mat is read. Printed, by fault, are the slots
right, wrong and open after voting. A slot counts if at least two frames show it free of arms; for one hidden longer, no answer may be
wrong. With ``--enrolled`` the tiles are judged by a profile of their set, enrolled from frames of a simulated gate. Last come processor
times for one decoded frame with 36 tiles in rivers and eight melds of three, one thread.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from simulator.cameras.ground import Cloth
from simulator.cameras.optics import FOREIGN, Picture, jpeg
from simulator.cameras.table import TableCamera
from simulator.scene import BACK, LaidTile, TableScene
from tests.support.simulator.laid_mat import cards_on_a_cloth, jittered
from tests.support.simulator.swept_tables import QUALITY, enrolled
from tests.support.simulator.table_trials import Fault, Trial, trial
from twinwall.art.mat import Area, Mat, Slot
from twinwall.game.tiles import ALL_TILES
from twinwall.values import frozen
from vision.calibration.mat_calibration import MatCalibration, calibrate_mat
from vision.cameras.port import CameraFrame, decode_picture
from vision.model.classifier import Classifier
from vision.model.judge import Judge
from vision.reading import ReadRefusal
from vision.table.placement import MatPlacement
from vision.table.table_reader import SlotVotes, TableReader

FRAMES = 4
FREE = 0.02
"""Share of a slot that an arm may hide if it still counts as seen."""
LEAST_FREE_FRAMES = 2
TIMED_FRAMES = 30
_ASKEW_DEG = 2.0
"""How far people lay cards askew."""
_BACK = 1
_THREADS = "OPENBLAS_NUM_THREADS"


@dataclass(slots=True)
class SlotTally:
    """Results for the slots of one fault's trials."""

    slots: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    readings: int = 0
    sure: int = 0
    misread: int = 0

    def add(self, table: int | str, slot: Slot, truth: str, said: str, *, seen: bool) -> None:
        """Count one slot: ``truth`` and ``said`` are a kind, ``flower``, ``back``, ``empty`` or (said only) ``open``."""
        no_kind = truth in (FOREIGN, BACK)
        right = said == truth or (no_kind and said == "open")
        if said != "open" and not right:
            self.wrong.append(f"table {table}: place {slot.place} {slot.area} {slot.index} holds {truth}, said {said}")
        sort = "bare" if truth == "empty" else "no_kind" if no_kind else "tile"
        outcome = "right" if right else "open" if said == "open" else "wrong"
        self.slots[f"{sort}_{outcome}" if seen else f"hidden_{'wrong' if outcome == 'wrong' else 'not_wrong'}"] += 1

    def to_json(self) -> dict[str, object]:
        """Return the counts, and the share of seen slots that are right."""
        seen = {name: count for name, count in self.slots.items() if not name.startswith("hidden")}
        right = sum(count for name, count in seen.items() if name.endswith("right"))
        total = sum(seen.values())
        return {
            "slots": total,
            "right": round(right / total, 5) if total else None,
            "phantoms": sum("holds empty" in line for line in self.wrong),
            **dict(sorted(self.slots.items())),
            "single_frames": {"tiles": self.readings, "sure": self.sure, "misread_of_sure": self.misread},
            "wrong": self.wrong,
        }


@frozen
class TrialReader:
    """The reader's parts: the model, and the judge of the set if it is enrolled."""

    classifier: Classifier
    mat: Mat
    judges: Mapping[int, Judge]
    laid: LaidCards | None = None


@frozen
class LaidCards:
    """Plain cloths with markers as cards up to ``off_mm`` off their places, as measured by the calibration."""

    mat: Mat
    off_mm: float

    def drawn(self, cloth: Cloth, seed: int) -> Picture:
        """Draw one of them on a table."""
        cards = jittered(self.mat, self.off_mm, _ASKEW_DEG, np.random.default_rng((seed, 5)))
        return cards_on_a_cloth(self.mat, cards, cloth, seed)

    def calibrated(self, table: Trial) -> MatCalibration:
        """Calibrate the table's camera."""
        grey = np.asarray(cv2.cvtColor(decode_picture(jpeg(table.bare(), QUALITY), "the bare table"), cv2.COLOR_BGR2GRAY), np.uint8)
        found = calibrate_mat([grey], self.mat, camera_height_mm=table.camera_height_mm, date="2026-11-21", cards=True)
        if isinstance(found, ReadRefusal):
            raise SystemExit(f"table {table.seed} cannot be calibrated: {found.detail}")
        return found


def tried(fault: Fault, seed: int, tested: TrialReader, tally: SlotTally) -> None:
    """Read one trial table, every slot."""
    mat, laid_mat = tested.mat, tested.laid
    table = trial(fault, seed, mat, frames=FRAMES, laid_mat=laid_mat.drawn if laid_mat else None)
    if laid_mat:
        reader = TableReader.calibrated(mat, tested.classifier, laid_mat.calibrated(table), judges=tested.judges)
    else:
        reader = TableReader(mat, tested.classifier, MatPlacement(mat, camera_height_mm=table.camera_height_mm), judges=tested.judges)
    votes, slots = SlotVotes(), mat.all_slots()
    free = Counter[Slot]()
    for number, shot in enumerate(table.frames(FRAMES)):
        image = decode_picture(jpeg(shot.picture, QUALITY), "the trial table")
        readings = reader.read(CameraFrame(image, *exposed(number)), slots, _BACK)
        votes.add(readings)
        free.update(slot for slot in slots if shot.hidden[slot] <= FREE)
        for reading in readings:
            laid = table.laid.get(reading.slot)
            if reading.occupied and laid is not None and laid.face not in (FOREIGN, BACK):
                tally.readings += 1
                if reading.reason is None and reading.tile is not None:
                    tally.sure += 1
                    tally.misread += reading.tile.text != laid.face
    for slot in slots:
        tally.add(seed, slot, _truth(table, slot), said(votes, slot), seen=free[slot] >= LEAST_FREE_FRAMES)


def exposed(number: int) -> tuple[int, int]:
    """Return the times of a frame, a second apart, so that each is read in its own measured light."""
    return number * 1_000_000_000, number * 1_000_000_000 + 1


def _truth(table: Trial, slot: Slot) -> str:
    laid = table.laid.get(slot)
    return "empty" if laid is None else laid.face


def said(votes: SlotVotes, slot: Slot) -> str:
    """Return the votes' result for a slot: a kind, ``empty`` or ``open``."""
    tile = votes.settled(slot)
    if tile is not None:
        return tile.text
    return "empty" if votes.emptied(slot) else "open"


def _full_table(mat: Mat) -> tuple[list[Slot], tuple[LaidTile, ...]]:
    """Return slots of rivers and melds, and the tiles in them."""
    rng = np.random.default_rng(7)
    slots = [slot for place in range(4) for slot in (*mat.slots(place, Area.RIVER)[:9], *_meld_slots(place))]
    off = {slot: rng.uniform(-4, 4, 2) for slot in slots}
    laid = tuple(
        LaidTile(
            ALL_TILES[int(rng.integers(34))].text,
            slot.place,
            slot.area.value,
            slot.index,
            slot.area is Area.MELD and slot.index % 4 == 0,
            (float(off[slot][0]) / 4, float(off[slot][1]) / 4),
            float(rng.uniform(-5, 5)) + 180.0 * int(rng.integers(2)),
        )
        for slot in slots
    )
    return slots, laid


def times(classifier: Classifier, mat: Mat) -> dict[str, object]:
    """Return processor milliseconds for a frame with rivers of 36 tiles and eight melds at rest, after the first one, which places the mat;
    and those of another reader for every slot of the same frames."""
    slots, laid = _full_table(mat)
    camera, reader, reader_of_all = TableCamera(3, mat), TableReader(mat, classifier), TableReader(mat, classifier)
    scene = TableScene(1, laid)
    spent, first_ms, read = [], 0.0, 0
    everything = mat.all_slots()
    whole = []
    for number in range(TIMED_FRAMES + 1):
        frame = CameraFrame(decode_picture(jpeg(camera.render(scene), QUALITY), "the simulated table"), *exposed(number))
        begun = time.thread_time()
        readings = reader.read(frame, slots)
        taken = (time.thread_time() - begun) * 1000
        begun = time.thread_time()
        reader_of_all.read(frame, everything)
        taken_by_all = (time.thread_time() - begun) * 1000
        if number == 0:
            first_ms = taken
            continue
        spent.append(taken)
        whole.append(taken_by_all)
        read += sum(reading.tile is not None and reading.tile.text == tile.face for reading, tile in zip(readings, laid, strict=True))
    return {
        "tiles": len(slots),
        "first_frame_ms": round(first_ms, 1),
        "frame_ms": spread(spent),
        "every_slot_ms": spread(whole),
        "read_rightly": round(read / (len(slots) * TIMED_FRAMES), 4),
    }


def _meld_slots(place: int) -> Iterator[Slot]:
    return (Slot(place, Area.MELD, 4 * group + position) for group in range(2) for position in range(3))


def spread(values: list[float]) -> dict[str, float]:
    """Return mean, median and 99th percentile."""
    p50, p99 = np.percentile(values, (50, 99))
    return {"mean": round(float(np.mean(values)), 1), "p50": round(float(p50), 1), "p99": round(float(p99), 1)}


def on_one_thread(module: str) -> None:
    """Restart the command with one thread for the matrix library, which reads that setting when it is loaded."""
    if os.environ.get(_THREADS) != "1":
        os.execve(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]], {**os.environ, _THREADS: "1"})


def main() -> int:
    """Measure and print; return 1 if a bare slot was taken for a tile."""
    on_one_thread("benchmarks.vision.table_reader")
    parser = argparse.ArgumentParser(description="Figures of the overhead reader, as JSON.")
    parser.add_argument("--slots", type=int, default=10_000, help="least number of slots to read, evenly over the faults")
    parser.add_argument("--fault", action="append", choices=[str(fault) for fault in Fault], help="only this fault (may be repeated)")
    parser.add_argument("--seed", type=int, default=1, help="the first table's seed")
    parser.add_argument("--enrolled", type=int, default=0, metavar="N", help="by a profile made from N gate frames of each kind")
    parser.add_argument(
        "--cards-off-mm", type=float, metavar="MM", help="on plain cloths with markers as cards, up to this far off their places"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document; always so")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    mat, classifier = Mat(), Classifier()
    laid = None if options.cards_off_mm is None else LaidCards(mat, options.cards_off_mm)
    tested = TrialReader(classifier, mat, {_BACK: enrolled(classifier, options.enrolled)} if options.enrolled else {}, laid)
    faults = [Fault(name) for name in options.fault or Fault]
    tables = math.ceil(options.slots / len(mat.all_slots()) / len(faults))
    tallies = {fault: SlotTally() for fault in faults}
    begun = time.perf_counter()
    for fault, tally in tallies.items():
        for seed in range(options.seed, options.seed + tables):
            tried(fault, seed, tested, tally)
    figures = {str(fault): tally.to_json() for fault, tally in tallies.items()}
    together = SlotTally(
        sum((tally.slots for tally in tallies.values()), Counter()),
        [line for tally in tallies.values() for line in tally.wrong],
        *(sum(getattr(tally, name) for tally in tallies.values()) for name in ("readings", "sure", "misread")),
    )
    whole = {**together.to_json(), "wrong": len(together.wrong)}
    tried_by = {"tables_per_fault": tables, "frames": FRAMES, "enrolled": options.enrolled}
    outcome = {**tried_by, "together": whole, "by_fault": figures, "times": times(classifier, mat)}
    print(json.dumps({**outcome, "took_s": round(time.perf_counter() - begun, 1)}, ensure_ascii=False, indent=1))
    return 1 if whole["phantoms"] else 0


if __name__ == "__main__":
    sys.exit(main())
