"""Printed outlines of slots: whether the mat's print shows where cloth is seen, which a sleeve of the cloth's colour hides."""

import math

import numpy as np
from numpy.typing import NDArray

from vision.table.light import brightness

Floats = NDArray[np.float64]

_SIDES = 4
_LEAST_PRINT, _LEAST_PRINT_TOGETHER, _PRINT_DOUBT = 0.3, 0.4, 2.6
"""How much of the usual contrast each side of a slot's printed outline must have to count as seen, less this many errors of its mean,
and how much all sides together."""
_LEAST_PRINT_PLACES = 3
_CERTAIN = 2.5
"""This many errors of its mean all sides' contrast must lie above none at all, so that noise on a sleeve is no print."""
_TOGETHER = 3
"""This many places beside one another count as one, by their mean: in little light one alone is mostly noise."""
_FAIR_SHARE = 0.3
"""An outline that has less of the contrast of the clearer ones may lie under a sleeve."""
_EVEN_PLACES = 12
"""Over this many places beside one another, half a side, one sees whether the cloth is as light outside of the outline as inside."""
_MOST_UNEVEN = 0.5
"""By how much it may differ, in the print's contrast, beside the error of its mean: the edge of a shadow is more."""
_MOST_PRINT, _NO_PRINT = 2.0, 3.0
"""Limits of the contrast that one place counts with, and above which it is no print: a tile's edge beside a finger."""
_LEAST_CLEAR_PLACES, _CLEAR_DOUBT = 6, 2.0
"""The print shows clearly on a side in this many places, less this many errors of its mean."""
_ENDS = 0.55
"""Share of the way from cloth to a tile by which it is darker beyond a side where a tile ends."""
_EDGE_SHARE = 0.6
"""A side of which so much is too light for print may be the white edge of a tile that lies there on its face."""


def contrasts(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """How much lighter pixels across printed outlines are than those inside: … × n logarithms.

    ``pixels`` (… × 5 × n × 3) lie outside of the outlines, across them in three rows, and inside.
    """
    levels = brightness(pixels)
    return np.asarray(levels[..., 1:-1, :].mean(axis=-2) - levels[..., -1, :])


def usual(levels: Floats) -> float:
    """The usual contrast of printed outlines, of some of which nothing shows because sleeves of the cloth's colour lie over them (n).

    Those count that have a fair share of the contrast of the clearer ones, which fewer than a quarter excel: these lie beside tiles. Where
    as many are plainly lighter than the cloth as are darker, all count.
    """
    duller, clearer = sorted(np.percentile(levels, (25, 75)).tolist(), key=abs)
    if not clearer or duller / clearer <= -_FAIR_SHARE:
        return float(np.median(levels))
    return float(np.median(levels[levels / clearer >= _FAIR_SHARE]))


def uneven(pixels: NDArray[np.uint8], contrast: float) -> NDArray[np.bool_]:
    """At which places of outlines (m × n) the cloth differs inside and outside, as at the edge of a shadow: they tell nothing of the print.

    ``pixels`` as for ``contrasts`` (m × 5 × n × 3); ``contrast`` is the usual one of the print (logarithm).
    """
    levels = brightness(pixels[:, (0, -1)])
    off = ((levels[:, 0] - levels[:, 1]) / contrast).reshape(len(pixels), -1, _EVEN_PLACES)
    error = off.std(axis=-1) / math.sqrt(_EVEN_PLACES)
    return np.asarray(np.repeat(np.abs(off.mean(axis=-1)) > _MOST_UNEVEN + error, _EVEN_PLACES, axis=1))


def edged(seen: NDArray[np.float32], beside_tiles: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of outlines whose print has a contrast of ``seen`` (m × n, side by side, 1 as usual), whether one side is too light for print where
    no tile that is known covers it (m × n): the edge of a tile on its face, whose back is of the cloth's colour, is white (m)."""
    light = ((seen > _NO_PRINT) & beside_tiles).reshape(len(seen), _SIDES, -1)
    return np.asarray((light.mean(axis=2) > _EDGE_SHARE).any(axis=1))


def ended(pixels: NDArray[np.uint8], beside_tiles: NDArray[np.bool_], white: float) -> NDArray[np.bool_]:
    """Of outlines, whether it is as much darker beyond one side than within as cloth is than a tile, where no tile that is known covers it
    (m × n): a tile in a deep shadow may have the level of cloth elsewhere (m).

    ``pixels`` as for ``contrasts``; ``white`` is how much lighter a tile is than cloth (logarithm).
    """
    levels = brightness(pixels[:, (0, -1)])
    dark = ((levels[:, 1] - levels[:, 0] > _ENDS * white) & beside_tiles).reshape(len(pixels), _SIDES, -1)
    return np.asarray((dark.mean(axis=2) > _EDGE_SHARE).any(axis=1))


def shown(seen: NDArray[np.float32], free: NDArray[np.bool_], least_sides: int) -> NDArray[np.bool_]:
    """Of outlines whose print has a contrast of ``seen`` (m × n, side by side, 1 as usual) at the ``free`` places: whether it shows (m).

    At least ``least_sides`` sides must be free.
    """
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
    """Of outlines as for ``shown``: whether their print is shown where one side is left out, whichever that is (m)."""
    sides = np.arange(seen.shape[1]) * _SIDES // seen.shape[1]
    each = [shown(seen, free & (sides != side), least_sides) for side in range(_SIDES)]
    return np.asarray(np.any(each, axis=0), np.bool_)


def clear_sides(seen: NDArray[np.float32], free: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Of outlines as for ``shown``: on how many sides their print shows clearly (m)."""
    seen, free = _together(seen, free)
    count = free.sum(axis=2)
    mean, error = _mean_and_error((seen * free).sum(axis=2), (seen * seen * free).sum(axis=2), count)
    clear = (count >= _LEAST_CLEAR_PLACES) & (mean - error * _CLEAR_DOUBT >= _LEAST_PRINT)
    return np.asarray(clear.sum(axis=1))


def _together(seen: NDArray[np.float32], free: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The contrasts of a few places beside one another, in the mean, and where all of these are free (m × 4 sides × k)."""
    levels = seen.reshape(len(seen), _SIDES, -1, _TOGETHER).mean(axis=-1)
    limited = np.where(levels > _NO_PRINT, 0, np.clip(levels, -_MOST_PRINT, _MOST_PRINT))
    return np.asarray(limited, np.float32), np.asarray(free.reshape(len(free), _SIDES, -1, _TOGETHER).all(axis=-1), np.bool_)


def _mean_and_error(total: Floats, squares: Floats, count: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Means of these numbers of values, by their sum and the sum of their squares, and the errors of these means."""
    some = np.maximum(count, 1)
    mean = total / some
    return mean, np.sqrt(np.maximum(squares / some - mean * mean, 0) / some)
