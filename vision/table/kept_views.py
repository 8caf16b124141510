"""Kept views: reuses what the model said about a tile while its crop stays the same.

Most of a frame's time goes into finding tiles and looking at them, and most tiles rest. A second look at the same crop helps against noise
if the model was unsure; a third says nothing new. After some frames a tile is found and looked at again, to give an unsure one another
chance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Slot
from vision.model.bare_crop import washed
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView, decide
from vision.reading import Read
from vision.table.tile_pose import TilePose

_LOOKS = 2
"""Looks at one crop before the last is reused. A look in which the model alone is sure is enough: that reads as many slots of path-traced
tables correctly as two looks, and no vote is wrong (docs/reference/figures.md)."""
_MOST_USES = 3
"""Most frames that reuse a look."""
_MOST_AGE_NS = 3_000_000_000
_SAME_LEVELS, _SAME_SHARE, _WHITE_PERCENTILE = 25.0, 0.125, 90
"""Most grey levels by which the mean of a neighbourhood of the crop may differ: noise and small shifts are below it, a mark is over 40. In
little light it is this share of the tile's white, so that bare cloth does not pass for the tile."""
_NEIGHBOURHOOD = (5, 5)


@dataclass(slots=True, eq=False)
class KeptView:
    """A tile on its slot: pose, crop, the model's view, whether light washed the marks away, and whether it is the first look there."""

    pose: TilePose
    crop: NDArray[np.uint8]
    view: CropView
    is_washed: bool
    is_first: bool
    seen_ns: int
    looks: int = 1
    uses: int = 0


class KeptViews:
    """The last views of one mat's tiles, by slot."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._kept: dict[Slot, KeptView] = {}

    def usable(self, slots: Iterable[Slot], exposed_ns: int) -> dict[Slot, TilePose]:
        """Return the poses of tiles that need not be found again in a frame, provided that their crops are the same."""
        known = ((slot, self._kept[slot]) for slot in slots if slot in self._kept)
        return {slot: kept.pose for slot, kept in known if kept.looks >= _LOOKS and kept.uses < _MOST_USES and _is_recent(kept, exposed_ns)}

    def used_again(self, crops: Mapping[Slot, NDArray[np.uint8]], exposed_ns: int) -> dict[Slot, KeptView]:
        """Return those of the tiles whose crops (CROP_H × CROP_W × 3) are the same, and count one more use of each."""
        same = {slot: self._kept[slot] for slot, crop in crops.items() if _alike(self._kept[slot], crop, exposed_ns)}
        for kept in same.values():
            kept.uses, kept.seen_ns = kept.uses + 1, exposed_ns
        return same

    def look(self, poses: Mapping[Slot, TilePose], crops: NDArray[np.uint8], exposed_ns: int) -> dict[Slot, KeptView]:
        """Look at the tiles in these poses (crops n × CROP_H × CROP_W × 3) and keep the views."""
        views = self._classifier.look(crops)
        seen = {
            slot: KeptView(pose, crop.copy(), view, washed(crop), slot not in self._kept, exposed_ns)
            for (slot, pose), crop, view in zip(poses.items(), crops, views, strict=True)
        }
        for slot, tile in seen.items():
            before = self._kept.get(slot)
            if not tile.is_washed and isinstance(decide(tile.view, self._classifier.limits), Read):
                tile.looks = _LOOKS
            elif before is not None and _alike(before, tile.crop, exposed_ns):
                tile.looks = before.looks + 1
        self._kept |= seen
        return seen

    def forget(self, slots: Sequence[Slot]) -> None:
        """Forget slots that are bare. Covered tiles are kept: their crops will show whether they are still there."""
        for slot in slots:
            self._kept.pop(slot, None)


def looks_alike(before: NDArray[np.uint8], now: NDArray[np.uint8]) -> bool:
    """Whether two crops (CROP_H × CROP_W × 3) of one place show the same tile, apart from noise."""
    levels = before[::4, ::4].ravel()
    white = len(levels) * _WHITE_PERCENTILE // 100
    most = min(_SAME_LEVELS, _SAME_SHARE * float(np.partition(levels, white)[white]))
    return float(np.asarray(cv2.blur(cv2.absdiff(now, before), _NEIGHBOURHOOD)).max()) < most


def _alike(kept: KeptView, crop: NDArray[np.uint8], exposed_ns: int) -> bool:
    return _is_recent(kept, exposed_ns) and looks_alike(kept.crop, crop)


def _is_recent(kept: KeptView, exposed_ns: int) -> bool:
    return 0 <= exposed_ns - kept.seen_ns <= _MOST_AGE_NS
