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

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.game.documents import DocumentError, DocumentFields, object_of, parse_object, text_of
from vision.calibration.flat_field import FlatField
from vision.calibration.mat_calibration import MatCalibration
from vision.calibration.numbers import MOST_SIDE_PX, measured
from vision.cameras.port import Region

FORMAT = "twinwall-camera-1"
THUMB_W, THUMB_H = 80, 60
_LAPLACIAN_POWER = 20
"""Sum of the squares of the kernel (0 1 0, 1 −4 1, 0 1 0): the factor by which it amplifies the variance of white noise."""
_WHITE = 255


class CameraDayError(Exception):
    """A calibration file that cannot be used; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class SceneLight:
    """Figures of a camera's pictures of one still scene, grey levels 0 to 255.

    ``level`` is the median, ``noise`` the deviation of a pixel from frame to frame, ``clipped`` the share of pixels
    at the upper limit, ``sharpness`` the steepness of the scene's edges, free of noise and of brightness.
    """

    level: float
    noise: float
    clipped: float
    sharpness: float


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
            "light": asdict(self.light),
            "scene": base64.b64encode(np.clip(self.scene, 0, 255).round().astype(np.uint8).tobytes()).decode(),
            "mat": None if self.mat is None else self.mat.to_object(),
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
    clipped = float(np.mean([(frame.max(axis=2) >= 250).mean() for frame in frames]))
    return SceneLight(level, noise, clipped, _sharpness(mean, noise / math.sqrt(len(frames)))), thumbnail(mean)


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
        return _parsed(DocumentFields(parse_object(text, "it"), "it"), camera)
    except (DocumentError, ValueError) as error:
        again = f"calibrate the camera again with twinwall calibrate --camera {camera}"
        raise CameraDayError(f"the calibration {source} cannot be used ({error}): {again}") from None


def _parsed(fields: DocumentFields, camera: str) -> CameraDay:
    """The document's content; raises DocumentError, and ValueError for a date, a thumbnail or a flat field that is none."""
    fields.constant("format", FORMAT)
    if (of := fields.text("camera")) != camera:
        raise DocumentError(f"it is of the {of} camera")
    width_px, height_px = (fields.integer(key, 1, MOST_SIDE_PX) for key in ("width_px", "height_px"))
    region, flat_field, mat = (fields.take(key) for key in ("region", "flat_field", "mat"))
    day = CameraDay(
        camera=camera,
        made=date.fromisoformat(fields.text("made")),
        width_px=width_px,
        height_px=height_px,
        light=_light(DocumentFields(fields.mapping("light"), "'light'")),
        scene=_scene(fields.text("scene")),
        region=None if region is None else _region(DocumentFields(object_of(region, "'region'"), "'region'"), width_px, height_px),
        flat_field=None if flat_field is None else FlatField.from_text(text_of(flat_field, "'flat_field'")),
        mat=None if mat is None else MatCalibration.from_object(object_of(mat, "'mat'")),
    )
    fields.done()
    if (day.mat is None) is (camera == "table"):
        raise DocumentError("a table's camera has a mat, a gate's has none")
    if day.mat is not None and (day.mat.width_px, day.mat.height_px) != (width_px, height_px):
        raise DocumentError("its mat was seen in pictures of another size")
    return day


def _light(fields: DocumentFields) -> SceneLight:
    light = SceneLight(
        level=measured(fields, "level", 0, _WHITE),
        noise=measured(fields, "noise", 0, _WHITE),
        clipped=measured(fields, "clipped", 0, 1),
        sharpness=measured(fields, "sharpness", 0, 1e6),
    )
    fields.done()
    return light


def _region(fields: DocumentFields, width_px: int, height_px: int) -> Region:
    """A part of a picture of this size."""
    left, top = fields.integer("left", 0, width_px - 1), fields.integer("top", 0, height_px - 1)
    region = Region(left, top, fields.integer("width", 1, width_px - left), fields.integer("height", 1, height_px - top))
    fields.done()
    return region


def _scene(text: str) -> NDArray[np.float32]:
    levels = base64.b64decode(text, validate=True)
    if len(levels) != THUMB_W * THUMB_H:
        raise DocumentError(f"'scene' must have {THUMB_W} × {THUMB_H} levels, not {len(levels)}")
    return np.frombuffer(levels, np.uint8).reshape(THUMB_H, THUMB_W).astype(np.float32)
