"""Camera watch: refuses frames that no working camera sends (a repeated picture, another size), and reopens a silent device.

A repeated picture would be read again and agree with itself, so the first repetition already counts as no frame.
Readers refuse black and washed-out frames themselves, with a reason.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.cameras.port import Camera, CameraFault, CameraFrame, CameraLostError, Region

_STEP = 4
"""Step, in px, of the pixels that are compared: with noise no two frames agree in all of them."""


class WatchedCamera:
    """Another camera's frames; refuses frames that a sensor cannot have seen."""

    def __init__(self, camera: Camera, name: str, *, size: tuple[int, int] | None = None) -> None:
        """``name`` is how errors call it; ``size`` (width, height in px) is what whole frames must have, None: that of the first."""
        self._camera, self._name, self._size = camera, name, size
        self._last: tuple[Region | None, NDArray[np.uint8]] | None = None

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """The camera's frame; raises CameraLostError also for a frozen picture and for one of another size."""
        frame = self._camera.frame_after(moment_ns, region)
        self._check_size(frame)
        seen = frame.region, frame.image[::_STEP, ::_STEP].copy()
        before, self._last = self._last, seen
        if before is not None and before[0] == seen[0] and np.array_equal(before[1], seen[1]):
            raise CameraLostError(f"{self._name} shows a frozen picture: restart it, or look at its cable", CameraFault.FROZEN)
        return frame

    def close(self) -> None:
        """Close the camera."""
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
                f"{self._name} sends pictures of {width} × {height} px, not {wanted}: set it to {wanted}, or calibrate it anew",
                CameraFault.SIZE,
            )


class ReopenedCamera:
    """A device that is opened again after it fell silent."""

    def __init__(self, open_device: Callable[[], Camera], *, at_once: bool = True) -> None:
        """Opens the device now or, with ``at_once`` False, for the first frame; raises CameraLostError when it cannot be opened now."""
        self._open_device = open_device
        self._camera: Camera | None = open_device() if at_once else None

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """The device's frame; raises CameraLostError, and the next call opens a silent device anew."""
        if self._camera is None:
            self._camera = self._open_device()
        try:
            return self._camera.frame_after(moment_ns, region)
        except CameraLostError as lost:
            if lost.fault is CameraFault.SILENT:
                self.close()
            raise

    def close(self) -> None:
        """Give the device back."""
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()
