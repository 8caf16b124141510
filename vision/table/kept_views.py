"""Kept views: what the model has made of a tile, used again while its picture stays the same where it lay.

To find a tile and to look at it is most of the time that a frame takes, and most tiles of a table lie still. A second look at
the same picture is evidence against noise where the model was unsure at the first; a third tells nothing new. After some
frames a tile is found and looked at again, so that one the model was unsure of gets another chance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Slot
from twinwall.values import frozen_identity
from vision.model.bare_crop import washed
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView, decide
from vision.reading import Read
from vision.table.tile_pose import TilePose

_LOOKS = 2
"""Looks at one picture before the last one is used again. One look in which the model alone is sure counts for them all: as many slots
of path-traced tables are said rightly as with two, and no vote is wrong (docs/reference/figures.md)."""
_MOST_USES = 3
"""At most this many frames use a look again before the next one."""
_MOST_AGE_NS = 3_000_000_000
_SAME_LEVELS, _SAME_SHARE, _WHITE_PERCENTILE = 25.0, 0.125, 90
"""Grey levels by which a neighbourhood of a crop may differ in the mean: a pose a little other, noise; a mark more or less is over 40. In
little light it is this share of the tile's white, so that bare cloth is not the same as the tile that lay there."""
_NEIGHBOURHOOD = (5, 5)


@frozen_identity
class KeptView:
    """A tile as it lies at its slot: where, what the model makes of it, whether the light has washed its marks away, and whether this was
    the first look at a tile there."""

    pose: TilePose
    crop: NDArray[np.uint8]
    view: CropView
    is_washed: bool
    is_first: bool


@dataclass(slots=True)
class _Kept:
    tile: KeptView
    seen_ns: int
    looks: int = 1
    uses: int = 0


class KeptViews:
    """The last views of the tiles of one mat, by slot."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._kept: dict[Slot, _Kept] = {}

    def usable(self, slots: Iterable[Slot], exposed_ns: int) -> dict[Slot, TilePose]:
        """Where the tiles lay that need not be found again in a frame exposed then, if their pictures are the same."""
        known = ((slot, self._kept[slot]) for slot in slots if slot in self._kept)
        return {
            slot: kept.tile.pose for slot, kept in known if kept.looks >= _LOOKS and kept.uses < _MOST_USES and _is_recent(kept, exposed_ns)
        }

    def used_again(self, crops: Mapping[Slot, NDArray[np.uint8]], exposed_ns: int) -> dict[Slot, KeptView]:
        """Those of the tiles whose pictures (CROP_H × CROP_W × 3, where they lay) are the same; they count as used once more."""
        same = {slot: self._kept[slot] for slot, crop in crops.items() if _alike(self._kept[slot], crop, exposed_ns)}
        for kept in same.values():
            kept.uses, kept.seen_ns = kept.uses + 1, exposed_ns
        return {slot: kept.tile for slot, kept in same.items()}

    def look(self, poses: Mapping[Slot, TilePose], crops: NDArray[np.uint8], exposed_ns: int) -> dict[Slot, KeptView]:
        """New views of tiles that lie so (crops n × CROP_H × CROP_W × 3), which are kept."""
        views = self._classifier.look(crops)
        seen = {
            slot: KeptView(pose, crop.copy(), view, washed(crop), slot not in self._kept)
            for (slot, pose), crop, view in zip(poses.items(), crops, views, strict=True)
        }
        for slot, tile in seen.items():
            before = self._kept.get(slot)
            looks = before.looks + 1 if before is not None and _alike(before, tile.crop, exposed_ns) else 1
            if not tile.is_washed and isinstance(decide(tile.view, self._classifier.limits), Read):
                looks = _LOOKS
            self._kept[slot] = _Kept(tile, exposed_ns, looks)
        return seen

    def forget(self, slots: Sequence[Slot]) -> None:
        """These slots are bare. A tile that something covers for a moment is not forgotten: its picture tells whether it is still there."""
        for slot in slots:
            self._kept.pop(slot, None)


def looks_alike(before: NDArray[np.uint8], now: NDArray[np.uint8]) -> bool:
    """Whether two crops (CROP_H × CROP_W × 3) of one place show the same tile, apart from noise."""
    levels = before[::4, ::4].ravel()
    white = len(levels) * _WHITE_PERCENTILE // 100
    most = min(_SAME_LEVELS, _SAME_SHARE * float(np.partition(levels, white)[white]))
    return float(np.asarray(cv2.blur(cv2.absdiff(now, before), _NEIGHBOURHOOD)).max()) < most


def _alike(kept: _Kept, crop: NDArray[np.uint8], exposed_ns: int) -> bool:
    return _is_recent(kept, exposed_ns) and looks_alike(kept.tile.crop, crop)


def _is_recent(kept: _Kept, exposed_ns: int) -> bool:
    return 0 <= exposed_ns - kept.seen_ns <= _MOST_AGE_NS
