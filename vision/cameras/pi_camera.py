"""Raspberry Pi camera on the ribbon connector, through Picamera2.

Picamera2 comes with Raspberry Pi OS (python3-picamera2) and not from the package index, so it is imported only when such a camera is
opened. Every frame carries the sensor's own time and exposure.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.cameras.lock import CameraLock
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region

_MOST_OLD = 12
"""Frames that may be older than the request: more than any queue holds."""


class Request(Protocol):
    """One completed frame of Picamera2."""

    def make_array(self, name: str) -> NDArray[np.uint8]: ...
    def get_metadata(self) -> Mapping[str, object]: ...
    def release(self) -> None: ...


class Job(Protocol):
    """A capture that Picamera2's event loop makes."""

    def get_result(self) -> Request: ...


class Device(Protocol):
    """The part of ``picamera2.Picamera2`` that is used."""

    def create_video_configuration(self, *, main: Mapping[str, object], controls: Mapping[str, object]) -> object: ...
    def configure(self, configuration: object) -> object: ...
    def start(self) -> object: ...
    def capture_request(self, *, signal_function: Callable[[Job], None]) -> object: ...
    def cancel_all_and_flush(self) -> object: ...
    def stop(self) -> object: ...
    def close(self) -> object: ...


def open_pi_camera(number: int, lock: CameraLock, limit_s: float) -> PiCamera:
    """Open the camera with this number; raises CameraLostError if Picamera2 or the camera is missing."""
    name = f"picamera2:{number}"
    try:
        from picamera2 import Picamera2  # noqa: PLC0415  # only where Raspberry Pi OS has it
    except Exception as error:  # beside ImportError, what packages compiled for another NumPy or libcamera raise
        raise CameraLostError(
            f"Picamera2 for the camera {name} cannot be loaded ({type(error).__name__}: {error}): {_remedy(error)}", CameraFault.ABSENT
        ) from None
    try:
        device: Device = Picamera2(number)
    except Exception as error:  # libcamera's own, and what a list without cameras raises
        raise CameraLostError(
            f"the camera {name} cannot be opened ({error}): list the cameras with rpicam-hello --list-cameras", CameraFault.ABSENT
        ) from None
    return PiCamera(device, lock, limit_s, name=name)


class PiCamera:
    """Frames from an open Picamera2 device."""

    def __init__(
        self, device: Device, lock: CameraLock, limit_s: float, *, name: str, clock_offset_ns: Callable[[], int] | None = None
    ) -> None:
        """Lock the device's controls and start it; raises CameraLostError. ``limit_s`` is the time for a frame; ``clock_offset_ns`` is how
        far the sensor's clock (CLOCK_BOOTTIME) is ahead of CLOCK_MONOTONIC."""
        self._device, self._limit_s, self._name = device, limit_s, name
        self._offset_ns = clock_offset_ns or _boot_ahead_ns
        main = {"size": (lock.width, lock.height), "format": "RGB888"}  # which Picamera2 lays out as blue, green, red
        try:
            device.configure(device.create_video_configuration(main=main, controls=_controls(lock)))
            device.start()
        except Exception as error:
            with contextlib.suppress(Exception):
                device.close()
            raise CameraLostError(f"the camera {name} does not start: {error}", CameraFault.ABSENT) from None

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:  # noqa: ARG002  # the pipeline's frames are whole
        """Return a whole frame whose exposure began after ``moment_ns``; raises CameraLostError."""
        end_s = time.monotonic() + self._limit_s
        for _ in range(_MOST_OLD):
            frame = self._frame(end_s)
            if frame.exposure_start_ns > moment_ns:
                return frame
        raise CameraLostError(f"the camera {self._name} sends only frames from before they were asked for", CameraFault.STALE)

    def close(self) -> None:
        """Stop the camera and give it back. A waiting capture is cancelled first, since the stop would wait behind it."""
        try:
            self._device.cancel_all_and_flush()
            self._device.stop()
        finally:
            self._device.close()

    def _request(self, end_s: float) -> Request:
        """Return the next frame; one that comes after ``end_s`` is released when it comes."""
        made: Future[Job] = Future()

        def completed(job: Job) -> None:
            if made.set_running_or_notify_cancel():
                made.set_result(job)
                return
            with contextlib.suppress(Exception):  # it has failed: there is no frame to release
                job.get_result().release()

        self._device.capture_request(signal_function=completed)
        wait([made], end_s - time.monotonic())
        if made.cancel():
            raise TimeoutError(f"no frame in {self._limit_s:g} s")
        return made.result().get_result()

    def _frame(self, end_s: float) -> CameraFrame:
        try:
            request = self._request(end_s)
        except Exception as error:
            raise CameraLostError(
                f"the camera {self._name} gives no frame ({error}): look at its ribbon cable", CameraFault.SILENT
            ) from None
        try:
            image, notes = np.array(request.make_array("main"), np.uint8), request.get_metadata()
        finally:
            request.release()
        sensor_ns, exposure_us = notes.get("SensorTimestamp"), notes.get("ExposureTime")
        if not isinstance(sensor_ns, int) or not isinstance(exposure_us, int):
            raise CameraLostError(f"the camera {self._name} does not say when it exposed", CameraFault.STALE)
        end_ns = sensor_ns - self._offset_ns()
        start_ns = end_ns - exposure_us * 1000
        return CameraFrame(image, start_ns, max(start_ns, end_ns))


def _remedy(error: Exception) -> str:
    if "numpy" in str(error):
        return (
            f"python3-simplejpeg was compiled for another NumPy; pip --python {sys.prefix} install --ignore-installed --no-deps simplejpeg"
            " brings one for this"
        )
    if isinstance(error, ModuleNotFoundError):
        return f"apt install python3-picamera2, and write include-system-site-packages = true into {sys.prefix}/pyvenv.cfg"
    return "it, libcamera and this Python must be of one release of Raspberry Pi OS: apt full-upgrade"


def _controls(lock: CameraLock) -> dict[str, object]:
    """Return libcamera's controls: given ones are fixed, with their automatic off."""
    frame_us = round(1e6 / lock.frames_per_s)
    controls: dict[str, object] = {"FrameDurationLimits": (frame_us, frame_us)}
    if lock.exposure is not None or lock.gain is not None:
        controls["AeEnable"] = False
    if lock.exposure is not None:
        controls["ExposureTime"] = round(lock.exposure)
    if lock.gain is not None:
        controls["AnalogueGain"] = lock.gain
    if lock.colour_gains is not None:
        controls |= {"AwbEnable": False, "ColourGains": lock.colour_gains}
    if lock.focus is not None:
        controls |= {"AfMode": 0, "LensPosition": lock.focus}
    return controls


def _boot_ahead_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
