"""Calibration record of a camera: how its pictures were on the day of calibration, in a small JSON file.

It holds a thumbnail of the empty scene (gate or bare mat, nothing of any hand), light, noise, sharpness, the part of the picture in use,
and the flat field. ``calibrate`` compares later pictures with it.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from datetime import date
from typing import Annotated, ClassVar

import cv2
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import WrittenAs, plain, read_document
from twinwall.values import frozen, frozen_identity
from vision.calibration.mat_calibration import MatCalibration
from vision.cameras.port import Camera, CameraFrame, Region, SidePx

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


THUMB_W, THUMB_H = 80, 60
_LAPLACIAN_POWER = 20
"""Sum of the squares of the kernel (0 1 0, 1 −4 1, 0 1 0): by this factor it amplifies the variance of white noise."""
_Grey = Annotated[float, Meta(ge=0, le=255)]


class SceneLight(Struct, frozen=True, forbid_unknown_fields=True):
    """Light of one still scene, in grey levels 0 to 255: ``level`` is the median, ``noise`` a pixel's deviation from frame to frame,
    ``clipped`` the share of pixels at the upper limit, ``sharpness`` the steepness of edges, independent of noise and brightness."""

    level: _Grey
    noise: _Grey
    clipped: Annotated[float, Meta(ge=0, le=1)]
    sharpness: Annotated[float, Meta(ge=0, le=1e6)]


def _scene(levels: bytes) -> NDArray[np.float32]:
    if len(levels) != THUMB_W * THUMB_H:
        raise ValueError(f"'scene' must have {THUMB_W} × {THUMB_H} levels, not {len(levels)}")
    return np.frombuffer(levels, np.uint8).reshape(THUMB_H, THUMB_W).astype(np.float32)


def _levels(scene: NDArray[np.float32]) -> str:
    return base64.b64encode(np.clip(scene, 0, 255).round().astype(np.uint8).tobytes()).decode()


@frozen_identity
class CameraDay:
    """One camera on its day of calibration; ``scene`` is THUMB_H × THUMB_W float32, ``mat`` is where a table's mat was."""

    FORMAT: ClassVar = "twinwall-camera-1"

    camera: str
    made: Annotated[date, WrittenAs(date.fromisoformat, date.isoformat)]
    width_px: SidePx
    height_px: SidePx
    region: Region | None
    flat_field: Annotated[FlatField, WrittenAs(FlatField.from_text, FlatField.to_text)] | None
    light: SceneLight
    scene: Annotated[NDArray[np.float32], WrittenAs(_scene, _levels, bytes)]
    mat: MatCalibration | None

    def to_json(self) -> str:
        return json.dumps(plain(self), indent=1) + "\n"


def measure(frames: Sequence[NDArray[np.uint8]]) -> tuple[SceneLight, NDArray[np.float32]]:
    """Measure at least two frames (each h × w × 3 BGR, one size) of a still scene, else ValueError; return figures and thumbnail."""
    if len(frames) < 2:
        raise ValueError("noise takes at least two frames")
    greys = np.stack([cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in frames]).astype(np.float32)
    mean = greys.mean(axis=0)
    noise = math.sqrt(float(greys.var(axis=0, ddof=1).mean()))
    level = float(np.median(mean))
    clipped = float(np.mean([(_brightest(frame) >= 250).mean() for frame in frames]))
    thumbnail = np.asarray(cv2.resize(mean, (THUMB_W, THUMB_H), interpolation=cv2.INTER_AREA), np.float32)
    return SceneLight(level, noise, clipped, _sharpness(mean, noise / math.sqrt(len(frames)))), thumbnail


def _brightest(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    blue, green, red = cv2.split(frame)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _sharpness(mean: NDArray[np.float32], noise: float) -> float:
    """Return the mean square of the finest differences over that of coarser ones, corrected for noise; 0 for a scene without edges."""
    fine = cv2.Laplacian(mean, cv2.CV_32F)
    soft = cv2.GaussianBlur(mean, (0, 0), 3.0)
    coarse = cv2.Sobel(soft, cv2.CV_32F, 1, 0) ** 2 + cv2.Sobel(soft, cv2.CV_32F, 0, 1) ** 2
    sharp = float((fine**2).mean()) - _LAPLACIAN_POWER * noise**2
    return max(sharp, 0.0) / max(float(coarse.mean()), 1e-3)


def parse_camera_day(text: str, source: str, camera: str) -> CameraDay:
    """Read a calibration file of this camera (``gate`` or ``table``); raises DocumentError, which names ``source`` and the fault."""
    try:
        return _checked(read_document(text, CameraDay, "it"), camera)
    except ValueError as error:
        again = f"calibrate the camera again with twinwall tiles calibrate --camera {camera}"
        raise DocumentError(f"the calibration {source} cannot be used ({error}): {again}") from None


def _checked(read: CameraDay, camera: str) -> CameraDay:
    """Return the record; raises ValueError if it does not fit this camera."""
    if read.camera != camera:
        raise ValueError(f"it is of the {read.camera} camera")
    part = read.region
    if part is not None and (part.left + part.width > read.width_px or part.top + part.height > read.height_px):
        raise ValueError(f"'region' must lie in the picture of {read.width_px} × {read.height_px} px")
    if (read.mat is None) is (camera == "table"):
        raise ValueError("a table's camera has a mat, a gate's has none")
    if read.mat is not None and (read.mat.width_px, read.mat.height_px) != (read.width_px, read.height_px):
        raise ValueError("its mat was seen in pictures of another size")
    return read
