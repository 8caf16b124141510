"""The two cameras as adapters in threads of their own: they look when asked, and post what was seen.

No frame and no decision leaves this module: the gate's reader answers one question at a time, the
mat's reader votes over frames until every slot of a watch is settled. A camera that gives nothing
is told once as lost and once as found again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controller.messages import CameraFound, CameraLost, GateSeen, Message, SlotsSeen
from controller.outputs import Watch
from twinwall.game.tiles import Tile
from vision.camera import Camera
from vision.camera import CameraLost as CameraLostError
from vision.gate import GateReader
from vision.mat import Slot
from vision.reading import Read
from vision.table import TableReader
from vision.votes import SlotVotes

GATE, TABLE = "gate-camera", "table-camera"
RETRY_S = 0.2
FRAMES_TO_GIVE_UP = 20
"""Frames on which every slot holds something and votes still do not settle, before a person is asked."""

Post = Callable[[Message], None]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Question:
    number: int
    frame: int
    after_ns: int


class _Worker:
    """A thread that takes the latest request; an earlier one that has not been begun is dropped."""

    def __init__(self, name: str, camera: Camera, what: str, post: Post) -> None:
        self._camera, self._what, self._post = camera, what, post
        self._changed = threading.Condition()
        self._stopped = False
        self._lost = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End after the frame being looked at."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped:
            try:
                self._work()
            except CameraLostError as error:
                self._tell_lost(error)
                time.sleep(RETRY_S)

    def _work(self) -> None:
        raise NotImplementedError

    def _tell_lost(self, error: CameraLostError) -> None:
        if not self._lost:
            log.warning("%s: %s", self._what, error)
            self._lost = True
            self._post(CameraLost(self._what))

    def _tell_found(self) -> None:
        if self._lost:
            self._lost = False
            self._post(CameraFound(self._what))


class GateEyes(_Worker):
    """Reads the tile in the gate's window, one frame a question."""

    def __init__(self, camera: Camera, reader: GateReader, post: Post) -> None:
        """``post`` takes one GateSeen for each question that is not overtaken."""
        super().__init__("gate eyes", camera, GATE, post)
        self._reader = reader
        self._question: _Question | None = None

    def read(self, number: int, frame: int, after_ns: int) -> None:
        """Ask for reading ``frame`` of tile ``number``, from an exposure begun after ``after_ns``."""
        with self._changed:
            self._question = _Question(number, frame, after_ns)
            self._changed.notify()

    def _work(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._question is not None)
            question = self._question
        if question is None or self._stopped:
            return
        result = self._reader.read(self._camera.frame_after(question.after_ns))
        self._tell_found()
        with self._changed:
            if self._question is question:
                self._question = None
        if isinstance(result, Read):
            self._post(GateSeen(question.number, question.frame, result.tile, result.probability, ""))
        else:
            self._post(GateSeen(question.number, question.frame, None, 0.0, result.reason.value))


class TableEyes(_Worker):
    """Watches slots of the mat until all of them hold a tile that the votes settle."""

    def __init__(self, camera: Camera, reader: TableReader, frame_interval_s: float, post: Post) -> None:
        """Frames are asked for every ``frame_interval_s`` while a watch stands."""
        super().__init__("table eyes", camera, TABLE, post)
        self._reader, self._frame_interval_s = reader, frame_interval_s
        self._watch: tuple[Watch, int] | None = None

    def watch(self, watch: Watch | None, after_ns: int) -> None:
        """Look for this from now on, at exposures begun after ``after_ns``; None: look no more."""
        with self._changed:
            self._watch = None if watch is None else (watch, after_ns)
            self._changed.notify()

    def _work(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._watch is not None)
            current = self._watch
        if current is not None and not self._stopped:
            self._look(current)

    def _look(self, current: tuple[Watch, int]) -> None:
        watch, after_ns = current
        votes, full_frames = SlotVotes(), 0
        while self._watch is current and not self._stopped:
            frame = self._camera.frame_after(after_ns)
            self._tell_found()
            after_ns = frame.exposure_end_ns
            readings = self._reader.read(frame, watch.slots)
            if readings and all(reading.occupied for reading in readings):
                full_frames += 1
                votes.add(readings)
                tiles = {slot: votes.settled(slot) for slot in watch.slots}
                if None not in tiles.values():
                    self._tell(watch, current, tiles)
                    return
                if full_frames == FRAMES_TO_GIVE_UP:
                    self._post(SlotsSeen(watch.name, tiles))
                    votes, full_frames = SlotVotes(), 0
            else:
                votes, full_frames = SlotVotes(), 0
            time.sleep(self._frame_interval_s)

    def _tell(self, watch: Watch, current: tuple[Watch, int], tiles: Mapping[Slot, Tile | None]) -> None:
        with self._changed:
            if self._watch is current:
                self._watch = None
        self._post(SlotsSeen(watch.name, tiles))
