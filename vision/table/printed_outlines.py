"""Where the mat lies, by the printed outlines of its slots as well as by its markers.

Four markers place a slot to a pixel, three to several, since they tell little of the lens and of the far corner. The
outlines of bare slots are looked for near where the markers say, each as a whole, and the view is fitted to both.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Area, Mat
from vision.sampling import between
from vision.table.lens import MatView, Points, fitted_view, grid_points
from vision.table.light import logarithms
from vision.table.markers import MARKERS
from vision.table.slot_places import around_outline, on_mat

Levels = NDArray[np.float32]

_AREAS = (Area.RIVER, Area.MELD, Area.SHARED)
"""Areas whose outlines lie apart; those of a shown hand lie a millimetre from each other."""
_ROUNDS_PX = ((2.25, 0.75), (1.5, 0.5))
"""How far each way outlines are looked for, and in what steps, one round after the other."""
_FIRST_BY_THREE_PX = (6.0, 1.5)
"""The same for a round before these where three markers tell where to look."""
_PLACES = np.linspace(-0.8, 0.8, 8)
"""Places along a side, as shares of half its length."""
_ACROSS_MM = (1.25, 0.0, -1.9)
"""Where a side is looked at: outside of an outline, on it, and inside."""
_CLEARER = 90
"""Percentile of the outlines' contrasts that tells how print looks over which nothing lies."""
_LEAST_CONTRAST = 0.02
"""Logarithm below which a side shows no print."""
_LEAST_SHARE = 0.5
"""Share of the clearer ones' contrast that each side of an outline must have."""
_MOST_OFF_PX, _MOST_OFF = 0.6, 2.0
"""An outline further from where the view has it, and by this many times as much as the middle one, is something else."""
_LEAST_FITTING, _LEAST_OUTLINES = 0.5, 20
"""Share of the outlines found that must lie where the view has them, and how many."""
_MOST_MARKER_PX = 1.0
"""A marker whose corners lie further from where the view has them (root mean square) is half covered."""
_MOST_MEDIAN_PX, _MOST_MEDIAN_BY_THREE_PX = 0.8, 0.5
"""Outlines that lie further from where the view has them (median) are mostly noise; the latter where three markers tell where to look."""
_LEAST_WHOLE = 3
"""This many markers must be where the outlines have them."""
_LEAST_THERE = 4
"""This many outlines must be seen in the quarter of the mat whose marker is not."""


