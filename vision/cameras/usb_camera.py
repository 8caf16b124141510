"""USB or other V4L2 camera: locks the settings and discards buffered frames.

The driver queues frames exposed before the request. A grab that returns at once took one of these. A grab that waited took a live frame, so
the next exposure began after the request.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from vision.cameras.lock import CameraLock
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region

MOST_QUEUED = 12
"""Frames that a driver may have queued."""
_MJPG = cv2.VideoWriter.fourcc(*"MJPG")
_LEAST_SHARE = 0.5
"""A camera that grants a smaller share of the requested frame rate is named in the log."""

log = logging.getLogger(__name__)


class Capture(Protocol):
    """The part of ``cv2.VideoCapture`` that is used."""

    def isOpened(self) -> bool: ...  # noqa: N802  # OpenCV's name
    def get(self, propId: int) -> float: ...  # noqa: N803  # OpenCV's name
    def set(self, propId: int, value: float) -> bool: ...  # noqa: N803  # OpenCV's name
    def grab(self) -> bool: ...
    def retrieve(self) -> tuple[bool, cv2.typing.MatLike]: ...
    def release(self) -> None: ...


DEVICES = Path("/dev")


def device_path(which: str, devices: Path = DEVICES) -> Path:
    """Return ``/dev/video<number>``, or a path such as ``/dev/v4l/by-id/…``, which does not depend on the plug."""
    return devices / f"video{which}" if which.isdecimal() else Path(which)


def open_usb_camera(which: str, settings: CameraLock) -> UsbCamera:
    """Open the device with this number or path; raises CameraLostError."""
    path = device_path(which)
    if not path.exists():
        raise CameraLostError(
            f"there is no camera {path}: plug it in, or list the cameras (v4l2-ctl --list-devices, ls /dev/v4l/by-id)",
            CameraFault.ABSENT,
        )
    try:
        capture = cv2.VideoCapture(str(path), cv2.CAP_V4L2)
    except cv2.error as error:
        raise CameraLostError(f"the camera {path} cannot be opened: {error.err}", CameraFault.ABSENT) from None
    return UsbCamera(capture, settings, name=str(path))


class UsbCamera:
    """Frames from an open capture device."""

    def __init__(self, capture: Capture, settings: CameraLock, *, name: str, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """Lock the device's settings; raises CameraLostError if it is not open."""
        self._capture = capture
        self._name = name
        self._now_ns = now_ns
        self._live_ns = int(0.4e9 / settings.frames_per_s)
        if not capture.isOpened():
            raise CameraLostError(
                f"the camera {name} cannot be opened: is it plugged in, and may this user read it (group video)?", CameraFault.ABSENT
            )
        for control, value in _controls(settings):
            capture.set(control, value)
        self._note_granted(settings)

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:  # noqa: ARG002  # the driver's queue holds whole pictures
        """Return a whole frame whose exposure began after this call. Raises CameraLostError, also for a moment in the future."""
        asked_ns = self._now_ns()
        if asked_ns <= moment_ns:
            raise self._lost("was asked for a frame after a moment that has not come yet", CameraFault.STALE)
        for _ in range(MOST_QUEUED):
            before_ns = self._now_ns()
            self._grab()
            if self._now_ns() - before_ns >= self._live_ns:
                break
        else:
            raise self._lost(
                f"returns {MOST_QUEUED} frames without waiting for one: its frames cannot be dated",
                CameraFault.STALE,
            )
        self._grab()
        end_ns = self._now_ns()
        try:
            good, image = self._capture.retrieve()
        except cv2.error as error:
            raise self._lost(f"failed: {error.err}", CameraFault.SILENT) from None
        if not good:
            raise self._lost("took a frame that cannot be decoded", CameraFault.BROKEN)
        return CameraFrame(np.asarray(image, dtype=np.uint8), asked_ns, end_ns)

    def close(self) -> None:
        self._capture.release()

    def _note_granted(self, settings: CameraLock) -> None:
        """Log what the driver grants if it is another format or far fewer frames: uncompressed, USB carries about 5 a second."""
        get = self._capture.get
        code, width, height, frames_per_s = (
            int(get(each)) for each in (cv2.CAP_PROP_FOURCC, cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FPS)
        )
        if code == _MJPG and (width, height) == (settings.width, settings.height) and frames_per_s >= _LEAST_SHARE * settings.frames_per_s:
            return
        form = code.to_bytes(4, "little", signed=code < 0).decode("ascii", "ignore").strip("\0 ") or "an unknown format"
        log.warning(
            "the camera %s grants %s, %d × %d px, %d frames/s, not MJPG, %d × %d px, %g frames/s: choose a size that it has in MJPG "
            "(v4l2-ctl --list-formats-ext)",
            *(self._name, form, width, height, frames_per_s, settings.width, settings.height, settings.frames_per_s),
        )

    def _lost(self, words: str, fault: CameraFault) -> CameraLostError:
        return CameraLostError(f"the camera {self._name} {words}", fault)

    def _grab(self) -> None:
        try:
            good = self._capture.grab()
        except cv2.error as error:
            raise self._lost(f"failed: {error.err}", CameraFault.SILENT) from None
        if not good:
            raise self._lost("gives no frame: it was unplugged, or another program uses it", CameraFault.SILENT)


def _controls(settings: CameraLock) -> list[tuple[int, float]]:
    """Return OpenCV's controls in the order that drivers need: format, size, automatic off, then values."""
    controls: list[tuple[int, float]] = [
        (cv2.CAP_PROP_FOURCC, _MJPG),
        (cv2.CAP_PROP_FRAME_WIDTH, settings.width),
        (cv2.CAP_PROP_FRAME_HEIGHT, settings.height),
        (cv2.CAP_PROP_FPS, settings.frames_per_s),
        (cv2.CAP_PROP_BUFFERSIZE, 1),
    ]
    if settings.exposure is not None:
        controls += [(cv2.CAP_PROP_AUTO_EXPOSURE, 1), (cv2.CAP_PROP_EXPOSURE, settings.exposure)]
    if settings.gain is not None:
        controls += [(cv2.CAP_PROP_GAIN, settings.gain)]
    if settings.focus is not None:
        controls += [(cv2.CAP_PROP_AUTOFOCUS, 0), (cv2.CAP_PROP_FOCUS, settings.focus)]
    if settings.white_balance_k is not None:
        controls += [(cv2.CAP_PROP_AUTO_WB, 0), (cv2.CAP_PROP_WB_TEMPERATURE, settings.white_balance_k)]
    return controls
