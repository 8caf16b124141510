"""The camera port: a picture with the times between which it was exposed, and none that is stale.

Who asks says after which moment the exposure must have begun; a frame from before a sensor's edge
shows the tile before it, and reading it would be a misread. Who needs a part of the picture only may
say so, and a camera that can read out a window of its sensor sends no more. The adapters for HTTP, USB
and files keep to this; none of their libraries' exceptions leaves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray


class CameraLost(Exception):  # noqa: N818  # a state of the world, named as the controller speaks of it
    """A camera gives no frame that can be used; the message says which camera, why, and what to look at."""


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of a camera's whole picture, in pixels from its upper left corner."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One exposure: ``image`` h × w × 3 uint8, blue, green, red; times in nanoseconds of CLOCK_MONOTONIC.

    ``region`` says which part of the camera's picture the image is; None for all of it.
    """

    image: NDArray[np.uint8]
    exposure_start_ns: int
    exposure_end_ns: int
    region: Region | None = None


class Camera(Protocol):
    """Where frames come from."""

    def frame_after(self, moment_ns: int, region: Region | None = None) -> Frame:
        """A frame whose exposure began after ``moment_ns`` (CLOCK_MONOTONIC); waits for it; raises CameraLost.

        ``region`` is the part that is wanted; a camera that can send only whole pictures sends the whole one.
        """
        ...

    def close(self) -> None:
        """Give the device or connection back."""
        ...


def use_one_thread() -> None:
    """Let OpenCV work in the thread that asks: its own threads cost more than they save on pictures as small as these."""
    cv2.setNumThreads(1)


def decode_picture(encoded: bytes, source: str) -> NDArray[np.uint8]:
    """A JPEG or PNG file's bytes as h × w × 3 uint8 BGR; raises CameraLost naming the source when they are no picture."""
    image = None
    if encoded:
        try:
            image = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
    if image is None:
        raise CameraLost(f"{source} sent {len(encoded)} bytes that are no picture: a camera address must answer with a JPEG or PNG file")
    return np.asarray(image, dtype=np.uint8)


def open_camera(source: str, timeout_s: float, *, local_only: bool = False) -> Camera:
    """The camera that a setting names: ``v4l2:0`` for a device of this machine, or ``http://host:port/path``.

    ``local_only`` is for cameras that see concealed tiles. Raises ValueError for an address that may not
    or cannot be used, CameraLost for a device that cannot be opened.
    """
    from vision.http_camera import HttpCamera  # noqa: PLC0415  # the adapters know the port, not the other way round
    from vision.usb_camera import UsbSettings, open_usb_camera  # noqa: PLC0415

    kind, _, number = source.partition(":")
    if kind != "v4l2":
        return HttpCamera(source, timeout_s=timeout_s, loopback_only=local_only)
    if not number.isdecimal():
        raise ValueError(f"{source!r} is not a camera: write v4l2: and the device's number, for example v4l2:0")
    return open_usb_camera(int(number), UsbSettings())


class FileCamera:
    """Pictures from files, one a call and in order, as if exposed when asked for: for tests and for looking at recordings."""

    def __init__(self, files: Iterable[Path], now_ns: Callable[[], int]) -> None:
        """``now_ns`` is the clock that stamps the frames."""
        self._files = iter(list(files))
        self._now_ns = now_ns

    def frame_after(self, moment_ns: int, region: Region | None = None) -> Frame:  # noqa: ARG002  # a file holds a whole picture
        """The next file's picture, whole; raises CameraLost after the last one, or when it cannot be read."""
        path = next(self._files, None)
        if path is None:
            raise CameraLost("the last picture file has been shown")
        start = max(self._now_ns(), moment_ns + 1)
        try:
            image = decode_picture(path.read_bytes(), str(path))
        except OSError as error:
            raise CameraLost(f"{path} cannot be read: {error.strerror}") from None
        return Frame(image, start, max(self._now_ns(), start))

    def close(self) -> None:
        """Nothing to give back."""
