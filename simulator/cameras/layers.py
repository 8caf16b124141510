"""Layers of a picture: rectangles of light, and things with their shadows.

Tiles on the mat and arms over it are layers. All shadows of one sort are drawn before any body covers them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import Light, Picture, to_light


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle of pixels, right and bottom excluded."""

    left: int
    top: int
    right: int
    bottom: int

    def shared(self, other: Rect) -> Rect | None:
        """What both cover, None when nothing."""
        both = Rect(max(self.left, other.left), max(self.top, other.top), min(self.right, other.right), min(self.bottom, other.bottom))
        return both if both.left < both.right and both.top < both.bottom else None

    def cut(self, picture: Picture) -> Picture:
        """This part of the whole picture."""
        return picture[self.top : self.bottom, self.left : self.right]

    def within(self, outer: Rect) -> Rect:
        """The same rectangle counted from the corner of ``outer``."""
        return Rect(self.left - outer.left, self.top - outer.top, self.right - outer.left, self.bottom - outer.top)


WHOLE = Rect(0, 0, SIDE_PX, SIDE_PX)


@dataclass(frozen=True, slots=True, eq=False)
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
        part = _within(target, rect, shared)
        part *= _within(layer.shadow_rest, layer.rect, shared)
    for layer, shared in reaching:
        part = _within(target, rect, shared)
        part *= _within(layer.body_rest, layer.rect, shared)
        part += _within(layer.light, layer.rect, shared)


def share_of(cover: Picture) -> Light:
    """A grey picture (h × w) of what something covers, as shares (h × w × 1)."""
    return np.asarray(cover[:, :, None] * np.float32(1 / 255), np.float32)


def _within(light: NDArray[np.float32], rect: Rect, part: Rect) -> NDArray[np.float32]:
    inside = part.within(rect)
    return light[inside.top : inside.bottom, inside.left : inside.right]
