"""Engraving: turns a painted drawing into a cut one, with outlines, and hatching, scales or rings in place of full paint.

Most makers cut birds and flowers as lines and rub paint into them.
"""

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.faces.marks import Face

_PAPER = 250
_EDGE = 40


def as_lines(face: Face, rng: Generator) -> Face:
    """The drawing's outlines in its own inks, its inside left open or filled with a pattern; the face's size stays."""
    thick = int(rng.integers(3, 7))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (thick, thick))
    inked = (face < _PAPER).any(axis=2)
    outline = (cv2.morphologyEx(face, cv2.MORPH_GRADIENT, kernel) > _EDGE).any(axis=2)
    kept = outline | (inked & _pattern(face.shape[0], face.shape[1], rng))
    return np.where(kept[..., None], cv2.erode(face, kernel), 255).astype(np.uint8)


def _pattern(height: int, width: int, rng: Generator) -> NDArray[np.bool_]:
    """Where a pattern leaves paint, h × w: nowhere, in strokes, in rows of scales, or around open rings."""
    form = int(rng.integers(0, 4))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    angle, pitch = float(rng.uniform(0, np.pi)), float(rng.uniform(10, 34))
    u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    match form:
        case 0:
            return np.zeros((height, width), np.bool_)
        case 1:
            bend = float(rng.uniform(0, 12)) * np.sin(v / float(rng.uniform(20, 60)))
            return np.asarray((u + bend) % pitch < pitch * rng.uniform(0.25, 0.6))
        case 2:
            row = np.floor(v / (pitch * 0.6))
            off = np.hypot((u + row % 2 * pitch / 2) % pitch - pitch / 2, v % (pitch * 0.6))
            return np.asarray(np.abs(off - pitch * 0.5) < pitch * 0.14)
        case _:
            off = np.hypot(u % pitch - pitch / 2, v % pitch - pitch / 2)
            return np.asarray(off > pitch * rng.uniform(0.25, 0.42))
