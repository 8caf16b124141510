"""Calibration record of a camera: how its pictures were on the day of calibration, kept as a small JSON file.

The file keeps a thumbnail of the empty scene (the gate without a tile, the bare mat) and nothing of any hand. With it
come light, noise, sharpness, the part of the picture that matters, and the flat field. ``selftest`` compares later
pictures with it.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Annotated

import cv2
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from twinwall.game.typed_json import plain, read_document
from vision.calibration.flat_field import FlatField
from vision.calibration.mat_calibration import MOST_SIDE_PX, MatCalibration, SidePx
from vision.cameras.port import Region

FORMAT = "twinwall-camera-1"
THUMB_W, THUMB_H = 80, 60
_LAPLACIAN_POWER = 20
"""Sum of the squares of the kernel (0 1 0, 1 −4 1, 0 1 0): the factor by which it amplifies the variance of white noise."""
_Grey = Annotated[float, Meta(ge=0, le=255)]
_Px = Annotated[int, Meta(ge=0, le=MOST_SIDE_PX)]


class CameraDayError(Exception):
    """A calibration file that cannot be used; the message names it and says what to do."""


class SceneLight(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of a camera's pictures of one still scene, grey levels 0 to 255.

    ``level`` is the median, ``noise`` the deviation of a pixel from frame to frame, ``clipped`` the share of pixels
    at the upper limit, ``sharpness`` the steepness of the scene's edges, free of noise and of brightness.
    """

    level: _Grey
    noise: _Grey
    clipped: Annotated[float, Meta(ge=0, le=1)]
    sharpness: Annotated[float, Meta(ge=0, le=1e6)]


class _PartOfPicture(Struct, forbid_unknown_fields=True):
    left: _Px
    top: _Px
    width: SidePx
    height: SidePx


class _DayFile(Struct, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    camera: str
    made: str
    width_px: SidePx
    height_px: SidePx
    region: _PartOfPicture | None
    flat_field: str | None
    light: SceneLight
    scene: bytes
    mat: MatCalibration | None


@dataclass(frozen=True, slots=True, eq=False)
class CameraDay:
    """One camera on its day of calibration; ``scene`` is THUMB_H × THUMB_W float32, ``mat`` where a table's mat lay."""

    camera: str
    made: date
    width_px: int
    height_px: int
    light: SceneLight
    scene: NDArray[np.float32]
    region: Region | None = None
    flat_field: FlatField | None = None
    mat: MatCalibration | None = None

    def to_json(self) -> str:
        """The file's text."""
        document = {
            "format": FORMAT,
            "camera": self.camera,
            "made": self.made.isoformat(),
            "width_px": self.width_px,
            "height_px": self.height_px,
            "region": None if self.region is None else asdict(self.region),
            "flat_field": None if self.flat_field is None else self.flat_field.to_text(),
            "light": plain(self.light),
            "scene": base64.b64encode(np.clip(self.scene, 0, 255).round().astype(np.uint8).tobytes()).decode(),
            "mat": None if self.mat is None else plain(self.mat),
        }
        return json.dumps(document, indent=1) + "\n"


def measure(frames: Sequence[NDArray[np.uint8]]) -> tuple[SceneLight, NDArray[np.float32]]:
    """Figures and thumbnail of several frames (each h × w × 3 BGR, one size) of a scene that keeps still; ValueError for fewer than two."""
    if len(frames) < 2:
        raise ValueError("noise takes at least two frames")
    greys = np.stack([cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in frames]).astype(np.float32)
    mean = greys.mean(axis=0)
    noise = math.sqrt(float(greys.var(axis=0, ddof=1).mean()))
    level = float(np.median(mean))
    clipped = float(np.mean([(_brightest(frame) >= 250).mean() for frame in frames]))
    return SceneLight(level, noise, clipped, _sharpness(mean, noise / math.sqrt(len(frames)))), thumbnail(mean)


def _brightest(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The brightest colour of each pixel (h × w)."""
    blue, green, red = cv2.split(frame)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def thumbnail(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """A grey picture (h × w) as THUMB_H × THUMB_W float32."""
    return np.asarray(cv2.resize(grey, (THUMB_W, THUMB_H), interpolation=cv2.INTER_AREA), np.float32)


def _sharpness(mean: NDArray[np.float32], noise: float) -> float:
    """The mean square of the finest differences over that of coarser ones, without what noise adds to them; 0 for a scene without edges."""
    fine = cv2.Laplacian(mean, cv2.CV_32F)
    soft = cv2.GaussianBlur(mean, (0, 0), 3.0)
    coarse = cv2.Sobel(soft, cv2.CV_32F, 1, 0) ** 2 + cv2.Sobel(soft, cv2.CV_32F, 0, 1) ** 2
    sharp = float((fine**2).mean()) - _LAPLACIAN_POWER * noise**2
    return max(sharp, 0.0) / max(float(coarse.mean()), 1e-3)


def parse_camera_day(text: str, source: str, camera: str) -> CameraDay:
    """Read a calibration file of this camera (``gate`` or ``table``); raises CameraDayError naming ``source`` and what is wrong in it."""
    try:
        return _day_of(read_document(text, _DayFile, "it"), camera)
    except ValueError as error:
        again = f"calibrate the camera again with twinwall tiles calibrate --camera {camera}"
        raise CameraDayError(f"the calibration {source} cannot be used ({error}): {again}") from None


def _day_of(read: _DayFile, camera: str) -> CameraDay:
    """What the file says; raises ValueError for what it cannot say of this camera."""
    if read.camera != camera:
        raise ValueError(f"it is of the {read.camera} camera")
    part = read.region
    if part is not None and (part.left + part.width > read.width_px or part.top + part.height > read.height_px):
        raise ValueError(f"'region' must lie in the picture of {read.width_px} × {read.height_px} px")
    if (read.mat is None) is (camera == "table"):
        raise ValueError("a table's camera has a mat, a gate's has none")
    if read.mat is not None and (read.mat.width_px, read.mat.height_px) != (read.width_px, read.height_px):
        raise ValueError("its mat was seen in pictures of another size")
    return CameraDay(
        camera=camera,
        made=date.fromisoformat(read.made),
        width_px=read.width_px,
        height_px=read.height_px,
        light=read.light,
        scene=_scene(read.scene),
        region=None if part is None else Region(part.left, part.top, part.width, part.height),
        flat_field=None if read.flat_field is None else FlatField.from_text(read.flat_field),
        mat=read.mat,
    )


def _scene(levels: bytes) -> NDArray[np.float32]:
    if len(levels) != THUMB_W * THUMB_H:
        raise ValueError(f"'scene' must have {THUMB_W} × {THUMB_H} levels, not {len(levels)}")
    return np.frombuffer(levels, np.uint8).reshape(THUMB_H, THUMB_W).astype(np.float32)
