"""Stream camera: a phone's or network camera's stream, in any form that FFmpeg opens (RTSP; JPEG pictures, MPEG-4 or HLS over HTTP).

A stream does not say when a frame was exposed, so a frame is dated by its arrival. A thread takes each frame, so that none grows old in a
buffer. An address of a single picture is a stream of one frame: opened again, it gives the next one.
"""

import threading
import time

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cameras.port import CAMERA_MOST_PX, CameraFault, CameraFrame, CameraLostError, Region, without_user


class StreamCamera:
    """The latest frame of an open stream."""

    def __init__(self, address: str, timeout_s: float) -> None:
        """Open the stream; raises CameraLostError. ``timeout_s`` holds for the connection and for each frame."""
        limit_ms = int(1000 * timeout_s)
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, limit_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, limit_ms]
        self._stream, self._timeout_s = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits), timeout_s
        self._name = f"the stream {without_user(address)}"
        if not self._stream.isOpened():
            raise CameraLostError(
                f"{self._name} cannot be opened: start it, and name the address that VLC plays on this computer, such as http://PHONE:8080/video",
                CameraFault.ABSENT,
            )
        width, height = (int(self._stream.get(each)) for each in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
        if width * height > CAMERA_MOST_PX:
            self._stream.release()
            raise CameraLostError(
                f"{self._name} has pictures of {width} × {height} px: make them smaller, 1920 × 1080 px do", CameraFault.SIZE
            )
        self._arrived = threading.Condition()
        self._latest: CameraFrame | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._take, name=self._name, daemon=True)
        self._thread.start()

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:  # noqa: ARG002  # a stream has whole pictures
        """Return the latest frame if it arrived after ``moment_ns``, otherwise the next one; raises CameraLostError."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._ended or self._is_after(moment_ns), self._timeout_s)
            if self._latest is None or not self._is_after(moment_ns):
                words = "has ended" if self._ended else f"gave no frame in {self._timeout_s:g} s"
                raise CameraLostError(f"{self._name} {words}: look at its app and network", CameraFault.SILENT)
            return self._latest

    def close(self) -> None:
        """Close the stream once its frame has come, or is late."""
        self._ended = True
        self._thread.join()

    def _is_after(self, moment_ns: int) -> bool:
        return self._latest is not None and self._latest.exposure_start_ns > moment_ns

    def _take(self) -> None:
        while not self._ended and self._stream.grab():
            whole, image = self._stream.retrieve()
            if whole:
                self._publish(np.asarray(image, np.uint8))
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()
        self._stream.release()

    def _publish(self, image: NDArray[np.uint8]) -> None:
        now_ns = time.monotonic_ns()
        with self._arrived:
            self._latest = CameraFrame(image, now_ns, now_ns)
            self._arrived.notify_all()
