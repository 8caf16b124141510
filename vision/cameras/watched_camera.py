"""Camera watch: reopens a camera that hangs or is silent, and refuses frames that no working camera sends (a repeated picture, another
size).

A repeated picture would be read again and agree with itself, so already the first repetition is refused. Readers refuse black and
washed-out frames themselves, with a reason.
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

import numpy as np
from numpy.typing import NDArray

from vision.cameras.port import Camera, CameraFault, CameraFrame, CameraLostError, Region

OPENING_S = 10.0
"""Additional time for a call that opens a device."""
_STEP = 4
"""Only every fourth pixel is compared: with noise no two frames agree in all of them."""


class WatchedCamera:
    """Another camera's frames; refuses those that no sensor can have seen."""

    def __init__(self, camera: Camera, name: str, *, size: tuple[int, int] | None = None) -> None:
        """``name`` is used in errors; ``size`` (width, height in px) is required of whole frames, None: that of the first one."""
        self._camera, self._name, self._size = camera, name, size
        self._last: tuple[Region | None, NDArray[np.uint8]] | None = None

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """Return the camera's frame; raises CameraLostError, also for a frozen picture or another size."""
        frame = self._camera.frame_after(moment_ns, region)
        self._check_size(frame)
        seen = frame.region, frame.image[::_STEP, ::_STEP].copy()
        before, self._last = self._last, seen
        if before is not None and before[0] == seen[0] and np.array_equal(before[1], seen[1]):
            raise CameraLostError(f"{self._name} shows a frozen picture: restart it, or look at its cable", CameraFault.FROZEN)
        return frame

    def close(self) -> None:
        self._camera.close()

    def _check_size(self, frame: CameraFrame) -> None:
        if frame.region is not None:
            return
        height, width = frame.image.shape[:2]
        if self._size is None:
            self._size = width, height
        if (width, height) != self._size:
            wanted = f"{self._size[0]} × {self._size[1]}"
            raise CameraLostError(
                f"{self._name} sends pictures of {width} × {height} px, not {wanted}: set it to {wanted}, or calibrate it again",
                CameraFault.SIZE,
            )


_Made = Future[CameraFrame | None]
"""A call of a device; the caller can stop waiting for it, since a driver may never return."""


class _DeviceThread:
    """Makes the calls of a device one after the other, as a daemon, so that a hanging call does not keep the process alive."""

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[tuple[_Made, Callable[[], CameraFrame | None]] | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name=f"calls of {name}", daemon=True).start()

    def make(self, call: Callable[[], CameraFrame | None]) -> _Made:
        made: _Made = Future()
        self._calls.put((made, call))
        return made

    def end(self) -> None:
        self._calls.put(None)

    def _run(self) -> None:
        while (waits := self._calls.get()) is not None:
            made, call = waits
            try:
                made.set_result(call())
            except Exception as error:  # drivers raise whatever they like
                made.set_exception(error)


class ReopenedCamera:
    """A device whose calls have a time limit, and which is reopened after it fell silent. A call past its limit is abandoned; until it
    returns no other call is made."""

    def __init__(
        self, open_device: Callable[[], Camera], name: str, limit_s: float, *, opening_s: float = OPENING_S, at_once: bool = True
    ) -> None:
        """Open the device now or, with ``at_once`` False, for the first frame; raises CameraLostError if that fails now. ``name`` is used
        in errors; ``limit_s`` is the time for a frame, ``opening_s`` the additional time for opening."""
        self._opening_s = opening_s
        self._open_device, self._name, self._limit_s = open_device, name, limit_s
        self._camera: Camera | None = None
        self._thread: _DeviceThread | None = None
        self._last: _Made | None = None
        if at_once:
            try:
                self._in_time(self._open)
            except CameraLostError:
                self.close()
                raise

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """Return the device's frame; raises CameraLostError, after which the next call reopens a silent device."""
        frame = self._in_time(lambda: self._frame(moment_ns, region))
        assert frame is not None
        return frame

    def close(self) -> None:
        """Give the device back; one that does not respond is abandoned."""
        if self._thread is not None:
            self._last = self._thread.make(self._give_back)
            wait([self._last], self._limit_s)
            self._thread.end()
            self._thread = None

    def _in_time(self, call: Callable[[], CameraFrame | None]) -> CameraFrame | None:
        if self._last is not None and not self._last.done():
            raise self._silent("still does not return from its last call")
        if self._thread is None:
            self._thread = _DeviceThread(self._name)
        limit_s = self._limit_s + (self._opening_s if self._camera is None else 0.0)
        made = self._last = self._thread.make(call)
        try:
            error = made.exception(limit_s)
        except TimeoutError:
            raise self._silent(f"did not answer in {limit_s:g} s") from None
        self._last = None
        if error is None or isinstance(error, CameraLostError):
            return made.result()
        raise CameraLostError(f"{self._name} failed ({type(error).__name__}: {error})", CameraFault.SILENT) from error

    def _silent(self, words: str) -> CameraLostError:
        advice = "look at its cable and power; where that does not help, start this program again"
        return CameraLostError(f"{self._name} {words}: {advice}", CameraFault.SILENT)

    def _open(self) -> None:
        self._camera = self._open_device()

    def _frame(self, moment_ns: int, region: Region | None) -> CameraFrame:
        if self._camera is None:
            self._open()
        assert self._camera is not None
        try:
            return self._camera.frame_after(moment_ns, region)
        except Exception as error:
            if not isinstance(error, CameraLostError) or error.fault is CameraFault.SILENT:
                self._give_back()
            raise

    def _give_back(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()
