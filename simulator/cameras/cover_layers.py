"""Cover layers: arms over the mat and things on it, drawn as layers over the tiles.

An arm is a sleeve that reaches in from a seat's edge, a hand with fingers, and their shadow. Arms are as high as hands are over a mat, so
the camera sees them displaced. Sleeves have any colour, the cloth's own included.

Layers of a picture: rectangles of light, and things with their shadows.

Tiles on the mat and arms over it are layers. All shadows of one sort are drawn before any body covers them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from simulator.cameras.ground import SIDE_PX, Colour, Points, View, rectangle, turned
from simulator.cameras.optics import Light, Picture, as_picture, lit_up, to_light
from simulator.scene import SIZES_MM, Cover, CoverKind
from twinwall.values import frozen, frozen_identity

Level = TypeVar("Level", np.uint8, np.float32)


@frozen
class Rect:
    columns: range
    rows: range

    @property
    def corner(self) -> tuple[int, int]:
        return self.columns.start, self.rows.start

    @property
    def size(self) -> tuple[int, int]:
        return len(self.columns), len(self.rows)

    def shared(self, other: Rect) -> Rect | None:
        pairs = (self.columns, other.columns), (self.rows, other.rows)
        columns, rows = (range(max(one.start, two.start), min(one.stop, two.stop)) for one, two in pairs)
        return Rect(columns, rows) if columns and rows else None

    def cut(self, picture: NDArray[Level], corner: tuple[int, int] = (0, 0)) -> NDArray[Level]:
        """This part of a picture, whose first pixel is the one at ``corner`` of the whole."""
        x, y = corner
        return picture[self.rows.start - y : self.rows.stop - y, self.columns.start - x : self.columns.stop - x]


WHOLE = Rect(range(SIDE_PX), range(SIDE_PX))


@frozen_identity
class Layer:
    """One thing: its light times its cover, and what its body and its shadow leave of the light below (h × w × 1, 0 to 1)."""

    rect: Rect
    light: Light
    body_rest: Light
    shadow_rest: Light

    @classmethod
    def of(cls, rect: Rect, light: Light, cover: Picture, shadow_rest: Picture) -> Layer:
        """From the grey pictures (h × w) of its cover and of what its shadow leaves of the levels below."""
        return cls(rect, light, 1 - share_of(cover), to_light(shadow_rest)[:, :, None])


def lay_over(target: Light, rect: Rect, layers: Iterable[Layer]) -> None:
    """Draw what of the layers falls on ``rect``, into its light: first all shadows, then all bodies in their order."""
    reaching = [(layer, shared) for layer in layers if (shared := layer.rect.shared(rect))]
    for layer, shared in reaching:
        part = shared.cut(target, rect.corner)
        part *= shared.cut(layer.shadow_rest, layer.rect.corner)
    for layer, shared in reaching:
        part = shared.cut(target, rect.corner)
        part *= shared.cut(layer.body_rest, layer.rect.corner)
        part += shared.cut(layer.light, layer.rect.corner)


def share_of(cover: Picture) -> Light:
    """A grey picture (h × w) of what something covers, as shares (h × w × 1)."""
    return np.asarray(cover[:, :, None] * np.float32(1 / 255), np.float32)


_SHIFT = 4
"""Polygons are drawn to a sixteenth of a pixel."""
_HAND_MM = 28.0
_SLEEVE_MM = 45.0
_EDGE_MM = 620.0
"""Where an arm begins: beyond the picture."""
_ARM_SHADOW_PX = 9.0
_MARGIN_PX = 40


@frozen
class Arm:
    """One arm of the person at ``place``: where the palm's middle is (mm on the mat), where the shoulder is along the seat's edge,
    and the colours (blue, green, red) of sleeve and skin; ``stripes`` px wide on the sleeve, 0 for none."""

    place: int
    palm_mm: tuple[float, float]
    shoulder_mm: float
    sleeve: Colour
    skin: Colour
    spread: float = 0.2
    """How far the fingers are apart, in radians from one to the next."""
    stripes: int = 0


def arm_layer(arm: Arm, view: View, gains: Picture) -> Layer:
    """An arm as one layer over the table, under the light of ``gains`` (SIDE_PX × SIDE_PX × 3)."""
    outlines = [view.project(points, above) for points, above in (*_sleeve(arm), *_hand(arm))]
    sleeves = len(_sleeve(arm))
    rect = reached(np.vstack(outlines))
    size = rect.size
    colour, cover = np.zeros((size[1], size[0], 3), np.uint8), np.zeros(size[::-1], np.uint8)
    for number, outline in enumerate(outlines):
        paint = arm.sleeve if number < sleeves else arm.skin
        points = np.rint((outline - rect.corner) * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(colour, [points], paint, cv2.LINE_AA, _SHIFT)
        cv2.fillPoly(cover, [points], 255, cv2.LINE_AA, _SHIFT)
        if number >= sleeves:
            cv2.polylines(colour, [points], True, tuple(round(part * 0.72) for part in paint), 1, cv2.LINE_AA, _SHIFT)
    light = to_light(_folded(colour, arm)) * share_of(cover)
    rest = left_in_shadow(cover, (7, 5), _ARM_SHADOW_PX, 0.45)
    return Layer.of(rect, lit_up(light, rect.cut(gains)), cover, rest)


def left_in_shadow(cover: Picture, moved_px: tuple[int, int], blur_px: float, depth: float) -> Picture:
    """What the shadow of a cover leaves of the light below: it falls so far down and right, and takes this share."""
    shadow = cv2.GaussianBlur(np.roll(cover, moved_px, (0, 1)), (0, 0), blur_px)
    return as_picture(cv2.convertScaleAbs(shadow, alpha=-depth, beta=255))


def reached(points_px: Points) -> Rect:
    """The pixels of the picture that an arm and its shadow can cover; the whole picture where it lies outside."""
    left, top = np.clip(np.floor(points_px.min(axis=0)) - _MARGIN_PX, 0, SIDE_PX - 1).astype(int)
    right, bottom = np.clip(np.ceil(points_px.max(axis=0)) + _MARGIN_PX, 1, SIDE_PX).astype(int)
    rect = Rect(range(int(left), int(right)), range(int(top), int(bottom)))
    return rect if rect.shared(WHOLE) else WHOLE


def _folded(colour: Picture, arm: Arm) -> Picture:
    """Folds and light on the sleeve, knuckles on the hand: slow changes of brightness, the same for the same arm."""
    height, width = colour.shape[:2]
    rng = np.random.default_rng((arm.place, round(arm.shoulder_mm * 8) + 100_000, round(arm.palm_mm[0]) + 10_000))
    coarse = rng.normal(1.0, 0.09, (height // 22 + 2, width // 22 + 2)).astype(np.float32)
    shade = np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)
    if arm.stripes:
        y, x = np.mgrid[0:height, 0:width]
        sleeve = (colour == np.array(arm.sleeve)).all(axis=2)
        shade = np.where(sleeve & ((x + y) // arm.stripes % 2 == 0), shade * 0.62, shade).astype(np.float32)
    return as_picture(np.clip(colour * shade[:, :, None], 0, 255).astype(np.uint8))


def _frame(arm: Arm) -> tuple[Points, Points, Points]:
    """The palm's middle, the direction in which the arm reaches, and the direction to its right (mm, y down)."""
    away = ((0.0, _EDGE_MM), (_EDGE_MM, 0.0), (0.0, -_EDGE_MM), (-_EDGE_MM, 0.0))[arm.place]
    along = ((1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0))[arm.place]
    shoulder = np.array(away) + np.array(along) * arm.shoulder_mm
    palm = np.array(arm.palm_mm)
    forth = (palm - shoulder) / np.linalg.norm(palm - shoulder)
    return palm, forth, np.array((-forth[1], forth[0]))


