"""Matching: a finder's tiles in one picture compared with the true ones."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.values import frozen_identity
from vision.finder.found import FoundTile, TileForm
from vision.table.lens import Points

_LEAST_IOU = 0.5


@frozen_identity
class TrueTile:
    """The outline of a tile (4 × 2 px), its form, and its face's notation if it shows one. ``doubtful``: it does not count, found or not;
    ``boxed``: the outline is an upright box around a tile that may be slanted."""

    outline: Points
    form: TileForm
    face: str | None = None
    doubtful: bool = False
    boxed: bool = False


@frozen_identity
class Matches:
    """``found`` pairs true faces with the tiles found for them; ``missed`` are the other true faces; ``phantoms`` are found where no tile
    is."""

    found: list[tuple[TrueTile, FoundTile]]
    missed: list[TrueTile]
    phantoms: list[FoundTile]
    faces_of_others: int
    """Tiles found as faces that have another form."""


def matched(tiles: Sequence[FoundTile], truth: Sequence[TrueTile]) -> Matches:
    """Match each true face with the surest tile found for it."""
    inside = _inside(tiles, truth)
    left, pairs, missed = list(range(len(tiles))), list[tuple[TrueTile, FoundTile]](), list[TrueTile]()
    for row in sorted(range(len(truth)), key=lambda row: truth[row].doubtful):
        true = truth[row]
        if true.form is TileForm.FACE:
            near = (number for number in left if inside[row, number] and tiles[number].form is TileForm.FACE)
            own = next((number for number in near if _is(tiles[number], true)), None)
            if own is not None:
                left.remove(own)
                pairs += [] if true.doubtful else [(true, tiles[own])]
            elif not true.doubtful:
                missed.append(true)
    others = np.array([true.form is not TileForm.FACE and not true.doubtful for true in truth], bool)
    phantoms = [tiles[number] for number in left if not inside[:, number].any()]
    wrong = [number for number in left if tiles[number].form is TileForm.FACE and inside[others, number].any()]
    return Matches(pairs, missed, phantoms, len(wrong))


def _inside(tiles: Sequence[FoundTile], truth: Sequence[TrueTile]) -> NDArray[np.bool_]:
    """Return which tiles' middles (columns) are in which true outlines (rows)."""
    found = np.zeros((len(truth), len(tiles)), bool)
    middles = np.array([(tile.x_px, tile.y_px) for tile in tiles]).reshape(-1, 2)
    for row, true in enumerate(truth):
        near = ((middles >= true.outline.min(axis=0)) & (middles <= true.outline.max(axis=0))).all(axis=1)
        for number in np.flatnonzero(near).tolist():
            found[row, number] = cv2.pointPolygonTest(true.outline.astype(np.float32), middles[number].tolist(), measureDist=False) >= 0
    return found


def _is(tile: FoundTile, true: TrueTile) -> bool:
    outline = tile.outline_px()
    if true.boxed:
        (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
        outline = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    return overlap(outline, true.outline) >= _LEAST_IOU


def as_found(true: TrueTile) -> FoundTile:
    """Return what a finder without errors would say of a tile."""
    (x, y), across, along = true.outline.mean(axis=0).tolist(), true.outline[1] - true.outline[0], true.outline[3] - true.outline[0]
    angle = float(np.rad2deg(np.arctan2(along[0], along[1])) % 180)
    lean = float((np.rad2deg(np.arctan2(-across[1], across[0])) - angle + 90) % 180 - 90)
    return FoundTile(x, y, float(np.hypot(*across)), float(np.hypot(*along)), angle, true.form, 0.9, lean)


def overlap(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return intersection over union of two convex outlines (n × 2)."""
    a, b = one.astype(np.float32), other.astype(np.float32)
    both = cv2.intersectConvexConvex(a, b)[0]
    return float(both / max(cv2.contourArea(a) + cv2.contourArea(b) - both, 1e-6))
