"""Thread of one camera: takes a frame when a reader asks for one, and posts the answer to the controller's queue.

It decides nothing about play, and no frame leaves it. A camera that gives no usable frame is reported as lost, once for each
cause, and once as found again. While no frame is asked for, a lost camera is tried from time to time.

Cameras at the reading gates: each answers one request at a time, from one frame or from several that agree.
"""

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from controller.ledger.journal_events import TileRead
from controller.state.messages import GateLook, GateSeen, Message, PartFound, PartLost
from twinwall.wire.messages.machine import CameraCondition
from vision.cameras.port import Camera, CameraFault, CameraFrame, CameraLostError, Region
from vision.model.agreement import agreed
from vision.reading import Read, ReadRefusal, Reason

RETRY_S = 0.2
IDLE_RETRY_S = 1.0
"""A lost camera of which nothing is wanted is tried so often whether it is back."""
FAILURES_TO_TELL = 5
"""A lost camera that fails in another way so often in a row is reported again."""

_MINUTE_NS = 60_000_000_000

Post = Callable[[Message], None]
log = logging.getLogger(__name__)


class CameraThread:
    """A thread that takes the latest request; an earlier one that has not been begun is dropped."""

    def __init__(self, name: str, camera: Camera, what: str, post: Post) -> None:
        self._camera, self._what, self._post = camera, what, post
        self._changed = threading.Condition()
        self._stopped = False
        self._lost: bool | None = None
        """None until the first frame or failure: a controller that starts again must tell either."""
        self._why: str | None = None
        self._failures = 0
        self._untried = True
        """Whether a frame alone would tell that the camera is there: at first, and when it gave none."""
        self._frame_ns: int | None = None
        """When the exposure of the last frame ended."""
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
                if self._is_asked():
                    self._work()
                elif not self._stopped:
                    self._take(time.monotonic_ns())
                    self._tell_found()
            except CameraLostError as error:
                self._tell_lost(error.fault, str(error))
                self._untried = True
                self._rest()
            except Exception as error:
                where = "".join(traceback.format_tb(error.__traceback__))
                log.error("%s: a frame could not be read (%s)\n%s", self._what, type(error).__name__, where)
                self._tell_lost(CameraFault.FAILED, "a frame could not be read")
                self._rest()

    def condition(self, now_ns: int) -> CameraCondition:
        """What is known of the camera at a moment of CLOCK_MONOTONIC."""
        age_min = None if self._frame_ns is None else max(0, now_ns - self._frame_ns) // _MINUTE_NS
        return CameraCondition(self._what, age_min)

    def _take(self, after_ns: int, region: Region | None = None) -> CameraFrame:
        """A frame whose exposure began after that; raises CameraLostError."""
        frame = self._camera.frame_after(after_ns, region)
        self._frame_ns = frame.exposure_end_ns
        return frame

    def _asked(self) -> bool:
        """Whether anything is to be looked at."""
        raise NotImplementedError

    def _work(self) -> None:
        """Look at it."""
        raise NotImplementedError

    def _is_asked(self) -> bool:
        """Wait until there is something to look at; False when the camera itself is to be tried meanwhile, and at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._untried or self._asked())
            return self._asked() and not self._stopped

    def _rest(self) -> None:
        """Leave a camera alone that has just failed: shortly where a look is waited for."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped, RETRY_S)
            self._changed.wait_for(lambda: self._stopped or self._asked(), IDLE_RETRY_S)

    def _tell_lost(self, why: str, reason: str) -> None:
        """Tell it where it is not known; a fault that gives way to another one only when that stays."""
        self._untried = False
        self._failures = self._failures + 1 if self._lost and why != self._why else 0
        if self._lost and self._failures < FAILURES_TO_TELL:
            return
        log.warning("%s: %s", self._what, reason)
        self._lost, self._why, self._failures = True, why, 0
        self._post(PartLost(self._what, str(why)))

    def _tell_found(self) -> None:
        self._untried, self._failures = False, 0
        if self._lost is not False:
            self._lost = False
            self._post(PartFound(self._what))


GATE = "gate-camera"
UNLIT_LOOKS = 6
"""Looks in a row that were dark or washed out, before the camera counts as lost: more than one tile's."""

