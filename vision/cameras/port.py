"""Camera port: a frame with the times between which it was exposed, never a stale one.

The caller says after which moment the exposure must have begun. A frame from before a sensor's edge shows the tile
before it, and reading it would be a misread. The caller may ask for a region; a camera that can read out a window of
its sensor sends no more. The adapters (HTTP, USB, Picamera2, files) raise CameraLostError and no exception of their
libraries.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray


class CameraFault(StrEnum):
    """Why a camera gives no usable frame."""

    ABSENT = "absent"
    """There is no such device, nobody answers at the address, or it may not be opened."""
    SILENT = "silent"
    """The device was there and gives no frame: unplugged, stopped, or too slow."""
    BROKEN = "broken"
    """The bytes are no whole picture: another format, or a file cut short."""
    STALE = "stale"
    """Frames are older than requested, or their age is unknown."""
    FROZEN = "frozen"
    """The same picture came again, equal to the last grey level; a sensor's noise never repeats."""
    SIZE = "size"
    """Pictures have another size than they must have."""
    DARK = "dark"
    """Only dark frames, one after the other."""
    GLARE = "glare"
    """Only washed-out frames, one after the other."""
    NO_MAT = "no-mat"
    """The mat's markers are not in its pictures."""
    FAILED = "failed"
    """The pictures are good, but the reader raised an error on one."""


class CameraLostError(Exception):  # a state of the world, named as the controller speaks of it
    """A camera gives no usable frame; the message says which camera, why, and what to look at."""

    def __init__(self, message: str, fault: CameraFault) -> None:
        """``fault`` is the same for programs."""
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class CameraLock:
    """Camera controls that are fixed, so that two frames of one tile look alike; None leaves a control as it is.

    ``exposure``, ``gain`` and ``focus`` are in the device's own units (a Pi camera's exposure in µs, its focus in
    dioptres). White balance is a colour temperature for USB cameras, gains of red and blue for Pi cameras.
    """

    width: int = 1280
    height: int = 720
    frames_per_s: float = 30.0
    exposure: float | None = None
    gain: float | None = None
    focus: float | None = None
    white_balance_k: float | None = None
    colour_gains: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of a camera's whole picture, in pixels from its upper left corner."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class CameraFrame:
    """One exposure: ``image`` h × w × 3 uint8, blue, green, red; times in nanoseconds of CLOCK_MONOTONIC.

    ``region`` says which part of the camera's picture the image is; None for all of it.
    """

    image: NDArray[np.uint8]
    exposure_start_ns: int
    exposure_end_ns: int
    region: Region | None = None


class Camera(Protocol):
    """Where frames come from."""

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """A frame whose exposure began after ``moment_ns`` (CLOCK_MONOTONIC); waits for it; raises CameraLostError.

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
    """A JPEG, PNG, WebP or BMP file's bytes as h × w × 3 uint8 BGR, turned as its EXIF orientation says.

    Raises CameraLostError naming the source when they are no whole picture.
    """
    image = None
    if is_cut_short(encoded):
        raise CameraLostError(f"{source} sent a picture that is cut short after {len(encoded)} bytes", CameraFault.BROKEN)
    if encoded:
        try:
            image = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
    if image is None:
        raise CameraLostError(
            f"{source} sent {len(encoded)} bytes that are no picture: a camera address must answer with a JPEG or PNG file",
            CameraFault.BROKEN,
        )
    height, width = image.shape[:2]
    if min(height, width) < _LEAST_SIDE_PX:
        raise CameraLostError(f"{source} sent a picture of {width} × {height} px, in which nothing can be seen", CameraFault.BROKEN)
    return np.asarray(image, dtype=np.uint8)


def encode_picture(image: NDArray[np.uint8]) -> bytes:
    """``image`` (h × w × 3 BGR) as a JPEG file of a quality at which nothing that is read is lost."""
    encoded, file = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    if not encoded:
        raise ValueError(f"a picture of shape {image.shape} cannot be written as a JPEG file")
    return file.tobytes()


_LEAST_SIDE_PX = 2
_JPEG, _PNG, _RIFF, _BMP = b"\xff\xd8", b"\x89PNG", b"RIFF", b"BM"
_JPEG_SCAN, _JPEG_END, _PNG_END = b"\xff\xda", b"\xff\xd9", b"IEND\xaeB`\x82"


def is_cut_short(encoded: bytes) -> bool:
    """Whether a picture's file lacks its end: decoders fill what is missing with grey and say nothing.

    In a JPEG's pixels the end's two bytes cannot occur (ITU-T T.81, B.1.1.5); a preview's end comes before them. WebP and BMP
    files say how long they are.
    """
    if encoded.startswith(_JPEG):
        return encoded.rfind(_JPEG_END) < encoded.rfind(_JPEG_SCAN) or _JPEG_SCAN not in encoded
    if encoded.startswith(_RIFF):
        return len(encoded) < 8 + int.from_bytes(encoded[4:8], "little")
    if encoded.startswith(_BMP):
        return len(encoded) < int.from_bytes(encoded[2:6], "little")
    return encoded.startswith(_PNG) and _PNG_END not in encoded[-64:]
