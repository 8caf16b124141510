"""Printed outlines of slots: whether they show where cloth is seen. A sleeve of the cloth's colour hides them."""

import math

import numpy as np
from numpy.typing import NDArray

from vision.table.light import brightness

Floats = NDArray[np.float64]

_SIDES = 4
_LEAST_PRINT, _LEAST_PRINT_TOGETHER, _PRINT_DOUBT = 0.3, 0.4, 2.6
"""Shares of the usual contrast: what each side must reach, within this many standard errors, and what all sides together must."""
_LEAST_PRINT_PLACES = 3
_CERTAIN = 2.5
"""All sides together must exceed zero by this many standard errors, so that noise on a sleeve is no print."""
_TOGETHER = 3
"""This many neighbouring places are averaged: in little light a single one is mostly noise."""
_FAIR_SHARE = 0.3
"""An outline with a smaller share of the clearer ones' contrast may be under a sleeve."""
_EVEN_PLACES = 12
"""Inside and outside are compared over this many neighbouring places, half a side."""
_MOST_UNEVEN = 0.5
"""Most difference between them, in the print's contrast, beyond the standard error: a shadow's edge has more."""
_MOST_PRINT, _NO_PRINT = 2.0, 3.0
"""Limit of the contrast with which a place counts, and above which it is no print, but a tile's edge beside a finger."""
_LEAST_CLEAR_PLACES, _CLEAR_DOUBT = 6, 2.0
"""A side is clear with at least this many places, and a contrast that is large enough less this many standard errors."""
_ENDS = 0.55
"""A tile ends if it is darker beyond its side by this share of the difference between cloth and tile."""
_EDGE_SHARE = 0.6
"""A side with this share of places too light for print may be the white edge of a tile face down."""


def contrasts(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how much lighter printed outlines are than the cloth inside: … × n logarithms. The rows of ``pixels`` (… × 5 × n × 3) are
    outside of the outline, three across it, and inside."""
    levels = brightness(pixels)
    return np.asarray(levels[..., 1:-1, :].mean(axis=-2) - levels[..., -1, :])


def usual(levels: Floats) -> float:
    """Return the usual contrast of outlines (n), some of which sleeves may hide: the median of those with a fair share of the upper
    quartile's. (Few exceed it: those beside tiles.) If as many are plainly lighter than the cloth as darker, all count."""
    duller, clearer = sorted(np.percentile(levels, (25, 75)).tolist(), key=abs)
    if not clearer or duller / clearer <= -_FAIR_SHARE:
        return float(np.median(levels))
    return float(np.median(levels[levels / clearer >= _FAIR_SHARE]))


def uneven(pixels: NDArray[np.uint8], contrast: float) -> NDArray[np.bool_]:
    """Return the places of outlines (m × n) where the cloth differs inside and outside, as at a shadow's edge, so they say nothing of the
    print. ``pixels`` as for ``contrasts`` (m × 5 × n × 3); ``contrast`` is the print's usual one (logarithm)."""
    levels = brightness(pixels[:, (0, -1)])
    off = ((levels[:, 0] - levels[:, 1]) / contrast).reshape(len(pixels), -1, _EVEN_PLACES)
    error = off.std(axis=-1) / math.sqrt(_EVEN_PLACES)
    return np.asarray(np.repeat(np.abs(off.mean(axis=-1)) > _MOST_UNEVEN + error, _EVEN_PLACES, axis=1))


def edged(seen: NDArray[np.float32], beside_tiles: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a side of each outline (m) is too light for print where no known tile covers it (m × n): it is the white edge of a tile face
    down, with a back of the cloth's colour. ``seen`` is the contrast (m × n, side by side, usually 1)."""
    light = ((seen > _NO_PRINT) & beside_tiles).reshape(len(seen), _SIDES, -1)
    return np.asarray((light.mean(axis=2) > _EDGE_SHARE).any(axis=1))


def ended(pixels: NDArray[np.uint8], beside_tiles: NDArray[np.bool_], white: float) -> NDArray[np.bool_]:
    """Whether it gets darker beyond a side of each outline (m), as from a tile to cloth, where no known tile covers it (m × n): in a deep
    shadow a tile may have the cloth's level. ``pixels`` as for ``contrasts``; ``white`` is how much lighter a tile is than cloth
    (logarithm)."""
    levels = brightness(pixels[:, (0, -1)])
    dark = ((levels[:, 1] - levels[:, 0] > _ENDS * white) & beside_tiles).reshape(len(pixels), _SIDES, -1)
    return np.asarray((dark.mean(axis=2) > _EDGE_SHARE).any(axis=1))


def shown(seen: NDArray[np.float32], free: NDArray[np.bool_], least_sides: int) -> NDArray[np.bool_]:
    """Whether each outline's print shows (m) at the ``free`` places, which at least ``least_sides`` sides must have. ``seen`` is
    the contrast (m × n, side by side, usually 1)."""
    seen, free = _together(seen, free)
    count = free.sum(axis=2)
    total, squares = (seen * free).sum(axis=2), (seen * seen * free).sum(axis=2)
    mean, error = _mean_and_error(total, squares, count)
    known = count >= _LEAST_PRINT_PLACES
    enough = (~known | (mean + error * _PRINT_DOUBT >= _LEAST_PRINT)).all(axis=1)
    mean, error = _mean_and_error(*((each * known).sum(axis=1) for each in (total, squares, count)))
    together = mean >= np.maximum(_LEAST_PRINT_TOGETHER, _CERTAIN * error)
    return np.asarray(enough & together & (known.sum(axis=1) >= least_sides))


def shown_but_for_one_side(seen: NDArray[np.float32], free: NDArray[np.bool_], least_sides: int) -> NDArray[np.bool_]:
    """As ``shown``, with any one side left out (m)."""
    sides = np.arange(seen.shape[1]) * _SIDES // seen.shape[1]
    each = [shown(seen, free & (sides != side), least_sides) for side in range(_SIDES)]
    return np.asarray(np.any(each, axis=0), np.bool_)


def clear_sides(seen: NDArray[np.float32], free: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return on how many sides of each outline the print shows clearly (m); arguments as for ``shown``."""
    seen, free = _together(seen, free)
    count = free.sum(axis=2)
    mean, error = _mean_and_error((seen * free).sum(axis=2), (seen * seen * free).sum(axis=2), count)
    clear = (count >= _LEAST_CLEAR_PLACES) & (mean - error * _CLEAR_DOUBT >= _LEAST_PRINT)
    return np.asarray(clear.sum(axis=1))


def _together(seen: NDArray[np.float32], free: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Average neighbouring places; return their contrasts and whether all of them are free (m × 4 sides × k)."""
    levels = seen.reshape(len(seen), _SIDES, -1, _TOGETHER).mean(axis=-1)
    limited = np.where(levels > _NO_PRINT, 0, np.clip(levels, -_MOST_PRINT, _MOST_PRINT))
    return np.asarray(limited, np.float32), np.asarray(free.reshape(len(free), _SIDES, -1, _TOGETHER).all(axis=-1), np.bool_)


def _mean_and_error(total: Floats, squares: Floats, count: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return means, and their standard errors, from sums and sums of squares."""
    some = np.maximum(count, 1)
    mean = total / some
    return mean, np.sqrt(np.maximum(squares / some - mean * mean, 0) / some)
