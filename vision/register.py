"""Finds how exactly a tile lies near its spot on the mat: millimetres off, degrees askew, sideways or not.

A tile is lighter inside its rim than just outside of it. That difference, summed along the whole
outline, is looked up for every shift within reach and a few turns; the best wins if its outline is
clear enough. Ink does not matter (it keeps off the rim), nor does a neighbour that touches one side.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Patch = NDArray[np.float32]

_RIM_MM = 2.0
_OUTSIDE_MM = 1.5
_PADDING_MM = 4
_PER_MM2 = 0.005
"""What a shift costs by its square: among outlines that are equally clear, as in a row of tiles that touch, the nearest is meant."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a tile lies from the middle of its spot, x to its player's right and y towards the player.

    ``clearness`` of its outline goes from 0 to 1.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    """Counter-clockwise as seen from above; 90 more for a tile that lies sideways."""
    sideways: bool
    clearness: float


class Registrar:
    """Templates of one tile size at one pixel a millimetre."""

    def __init__(self, width_mm: float, height_mm: float, *, reach_mm: int = 9, most_askew_deg: float = 9.0) -> None:
        """Tiles are looked for up to ``reach_mm`` off their spot and ``most_askew_deg`` askew."""
        self._reach_mm = reach_mm
        angles = np.arange(-most_askew_deg, most_askew_deg + 0.1, 3.0)
        self._upright = [(float(angle), _template(width_mm, height_mm, float(angle))) for angle in angles]
        self._sideways = [(float(angle), _template(height_mm, width_mm, float(angle))) for angle in angles]
        off = np.arange(-reach_mm, reach_mm + 1, dtype=np.float32)
        self._unlikely = _PER_MM2 * (off[:, None] ** 2 + off[None, :] ** 2)
        longest = max(width_mm, height_mm)
        self.patch_px: tuple[int, int] = (2 * (int(np.ceil(longest / 2)) + reach_mm + _PADDING_MM + 3) + 1,) * 2
        """Width and height of the patches that ``find`` wants; the spot is the middle pixel."""

    def find(self, brightness: Patch, *, sideways_allowed: bool) -> Pose:
        """The best pose in a patch (float32, 0 for the felt to 1 for a tile's white, 1 px a mm, ``patch_px`` large)."""
        best = self._best(brightness, self._upright, sideways=False)
        if sideways_allowed:
            across = self._best(brightness, self._sideways, sideways=True)
            best = max(best, across, key=lambda pose: pose.clearness)
        return best

    def _best(self, brightness: Patch, templates: list[tuple[float, Patch]], *, sideways: bool) -> Pose:
        peaks = []
        for angle, template in templates:
            middle_y, middle_x = brightness.shape[0] // 2, brightness.shape[1] // 2
            half_y, half_x = template.shape[0] // 2, template.shape[1] // 2
            window = brightness[
                middle_y - half_y - self._reach_mm : middle_y + half_y + self._reach_mm + 1,
                middle_x - half_x - self._reach_mm : middle_x + half_x + self._reach_mm + 1,
            ]
            scores = cv2.matchTemplate(np.ascontiguousarray(window), template, cv2.TM_CCORR)
            likely = scores - self._unlikely
            _, score, _, (x, y) = cv2.minMaxLoc(likely)
            peaks.append((float(score), angle, int(x), int(y), likely))
        order = max(range(len(peaks)), key=lambda index: peaks[index][0])
        score, angle, x, y, scores = peaks[order]
        finer = _vertex(*(peaks[index][0] for index in (order - 1, order, order + 1))) if 0 < order < len(peaks) - 1 else 0.0
        return Pose(
            x - self._reach_mm + (_vertex(*scores[y, x - 1 : x + 2].tolist()) if 0 < x < scores.shape[1] - 1 else 0.0),
            y - self._reach_mm + (_vertex(*scores[y - 1 : y + 2, x].tolist()) if 0 < y < scores.shape[0] - 1 else 0.0),
            angle + 3.0 * finer,
            sideways,
            score + float(self._unlikely[y, x]),
        )


def _template(width_mm: float, height_mm: float, angle_deg: float) -> Patch:
    """Weights whose correlation is the mean just inside a turned rectangle's outline less the mean just outside."""
    half = np.ceil(np.array((width_mm, height_mm)) / 2 + _PADDING_MM).astype(int)
    y, x = np.mgrid[-half[1] : half[1] + 1, -half[0] : half[0] + 1].astype(np.float32)
    angle = np.deg2rad(angle_deg)
    across = x * np.cos(angle) - y * np.sin(angle)
    down = x * np.sin(angle) + y * np.cos(angle)
    inside = np.minimum(width_mm / 2 - np.abs(across), height_mm / 2 - np.abs(down))
    rim = np.clip(np.minimum(inside + 0.5, _RIM_MM + 0.5 - inside), 0, 1)
    outside = np.clip(np.minimum(0.5 - inside, inside + _OUTSIDE_MM + 0.5), 0, 1)
    return np.asarray(rim / rim.sum() - outside / outside.sum(), np.float32)


def _vertex(before: float, at: float, after: float) -> float:
    """Where a parabola through three equidistant values has its top, from -0.5 to 0.5."""
    curve = before - 2 * at + after
    return float(np.clip(0.5 * (before - after) / curve, -0.5, 0.5)) if curve < 0 else 0.0
