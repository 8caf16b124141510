"""Accuracy and speed of the sweep of the whole mat: ``python -m benchmarks.vision.sweep --json [--tables N] [--frames N]``.

Simulated tables have tiles strewn at any place and angle, alone and touching in rows, bends and blocks, under one fault each. Printed, by
fault: the share found of tiles that nothing hides, their errors of place and angle, phantoms (tiles found where none are), results for
faces and backs, and processor times beside those of the table reader for every slot of the same frames. A frame's arms move, so its tiles
are those that it shows.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.rendered.folder import FREE_OF_ARMS
from benchmarks.vision.table_reader import on_one_thread, spread
from simulator.cameras.optics import jpeg
from simulator.scene import BACK
from tests.support.simulator.strewn_tables import strewn_table
from tests.support.simulator.swept_tables import QUALITY
from tests.support.simulator.table_trials import Fault
from twinwall.art.mat import Mat
from twinwall.values import frozen
from vision.cameras.port import CameraFrame, decode_picture
from vision.mat_observation import MatObservation, ObservedTile
from vision.model.classifier import Classifier
from vision.table.lens import MatView
from vision.table.placement import MatPlacement
from vision.table.seen_mat import MatFollower
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

FRAMES = 4
_FRAME_NS = 100_000_000
_NEAR_MM = 6.0
"""A tile found further away is another one."""
_THICKNESS_MM = 16.0
_BACK = 1


@frozen
class TrueTile:
    """Where a tile's face is seen (middle in px, angle of its long side in the picture), its kind, and whether nothing hides it."""

    face: str
    middle_px: tuple[float, float]
    angle_deg: float
    free: bool


@dataclass(slots=True)
class SweepTally:
    """Results for the tiles of some frames, and processor times."""

    counts: Counter[str] = field(default_factory=Counter)
    off_mm: list[float] = field(default_factory=list)
    askew_deg: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    later_ms: list[float] = field(default_factory=list)
    slots_ms: list[float] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """Return counts, shares and times."""
        shown = self.counts["shown"]
        return {
            "found_share": round(self.counts["found"] / shown, 5) if shown else None,
            **dict(sorted(self.counts.items())),
            "off_mm_p95": round(float(np.percentile(self.off_mm, 95)), 2) if self.off_mm else None,
            "askew_deg_p95": round(float(np.percentile(self.askew_deg, 95)), 2) if self.askew_deg else None,
            "wrong": self.wrong,
            "ms": {
                name: spread(values)
                for name, values in (("first", self.first_ms), ("later", self.later_ms), ("every_slot", self.slots_ms))
                if values
            },
        }