_UNLIT = {
    Reason.DARK: (CameraFault.DARK, "tile after tile is dark: see to the gate's lamp and to the camera's exposure"),
    Reason.GLARE: (
        CameraFault.GLARE,
        "tile after tile is washed out by light: look for a reflection, and see to the lamp and the camera's exposure",
    ),
}
"""What the log says of a gate without light. A refusal's own words may name what the tile probably is, which no person may read; for the
same reason the log says where an error arose and of which type it is, and not what it says."""


class GateProfile(Protocol):
    """Reads the tiles of one set (``vision.gate.gate_reader.GateReader``)."""

    def read(self, frame: CameraFrame) -> Read | ReadRefusal:
        """The tile in the window, or why there is no read."""


class GateCameraWorker(CameraThread):
    """Reads the tile in the gate's window by the profile of the set that it belongs to, from a frame or from several that agree."""

    def __init__(self, camera: Camera, readers: Mapping[int, GateProfile], post: Post, *, frames: int = 1, gate: int = 0) -> None:
        """``readers`` are the profiles by the colour of the backs; ``post`` takes one GateSeen for each question that is not overtaken.

        Of at most ``frames`` frames two must agree and none contradict; with 1 a single frame decides.
        """
        super().__init__("gate camera", camera, f"{GATE}-{gate}" if gate else GATE, post)
        self._readers, self._frames = readers, frames
        self._question: tuple[GateLook, int] | None = None
        self._unlit = 0

    def read(self, look: GateLook, after_ns: int) -> None:
        """Ask for a reading of the tile in the gate, from an exposure begun after ``after_ns``."""
        with self._changed:
            self._question = look, after_ns
            self._changed.notify()

    def _asked(self) -> bool:
        return self._question is not None

    def _work(self) -> None:
        question = self._question
        if question is None:
            return
        look, after_ns = question
        result = self._answer(self._readers[look.back], after_ns)
        self._judge_light(result)
        with self._changed:
            if self._question is question:
                self._question = None
        match result:
            case Read(tile, probability, others=others, second=second):
                read = TileRead(tile, probability, "", others, second, look.gate)
            case ReadRefusal(reason=reason):
                read = TileRead(None, 0.0, reason.value, gate=look.gate)
        self._post(GateSeen(look, read))

    def _judge_light(self, result: Read | ReadRefusal) -> None:
        """A camera that only shows dark or glare is no camera: its staff must know, while tiles go round unread."""
        unlit = isinstance(result, ReadRefusal) and result.reason in _UNLIT
        self._unlit = self._unlit + 1 if unlit else 0
        if isinstance(result, ReadRefusal) and self._unlit >= UNLIT_LOOKS:
            self._tell_lost(*_UNLIT[result.reason])
        else:
            self._tell_found()

    def _answer(self, reader: GateProfile, after_ns: int) -> Read | ReadRefusal:
        """What the frames say together; no more are taken than it needs."""
        least = min(2, self._frames)
        answers: list[Read | ReadRefusal] = []
        while True:
            frame = self._take(after_ns)
            after_ns = frame.exposure_end_ns
            answers.append(reader.read(frame))
            result = agreed(answers, least=least)
            wanting = least - sum(isinstance(answer, Read) for answer in answers)
            if isinstance(result, Read) or wanting > self._frames - len(answers) or wanting <= 0:
                return result


class GateCameraWorkers:
    """The camera workers of all reading gates: each looks at its own."""

    def __init__(self, workers: Sequence[GateCameraWorker]) -> None:
        """``workers`` in the order of the gates."""
        self._workers = tuple(workers)

    def start(self) -> None:
        """Begin to work."""
        for each in self._workers:
            each.start()

    def stop(self) -> None:
        """End after the frames being looked at."""
        for each in self._workers:
            each.stop()

    @property
    def workers(self) -> tuple[GateCameraWorker, ...]:
        """The workers in the order of the gates."""
        return self._workers

    def read(self, look: GateLook, after_ns: int) -> None:
        """Ask the worker of the look's gate."""
        self._workers[look.gate].read(look, after_ns)