def _sleeve(arm: Arm) -> tuple[tuple[Points, float], ...]:
    """The sleeve from the edge to the wrist, wider towards the elbow."""
    palm, forth, right = _frame(arm)
    wrist = palm - 78 * forth
    elbow = wrist - 700 * forth
    outline = np.array([wrist - 39 * right, wrist + 41 * right, elbow + 78 * right, elbow - 72 * right])
    cuff = np.array([wrist - 43 * right, wrist + 45 * right, wrist + 45 * right - 22 * forth, wrist - 43 * right - 22 * forth])
    return (outline, _SLEEVE_MM), (cuff, _SLEEVE_MM)


def _hand(arm: Arm) -> tuple[tuple[Points, float], ...]:
    palm, forth, right = _frame(arm)
    wrist = _capsule(palm - 92 * forth, palm - 30 * forth, 27.0)
    middle = _ellipse(palm, forth, right, 50.0, 40.0)
    fingers = [
        _capsule(
            palm + 34 * forth + side * 19 * right, palm + 34 * forth + side * 19 * right + length * _leaning(forth, side * arm.spread), 8.5
        )
        for side, length in ((-1.5, 56.0), (-0.5, 68.0), (0.5, 64.0), (1.5, 48.0))
    ]
    thumb = _capsule(palm - 30 * right, palm - 62 * right + 36 * forth, 10.0)
    return tuple((outline, _HAND_MM) for outline in (wrist, middle, *fingers, thumb))


def _leaning(forth: Points, angle: float) -> Points:
    turn = np.array([(math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))])
    return np.asarray(turn @ forth)


def _capsule(start: Points, end: Points, radius_mm: float) -> Points:
    forth = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
    right = np.array((-forth[1], forth[0]))
    angles: NDArray[np.float64] = np.linspace(-np.pi / 2, np.pi / 2, 9)[:, None]
    front = end + radius_mm * (np.cos(angles) * forth + np.sin(angles) * right)
    back = start - radius_mm * (np.cos(angles) * forth + np.sin(angles) * right)
    return np.asarray(np.vstack((front, back)))


def _ellipse(middle: Points, forth: Points, right: Points, length_mm: float, width_mm: float) -> Points:
    angles = np.linspace(0, 2 * np.pi, 28, endpoint=False)[:, None]
    return np.asarray(middle + length_mm * np.cos(angles) * forth + width_mm * np.sin(angles) * right)


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
