"""Flat field: gains, measured on a white card, that even out the light over a camera's picture."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen
from vision.cameras.port import Camera, CameraFrame, Region

_GRID_W, _GRID_H = 16, 12
_UNIT = 128
"""Gains are stored in units of 1/128."""
_LEAST_LEVEL, _MOST_LEVEL = 60.0, 245.0
_MOST_GAIN = 1.9


class FlatField:
    """Gains over a picture: a grid of _GRID_H × _GRID_W uint8 in 1/128, interpolated to any size."""

    def __init__(self, grid: NDArray[np.uint8]) -> None:
        """Raises ValueError for another shape."""
        if grid.shape != (_GRID_H, _GRID_W):
            raise ValueError(f"a flat field has {_GRID_H} × {_GRID_W} gains, not {grid.shape}")
        self._grid = grid
        self._drawn: NDArray[np.uint8] | None = None

    @classmethod
    def of_card(cls, frames: Sequence[NDArray[np.uint8]]) -> FlatField:
        """Measure frames (h × w × 3 BGR) of a white card that fills the picture; raises ValueError if no gains could even out its light."""
        greys = np.stack([cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in frames])
        mean = np.asarray(greys.mean(axis=0), np.float32)
        cells = cv2.resize(mean, (_GRID_W, _GRID_H), interpolation=cv2.INTER_AREA)
        if cells.min() < _LEAST_LEVEL or cells.max() > _MOST_LEVEL:
            raise ValueError(
                f"the card's light runs from {cells.min():.0f} to {cells.max():.0f} grey levels: "
                f"fill the picture with the card and set the exposure so that it stays between {_LEAST_LEVEL:.0f} and {_MOST_LEVEL:.0f}"
            )
        gains = float(np.median(cells)) / cells
        if gains.max() > _MOST_GAIN:
            raise ValueError(f"the card's darkest part would need {gains.max():.1f} times its light: does the card fill the picture?")
        return cls(np.rint(gains * _UNIT).astype(np.uint8))

    def even(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Even out the light of a picture (h × w × 3 BGR)."""
        height, width = image.shape[:2]
        if self._drawn is None or self._drawn.shape[:2] != (height, width):
            drawn = cv2.resize(self._grid, (width, height), interpolation=cv2.INTER_CUBIC)
            self._drawn = np.ascontiguousarray(np.repeat(drawn[:, :, None], 3, axis=2), np.uint8)
        return np.asarray(cv2.multiply(image, self._drawn, scale=1 / _UNIT), np.uint8)

    def to_text(self) -> str:
        return base64.b64encode(self._grid.tobytes()).decode()

    @classmethod
    def from_text(cls, text: str) -> FlatField:
        """Read what ``to_text`` wrote; raises ValueError for anything else."""
        return cls(np.frombuffer(base64.b64decode(text, validate=True), np.uint8).reshape(_GRID_H, _GRID_W).copy())


@frozen
class EvenCamera:
    """A camera with calibrated frames: evened out, and cut to ``part`` (None: not cut)."""

    camera: Camera
    flat_field: FlatField | None
    part: Region | None

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        """Return the camera's calibrated frame; a requested region stays as the camera sends it. Raises CameraLostError."""
        frame = self.camera.frame_after(moment_ns, region)
        if frame.region is not None:
            return frame
        image = frame.image if self.flat_field is None else self.flat_field.even(frame.image)
        part = self.part
        if part is not None:
            image = np.ascontiguousarray(image[part.top : part.top + part.height, part.left : part.left + part.width])
        return CameraFrame(image, frame.exposure_start_ns, frame.exposure_end_ns)

    def close(self) -> None:
        self.camera.close()
