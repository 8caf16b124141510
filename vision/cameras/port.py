"""Camera port: a frame with the times of its exposure, never a stale one.

The caller says after which moment the exposure must begin: a frame from before a sensor's edge shows the previous tile, and would be
misread. A caller may ask for a region; a camera that can read a window of its sensor sends only that. Adapters (HTTP, USB, Picamera2,
files) raise CameraLostError and no exception of their libraries.
"""

from enum import StrEnum
from typing import Annotated, Protocol

import cv2
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from twinwall.values import frozen, frozen_identity

MOST_SIDE_PX = 20_000
SidePx = Annotated[int, Meta(ge=1, le=MOST_SIDE_PX)]
_Px = Annotated[int, Meta(ge=0, le=MOST_SIDE_PX)]


class CameraFault(StrEnum):
    """Why a camera gives no usable frame."""

    ABSENT = "absent"
    """There is no such device, the address does not answer, or it may not be opened."""
    SILENT = "silent"
    """The device was there but gives no frame: unplugged, stopped, or too slow."""
    BROKEN = "broken"
    """The bytes are no whole picture: another format, or a file cut short."""
    STALE = "stale"
    """Frames are older than requested, or their age is unknown."""
    FROZEN = "frozen"
    """The same picture came again, equal to the last grey level; a sensor's noise never repeats."""
    SIZE = "size"
    """Pictures do not have the required size."""
    DARK = "dark"
    """Only dark frames, one after the other."""
    GLARE = "glare"
    """Only washed-out frames, one after the other."""
    NO_MAT = "no-mat"
    """Its pictures do not show the mat's markers."""
    FAILED = "failed"
    """The pictures are good, but the reader raised an error on one."""


class CameraLostError(Exception):  # a state of the world, named as the controller speaks of it
    """A camera gives no usable frame; the message says which camera, why, and what to look at."""

    def __init__(self, message: str, fault: CameraFault) -> None:
        """``fault`` says the same to programs."""
        super().__init__(message)
        self.fault = fault


@frozen
class Region:
    """A rectangle of a camera's whole picture, in px from its upper left corner."""

    left: _Px
    top: _Px
    width: SidePx
    height: SidePx


@frozen_identity
class CameraFrame:
    """One exposure: ``image`` is h × w × 3 uint8 (BGR), times are nanoseconds of CLOCK_MONOTONIC, ``region`` is the image's part of the
    camera's picture, None for all of it."""

    image: NDArray[np.uint8]
    exposure_start_ns: int
    exposure_end_ns: int
    region: Region | None = None


class Camera(Protocol):
    """Where frames come from."""

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """Wait for a frame whose exposure began after ``moment_ns`` (CLOCK_MONOTONIC); raises CameraLostError. A camera that can send only
        whole pictures ignores ``region``."""
        ...

    def close(self) -> None:
        """Give the device or connection back."""
        ...


def use_one_thread() -> None:
    """Let OpenCV work in the calling thread: for such small pictures its own threads cost more than they save."""
    cv2.setNumThreads(1)
