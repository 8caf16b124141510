"""Camera port: a frame with the times of its exposure, never a stale one.

The caller says after which moment the exposure must begin: a frame from before a sensor's edge shows the previous tile, and would be
misread. A caller may ask for a region; a camera that can read a window of its sensor sends only that. Adapters (HTTP, USB, Picamera2,
files) raise CameraLostError and no exception of their libraries.

Encoded pictures from outside: decoded only here, and only if their own header names an allowed size, because a small file can name
thousands of millions of pixels and a decoder makes room for all of them.
"""

import re
from enum import StrEnum
from typing import Annotated, Literal, Protocol

import cv2
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from twinwall.values import frozen, frozen_identity

MOST_SIDE_PX = 20_000
_USER = re.compile(r"(?<=://)[^/]*@")
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


def without_user(address: str) -> str:
    """Return a camera's address without user and password."""
    return _USER.sub("", address)


def use_one_thread() -> None:
    """Let OpenCV work in the calling thread: for such small pictures its own threads cost more than they save."""
    cv2.setNumThreads(1)


MOST_PX = 64_000_000
"""Pixels of a picture file: reading takes 7 bytes a pixel, and photographs of phones have up to 50 million."""
CAMERA_MOST_PX = 16_000_000
"""Pixels of a camera's frame: Raspberry Pi's High Quality camera has 12.3 million."""
_LEAST_SIDE_PX = 2
_JPEG, _PNG, _RIFF, _BMP = b"\xff\xd8", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"RIFF", b"BM"
_JPEG_SCAN, _JPEG_END, _PNG_END = b"\xff\xda", b"\xff\xd9", b"IEND\xaeB`\x82"
_JPEG_MARKER = re.compile(rb"\xff+([^\x00\xff])")
"""As libjpeg finds the next marker: it skips other bytes."""
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xDA)})
"""Markers without a segment."""


def decode_picture(encoded: bytes, source: str, most_px: int = MOST_PX) -> NDArray[np.uint8]:
    """Decode the bytes of a JPEG, PNG, WebP or BMP file to h × w × 3 uint8 BGR, rotated as its EXIF orientation says. Raises
    CameraLostError, which names ``source``, unless they are a whole picture of at most ``most_px`` pixels."""
    image = None
    if is_cut_short(encoded):
        raise CameraLostError(f"{source} sent a picture that is cut short after {len(encoded)} bytes", CameraFault.BROKEN)
    size = picture_size(encoded)
    if size is not None:
        width, height = size
        if width * height > most_px:
            limit = f"at most {most_px // 1_000_000} million are read"
            raise CameraLostError(f"{source} sent a picture of {width} × {height} px: {limit}, so make it smaller", CameraFault.SIZE)
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


def encode_picture(image: NDArray[np.uint8], form: Literal[".jpg", ".png"] = ".jpg", quality: int = 95) -> bytes:
    """Encode ``image`` (h × w × 3 BGR); the default JPEG ``quality`` loses nothing that is read."""
    encoded, file = cv2.imencode(form, image, [cv2.IMWRITE_JPEG_QUALITY, quality] if form == ".jpg" else [])
    if not encoded:
        raise ValueError(f"a picture of shape {image.shape} cannot be written as a {form} file")
    return file.tobytes()


def is_cut_short(encoded: bytes) -> bool:
    """Whether a picture's file lacks its end, which decoders silently fill with grey.

    The two bytes of a JPEG's end cannot occur in its pixels (ITU-T T.81, B.1.1.5), and a preview's end comes before them. WebP and BMP
    files name their length.
    """
    if encoded.startswith(_JPEG):
        return encoded.rfind(_JPEG_END) < encoded.rfind(_JPEG_SCAN) or _JPEG_SCAN not in encoded
    if encoded.startswith(_RIFF):
        return len(encoded) < 8 + int.from_bytes(encoded[4:8], "little")
    if encoded.startswith(_BMP):
        return len(encoded) < int.from_bytes(encoded[2:6], "little")
    return encoded.startswith(_PNG) and _PNG_END not in encoded[-64:]


def picture_size(encoded: bytes) -> tuple[int, int] | None:
    """Return width and height in px from the header of a JPEG, PNG, WebP or BMP file; None for anything else."""
    if encoded.startswith(_PNG):
        return _numbers(encoded, 16, 4, "big")
    if encoded.startswith(_JPEG):
        return _jpeg_size(encoded)
    if encoded.startswith(_BMP):
        has_words = int.from_bytes(encoded[14:18], "little") < 36
        width, height = _numbers(encoded, 18, 2 if has_words else 4, "little")
        return width, min(height, 2**32 - height)  # negative where the first row is the upper one
    if encoded.startswith(_RIFF):
        return _webp_size(encoded)
    return None


def _jpeg_size(encoded: bytes) -> tuple[int, int] | None:
    """Read the frame header (ITU-T T.81, B.2.2): marker, length, precision, height, width."""
    at = len(_JPEG)
    while (found := _JPEG_MARKER.search(encoded, at)) is not None:
        marker, at = found[1][0], found.end()
        if marker in _JPEG_FRAMES:
            height, width = _numbers(encoded, at + 3, 2, "big")
            return width, height
        if marker not in _JPEG_BARE:
            at += max(2, int.from_bytes(encoded[at : at + 2], "big"))
    return None


def _webp_size(encoded: bytes) -> tuple[int, int] | None:
    """Read the first chunk (RFC 9649): extended, lossless or lossy."""
    match encoded[12:16]:
        case b"VP8X":
            width, height = _numbers(encoded, 24, 3, "little")
            return width + 1, height + 1
        case b"VP8L":
            bits = int.from_bytes(encoded[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = _numbers(encoded, 26, 2, "little")
            return width & 0x3FFF, height & 0x3FFF
        case _:
            return None


def _numbers(encoded: bytes, at: int, size: int, order: Literal["big", "little"]) -> tuple[int, int]:
    return int.from_bytes(encoded[at : at + size], order), int.from_bytes(encoded[at + size : at + 2 * size], order)
