"""Gaps: slots among proved tiles so close that no arm reaches them without lying over one of these.

Their outlines are hidden by the tiles beside them, or lie in their shadows. But whatever lies over a slot comes from beyond the table's
edge, over what lies around the slot, and a tile over which something lies is not proved.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from twinwall.art.mat import Area
from vision.table.lens import Points
from vision.table.registration import Pose
from vision.table.rows import under
from vision.table.slot_places import SlotPlace

_AROUND_MM = 6.0
"""So far around a slot's outline tiles must lie."""
_STEP_MM = 2.0
_WIDEST_WAY_MM = 65.0
"""How far apart tiles may lie around it: one side of the slot may be open. Sleeves are wider."""


def enclosed(place: SlotPlace, tiles: Sequence[Pose], size_mm: Points) -> bool:
    """Whether tiles around a slot of a river, as poses in its sense, leave no way to it for an arm.

    Elsewhere tiles lie face down, and their backs may look like cloth: there it is never decided.
    """
    if place.slot.area is not Area.RIVER:
        return False
    is_open = (~under(tiles, size_mm, _ring(size_mm))).tolist()
    longest = max((len(list(run)) for way, run in itertools.groupby(is_open + is_open) if way), default=0)
    return longest * _STEP_MM < _WIDEST_WAY_MM


def _ring(size_mm: Points) -> Points:
    """Points (n × 2 mm) once around a slot, one after the other."""
    x, y = size_mm / 2 + _AROUND_MM
    across, down = np.arange(-x, x, _STEP_MM), np.arange(-y, y, _STEP_MM)
    sides = ((across, np.full_like(across, -y)), (np.full_like(down, x), down), (-across, np.full_like(across, y)))
    return np.concatenate([np.stack(side, axis=1) for side in (*sides, (np.full_like(down, -x), -down))])
