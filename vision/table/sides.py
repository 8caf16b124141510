"""Sides of a tile in a frame: fits a pose to where white ends, and proves that a tile lies there.

Profiles across each side tell where white ends; the rectangle of a tile's size is moved until its sides lie there. A
side that faces the camera shows the tile's flank beyond the face, so the opposite side counts more. A tile is proved
when all four sides end in something darker, or in the seam to a touching tile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Points

Whiteness = Callable[[NDArray[np.intp], Points], NDArray[np.float32]]
"""How white a frame is near slots: from the numbers of slots (m) and places in mm there (m × k × 2) to m × k float32, 0 for the
cloth and about 1 for a tile."""

_PLACES = np.array((-0.93, -0.87, -0.78, -0.56, -0.34, -0.12, 0.12, 0.34, 0.56, 0.78, 0.87, 0.93))
"""Where along each side its edge is looked for, as shares of half its length: often near the corners, where no mark resembles an edge."""
_STEP_MM = 0.4
_REACHES_MM = (3.0, 1.6, 1.6, 1.6)
"""How far an edge is looked for on both sides of where it should be, round by round,"""
_AT_REST_MM, _AT_REST_DEG = 0.4, 0.8
"""until a pose moves by less."""
_LEAST_DROP = 0.03
_PER_MM2 = 0.008
"""Cost of an edge's distance, by its square, in steps of whiteness."""
_OUTWARDS_MM = 0.15
"""Distance by which a blurred edge is seen too far out, for logarithms."""
_FLANK_MM = 0.7
"""Flank width at which the edge of a side has half its weight."""
_FLANK_SHARE, _MOST_FLANK_MM = 0.35, 2.0
"""Where on the flank white ends depends on the set's backs; on the average there."""
_HUBER_MM = 0.35
_STIFFNESS = np.diag((0.05, 0.05, 5.0))

_PROOF_MM = np.array((-2.6, -1.9, -1.2, -0.8, -0.4, 0.0, 0.4, 0.8, 1.2, 1.6))
_PROOF_INSIDE, _PROOF_BEYOND_MARKS = 4, 3
"""This many of them are looked at for what the tile looks like: the middle one of the first three, and of all four the second lightest,
since marks may reach to 1.5 mm from a side. Where the second alone shows a tile that ends, a place counts half."""
_SEEN_FLANK = 0.85
"""Where a flank's white has ended at the latest, as a share of it: below is the tile's back."""
_LEAST_WHITE = 0.33
"""How white a tile's rim is at least: faces duller than paper, on light cloth, in the shade."""
_LEAST_END = 0.22
"""How much darker than a tile's rim it must be where a side ends,"""
_LEAST_SEAM, _MOST_LEAST_SEAM, _SEAM_OVER_NOISE = 0.035, 0.1, 3.0
"""and in the seam between two tiles that touch: more than the noise on the rim explains."""
_LEAST_FREE = 0.6
"""Two sides of a tile at least must end in something else than white on so much of their length,"""
_SEAMS_ALONE = 0.75
"""unless there are seams on as much of all four, as of a tile in the midst of others."""

_PLAINLY_FREE, _LEAST_FOURTH, _PLACED, _MORE_PLACED = 0.9, 0.15, 0.58, 0.05
"""Where three sides end so on so much of their length, a tile of known size can lie nowhere else: of the fourth so little is enough, since
marks may hide where it ends. The pose counts as so clear, which is just enough (``TableGeometry``), and by that share of the fourth
clearer."""

