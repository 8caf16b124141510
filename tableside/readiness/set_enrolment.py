"""Enrolment of one tile set at a gate without a feeder: a person shows each tile once, and names those that the reader doubts. It runs in
its own thread, and others can ask how far it is. Pictures are only in memory; the profile is written."""

import logging
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tableside.station.camera_worker import Stillness
from twinwall.game.tiles import COPIES, Tile, TileRow
from twinwall.wire.shapes.readiness import EnrolmentNow, EnrolmentQuestion, EnrolmentStage
from vision.cameras.port import Camera, CameraFrame, CameraLostError, encode_picture
from vision.enrol.enrol import Doubtful, SetName, Views, enrol, name_pictures, varied_views
from vision.enrol.evaluate import LabelledCrop
from vision.gate.rectify import cut_large, find_tile
from vision.model.classifier import Classifier
from vision.reading import ReadRefusal

log = logging.getLogger(__name__)

MOST_LOOKS = 15
"""Looks at a tile that was pictured already, before the person is asked: a person who exchanged tiles between two looks needs nothing else.
"""


class ShownTiles:
    """Takes frame after frame. A tile is pictured when it has come to rest; the next one only after the gate was seen empty."""

    def __init__(self) -> None:
        self._stillness = Stillness()
        self._awaited, self._lies = True, 0
        self.trouble = ""
        """Why the tile at the gate is not pictured; empty if there is none, or no problem."""

    def take(self, frame: CameraFrame) -> NDArray[np.uint8] | None:
        """The picture of a newly shown tile, cropped to it (h × w × 3 BGR), or None."""
        at_rest = self._stillness.take(frame)
        if at_rest is False:
            self._awaited, self._lies, self.trouble = True, 0, ""
        if not at_rest:
            return None
        if not self._awaited:
            self._lies += 1
            if self._lies > MOST_LOOKS:
                self.trouble = (
                    "the gate was not seen empty since the last tile: take this tile away for a second; "
                    "if the count did not rise for it, show it again"
                )
            return None
        corners = find_tile(frame.image)
        if isinstance(corners, ReadRefusal):
            self.trouble = corners.detail
            return None
        self._awaited, self.trouble = False, ""
        return cut_large(frame.image, corners)


_SEED = 1
"""The same pictures give the same profile."""
_RETRY_S = 0.5


class SetEnrolment:
    """One set's enrolment."""

    def __init__(self, wanted: tuple[str, SetName, TileRow], camera: Camera, classifier: Classifier, keep: Callable[[bytes], None]) -> None:
        """``wanted`` is the set: ``first`` or ``second``, its name, its kinds. ``keep`` writes the profile and raises OSError."""
        self._key, self._called, self._kinds = wanted
        self._camera, self._classifier, self._keep = camera, classifier, keep
        self._changed = threading.Condition()
        self._stage, self._trouble = EnrolmentStage.SHOWING, ""
        self._missing: TileRow = ()
        self._left_out: TileRow = ()
        self._taken = 0
        self._pictures: list[LabelledCrop] = []
        self._rng = np.random.default_rng(_SEED)
        self._seen: dict[str, Views] = {}
        self._open: Doubtful = []
        self._answers: list[Tile | None] = []
        self._all_shown = False
        self._began_s = time.monotonic()
        self._ended_s: float | None = None

    @property
    def wanted(self) -> int:
        """The number of tiles in the set."""
        return COPIES * len(self._kinds)

    @property
    def is_running(self) -> bool:
        with self._changed:
            return self._stage.is_running

    def now(self) -> EnrolmentNow:
        with self._changed:
            question = None
            if self._stage is EnrolmentStage.ASKING:
                number = len(self._answers)
                candidates = [candidate.tile.text for candidate in self._open[number][1].candidates]
                question = EnrolmentQuestion(number, len(self._open), candidates)
            seconds = (self._ended_s or time.monotonic()) - self._began_s
            missing, left_out = ([tile.text for tile in tiles] for tiles in (self._missing, self._left_out))
            standing = self._key, self._stage, self._taken, self.wanted
            return EnrolmentNow(*standing, round(seconds, 1), self._trouble, question, missing, left_out)

    def picture(self, number: int) -> bytes | None:
        """The picture of a question as PNG; None for an unknown question."""
        with self._changed:
            found = self._open[number][0].image if 0 <= number < len(self._open) else None
        return None if found is None else encode_picture(found, ".png")

    def all_shown(self) -> None:
        """Note that the person has no tile left."""
        with self._changed:
            self._all_shown = True

    def answer(self, number: int, tile: Tile | None) -> bool:
        """Store what a doubtful picture shows, None to leave it out; False if the question is not the open one."""
        with self._changed:
            if self._stage is not EnrolmentStage.ASKING or number != len(self._answers):
                return False
            self._answers.append(tile)
            if len(self._answers) == len(self._open):
                self._stage = EnrolmentStage.MAKING
            self._changed.notify_all()
            return True

    def stop(self) -> None:
        self._end(EnrolmentStage.STOPPED)

    def run(self) -> None:
        """Run the whole enrolment in the caller's thread."""
        try:
            if self._collected():
                samples, _ = name_pictures(self._pictures, self._kinds, self._classifier, self._asked)
                if self.is_running:
                    self._made(samples)
        except Exception as problem:
            log.exception("the enrolment has failed")
            self._end(EnrolmentStage.FAILED, str(problem) or type(problem).__name__)

    def _collected(self) -> bool:
        """Collect pictures until all tiles were shown; False if it was stopped."""
        shown = ShownTiles()
        while self.is_running:
            with self._changed:
                if self._all_shown or self._taken == self.wanted:
                    self._go_on(EnrolmentStage.NAMING)
                    return self.is_running
            try:
                image, trouble = shown.take(self._camera.frame_after(time.monotonic_ns())), shown.trouble
            except CameraLostError as lost:
                image, trouble = None, str(lost)
                time.sleep(_RETRY_S)
            with self._changed:
                self._trouble = trouble
                if image is not None:
                    self._taken += 1
                    self._pictures.append(LabelledCrop(f"tile {self._taken}", None, image))
            if image is not None:  # while the person takes the tile away; at the end it would be waited for
                self._seen[f"tile {self._taken}"] = varied_views(self._classifier, image, self._rng)
        return False

    def _asked(self, doubtful: Doubtful) -> Sequence[Tile | None]:
        """The person's answers, to fewer pictures if it was stopped."""
        with self._changed:
            self._open = doubtful
            self._go_on(EnrolmentStage.ASKING if doubtful else EnrolmentStage.MAKING)
            self._changed.wait_for(lambda: self._stage is not EnrolmentStage.ASKING)
            return self._answers

    def _made(self, samples: Sequence[LabelledCrop]) -> None:
        made = enrol(self._classifier, samples, self._kinds, self._called, self._rng, seen=self._seen)
        if made.profile is None:
            self._missing = made.missing
            self._end(EnrolmentStage.LACKING)
            return
        self._left_out = tuple(sorted({doubt.tile for doubt in made.left_out if doubt.tile is not None}))
        self._keep(made.profile.to_bytes())
        self._end(EnrolmentStage.ENROLLED)

    def _go_on(self, stage: EnrolmentStage) -> None:
        if self._stage.is_running:
            self._stage = stage

    def _end(self, stage: EnrolmentStage, trouble: str = "") -> None:
        with self._changed:
            if self._stage.is_running:
                self._stage, self._trouble, self._ended_s = stage, trouble, time.monotonic()
                self._pictures, self._open, self._seen = [], [], {}
            self._changed.notify_all()
