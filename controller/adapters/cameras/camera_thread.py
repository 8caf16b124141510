"""Thread of one camera: takes a frame when a reader asks for one, and posts the answer to the controller's queue.

It decides nothing about play, and no frame leaves it. A camera without usable frames is reported as lost, once for each cause, and once as
found again. While no frame is asked for, a lost camera is tried from time to time.
"""

import logging
import threading
import time
import traceback
from collections.abc import Callable

from controller.state.messages import Message, PartFound, PartLost
from twinwall.wire.messages.commands import CameraCondition
from vision.cameras.port import Camera, CameraFault, CameraFrame, CameraLostError, Region

RETRY_S = 0.2
IDLE_RETRY_S = 1.0
"""How often an unused lost camera is tried."""
FAILURES_TO_TELL = 5
"""A lost camera with another failure is reported again after this many in a row."""

_MINUTE_NS = 60_000_000_000

Post = Callable[[Message], None]
log = logging.getLogger(__name__)


class CameraThread(threading.Thread):
    """A thread that takes the latest request; an earlier one that has not begun is dropped."""

    def __init__(self, name: str, camera: Camera, what: str, post: Post) -> None:
        super().__init__(name=name, daemon=True)
        self._camera, self._what, self._post = camera, what, post
        self._changed = threading.Condition()
        self._stopped = False
        self._lost: bool | None = None
        """None until the first frame or failure: a restarted controller must report either."""
        self._why: str | None = None
        self._failures = 0
        self._untried = True
        """Whether only a frame would show that the camera is there: at first, and after a failure."""
        self._frame_ns: int | None = None
        """When the exposure of the last frame ended."""

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self.join()

    def run(self) -> None:
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
        """What is known of the camera at a time of CLOCK_MONOTONIC."""
        age_min = None if self._frame_ns is None else max(0, now_ns - self._frame_ns) // _MINUTE_NS
        return CameraCondition(self._what, age_min)

    def _take(self, after_ns: int, region: Region | None = None) -> CameraFrame:
        """A frame with an exposure begun after that time; raises CameraLostError."""
        frame = self._camera.frame_after(after_ns, region)
        self._frame_ns = frame.exposure_end_ns
        return frame

    def _asked(self) -> bool:
        raise NotImplementedError

    def _work(self) -> None:
        """Look at it."""
        raise NotImplementedError

    def _is_asked(self) -> bool:
        """Wait until there is something to look at; False when the camera itself should be tried, and at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._untried or self._asked())
            return self._asked() and not self._stopped

    def _rest(self) -> None:
        """Pause after a failure of the camera: briefly if a look is waiting."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped, RETRY_S)
            self._changed.wait_for(lambda: self._stopped or self._asked(), IDLE_RETRY_S)

    def _tell_lost(self, why: str, reason: str) -> None:
        """Report a loss that is not known; report another fault only if it persists."""
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
