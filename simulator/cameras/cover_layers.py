"""Cover layers: arms over the mat and things on it, drawn as layers over the tiles."""

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.cameras.arms import Arm, arm_layer, left_in_shadow, reached
from simulator.cameras.ground import Colour, Points, View, rectangle, turned
from simulator.cameras.layers import Layer, share_of
from simulator.cameras.optics import Picture, lit_up, to_light
from simulator.scene import SIZES_MM, Cover, CoverKind

_SLEEVES: tuple[Colour, ...] = ((92, 62, 48), (60, 60, 66), (150, 160, 172), (40, 52, 110))
_SKINS: tuple[Colour, ...] = ((134, 168, 214), (92, 128, 178), (60, 84, 124), (148, 182, 226))
_HEIGHTS_MM = {CoverKind.CUP: 95.0, CoverKind.PHONE: 9.0, CoverKind.PAPER: 1.0}
_COLOURS: dict[CoverKind, Colour] = {CoverKind.CUP: (186, 196, 204), CoverKind.PHONE: (26, 24, 24), CoverKind.PAPER: (226, 230, 230)}
_SHADOW_PX = 5.0


def cover_layer(cover: Cover, view: View, gains: Picture) -> Layer:
    """One cover under the light of ``gains`` (SIDE_PX × SIDE_PX × 3)."""
    if cover.kind is CoverKind.ARM:
        arm = Arm(cover.place, (cover.x_mm, cover.y_mm), cover.shoulder_mm, _SLEEVES[cover.place], _SKINS[cover.place])
        return arm_layer(arm, view, gains)
    outline, height_mm = _outline(cover), _HEIGHTS_MM[cover.kind]
    foot, top = view.project(outline), view.project(outline, height_mm)
    rect = reached(np.vstack((foot, top)))
    size = rect.size
    whole = np.asarray(cv2.convexHull(np.vstack((foot, top)).astype(np.float32))[:, 0], np.float64)
    body, lid = (_filled(points - rect.corner, size) for points in (whole, top))
    colour = np.zeros((size[1], size[0], 3), np.uint8)
    colour[:] = [round(part * 0.7) for part in _COLOURS[cover.kind]]
    colour[lid > 0] = _COLOURS[cover.kind]
    rest = left_in_shadow(body, (5, 4), _SHADOW_PX, 0.4)
    return Layer.of(rect, lit_up(to_light(colour) * share_of(body), rect.cut(gains)), body, rest)


@lru_cache(maxsize=1)
def _round() -> Points:
    angles: NDArray[np.float64] = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    return np.column_stack((np.cos(angles), np.sin(angles)))


def _outline(cover: Cover) -> Points:
    """Where a thing stands on the mat (n × 2, mm)."""
    width, height = SIZES_MM[cover.kind]
    if cover.kind is CoverKind.CUP:
        return np.asarray(_round() * width / 2 + (cover.x_mm, cover.y_mm))
    outline = turned(rectangle(width / 2, height / 2), math.radians(cover.turn_deg))
    return np.asarray(outline + np.array((cover.x_mm, cover.y_mm)))


def _filled(points_px: Points, size: tuple[int, int]) -> Picture:
    cover = np.zeros(size[::-1], np.uint8)
    cv2.fillPoly(cover, [np.rint(points_px * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return cover
