"""Sources of pictures with their times: a video file by its time stamps, a folder of frames, a camera.

Only pictures some time apart are decoded. A video ends at its first unreadable frame; ``cut_short`` says whether that was too early.
"""

import logging
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen_identity
from vision.cameras.file_camera import picture_files, picture_in
from vision.cameras.opening import open_free_camera
from vision.cameras.port import CAMERA_MOST_PX, CameraFault, CameraLostError

_SILENT_S = 30.0
"""A camera without a picture for this long counts as taken away."""
_FRAME_TIMEOUT_S = 5.0
_MOST_MISSING_MS = 1500
"""A video may be shorter than its header says by this much."""
_USUAL_FRAMES_PER_S = 25.0


class NotAVideoError(ValueError):
    """A source gives no pictures; the message names it and says what to do."""


@frozen_identity
class TimedFrame:
    """One picture (h × w × 3 BGR) and its time in ms from the source's beginning."""

    at_ms: int
    image: NDArray[np.uint8]


class PictureSource(Protocol):
    """Where pictures come from."""

    lasts_ms: int | None
    """None if it runs until it is stopped."""
    cut_short: str
    """Says which pictures are missing, and why; empty if none are."""

    def frames(self, every_ms: int, from_ms: int = 0) -> Iterator[TimedFrame]:
        """Yield pictures at least ``every_ms`` apart; a file can be read again, from a given time on."""
        ...


def source_of(name: str) -> PictureSource:
    """Return the source of a folder, a video file or a camera's address (``vision.cameras.opening``); raises NotAVideoError, ValueError."""
    if "://" in name or name.startswith(("v4l2:", "picamera2:")):
        return CameraSource(name)
    path = Path(name)
    if path.is_dir():
        return FolderSource(path)
    if not path.is_file():
        raise NotAVideoError(f"{name}: there is no such video, folder or camera (v4l2:0, picamera2:0, rtsp://…, http://…)")
    return VideoFile(path)


def pictures_at(source: PictureSource, moments_ms: Iterable[int], every_ms: int) -> dict[int, NDArray[np.uint8]]:
    """Return a file's picture at each moment, or the first one after it; moments after the file's end are left out."""
    left, found = sorted(set(moments_ms)), dict[int, NDArray[np.uint8]]()
    for frame in source.frames(every_ms) if left else ():
        while left and frame.at_ms >= left[0]:
            found[left.pop(0)] = frame.image
        if not left:
            break
    return found


class VideoFile:
    """A file that FFmpeg can decode, rotated as its metadata say."""

    def __init__(self, path: Path) -> None:
        """Raises NotAVideoError."""
        self._path = path
        self.cut_short = ""
        video = self._opened()
        properties = cv2.CAP_PROP_FRAME_COUNT, cv2.CAP_PROP_FPS, cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT
        frames, per_s, width, height = map(video.get, properties)
        self._per_s = per_s if 0 < per_s < 1000 else _USUAL_FRAMES_PER_S
        self.lasts_ms: int | None = int(1000 * max(0, frames) / self._per_s)
        if width * height > CAMERA_MOST_PX:
            raise NotAVideoError(f"{path} has pictures of {width * height / 1e6:.0f} million pixels: make them smaller, 1920 × 1080 px do")
        if not self.lasts_ms:  # a recording of a browser does not say how long it is
            logging.getLogger(__name__).warning("%s does not say how long it is: reading it through first", path)
            self.lasts_ms = max((frame.at_ms for frame in self.frames(1000)), default=0)

    def frames(self, every_ms: int, from_ms: int = 0) -> Iterator[TimedFrame]:
        """Yield pictures by their time stamps; one without a stamp follows at the video's usual pace."""
        video, now_ms, due_ms = self._opened(), -1.0, float(from_ms)
        try:
            while video.grab():
                stamp = video.get(cv2.CAP_PROP_POS_MSEC)
                now_ms = stamp if stamp > now_ms else now_ms + 1000 / self._per_s
                if now_ms < due_ms:
                    continue
                whole, image = video.retrieve()
                if whole:
                    due_ms = max(due_ms + every_ms, now_ms)
                    yield TimedFrame(round(now_ms), np.asarray(image, np.uint8))
        finally:
            video.release()
        if now_ms < (self.lasts_ms or 0) - _MOST_MISSING_MS - 1000 / self._per_s:
            self.cut_short = (
                f"{self._path} can be read for {abs(now_ms) / 1000:.0f} of {(self.lasts_ms or 0) / 1000:.0f} seconds: it is damaged, or "
                "still being written"
            )

    def _opened(self) -> cv2.VideoCapture:
        video = cv2.VideoCapture(str(self._path.absolute()), cv2.CAP_FFMPEG)  # FFmpeg takes 20:15.mp4 for an address
        if not video.isOpened():
            raise NotAVideoError(
                f"{self._path} is no video that can be read: it is another file, or is still being written (a camera or phone writes a "
                "video's index last)"
            )
        return video


