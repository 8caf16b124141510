"""File camera: pictures from files as frames, for tests, for recordings, and for a folder in place of a camera."""

import errno
import itertools
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinwall.given_files import limited_bytes
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region, decode_picture

_LARGEST_FILE = 256 * 2**20
"""Bytes; a BMP file of the largest picture has fewer."""
_PICTURES = frozenset({".jpg", ".jpeg", ".jpe", ".png", ".webp", ".bmp"})
"""Endings of picture files."""
_OTHER_PICTURES = frozenset({".heic", ".heif", ".avif", ".jxl", ".gif", ".tif", ".tiff", ".dng", ".raw", ".cr2", ".nef", ".arw"})
"""Picture files that cannot be read here; messages name them."""


def picture_files(folder: Path) -> list[Path]:
    """Return a folder's pictures in the order of their names and numbers (9 before 10), unreadable types included, hidden files not."""
    endings = _PICTURES | _OTHER_PICTURES
    files = (path for path in folder.iterdir() if path.suffix.lower() in endings and not path.name.startswith(".") and not path.is_dir())
    return sorted(sorted(files), key=lambda path: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", path.name)])


def file_bytes(path: Path) -> bytes:
    """Return the content of a regular file; raises OSError, also for pipes and devices, which may never end, and for too large files."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no file", str(path))
    return limited_bytes(path, _LARGEST_FILE)


def picture_in(path: Path) -> NDArray[np.uint8] | None:
    """Return a file's picture (h × w × 3 uint8 BGR, rotated as its EXIF data say), None if it is no whole picture or cannot be read."""
    try:
        return decode_picture(file_bytes(path), str(path))
    except (OSError, CameraLostError):
        return None


class FileCamera:
    """Pictures from files, one per call, as if exposed when asked for."""

    def __init__(self, files: Iterable[Path], now_ns: Callable[[], int]) -> None:
        """``now_ns`` is the clock that stamps the frames."""
        self._files = iter(files)
        self._now_ns = now_ns

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:  # noqa: ARG002  # a file holds a whole picture
        """Return the next picture, whole; raises CameraLostError after the last one, or if it cannot be read."""
        path = next(self._files, None)
        if path is None:
            raise CameraLostError("the last picture file has been shown", CameraFault.SILENT)
        start = max(self._now_ns(), moment_ns + 1)
        try:
            image = decode_picture(file_bytes(path), str(path))
        except OSError as error:
            raise CameraLostError(f"{path} cannot be read: {error.strerror}", CameraFault.SILENT) from None
        return CameraFrame(image, start, max(self._now_ns(), start))

    def close(self) -> None:
        """Nothing to give back."""


def open_folder(folder: str, now_ns: Callable[[], int] = time.monotonic_ns) -> FileCamera:
    """Return a camera of a folder's pictures in the order of their names, in a loop; raises CameraLostError if there are none."""
    path = Path(folder)
    files = [one for one in picture_files(path) if one.suffix.lower() in _PICTURES] if path.is_dir() else []
    if not files:
        raise CameraLostError(f"the folder {folder!r} holds no pictures: put JPEG or PNG files there", CameraFault.ABSENT)
    return FileCamera(itertools.cycle(files), now_ns)