_BEYOND_MM = np.array((3.4, 4.2, 5.0))
"""Where it is looked beyond a side: further out than any print or seam,"""
_MOST_ALIKE = 0.55
"""and how much of the tile's own colour may be there."""


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Poses being tried: m × 4 (x and y in mm from the slot's middle, degrees askew, 1 for a tile that lies sideways), the number of
    each one's slot (m), and by how much a tile's foot is seen beside its face there (m × 2 mm)."""

    poses: Points
    slots: NDArray[np.intp]
    flanks_mm: Points

    def chosen(self, numbers: list[int]) -> Tried:
        """A selection of the poses."""
        return Tried(self.poses[numbers], self.slots[numbers], self.flanks_mm[numbers])


def fitted(tried: Tried, size_mm: Points, look: Whiteness) -> Tried:
    """The poses moved until the sides of a tile of ``size_mm`` lie where white ends, in as many rounds as that takes."""
    poses = tried.poses.copy()
    moving = np.arange(len(poses))
    for reach in _REACHES_MM:
        steps = np.arange(-reach, reach + _STEP_MM / 2, _STEP_MM)
        before = poses[moving]
        poses[moving] = _fitted_once(Tried(before, tried.slots[moving], tried.flanks_mm[moving]), size_mm, look, steps)
        step = np.abs(poses[moving] - before)
        moving = moving[(step[:, :2].max(axis=1) > _AT_REST_MM) | (step[:, 2] > _AT_REST_DEG)]
        if len(moving) == 0:
            break
    return Tried(poses, tried.slots, tried.flanks_mm)


def _fitted_once(tried: Tried, size_mm: Points, look: Whiteness, steps: NDArray[np.float64]) -> Points:
    """One round: where white ends at ``steps`` (mm) across each side, and the poses (m × 4) that fit that best."""
    sides = _Sides(tried, size_mm)
    levels = sides.levels(steps, look)
    soft = levels[..., :-1] + levels[..., 1:]
    drop = soft[..., :-2] - soft[..., 2:]
    middles = steps[1:-2] + _STEP_MM / 2
    at = (drop - _PER_MM2 * middles**2).argmax(axis=-1)
    height = np.take_along_axis(drop, at[..., None], axis=-1)[..., 0] / 2
    flank = sides.flanks()[:, :, None]
    wanted = middles[at] - _OUTWARDS_MM - np.minimum(flank, _MOST_FLANK_MM) * _FLANK_SHARE
    return sides.moved(wanted, (height > _LEAST_DROP) / (1 + (flank / _FLANK_MM) ** 2))


def clearness(tried: Tried, size_mm: Points, look: Whiteness, deeper_mm: float = 0.0, *, by_three: bool = False) -> NDArray[np.float64]:
    """The share of its length on which the worst side of each pose is seen to end; 0 for what is no tile's outline (m float64).

    ``deeper_mm`` looks so much further inside for what the tile itself looks like: where it has no marks. ``by_three``: three plain sides
    prove a tile of whose fourth little is seen, where tiles lie about where they are looked for.
    """
    sides = _Sides(tried, size_mm)
    steps = np.concatenate((_PROOF_MM[:_PROOF_INSIDE] - deeper_mm, _PROOF_MM[_PROOF_INSIDE:]))
    levels = sides.levels(steps, look, sides.flanks() * _SEEN_FLANK)
    inside = levels[..., :_PROOF_INSIDE]
    tile = np.stack((np.median(inside[..., :_PROOF_BEYOND_MARKS], axis=-1), np.sort(inside, axis=-1)[..., -2]))
    drop = tile - levels[..., _PROOF_INSIDE:].min(axis=-1)
    white = tile > _LEAST_WHITE
    noise = np.median(np.abs(levels[..., 1] - levels[..., 0]), axis=(1, 2))
    seam = np.clip(noise * _SEAM_OVER_NOISE, _LEAST_SEAM, _MOST_LEAST_SEAM)[:, None, None]
    ends = (white & (drop > _LEAST_END)).mean(axis=(0, -1))
    worst = (white & (drop > seam)).mean(axis=(0, -1)).min(axis=1)
    _, third, second, _ = np.sort(ends, axis=1).T
    placed = by_three & (third >= _PLAINLY_FREE) & (worst >= _LEAST_FOURTH)
    clear = np.where(placed, np.maximum(worst, _PLACED + _MORE_PLACED * worst), worst)
    return np.asarray(clear * ((second >= _LEAST_FREE) | (worst >= _SEAMS_ALONE)))


def stands_out(tried: Tried, size_mm: Points, look: Whiteness) -> NDArray[np.bool_]:
    """Whether beyond two sides of each pose at least it looks otherwise than on the tile, and not only on their line (m).

    A printed outline on cloth in another light has four sides, but what lies beyond them looks as what lies within.
    """
    sides = _Sides(tried, size_mm)
    beyond = np.median(sides.levels(_BEYOND_MM, look, sides.flanks()), axis=-1)
    return np.asarray(np.sort((beyond < _MOST_ALIKE).mean(axis=-1), axis=1)[:, -2] >= _LEAST_FREE)


class _Sides:
    """The four sides of m poses (right, bottom, left, top), with profiles across them."""

    def __init__(self, tried: Tried, size_mm: Points) -> None:
        self._tried = tried
        turned = np.deg2rad(tried.poses[:, 2])
        cosine, sine = np.cos(turned), np.sin(turned)
        upright = tried.poses[:, 3] == 0
        width = np.where(upright, size_mm[0], size_mm[1])
        height = np.where(upright, size_mm[1], size_mm[0])
        right = np.stack((cosine, -sine), axis=1)
        down = np.stack((sine, cosine), axis=1)
        self._normals = np.stack((right, down, -right, -down), axis=1)
        along = np.stack((down, right, down, right), axis=1)
        reach = np.stack((width, height, width, height), axis=1) / 2
        length = np.stack((height, width, height, width), axis=1) / 2
        self._arms = self._normals[:, :, None] * reach[:, :, None, None] + along[:, :, None] * (length[:, :, None] * _PLACES)[..., None]
        self._edges = tried.poses[:, None, None, :2] + self._arms

    def levels(self, steps: NDArray[np.float64], look: Whiteness, beyond: Points | None = None) -> NDArray[np.float32]:
        """Whiteness across every side, outwards: m × 4 × places × steps; ``beyond`` (m × 4 mm) draws steps apart on the outside."""
        reach = np.broadcast_to(steps, (*self._edges.shape[:3], len(steps)))
        if beyond is not None:
            reach = reach + beyond[:, :, None, None] * np.clip(steps / steps[-1], 0, 1)
        points = self._edges[..., None, :] + self._normals[:, :, None, None, :] * reach[..., None]
        return look(self._tried.slots, points.reshape(len(points), -1, 2)).reshape(points.shape[:-1])

    def flanks(self) -> Points:
        """By how much a tile's foot is seen beyond each side: m × 4 mm."""
        return np.asarray(np.maximum(np.einsum("msd,md->ms", self._normals, self._tried.flanks_mm), 0.0))

    def moved(self, off_mm: Points, weights: Points) -> Points:
        """The poses shifted and turned (least squares, outliers held back) so that edges move out by ``off_mm`` (m × 4 × places)."""
        count = len(self._arms)
        spun = np.stack((self._arms[..., 1], -self._arms[..., 0]), axis=-1)
        normals = np.broadcast_to(self._normals[:, :, None], spun.shape)
        rows = np.concatenate((normals, (spun * normals).sum(axis=-1, keepdims=True)), axis=-1).reshape(count, -1, 3)
        wanted, weights = off_mm.reshape(count, -1), np.broadcast_to(weights, off_mm.shape).reshape(count, -1)
        step = np.zeros((count, 3))
        for _ in range(3):
            left = np.abs(wanted - (rows @ step[:, :, None])[..., 0])
            held = weights / np.maximum(left / _HUBER_MM, 1.0)
            weighted = rows * held[:, :, None]
            matrix = weighted.transpose(0, 2, 1) @ rows + _STIFFNESS
            step = np.linalg.solve(matrix, weighted.transpose(0, 2, 1) @ wanted[:, :, None])[..., 0]
        poses = self._tried.poses.copy()
        poses[:, :2] += step[:, :2]
        poses[:, 2] += np.rad2deg(step[:, 2])
        return poses