class FolderSource:
    """A folder's pictures in the order of their names, timed as if taken at the pace asked for."""

    def __init__(self, folder: Path) -> None:
        """Raises NotAVideoError."""
        self._files, self.cut_short = picture_files(folder), ""
        some = map(picture_in, self._files[:: len(self._files) // 20 + 1])  # all would take long
        shapes = [image.shape for image in some if image is not None]
        self._shape = max(shapes, key=shapes.count, default=())
        self.lasts_ms: int | None = len(self._files)  # until a pace is asked for
        if not self._files:
            raise NotAVideoError(f"the folder {folder} holds no pictures: put JPEG or PNG files there")

    def frames(self, every_ms: int, from_ms: int = 0) -> Iterator[TimedFrame]:
        """Yield the pictures; those that are unreadable, or have another size than most of 20 of them, are left out."""
        self.lasts_ms, left_out = len(self._files) * every_ms, list[Path]()
        for number, file in list(enumerate(self._files))[-(-from_ms // every_ms) :]:
            image = picture_in(file)
            if image is None or image.shape != self._shape:
                left_out.append(file)
                self.cut_short = (
                    f"{len(left_out)} of {len(self._files)} pictures are left out, such as {left_out[0]}: they cannot be read, or have "
                    "another size than most; make them JPEG files of one size"
                )
                continue
            yield TimedFrame(number * every_ms, image)


class CameraSource:
    """A camera; its pictures end after it was silent for some time."""

    lasts_ms: int | None = None

    def __init__(self, address: str) -> None:
        """Raises ValueError for an address that is no camera's, CameraLostError for a camera that cannot be opened."""
        self._camera, self.cut_short = open_free_camera(address, _FRAME_TIMEOUT_S), ""
        self._began_ns = time.monotonic_ns()

    def close(self) -> None:
        """Give the camera back."""
        self._camera.close()

    def frames(self, every_ms: int, from_ms: int = 0) -> Iterator[TimedFrame]:  # noqa: ARG002  # nothing is taken twice
        """Yield pictures as they are taken."""
        seen_ns = time.monotonic_ns()
        while time.monotonic_ns() - seen_ns < _SILENT_S * 1e9:
            try:
                frame = self._camera.frame_after(time.monotonic_ns())
            except CameraLostError as lost:
                self.cut_short = f"{lost}; the recording ends here"
                time.sleep(1.0 if lost.fault is CameraFault.ABSENT else 0.2)  # FFmpeg prints each stream that it cannot open
                continue
            seen_ns, self.cut_short = frame.exposure_start_ns, ""
            yield TimedFrame((seen_ns - self._began_ns) // 1_000_000, frame.image)
            time.sleep(max(0.0, every_ms / 1000 - (time.monotonic_ns() - seen_ns) / 1e9))
