"""Swept tables: simulated tables whose frames are rendered, kept as JPEG and swept as at a real one.

``rendered`` gives what the sweep says of a whole hand, for a decoder that is to see it.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

import cv2
import numpy as np

from benchmarks.played_tables.hand_on_table import HandOnTable
from simulator.cameras.gate import GateCamera
from simulator.cameras.optics import Picture, jpeg
from simulator.cameras.table import TILE_THICKNESS_MM, USUAL_TILES
from simulator.scene import Between, GateScene, WindowTile
from simulator.tabletop import Tabletop
from simulator.world.visible_table import scene
from tests.support.simulator.table_trials import Fault, trial_camera, trial_look
from twinwall.art.mat import Mat
from twinwall.game.tiles import ALL_TILES, format_tiles
from vision.cameras.port import CameraFrame, decode_picture
from vision.enrol.enrol import SetName, enrol
from vision.enrol.evaluate import LabelledCrop
from vision.gate.gate_reader import GateReader
from vision.mat_observation import MatObservation
from vision.model.classifier import Classifier
from vision.model.judge import Judge, ProfileJudge
from vision.reading import ReadRefusal
from vision.table.placement import MatPlacement
from vision.table.seen_mat import MatFollower
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

QUALITY = 90
"""Of JPEG files in which frames are kept."""
_FRAME_NS = 1_000_000
_BACK = 1
_EXAMPLES = 2
"""Gate frames of each kind from which the set of a good table is enrolled."""


@dataclass(frozen=True, slots=True)
class TileReaders:
    """Who reads: the model, and the judge of the set where it is enrolled."""

    classifier: Classifier
    judges: Mapping[int, Judge]


def enrolled(classifier: Classifier, examples: int, faces: Mapping[str, Picture] | None = None) -> ProfileJudge:
    """A profile of the simulator's set, or of one with these faces, from so many gate frames of each kind, every other one upside down."""
    camera, reader, samples = GateCamera(11, faces), GateReader(classifier), []
    for tile in ALL_TILES:
        for showing in range(examples):
            shown = WindowTile(tile.text, bool(showing % 2), (0.8, -0.6), 1.5, obscured=False, light_seed=40 * int(tile) + showing)
            seen = reader.locate(camera.render(GateScene(shown)))
            if not isinstance(seen, ReadRefusal):
                samples.append(LabelledCrop(f"{tile.text} {showing}", tile, seen))
    enrolment = enrol(classifier, samples, ALL_TILES, SetName("simulated", None, date(2026, 11, 20)), np.random.default_rng(1))
    if enrolment.profile is None:
        raise RuntimeError(f"no example is left of {format_tiles(enrolment.missing)}")
    return ProfileJudge(enrolment.profile)


@cache
def readers(examples: int) -> TileReaders:
    """The model with the simulator's set enrolled from so many gate frames of each kind, or alone with 0; made once for a process."""
    classifier = Classifier()
    return TileReaders(classifier, {_BACK: enrolled(classifier, examples)} if examples else {})


class SweptTable:
    """One table before one camera with a fault; another ``number`` is another table."""

    def __init__(self, fault: Fault, number: int, reads: TileReaders) -> None:
        self.mat, self._reads = Mat(), reads
        rng = np.random.default_rng((number, list(Fault).index(fault), 31))
        look, height_mm = trial_look(fault, rng)
        if reads.judges:
            look = replace(look, tiles=USUAL_TILES)
        self.look = look
        self._camera = trial_camera(fault, rng, self.mat, seed=number, look=look, height_mm=height_mm, frames=1)
        self.view = self._camera.camera.view
        follower = MatFollower(self.mat, self._placement(), TILE_THICKNESS_MM)
        self.swept_ms: list[float] = []
        """Processor time of the sweep of each frame."""
        self._sweeper = MatSweeper(self.mat, reads.classifier, follower, reads.judges)

    def observe(self, at_ms: int, table: Tabletop, between: Between) -> MatObservation | None:
        """Render one frame and sweep it; None where the mat is not found."""
        return self.sweep(self.frame(at_ms, table, between), at_ms)

    def frame(self, at_ms: int, table: Tabletop, between: Between) -> CameraFrame:
        picture, _ = self._camera.shot(scene(table, between), 0)
        return CameraFrame(decode_picture(jpeg(picture, QUALITY), "the simulated table"), at_ms * _FRAME_NS, at_ms * _FRAME_NS + 1)

    def sweep(self, frame: CameraFrame, at_ms: int) -> MatObservation | None:
        """Sweep a frame; None where the mat is not found."""
        began_s = time.process_time()
        seen = self._sweeper.observe(frame, at_ms, _BACK)
        self.swept_ms.append(round(1000 * (time.process_time() - began_s), 1))
        return seen

    def reader(self) -> TableReader:
        """What reads slots in its frames, as at a running table."""
        return TableReader(self.mat, self._reads.classifier, self._placement(), self._reads.judges)

    def _placement(self) -> MatPlacement:
        return MatPlacement(self.mat, camera_height_mm=self._camera.height_mm)


def good_table(number: int) -> SweptTable:
    """A table without a fault, with an enrolled set."""
    return SweptTable(Fault.NONE, number, readers(_EXAMPLES))


def rendered(hand: HandOnTable, table: SweptTable, frame_ms: int, *, every_frame: bool = False) -> Iterator[MatObservation]:
    """What the sweep says of a hand on a table, one observation each ``frame_ms``.

    A frame is rendered whenever something on the mat or in front of it has changed; until the next change its observation is told
    again, with the time of each frame. With ``every_frame`` those in which nothing has changed are rendered and swept as well.
    """
    cv2.setNumThreads(1)
    before: tuple[Tabletop, Between] | None = None
    seen: MatObservation | None = None
    for at_ms, lying, between in hand.frames(frame_ms):
        if between.silent:
            continue
        if every_frame or before is None or before[0] is not lying or before[1] != between:
            seen = table.observe(at_ms, lying, between)
        before = lying, between
        if seen is not None:
            yield replace(seen, at_ms=at_ms)
