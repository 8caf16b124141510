"""Kept views: what the model has made of a tile, used again while its picture stays the same.

Looking at tiles is most of the time that a frame takes, and most tiles of a table lie still. A second look at the
same picture is kept as evidence against noise; a third tells nothing new. After some frames a tile is looked at
again, so that one the model was unsure of gets another chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Slot
from vision.model.classifier import Classifier
from vision.model.crop_view import CropView

_LOOKS = 2
"""Looks at one picture before they are used again,"""
_MOST_USES = 3
"""and so many frames at most before the next look."""
_MOST_AGE_NS = 3_000_000_000
_SAME_LEVELS = 25.0
"""Grey levels by which a neighbourhood of a crop may differ in the mean: a pose a little other, noise; a mark more or less is over 40."""
_NEIGHBOURHOOD = (5, 5)


@dataclass(slots=True)
class _Kept:
    crop: NDArray[np.uint8]
    view: CropView
    seen_ns: int
    looks: int = 1
    uses: int = 0


class KeptViews:
    """The last views of the tiles of one mat, by slot."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._kept: dict[Slot, _Kept] = {}

    def look(self, slots: Sequence[Slot], crops: NDArray[np.uint8], exposed_ns: int) -> list[CropView]:
        """Views of the tiles at slots (crops n × CROP_H × CROP_W × 3) in a frame exposed then: new ones, or those kept."""
        fresh = [number for number, slot in enumerate(slots) if not self._used_again(slot, crops[number], exposed_ns)]
        for number, view in zip(fresh, self._classifier.look(crops[fresh]), strict=True):
            kept = self._kept.get(slots[number])
            looks = kept.looks + 1 if kept is not None and _alike(kept, crops[number], exposed_ns) else 1
            self._kept[slots[number]] = _Kept(crops[number].copy(), view, exposed_ns, looks)
        return [self._kept[slot].view for slot in slots]

    def forget(self, slots: Sequence[Slot]) -> None:
        """No tile is seen at these slots any more."""
        for slot in slots:
            self._kept.pop(slot, None)

    def _used_again(self, slot: Slot, crop: NDArray[np.uint8], exposed_ns: int) -> bool:
        kept = self._kept.get(slot)
        if kept is None or kept.looks < _LOOKS or kept.uses >= _MOST_USES or not _alike(kept, crop, exposed_ns):
            return False
        kept.uses, kept.seen_ns = kept.uses + 1, exposed_ns
        return True


def _alike(kept: _Kept, crop: NDArray[np.uint8], exposed_ns: int) -> bool:
    off = cv2.blur(cv2.absdiff(crop, kept.crop), _NEIGHBOURHOOD)
    return 0 <= exposed_ns - kept.seen_ns <= _MOST_AGE_NS and float(np.asarray(off).max()) < _SAME_LEVELS
