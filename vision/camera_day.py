"""How a camera's pictures were on the day it was calibrated, as a small file, so that a self-test can say what has changed.

What is kept of the pictures is a thumbnail of the empty scene (the gate without a tile, the bare mat): nothing of
any hand. With it come light, noise and sharpness, the part of the picture that matters, and the flat field.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Region
from vision.flat_field import FlatField

FORMAT = "twinwall-camera-1"
THUMB_W, THUMB_H = 80, 60
_LAPLACIAN_POWER = 20
"""The sum of the squares of the kernel (0 1 0, 1 −4 1, 0 1 0): what it makes of white noise."""
_KEYS = frozenset({"format", "camera", "made", "width_px", "height_px", "region", "flat_field", "light", "scene", "mat"})


class CameraDayError(Exception):
    """A calibration file that cannot be used; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Light:
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
    """One camera on its day of calibration; ``scene`` is THUMB_H × THUMB_W float32, ``mat`` the table's geometry as its own JSON object."""

    camera: str
    made: date
    width_px: int
    height_px: int
    light: Light
    scene: NDArray[np.float32]
    region: Region | None = None
    flat_field: FlatField | None = None
    mat: Mapping[str, object] | None = None

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
            "mat": self.mat,
        }
        return json.dumps(document, indent=1) + "\n"


def measure(frames: Sequence[NDArray[np.uint8]]) -> tuple[Light, NDArray[np.float32]]:
    """Figures and thumbnail of several frames (each h × w × 3 BGR, one size) of a scene that keeps still; ValueError for fewer than two."""
    if len(frames) < 2:
        raise ValueError("noise takes at least two frames")
    greys = np.stack([cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in frames]).astype(np.float32)
    mean = greys.mean(axis=0)
    noise = math.sqrt(float(greys.var(axis=0, ddof=1).mean()))
    level = float(np.median(mean))
    clipped = float(np.mean([(frame.max(axis=2) >= 250).mean() for frame in frames]))
    return Light(level, noise, clipped, _sharpness(mean, noise / math.sqrt(len(frames)))), thumbnail(mean)


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
    """Read a calibration file of this camera (``gate`` or ``table``); raises CameraDayError naming ``source``."""
    again = f"calibrate the camera again with twinwall calibrate --camera {camera}"
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("format") != FORMAT or set(document) != _KEYS:
            raise ValueError(f"it is not of the format {FORMAT}")
        if document["camera"] != camera:
            raise ValueError(f"it is of the {document['camera']} camera")
        scene = np.frombuffer(base64.b64decode(document["scene"], validate=True), np.uint8).reshape(THUMB_H, THUMB_W)
        return CameraDay(
            camera=camera,
            made=date.fromisoformat(document["made"]),
            width_px=int(document["width_px"]),
            height_px=int(document["height_px"]),
            light=Light(**{name: float(document["light"][name]) for name in ("level", "noise", "clipped", "sharpness")}),
            scene=scene.astype(np.float32),
            region=None if document["region"] is None else Region(**document["region"]),
            flat_field=None if document["flat_field"] is None else FlatField.from_text(document["flat_field"]),
            mat=document["mat"],
        )
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise CameraDayError(f"the calibration {source} cannot be used ({error}): {again}") from None
