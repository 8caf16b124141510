"""What a finder says of one picture beside what is true of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.found import FoundTile, TileForm
from vision.table.lens import Points

_LEAST_IOU = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class TrueTile:
    """The outline of a tile (4 × 2 px), its form and its face's notation where it shows one. ``doubtful``: found or not, it does not count;
    ``boxed``: the outline is an upright box around a tile that may be slanted."""

    outline: Points
    form: TileForm
    face: str | None = None
    doubtful: bool = False
    boxed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """``found`` pairs true faces with what was found of them; ``missed`` faces were not; ``phantoms`` lie where no tile is."""

    found: list[tuple[TrueTile, FoundTile]]
    missed: list[TrueTile]
    phantoms: list[FoundTile]
    faces_of_others: int
    """Found as faces where tiles of other forms are seen."""


def matched(tiles: Sequence[FoundTile], truth: Sequence[TrueTile]) -> Matches:
    """Each true face with the surest tile that is found for it."""
    left, pairs, missed = list(tiles), list[tuple[TrueTile, FoundTile]](), list[TrueTile]()
    for true in sorted(truth, key=lambda one: one.doubtful):
        if true.form is TileForm.FACE:
            own = next((tile for tile in left if tile.form is TileForm.FACE and _is(tile, true)), None)
            if own is not None:
                left.remove(own)
                pairs += [] if true.doubtful else [(true, own)]
            elif not true.doubtful:
                missed.append(true)
    phantoms = [tile for tile in left if not any(_inside(true, tile) for true in truth)]
    others = [true for true in truth if true.form is not TileForm.FACE and not true.doubtful]
    wrong = sum(tile.form is TileForm.FACE and any(_inside(true, tile) for true in others) for tile in left)
    return Matches(pairs, missed, phantoms, wrong)


def _inside(true: TrueTile, tile: FoundTile) -> bool:
    return cv2.pointPolygonTest(true.outline.astype(np.float32), (tile.x_px, tile.y_px), False) >= 0


def _is(tile: FoundTile, true: TrueTile) -> bool:
    if not _inside(true, tile):
        return False
    outline = tile.outline_px()
    if true.boxed:
        (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
        outline = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    return overlap(outline, true.outline) >= _LEAST_IOU


def overlap(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Intersection over union of two convex outlines (n × 2)."""
    a, b = one.astype(np.float32), other.astype(np.float32)
    both = cv2.intersectConvexConvex(a, b)[0]
    return float(both / max(cv2.contourArea(a) + cv2.contourArea(b) - both, 1e-6))
