"""Layers of a picture: rectangles of light, and things with their shadows.

Tiles on the mat and arms over it are layers. All shadows of one sort are drawn before any body covers them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import Light, Picture, to_light
from twinwall.values import frozen, frozen_identity

Level = TypeVar("Level", np.uint8, np.float32)


@frozen
class Rect:
    """A rectangle of pixels."""

    columns: range
    rows: range

    @property
    def corner(self) -> tuple[int, int]:
        """The first pixel (x, y)."""
        return self.columns.start, self.rows.start

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return len(self.columns), len(self.rows)

    def shared(self, other: Rect) -> Rect | None:
        """What both cover, None when nothing."""
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
