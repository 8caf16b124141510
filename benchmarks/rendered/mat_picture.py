"""The mat of a path-traced table as the printing code draws it, on cloth of another colour and with a weave."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.rendered.looks import Weave
from simulator.cameras.optics import Picture
from tests.support.dashboard.printed import pictures_of
from twinwall.art.mat import Mat
from twinwall.art.mat_prints.mat_pages import FELT, PRINT, mat_page
from twinwall.art.pdf import Mark, PdfLine, Rectangle, pdf

_PX_PER_MM = 4.0
_PAPER_LEVEL, _INK_LEVEL = 0.86, 16


def mat_picture(mat: Mat, weave: Weave) -> Picture:
    """Return the print (BGR, 4 px a mm), its ground and lines in the cloth's colours; no white is pure white, no black pure black."""
    page = mat_page(mat)
    drawn = replace(page, marks=tuple(_coloured(mark, weave) for mark in page.marks))
    (picture,) = pictures_of(pdf([drawn]), _PX_PER_MM * 25.4 / 72)
    return np.asarray(cv2.convertScaleAbs(picture, alpha=_PAPER_LEVEL, beta=_INK_LEVEL), np.uint8)


def woven(printed: Picture, weave: Weave, rng: Generator) -> tuple[Picture, Picture]:
    """Return the print on threads and fibres, and the cloth's normals as a picture (blue up, green away from place 0, red right)."""
    height = _threads(len(printed), weave, rng)
    shade = 0.8 + 0.28 * height
    colour = np.clip(np.rint(printed * shade[:, :, None]), 0, 255).astype(np.uint8)
    across = cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=_PX_PER_MM / 8) * weave.depth_mm
    down = cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=_PX_PER_MM / 8) * weave.depth_mm
    normals = np.dstack((np.ones_like(across), down, -across))
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return colour, np.rint((normals + 1) * 127.5).astype(np.uint8)


def _threads(side_px: int, weave: Weave, rng: Generator) -> NDArray[np.float32]:
    """Return the cloth's height, about 0 to 1: slightly uneven threads over and under one another, and fibres."""
    y, x = np.mgrid[0:side_px, 0:side_px].astype(np.float32) / np.float32(_PX_PER_MM * weave.thread_mm) * np.float32(np.pi)
    slow = cv2.resize(rng.normal(0, 0.7, (2, side_px // 40, side_px // 40)).astype(np.float32).transpose(1, 2, 0), (side_px, side_px))
    over = 0.5 + 0.5 * np.sin(x + slow[:, :, 0]) * np.sin(y + slow[:, :, 1])
    fibres = cv2.GaussianBlur(rng.standard_normal((side_px, side_px), np.float32), (0, 0), 0.8)
    return np.asarray(0.8 * over + 0.22 * fibres + 0.1, np.float32)


def _coloured(mark: Mark, weave: Weave) -> Mark:
    if isinstance(mark, Rectangle | PdfLine):
        if mark.colour == FELT:
            return replace(mark, colour=weave.ground)
        if mark.colour == PRINT:
            return replace(mark, colour=weave.print_colour)
    return mark
