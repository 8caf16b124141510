"""Proposals: where tiles may lie on a flat mat, at any angle.

A region that has a tile's size by its smallest rectangle is proposed as it lies. In larger ones, tiles touch: there
the outline of a tile is compared with the map at every place and angle, by one correlation for each angle.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sweep.flat_mat import CELL_MM, Cells, Mask
from vision.table.lens import Points
from vision.table.registration import outline_templates

Places = NDArray[np.intp]

_ANGLE_STEP_DEG = 7.5
_ANGLES = np.arange(0.0, 180.0, _ANGLE_STEP_DEG)
_TEMPLATE_CELLS = 27
_LEAST_SCORE = 0.04
_LEAST_RIM = 0.4
_APART_CELLS = 5
"""Proposals of one sense lie at least half of this apart."""
_MOST_A_TILE = 8
"""Proposals in a region for each tile that it has room for."""
_LEAST_SHARE = 0.45
"""Regions smaller than this share of a face are not looked at."""
_SMALLER_MM, _LARGER_MM = 3.5, 5.5
"""By how much the smallest rectangle around one tile may be off its size: flanks make it larger."""
_LEAST_FILLED = 0.8


class Proposer:
    """Proposes poses of tiles of one size."""

    def __init__(self, width_mm: float, height_mm: float) -> None:
        self._size_mm = np.array((width_mm, height_mm))
        poses = np.zeros((len(_ANGLES), 4))
        poses[:, 2] = _ANGLES
        columns = outline_templates(poses, self._size_mm, _TEMPLATE_CELLS)
        self._templates = [np.ascontiguousarray(column.reshape(_TEMPLATE_CELLS, _TEMPLATE_CELLS)) for column in columns.T]
        self._rims = np.maximum(np.stack(self._templates), 0)
        self._area_cells = width_mm * height_mm / CELL_MM**2

    def alone(self, region: Mask) -> tuple[Points, Mask]:
        """Tiles that touch no other: their poses (m × 3: x and y in cells, degrees), and the regions left for ``together``."""
        left = region.astype(np.uint8)
        found: list[tuple[float, float, float]] = []
        outlines, _ = cv2.findContours(left, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for outline in outlines:
            area = cv2.contourArea(outline) + len(outline) / 2 + 1
            if area < _LEAST_SHARE * self._area_cells:
                cv2.drawContours(left, [outline], 0, 0, cv2.FILLED)
                continue
            middle, sides, angle_deg = cv2.minAreaRect(outline)
            short, long = sorted((side + 1) * CELL_MM for side in sides)
            off = np.array((short, long)) - self._size_mm
            if (off > -_SMALLER_MM).all() and (off < _LARGER_MM).all() and area * CELL_MM**2 > _LEAST_FILLED * short * long:
                upright = sides[0] <= sides[1]
                found.append((middle[0], middle[1], -angle_deg if upright else 90.0 - angle_deg))
                cv2.drawContours(left, [outline], 0, 0, cv2.FILLED)
        return np.array(found, np.float64).reshape(-1, 3), left.astype(np.bool_)

    def together(self, level: Cells, region: Mask) -> Points:
        """Poses (m × 3) in regions where tiles may touch, the clearest of each place; ``level`` is 1 on tiles and 0 on cloth."""
        count, labels, stats, _ = cv2.connectedComponentsWithStats(region.astype(np.uint8))
        found = [
            self._within(level, labels == number, stats[number])
            for number in range(1, count)
            if stats[number][cv2.CC_STAT_AREA] >= _LEAST_SHARE * self._area_cells
        ]
        return np.concatenate(found) if found else np.empty((0, 3))

    def _within(self, level: Cells, region: Mask, stats: NDArray[np.int32]) -> Points:
        margin = _TEMPLATE_CELLS // 2
        left, top = (max(int(stats[at]) - margin, 0) for at in (cv2.CC_STAT_LEFT, cv2.CC_STAT_TOP))
        right = int(stats[cv2.CC_STAT_LEFT] + stats[cv2.CC_STAT_WIDTH]) + margin
        bottom = int(stats[cv2.CC_STAT_TOP] + stats[cv2.CC_STAT_HEIGHT]) + margin
        part = np.ascontiguousarray(np.clip(level[top:bottom, left:right], 0, 1))
        inside = region[top:bottom, left:right]
        most = math.ceil(_MOST_A_TILE * max(1.0, int(stats[cv2.CC_STAT_AREA]) / self._area_cells))
        poses = []
        half = len(_ANGLES) // 4
        senses = (np.r_[0:half, 3 * half : 4 * half], np.r_[half : 3 * half])
        for sense in senses:
            scores = np.stack(
                [cv2.filter2D(part, cv2.CV_32F, self._templates[number], borderType=cv2.BORDER_REPLICATE) for number in sense.tolist()]
            )
            best = np.where(inside, scores.max(axis=0), -1.0).astype(np.float32)
            peak = (best >= cv2.dilate(best, np.ones((_APART_CELLS, _APART_CELLS)))) & (best > _LEAST_SCORE)
            y, x = np.nonzero(peak)
            order = np.argsort(-best[y, x], kind="stable")[:most]
            y, x = y[order], x[order]
            numbers = sense[scores[:, y, x].argmax(axis=0)]
            white = self._rim_whiteness(part, x, y, numbers) >= _LEAST_RIM
            x, y, angles = x[white], y[white], _ANGLES[numbers[white]]
            poses.append(np.column_stack((x + left, y + top, angles)))
        return np.concatenate(poses)

    def _rim_whiteness(self, part: Cells, x: Places, y: Places, numbers: Places) -> Cells:
        """How white a part of the map is just inside of outlines at places in it (m)."""
        half = _TEMPLATE_CELLS // 2
        padded = np.pad(part, half, mode="edge")
        windows = np.lib.stride_tricks.sliding_window_view(padded, (_TEMPLATE_CELLS, _TEMPLATE_CELLS))[y, x]
        return np.asarray(np.einsum("mij,mij->m", windows, self._rims[numbers]), np.float32)
