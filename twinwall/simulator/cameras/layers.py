"""Layers of a picture: rectangles of pixels, and things with their shadows.

Tiles on the mat and arms over it are layers. All shadows of one sort are drawn before any body covers them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2

from twinwall.simulator.cameras.ground import SIDE_PX
from twinwall.simulator.cameras.optics import Picture, as_picture


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
    """One thing: its colours times its cover (lit), what its body and its shadow leave of what is below, in 1/255."""

    rect: Rect
    colour: Picture
    body_rest: Picture
    shadow_rest: Picture


def lay_over(target: Picture, rect: Rect, layers: Iterable[Layer]) -> None:
    """Draw what of the layers falls on ``rect``, into its picture: first all shadows, then all bodies in their order."""
    reaching = [(layer, shared) for layer in layers if (shared := layer.rect.shared(rect))]
    for layer, shared in reaching:
        part = shared.within(rect).cut(target)
        part[:] = cv2.multiply(part, shared.within(layer.rect).cut(layer.shadow_rest), scale=1 / 255)
    for layer, shared in reaching:
        part, inside = shared.within(rect).cut(target), shared.within(layer.rect)
        part[:] = cv2.add(cv2.multiply(part, inside.cut(layer.body_rest), scale=1 / 255), inside.cut(layer.colour))


def three(grey: Picture) -> Picture:
    """A grey picture in three channels."""
    return as_picture(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR))
