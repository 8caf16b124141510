"""Proved tiles: followed from frame to frame, with what was read of them and when they are looked at again.

To look at a tile with the model takes a hundred times as long as to see that it rests. A new tile is looked at twice, then after some
seconds again, sooner if it could not be read; each frame allows only a few repeated looks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import Tile
from vision.mat_observation import ObservedTile
from vision.model.bare_crop import washed
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView, Foreign
from vision.model.judge import Judge
from vision.reading import ReadRefusal, Reason, shares_of
from vision.table.tile_pose import TilePose

_FRESH_LOOKS = 2
_READ_WAITS_NS, _UNREAD_WAITS_NS = 20_000_000_000, 2_500_000_000
"""Time between two looks at a resting tile that was read, or could not be."""
_MOST_AGAIN = 3
"""Most tiles looked at again in one frame, besides new ones."""
_SAME_MM, _SAME_DEG = 3.0, 6.0
_BACK_SHARE = 0.5
"""A face that the judge refuses is a back if the general model gives backs a larger share."""


@dataclass(frozen=True, slots=True)
class DoubtLimits:
    """When a face that the judge refuses still counts as a tile: with at least this ``clearness``, and if the general model gives parts of
    tiles and other things together at most ``no_tile``."""

    clearness: float = 0.75
    no_tile: float = 0.6


@dataclass(slots=True, eq=False)
class ProvedTile:
    """One tile, with one number while it rests; ``observed`` is None before the first look and if there is no whole tile."""

    number: int
    tile: TilePose
    looks: int = 0
    looked_ns: int = 0
    waits_ns: int = 0
    observed: ObservedTile | None = None
    judge: Judge | None = None
    view: CropView | None = None
    """The network's last answer."""
    crop: NDArray[np.uint8] | None = None
    """Its crop at the last look (CROP_H × CROP_W × 3)."""

    def same_place(self, tile: TilePose) -> bool:
        """Whether a tile is at this one's place."""
        near = hypot(self.tile.x_mm - tile.x_mm, self.tile.y_mm - tile.y_mm) < _SAME_MM
        return near and abs(self.tile.off_deg(tile.angle_deg)) < _SAME_DEG


Crops = Callable[[Sequence[TilePose]], NDArray[np.uint8]]
"""Cuts the faces of tiles out of a picture, for the network (n × CROP_H × CROP_W × 3)."""


def look_at(
    tiles: Sequence[ProvedTile], cut: Crops, classifier: Classifier, judge: Judge, now_ns: int, *, doubt: DoubtLimits = DoubtLimits()
) -> None:
    """Read the tiles that are due, in a frame exposed at ``now_ns``."""
    now = _chosen(tiles, judge, now_ns)
    crops = cut([one.tile for one in now])
    for one, view, crop in zip(now, classifier.look(crops), crops, strict=True):
        face = observed_face(view, one.tile, judge, doubt, is_washed=washed(crop))
        one.observed, one.judge, one.looks, one.view = face, judge, one.looks + 1, view
        one.crop, one.looked_ns, one.waits_ns = crop, now_ns, _READ_WAITS_NS if face is not None and face.sure else _UNREAD_WAITS_NS


def _chosen(tiles: Iterable[ProvedTile], judge: Judge, now_ns: int) -> list[ProvedTile]:
    """Return the tiles that are due: new ones, and a few others."""
    fresh, again = [], []
    for one in tiles:
        if not one.tile.face_up:
            continue
        if one.looks == 0 or one.judge is not judge:
            fresh.append(one)
        elif one.looks < _FRESH_LOOKS or not 0 <= now_ns - one.looked_ns < one.waits_ns:
            again.append(one)
    return fresh + sorted(again, key=lambda one: (one.looks >= _FRESH_LOOKS, one.looked_ns + one.waits_ns))[:_MOST_AGAIN]


def observed_back(tile: TilePose) -> ObservedTile:
    return ObservedTile(tile.x_mm, tile.y_mm, tile.angle_deg, face_up=False)


def observed_face(view: CropView, tile: TilePose, judge: Judge, doubt: DoubtLimits, *, is_washed: bool) -> ObservedTile | None:
    """Return the observation of a tile face up by a judge; None if there is no whole tile."""
    answer = judge.decide(view)
    reason = answer.reason if isinstance(answer, ReadRefusal) else None
    placed = ObservedTile(tile.x_mm, tile.y_mm, tile.angle_deg)
    ranked = judge.rank(view, len(Tile))
    if is_washed and ranked[0].tile is Tile.WHITE:
        return placed
    no_tile = view.foreign[Foreign.PART] + view.foreign[Foreign.NOTHING]
    if reason is not None and (tile.clearness < doubt.clearness or no_tile > doubt.no_tile):
        return None
    if reason is Reason.NOT_A_TILE and view.foreign[Foreign.BACK] > _BACK_SHARE:
        return observed_back(tile)
    return replace(placed, shares=shares_of(ranked), sure=reason is None)
