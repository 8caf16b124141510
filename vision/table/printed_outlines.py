"""Where the mat is, by the printed outlines of its slots as well as by its markers: four markers place a slot to a pixel, but three only to
several pixels, since they say little of the lens and of the far corner."""

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
"""Areas with separate outlines; those of a shown hand are 1 mm apart."""
_ROUNDS_PX = ((2.25, 0.75), (1.5, 0.5))
"""Reach and step of the search for outlines, in consecutive rounds."""
_FIRST_BY_THREE_PX = (6.0, 1.5)
"""The same for an additional first round, with three markers."""
_PLACES = np.linspace(-0.8, 0.8, 8)
"""Places along a side, as shares of half its length."""
_ACROSS_MM = (1.25, 0.0, -1.9)
"""Where a side is sampled: outside of an outline, on it, and inside."""
_CLEARER = 90
"""Percentile of the contrasts that stands for uncovered print."""
_LEAST_CONTRAST = 0.02
"""Below this logarithm a side shows no print."""
_LEAST_SHARE = 0.5
"""Share of the clearer outlines' contrast that each side must have."""
_MOST_OFF_PX, _MOST_OFF = 0.6, 2.0
"""An outline further from its place, and by this many times the median, is something else."""
_LEAST_FITTING, _LEAST_OUTLINES = 0.5, 20
"""Least share of found outlines that must be in place, and their least number."""
_MOST_MARKER_PX = 1.0
"""A marker with a larger error (root mean square) is half covered."""
_MOST_MEDIAN_PX, _MOST_MEDIAN_BY_THREE_PX = 0.8, 0.5
"""If the median error of outlines is larger, they are mostly noise; the second is for three markers."""
_LEAST_WHOLE = 3
"""This many markers must fit the outlines."""
_LEAST_THERE = 4
"""This many outlines must be seen in the quarter of the mat without a marker."""


class PrintedOutlines:
    """The printed outlines of a mat's slots, each found as a whole."""

    def __init__(self, mat: Mat) -> None:
        spots = [mat.spot(slot) for slot in mat.all_slots(*_AREAS)]
        across = around_outline(mat.tile_width_mm / 2, mat.tile_height_mm / 2, _PLACES, _ACROSS_MM)
        around = across.reshape(len(_ACROSS_MM), 4, len(_PLACES), 2).swapaxes(0, 1).reshape(-1, 2)
        self._middles_mm: Points = np.array([(spot.x_mm, spot.y_mm) for spot in spots]).reshape(-1, 2)
        self._points_mm: Points = np.array([on_mat(spot, around) for spot in spots]).reshape(-1, 2)

    def fitted(self, grey: NDArray[np.uint8], view: MatView, corners_mm: Points, corners_px: Points, *, bends: bool) -> MatView | None:
        """Return the view that fits both the outlines in a grey picture and the seen markers; None if too few outlines are seen or fit.
        ``view`` fits the corners (4 n × 2 mm and px) of three or four markers, and is some pixels off at the outlines. ``bends`` fits k1
        again."""
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
        """Return the middles of the plainly seen outlines: on the mat (k × 2 mm) and in the picture."""
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
        """Return how much lighter each outline's sides are than the cloth beside them, at each shift (slots × 4 × shifts, logarithm)."""
        at, by = view.project(self._points_mm).astype(np.float32), shifts.astype(np.float32)
        seen = between(levels, (at[:, None] + by).reshape(len(self._middles_mm), -1, 2))
        sides = seen.reshape(-1, len(_PLACES), len(shifts)).mean(axis=1).reshape(-1, 4, len(_ACROSS_MM), len(shifts))
        return np.asarray(sides[:, :, 1] - (sides[:, :, 0] + sides[:, :, 2]) / 2)


def _peaks(contrast: Levels, shifts: Points, best: NDArray[np.intp], step_px: float) -> Points:
    """Return where the contrast (k × shifts) peaks near its ``best`` shift (k), between shifts."""
    near = (np.abs(shifts[None] - shifts[best][:, None]) <= step_px * 1.01).all(axis=2)
    least = np.where(near, contrast, np.inf).min(axis=1, keepdims=True)
    weight = np.square(np.where(near, contrast - least, 0))
    return np.asarray(weight @ shifts / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9))


def _off_px(view: MatView, points_mm: Points, points_px: Points) -> NDArray[np.float64]:
    """Return how far points (n × 2 mm) are seen (n × 2 px) from where the view has them: n."""
    return np.asarray(np.linalg.norm(view.project(points_mm) - points_px, axis=1)) if len(points_mm) else np.empty(0)


def _fitting(off_px: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which of the outlines are in place, by their errors."""
    return np.asarray(off_px <= max(_MOST_OFF_PX, _MOST_OFF * float(np.median(off_px)))) if len(off_px) else np.empty(0, np.bool_)


def _whole(off_px: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which corners (4 n) are those of whole markers, by their errors."""
    each = np.sqrt(np.square(off_px.reshape(-1, 4)).mean(axis=1))
    return np.repeat(each <= max(_MOST_MARKER_PX, float(np.median(each))), 4)


def _tell_corner(middles_mm: Points, corners_mm: Points) -> bool:
    """Whether enough outlines (k × 2 mm) are in the quarter of the mat without a marker."""
    covered = -np.sign(corners_mm.mean(axis=0))
    return int((middles_mm * covered > 0).all(axis=1).sum()) >= _LEAST_THERE