class PrintedOutlines:
    """The printed outlines of a mat's slots, each to be found as a whole."""

    def __init__(self, mat: Mat) -> None:
        spots = [mat.spot(slot) for slot in mat.all_slots(*_AREAS)]
        across = around_outline(mat.tile_width_mm / 2, mat.tile_height_mm / 2, _PLACES, _ACROSS_MM)
        around = across.reshape(len(_ACROSS_MM), 4, len(_PLACES), 2).swapaxes(0, 1).reshape(-1, 2)
        self._middles_mm: Points = np.array([(spot.x_mm, spot.y_mm) for spot in spots]).reshape(-1, 2)
        self._points_mm: Points = np.array([on_mat(spot, around) for spot in spots]).reshape(-1, 2)

    def fitted(self, grey: NDArray[np.uint8], view: MatView, corners_mm: Points, corners_px: Points, *, bends: bool) -> MatView | None:
        """The view in which the outlines in a grey picture lie where the mat has them, and so do the corners of the markers seen.

        ``view`` has the corners (4 n × 2 mm and px, of three or four markers) in their places, and the outlines within some pixels of
        theirs; ``bends``: find the lens's k1 again. None where too few outlines are seen or fit, and of a mat that has none.
        """
        if not len(self._middles_mm):
            return None
        levels = logarithms(grey)
        whole, by_three = np.ones(len(corners_mm), np.bool_), len(corners_mm) < MARKERS * 4
        for reach_px, step_px in (_FIRST_BY_THREE_PX, *_ROUNDS_PX)[not by_three :]:
            mm, px = self._found(levels, view, reach_px, step_px)
            for lens_anew in (False, bends):
                fits = _fitting(_off_px(view, mm, px))
                if fits.sum() < _LEAST_OUTLINES:
                    return None
                points = np.concatenate((corners_mm[whole], mm[fits])), np.concatenate((corners_px[whole], px[fits]))
                fitted = fitted_view(*points, view.lens, view.height_mm, bends=lens_anew)
                if fitted is None:
                    return None
                view = fitted
            whole = _whole(_off_px(view, corners_mm, corners_px))
        off_px = _off_px(view, mm, px)
        fits = _fitting(off_px)
        most_px = _MOST_MEDIAN_BY_THREE_PX if by_three else _MOST_MEDIAN_PX
        if fits.mean() < _LEAST_FITTING or float(np.median(off_px)) > most_px or whole.sum() < _LEAST_WHOLE * 4:
            return None
        if by_three and not _tell_corner(mm[fits], corners_mm):
            return None
        return replace(view, error_px=float(np.sqrt(np.square(_off_px(view, corners_mm, corners_px)[whole]).mean())))

    def _found(self, levels: Levels, view: MatView, reach_px: float, step_px: float) -> tuple[Points, Points]:
        """The middles of the outlines that are plainly seen: on the mat (k × 2 mm) and in the picture."""
        along = np.arange(-reach_px, reach_px + step_px / 2, step_px)
        shifts = grid_points(along, along)
        contrast = self._contrasts(levels, view, shifts)
        light, dark = (each.min(axis=1).max(axis=1) for each in (contrast, -contrast))
        if np.percentile(dark, _CLEARER) > np.percentile(light, _CLEARER):
            contrast, light = -contrast, dark
        clearer = float(np.percentile(light, _CLEARER))
        seen = np.flatnonzero(light >= _LEAST_SHARE * max(clearer, _LEAST_CONTRAST / _LEAST_SHARE))
        best = contrast[seen].min(axis=1).argmax(axis=1)
        middles = self._middles_mm[seen]
        return middles, view.project(middles) + _peaks(contrast[seen].mean(axis=1), shifts, best, step_px)

    def _contrasts(self, levels: Levels, view: MatView, shifts: Points) -> Levels:
        """How much lighter each side of each outline is than the cloth beside it, at each of the shifts (slots × 4 × shifts, logarithm)."""
        at, by = view.project(self._points_mm).astype(np.float32), shifts.astype(np.float32)
        seen = between(levels, (at[:, None] + by).reshape(len(self._middles_mm), -1, 2))
        sides = seen.reshape(-1, len(_PLACES), len(shifts)).mean(axis=1).reshape(-1, 4, len(_ACROSS_MM), len(shifts))
        return np.asarray(sides[:, :, 1] - (sides[:, :, 0] + sides[:, :, 2]) / 2)


def _peaks(contrast: Levels, shifts: Points, best: NDArray[np.intp], step_px: float) -> Points:
    """Between the shifts, where the contrast (k × shifts) is highest near the ``best`` of each (k)."""
    near = (np.abs(shifts[None] - shifts[best][:, None]) <= step_px * 1.01).all(axis=2)
    least = np.where(near, contrast, np.inf).min(axis=1, keepdims=True)
    weight = np.square(np.where(near, contrast - least, 0))
    return np.asarray(weight @ shifts / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9))


def _off_px(view: MatView, points_mm: Points, points_px: Points) -> NDArray[np.float64]:
    """How far from where the view has points (n × 2 mm) they are seen (n × 2 px): n."""
    return np.asarray(np.linalg.norm(view.project(points_mm) - points_px, axis=1)) if len(points_mm) else np.empty(0)


def _fitting(off_px: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which outlines, so far off, lie where the view has them."""
    return np.asarray(off_px <= max(_MOST_OFF_PX, _MOST_OFF * float(np.median(off_px)))) if len(off_px) else np.empty(0, np.bool_)


def _whole(off_px: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Of markers' corners so far off (4 n), which are those of whole markers."""
    each = np.sqrt(np.square(off_px.reshape(-1, 4)).mean(axis=1))
    return np.repeat(each <= max(_MOST_MARKER_PX, float(np.median(each))), 4)


def _tell_corner(middles_mm: Points, corners_mm: Points) -> bool:
    """Whether enough outlines (k × 2 mm) lie in the quarter of the mat in which no marker's corners do."""
    covered = -np.sign(corners_mm.mean(axis=0))
    return int((middles_mm * covered > 0).all(axis=1).sum()) >= _LEAST_THERE