class SweepTrial:
    """One camera over one table, read by the sweep and by slots."""

    def __init__(self, mat: Mat, classifier: Classifier, height_mm: float) -> None:
        self._mat, self._follower = mat, MatFollower(mat, MatPlacement(mat, camera_height_mm=height_mm), _THICKNESS_MM)
        self._sweeper = MatSweeper(mat, classifier, self._follower)
        self._reader = TableReader(mat, classifier, MatPlacement(mat, camera_height_mm=height_mm))
        self._frames = 0

    def frame(self, picture: NDArray[np.uint8], tiles: Sequence[TrueTile], tally: SweepTally, name: str) -> None:
        """Read one frame and compare."""
        at_ns = self._frames * _FRAME_NS
        frame = CameraFrame(picture, at_ns, at_ns + 1)
        begun = time.thread_time()
        seen = self._sweeper.observe(frame, at_ns // 1_000_000, _BACK)
        swept = time.thread_time()
        self._reader.read(frame, self._mat.all_slots(), _BACK)
        tally.slots_ms.append((time.thread_time() - swept) * 1000)
        (tally.later_ms if self._frames else tally.first_ms).append((swept - begun) * 1000)
        self._frames += 1
        placed = self._follower.placed
        if seen is None or placed is None:
            tally.counts["frames_without_mat"] += 1
        else:
            compare(seen, tiles, placed.view, tally, name)


def compare(seen: MatObservation, tiles: Sequence[TrueTile], view: MatView, tally: SweepTally, name: str) -> None:
    """Compare one observation with the true tiles."""
    left = list(seen.tiles)
    middles = view.project(np.array([(one.x_mm, one.y_mm) for one in left]).reshape(-1, 2), _THICKNESS_MM)
    px_per_mm = view.px_per_mm() * view.height_mm / (view.height_mm - _THICKNESS_MM)
    taken: set[int] = set()
    for tile in tiles:
        off = np.linalg.norm(middles - tile.middle_px, axis=1) / px_per_mm
        near = [number for number in np.argsort(off).tolist() if number not in taken and off[number] < _NEAR_MM][:1]
        tally.counts["shown"] += tile.free
        if not near:
            tally.counts["missed_faces" if tile.face != BACK else "missed_backs"] += tile.free
            continue
        one = left[near[0]]
        taken.add(near[0])
        tally.counts["found"] += tile.free
        tally.counts["found_partly_hidden"] += not tile.free
        if tile.free:
            tally.off_mm.append(float(off[near[0]]))
            tally.askew_deg.append(abs((_angle_px(one, view) - tile.angle_deg + 90) % 180 - 90))
        _tally_read(one, tile, tally, name)
    for number, one in enumerate(left):
        if number not in taken:
            tally.counts["phantoms"] += 1
            tally.wrong.append(f"{name}: nothing lies at {one.x_mm:.0f}, {one.y_mm:.0f} mm, {'face' if one.face_up else 'back'} found")


def _tally_read(one: ObservedTile, tile: TrueTile, tally: SweepTally, name: str) -> None:
    likeliest = max(one.shares, key=lambda kind: one.shares[kind]).text if one.shares else None
    is_back = tile.face == BACK
    if not one.face_up:
        outcome = "backs_told" if is_back else "faces_told_backs"
    elif not one.sure:
        outcome = "backs_unsure" if is_back else "faces_refused"
    else:
        outcome = "faces_right" if likeliest == tile.face else "sure_wrong"
    tally.counts[outcome] += 1
    if outcome in ("sure_wrong", "faces_told_backs"):
        tally.wrong.append(f"{name}: {tile.face} at {one.x_mm:.0f}, {one.y_mm:.0f} mm, {outcome} {likeliest}")


def _angle_px(one: ObservedTile, view: MatView) -> float:
    """Return the angle of a tile's long side in the picture, anticlockwise from downwards."""
    turned = np.deg2rad(one.angle_deg)
    ends = np.array((one.x_mm, one.y_mm)) + np.array([(-1.0,), (1.0,)]) * np.array((np.sin(turned), np.cos(turned))) * 10
    (x0, y0), (x1, y1) = view.project(ends, _THICKNESS_MM)
    return float(np.rad2deg(np.arctan2(x1 - x0, y1 - y0)))


def true_tile(face: str, outline_px: NDArray[np.float64], *, free: bool) -> TrueTile:
    """Return a tile by the outline of its face (4 × 2 px: upper left, upper right, lower right, lower left of the upright tile)."""
    x, y = outline_px.mean(axis=0)
    down_x, down_y = outline_px[2:].mean(axis=0) - outline_px[:2].mean(axis=0)
    return TrueTile(face, (float(x), float(y)), float(np.rad2deg(np.arctan2(down_x, down_y))), free)


def strew(fault: Fault, seed: int, classifier: Classifier, frames: int, tally: SweepTally) -> None:
    """Measure one simulated table."""
    mat = Mat()
    table = strewn_table(fault, seed, mat, frames=frames)
    trial = SweepTrial(mat, classifier, table.shown.height_mm)
    for number, (picture, hidden) in enumerate(table.frames(frames)):
        tiles = [
            true_tile(tile.face, outline, free=share <= FREE_OF_ARMS)
            for tile, outline, share in zip(table.tiles, table.outlines_px(), hidden, strict=True)
        ]
        trial.frame(decode_picture(jpeg(picture, QUALITY), "the strewn table"), tiles, tally, f"{fault} {seed}.{number}")


def main() -> int:
    """Measure and print; return 1 if a phantom was found or a sure read was wrong."""
    on_one_thread("benchmarks.vision.sweep")
    parser = argparse.ArgumentParser(description="Figures of the sweep of the whole mat, as JSON.")
    parser.add_argument("--tables", type=int, default=4, help="number of strewn tables of each fault")
    parser.add_argument("--frames", type=int, default=FRAMES, help=f"frames of each strewn table, ten a second ({FRAMES})")
    parser.add_argument("--fault", action="append", choices=[str(fault) for fault in Fault], help="only this fault (may be repeated)")
    parser.add_argument("--seed", type=int, default=1, help="the first table's seed")
    parser.add_argument("--json", action="store_true", help="print one JSON document; always so")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    classifier = Classifier()
    outcome: dict[str, SweepTally] = {}
    for fault in [Fault(name) for name in options.fault or Fault if Fault(name) is not Fault.OFF_SLOT]:
        outcome[str(fault)] = SweepTally()
        for seed in range(options.seed, options.seed + options.tables):
            strew(fault, seed, classifier, options.frames, outcome[str(fault)])
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    print(json.dumps({"machine": machine, **{name: tally.to_json() for name, tally in outcome.items()}}, ensure_ascii=False, indent=1))
    return 1 if any(tally.wrong for tally in outcome.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
