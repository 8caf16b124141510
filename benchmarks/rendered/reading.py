"""Accuracy and speed of the table reader on path-traced tables.

Every slot of the mat is read in every frame. Printed, by table and together, are the slots right, wrong and open after voting, the bare
slots reported as hidden, and the wrong sure looks. A slot counts if two frames show it free. Tiles burnt out by light in all frames are
counted too; they cannot be read. Tiles may be judged by a profile of their set, made from the folder ``close-DESIGN`` or from gate frames.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.rendered.faces import faces_of
from benchmarks.rendered.folder import CLOSE, FolderError, FrameTruth, free_slots, slot_of, slots_under_arms, tables_in, truth_of
from benchmarks.rendered.tables import table_of
from benchmarks.vision.table_reader import LEAST_FREE_FRAMES, SlotTally, exposed, said, spread
from simulator.cameras.optics import FOREIGN
from simulator.scene import BACK
from tests.support.simulator.swept_tables import enrolled as enrolled_at_gate
from twinwall.art.mat import Mat, Slot
from twinwall.game.tiles import ALL_TILES, format_tiles, parse_tile
from twinwall.values import frozen
from vision.cameras.port import CameraFrame, decode_picture
from vision.enrol.enrol import SetName, enrol
from vision.enrol.evaluate import LabelledCrop
from vision.model.classifier import Classifier
from vision.model.crop_view import CROP_H, CROP_W
from vision.model.judge import Judge, ProfileJudge
from vision.table.lens import MatView, Points
from vision.table.placement import MatPlacement
from vision.table.slots import Presence
from vision.table.table_reader import SlotReading, SlotVotes, TableReader

Picture = NDArray[np.uint8]


@frozen
class _Frame:
    """A picture (h × w × 3 BGR), its camera's height as measured by a person, and the slots' middles on the mat and in the picture."""

    mat: Mat
    picture: Picture
    height_mm: float
    slots_mm: Points
    slots_px: Points

    def placed(self) -> float | None:
        """Return the error of the slot that is placed worst; None if the mat is not placed."""
        view = MatPlacement(self.mat, camera_height_mm=self.height_mm).locate(self.picture)
        return float(np.linalg.norm(view.project(self.slots_mm) - self.slots_px, axis=1).max()) if isinstance(view, MatView) else None


def errors_of(root: Path) -> dict[str, object]:
    """Return the errors of all frames of a folder; raises FolderError for tables that are not our own."""
    errors = [frame.placed() for frame in _frames(root, Mat())]
    known = [error for error in errors if error is not None]
    at = np.percentile(known, (50, 95, 100)).round(2).tolist() if known else None
    px = at and dict(zip(("p50", "p95", "most"), at, strict=True))
    return {"tried": len(errors), "refused": len(errors) - len(known), "px": px}


def _frames(root: Path, mat: Mat) -> Iterator[_Frame]:
    middles = np.array([(spot.x_mm, spot.y_mm) for spot in map(mat.spot, mat.all_slots())])
    for folder in tables_in(root):
        truth = truth_of(folder)
        table = table_of(folder, mat, frames=len(truth["frames"]))
        if table is None:
            raise FolderError(f"{folder} is no table of ours, so its camera's place is unknown")
        for frame, moment in zip(truth["frames"], table.moments, strict=True):
            picture = decode_picture((folder / frame["file"]).read_bytes(), str(folder))
            yield _Frame(mat, picture, truth["camera_height_mm"], middles, moment.camera.project(middles))


_BACK = 1
_THICKNESS_MM = 16.0
_BURNT_LEVEL, _BURNT_SHARE = 250, 0.95
"""A face with this share of pixels at this level in two of three colours shows no readable mark."""
_FACE_MIDDLE = 0.8
"""Share of a face, along each side, that holds its marks."""
_GATE_FRAMES = 2
"""Gate frames of each kind that enrol the set of a table of our own."""


@dataclass(slots=True)
class TableTally:
    """Results on the tables: slots after voting, single looks, and processor time."""

    slots: SlotTally = field(default_factory=SlotTally)
    looks: Counter[str] = field(default_factory=Counter)
    """Looks at bare slots and faces that nothing hides, and at faces partly under arms; with the wrong ones among them."""
    misreads: list[str] = field(default_factory=list)
    frame_ms: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)
    burnt: Counter[str] = field(default_factory=Counter)
    """Tiles burnt out in every frame, ``open`` and ``right``."""

    def add(self, other: TableTally) -> None:
        """Add another tally."""
        self.slots = SlotTally(
            self.slots.slots + other.slots.slots,
            self.slots.wrong + other.slots.wrong,
            self.slots.readings + other.slots.readings,
            self.slots.sure + other.slots.sure,
            self.slots.misread + other.slots.misread,
        )
        self.looks += other.looks
        self.misreads += other.misreads
        self.unplaced += other.unplaced
        self.burnt += other.burnt
        self.frame_ms += other.frame_ms
        self.first_ms += other.first_ms

    def to_json(self) -> dict[str, object]:
        """Return counts and times."""
        return {
            **self.slots.to_json(),
            "looks": dict(sorted(self.looks.items())),
            "sure_misreads": self.misreads,
            "frames_without_mat": self.unplaced,
            "burnt_out": {"tiles": self.burnt.total(), "open": self.burnt["open"]},
            "first_frame_ms": spread(self.first_ms) if self.first_ms else None,
            "every_slot_ms": spread(self.frame_ms) if self.frame_ms else None,
        }


def enrolled(classifier: Classifier, folder: Path) -> ProfileJudge:
    """Return a profile of the set whose tiles lie in a row in the picture of a folder, seen squarely."""
    truth = truth_of(folder)
    picture = decode_picture((folder / truth["frames"][0]["file"]).read_bytes(), str(folder))
    scale = truth["camera"]["focal"] / (truth["camera"]["height"] - _THICKNESS_MM)
    middle = np.array(picture.shape[1::-1], np.float32) / 2
    wanted = np.array([(0, 0), (CROP_W, 0), (CROP_W, CROP_H), (0, CROP_H)], np.float32)
    samples = []
    for number, one in enumerate(truth["slots"]):
        corners = (np.array(one["outline_px"], np.float32) * scale + middle).astype(np.float32)
        crop = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(corners, wanted), (CROP_W, CROP_H), flags=cv2.INTER_AREA)
        samples.append(LabelledCrop(f"{one['holds']} {number}", parse_tile(one["holds"]), np.asarray(crop, np.uint8)))
    name = SetName(truth["design"], None, date(2026, 11, 20))
    enrolment = enrol(classifier, samples, ALL_TILES, name, np.random.default_rng(1))
    if enrolment.profile is None:
        raise SystemExit(f"{folder}: no example is left of {format_tiles(enrolment.missing)}")
    return ProfileJudge(enrolment.profile)


def tried(folder: Path, mat: Mat, classifier: Classifier, judges: Mapping[int, Judge]) -> TableTally:
    """Read one table, every slot in every frame."""
    truth, tally, votes = truth_of(folder), TableTally(), SlotVotes()
    reader = TableReader(mat, classifier, MatPlacement(mat, camera_height_mm=truth["camera_height_mm"]), judges=judges)
    holds = {slot_of(one["slot"]): one["holds"] for one in truth["slots"]}
    faces = {slot_of(one["slot"]): one["outline_px"] for one in truth["slots"] if one["holds"] not in (FOREIGN, BACK, "empty")}
    free: Counter[Slot] = Counter()
    marked: set[Slot] = set()
    for number, frame in enumerate(truth["frames"]):
        image = decode_picture((folder / frame["file"]).read_bytes(), str(folder))
        begun = time.thread_time()
        readings = reader.read(CameraFrame(image, *exposed(number)), list(holds), _BACK)
        (tally.frame_ms if number else tally.first_ms).append((time.thread_time() - begun) * 1000)
        if reader.trouble is not None:
            tally.unplaced.append(f"{folder.name}/{frame['file']}: {reader.trouble.detail}")
        seen = free_slots(frame)
        free.update(seen)
        marked |= {slot for slot, outline in faces.items() if outline is not None and slot in seen and not burnt_out(image, outline)}
        votes.add(readings)
        _looked(tally, readings, holds, frame, f"{folder.name}/{frame['file']}")
    for slot, held in holds.items():
        outcome, counts = said(votes, slot), free[slot] >= LEAST_FREE_FRAMES
        tally.slots.add(folder.name, slot, held, outcome, seen=counts)
        if counts and slot in faces and slot not in marked:
            tally.burnt["open" if outcome == "open" else "right"] += 1
    return tally


def burnt_out(picture: NDArray[np.uint8], outline: Sequence[tuple[float, float]]) -> bool:
    """Whether light has washed out all marks of a face with this outline (4 × 2 px) in a picture (h × w × 3)."""
    corners = np.array(outline)
    middle = corners.mean(axis=0)
    within = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(within, np.rint(middle + (corners - middle) * _FACE_MIDDLE).astype(np.int32), 1)
    if not within.any():
        return False
    return float((np.median(picture[within > 0], axis=1) >= _BURNT_LEVEL).mean()) >= _BURNT_SHARE


def _looked(tally: TableTally, readings: Iterable[SlotReading], holds: Mapping[Slot, str], frame: FrameTruth, name: str) -> None:
    """Count the looks of one frame."""
    seen, under_arms = free_slots(frame), slots_under_arms(frame)
    for reading in readings:
        held, is_hidden = holds[reading.slot], reading.presence is Presence.HIDDEN
        if held == "empty" and reading.slot in seen:
            tally.looks.update(bare=1, bare_hidden=is_hidden)
        elif held not in ("empty", FOREIGN, BACK) and reading.slot in seen:
            tally.looks.update(face=1, face_hidden=is_hidden)
        elif held not in ("empty", FOREIGN, BACK) and reading.slot in under_arms:
            tally.looks.update(face_under_arm=1, face_under_arm_free=reading.occupied)
        if not reading.occupied:
            continue
        tally.slots.readings += held not in (FOREIGN, BACK)
        if reading.reason is None and reading.tile is not None:
            tally.slots.sure += 1
            if reading.tile.text != held:
                tally.slots.misread += 1
                place = f"place {reading.slot.place} {reading.slot.area} {reading.slot.index}"
                tally.misreads.append(f"{name}: {place} holds {held}, read {reading.tile.text} at {reading.shares[reading.tile]:.3f}")


def at_gate(classifier: Classifier, folder: Path, mat: Mat, photos: Path | None) -> ProfileJudge:
    """Return a profile of the set of a table of our own, from gate frames of its faces. Raises FolderError for another table, LabelsError
    if photographs are missing."""
    table = table_of(folder, mat)
    if table is None:
        close = f"{CLOSE}-{truth_of(folder)['design']}"
        raise FolderError(f"{folder} is no table of ours, and its set cannot be enrolled without a folder {close} beside it")
    return enrolled_at_gate(classifier, _GATE_FRAMES, faces_of(table, photos))


def read_folder(
    root: Path, names: Sequence[str], *, by_profile: bool, photos: Path | None = None
) -> tuple[TableTally, dict[str, TableTally]]:
    """Read all tables of a folder, or those named; return their tallies together and one by one; raises FolderError. ``by_profile``: with a
    profile from the folder ``close-DESIGN`` if it exists, else from gate frames of a table of our own."""
    mat, classifier = Mat(), Classifier()
    together, by_table = TableTally(), dict[str, TableTally]()
    for folder in tables_in(root):
        if names and folder.name not in names:
            continue
        judges: dict[int, Judge] = {}
        if by_profile:
            close = root / f"{CLOSE}-{truth_of(folder)['design']}"
            judges[_BACK] = enrolled(classifier, close) if close.is_dir() else at_gate(classifier, folder, mat, photos)
        by_table[folder.name] = tried(folder, mat, classifier, judges)
        together.add(by_table[folder.name])
    return together, by_table
