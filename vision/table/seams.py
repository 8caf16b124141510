"""Seams in rows of touching tiles: shifts a pose to where its ends are seams, and tells a pose through which a seam runs.

Marks are dark in places, a seam all along: so the lightest parts of each line across are what counts. A pose between
the marks of two tiles can have four sides, but the seam between the tiles runs through it, from margin to margin, and
marks keep off the margins.
"""

import numpy as np
from numpy.typing import NDArray

from vision.table.lens import Points
from vision.table.sides import Tried, Whiteness

_STEP_MM = 0.5
_SLIDE_REACH_MM = 9.0
_SLIDE_MM = np.arange(-31.0, 31.1, _STEP_MM)
_SLIDE_PLACES = np.linspace(-0.44, 0.44, 13)
"""Places of the lines across a tile, as shares of its width; on the margins too, which have no marks."""
_MOST_SEAM = 0.15
"""Darker than by this an end is no surer."""
_PER_MM2 = 0.0008

_MARGIN_MM = np.array((0.4, 0.7, 1.0, 1.3))
"""How far inside of a tile's sides its margins are looked at, and the middle of what is seen there taken: marks begin beyond."""
_FROM_SIDE_MM = 3.5
"""Nearer to a side than this a seam is not looked for: it would be the side's own."""
_BESIDE_STEPS = range(3, 7)
"""How many steps beside a seam it must be lighter, on both sides."""
_LEAST_CROSSING = 0.1
"""How much darker than beside it a seam is in both margins. Of 1,324 whole tiles on path-traced tables none has more than 0.07, and
of 542 poses across two tiles one in a hundred has less than 0.12."""


def slid(tried: Tried, size_mm: Points, look: Whiteness) -> Tried:
    """The poses shifted along their own axes to where both ends of a tile's length are seams or edges."""
    poses = tried.poses.copy()
    for axis in (0, 1):
        shifted = Tried(poses, tried.slots, tried.flanks_mm)
        across = _lengths(poses, size_mm, 1 - axis)[:, None] * _SLIDE_PLACES
        lightest = np.sort(_levels(shifted, look, axis, _SLIDE_MM, across), axis=-1)[..., -2]
        poses[:, :2] += _axes(poses)[axis] * _best_shifts(lightest, _lengths(poses, size_mm, axis))[:, None]
    return Tried(poses, tried.slots, tried.flanks_mm)


def crossed(tried: Tried, size_mm: Points, look: Whiteness) -> NDArray[np.bool_]:
    """Through which of the poses (m) a seam runs, along either axis: what lies there is parts of two tiles."""
    found = np.zeros(len(tried.poses), np.bool_)
    half = float(size_mm.max()) / 2
    along = np.arange(-half, half + _STEP_MM / 2, _STEP_MM)
    within = slice(_BESIDE_STEPS[-1], len(along) - _BESIDE_STEPS[-1])
    for axis in (0, 1):
        across = _lengths(tried.poses, size_mm, 1 - axis)[:, None] / 2 - _MARGIN_MM
        levels = _levels(tried, look, axis, along, np.concatenate((-across, across), axis=1))
        margins = np.median(levels.reshape(*levels.shape[:2], 2, len(_MARGIN_MM)), axis=-1)
        darkest = np.min([np.roll(margins, step, axis=1) for step in (-1, 0, 1)], axis=0)
        beside = [np.mean([np.roll(margins, sign * step, axis=1) for step in _BESIDE_STEPS], axis=0) for sign in (-1, 1)]
        depth = (np.minimum(*beside) - darkest).min(axis=-1)
        inside = np.abs(along) <= _lengths(tried.poses, size_mm, axis)[:, None] / 2 - _FROM_SIDE_MM
        found |= (inside & (depth > _LEAST_CROSSING))[:, within].any(axis=1)
    return found


def _levels(tried: Tried, look: Whiteness, axis: int, along_mm: NDArray[np.float64], across_mm: Points) -> NDArray[np.float32]:
    """Whiteness around poses, these mm along one of their axes (n) and across it (m × k): m × n × k."""
    axes = _axes(tried.poses)
    lines = axes[axis][:, None, None] * along_mm[:, None, None] + axes[1 - axis][:, None, None] * across_mm[:, None, :, None]
    points = tried.poses[:, None, None, :2] + lines
    return look(tried.slots, points.reshape(len(points), -1, 2)).reshape(points.shape[:3])


def _axes(poses: Points) -> tuple[Points, Points]:
    """Across and down of poses, which lie as they do whether upright or sideways (m × 2 each)."""
    turned = np.deg2rad(poses[:, 2])
    return np.stack((np.cos(turned), -np.sin(turned)), axis=1), np.stack((np.sin(turned), np.cos(turned)), axis=1)


def _lengths(poses: Points, size_mm: Points, axis: int) -> Points:
    """How long the tiles at poses are along one of their axes (m, mm)."""
    return np.asarray(np.where(poses[:, 3] == 0, size_mm[axis], size_mm[1 - axis]), np.float64)


def _best_shifts(lightest: NDArray[np.float32], lengths_mm: Points) -> Points:
    """Along lines of whiteness (m × places at _SLIDE_MM), where the middles of tiles so long (m) lie: both ends of each are darker than
    what is inside (m)."""
    inside = np.lib.stride_tricks.sliding_window_view(lightest, 5, axis=1).mean(axis=-1)
    darkest = np.lib.stride_tricks.sliding_window_view(lightest, 3, axis=1).min(axis=-1)

    def level(values: NDArray[np.float32], off_mm: Points) -> NDArray[np.float32]:
        first = lightest.shape[1] - values.shape[1]
        index = np.rint((middles + off_mm[:, None] - _SLIDE_MM[0]) / _STEP_MM - first / 2).astype(np.intp)
        return np.asarray(np.take_along_axis(values, np.clip(index, 0, values.shape[1] - 1), axis=1))

    middles = np.arange(-_SLIDE_REACH_MM, _SLIDE_REACH_MM + 0.1, _STEP_MM)
    near, far = (
        np.clip(level(inside, sign * (lengths_mm / 2 - 2.5)) - level(darkest, sign * (lengths_mm / 2 + 0.3)), 0, _MOST_SEAM)
        for sign in (-1, 1)
    )
    score = np.minimum(near, far) + 0.3 * (near + far) - _PER_MM2 * middles**2
    return np.asarray(middles[score.argmax(axis=1)])
