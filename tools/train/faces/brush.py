"""Green dragons and west winds in running script, which no font holds.

A stroke is a list of points that a brush passes, moved slightly for each set; the brush swells, thins and leans.
"""

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

_SIZE = 112
Stroke = tuple[tuple[float, float], ...]

_CROWN: tuple[Stroke, ...] = (
    ((0.18, 0.20), (0.28, 0.30)),
    ((0.30, 0.08), (0.40, 0.18)),
    ((0.24, 0.10), (0.46, 0.10), (0.36, 0.30), (0.06, 0.50)),
    ((0.62, 0.03), (0.58, 0.14)),
    ((0.82, 0.12), (0.66, 0.26)),
    ((0.54, 0.10), (0.68, 0.30), (0.97, 0.46)),
)
"""The two legs that stand apart above all forms of the character."""
_BOW: tuple[Stroke, ...] = (((0.20, 0.49), (0.42, 0.45), (0.38, 0.57), (0.20, 0.61), (0.42, 0.64), (0.37, 0.86), (0.25, 0.92)),)
_SPEAR: tuple[Stroke, ...] = (
    ((0.55, 0.47), (0.54, 0.60), (0.46, 0.67)),
    ((0.55, 0.48), (0.74, 0.46), (0.74, 0.58), (0.86, 0.60)),
    ((0.50, 0.69), (0.78, 0.66), (0.64, 0.85), (0.42, 0.99)),
    ((0.54, 0.72), (0.68, 0.85), (0.94, 0.98)),
)
_CROSSED: tuple[Stroke, ...] = (
    ((0.46, 0.56), (0.86, 0.52)),
    ((0.66, 0.40), (0.62, 0.66), (0.36, 0.98)),
    ((0.56, 0.60), (0.70, 0.80), (0.96, 0.97)),
)
"""The lower right as a fast hand joins it."""
_ARROW: tuple[Stroke, ...] = (
    ((0.36, 0.50), (0.26, 0.62)),
    ((0.28, 0.56), (0.74, 0.53)),
    ((0.14, 0.70), (0.88, 0.67)),
    ((0.52, 0.54), (0.48, 0.74), (0.16, 0.99)),
    ((0.52, 0.70), (0.66, 0.86), (0.92, 0.98)),
)
_TICKS: tuple[Stroke, ...] = (((0.36, 0.47), (0.22, 0.60)), ((0.42, 0.55), (0.20, 0.74)), ((0.40, 0.70), (0.36, 0.86), (0.22, 0.96)))
_FORMS: tuple[tuple[Stroke, ...], ...] = (_CROWN + _BOW + _SPEAR, _CROWN + _BOW + _CROSSED, _CROWN + _TICKS + _CROSSED, _CROWN + _ARROW)


_LID: tuple[Stroke, ...] = (((0.03, 0.13), (0.30, 0.12), (0.97, 0.07)),)
_BOX: tuple[Stroke, ...] = (
    ((0.20, 0.38), (0.24, 0.60), (0.27, 0.94)),
    ((0.20, 0.40), (0.55, 0.37), (0.82, 0.36), (0.76, 0.62), (0.72, 0.92)),
    ((0.26, 0.90), (0.73, 0.87)),
)
_LEGS: tuple[Stroke, ...] = (((0.44, 0.12), (0.42, 0.45), (0.30, 0.70)), ((0.60, 0.11), (0.59, 0.50), (0.62, 0.66), (0.76, 0.66)))
_BOWL: tuple[Stroke, ...] = (
    ((0.28, 0.46), (0.30, 0.70), (0.36, 0.92)),
    ((0.28, 0.48), (0.70, 0.44), (0.80, 0.48), (0.70, 0.74), (0.64, 0.92)),
    ((0.34, 0.93), (0.66, 0.91)),
)
_STEM: tuple[Stroke, ...] = (((0.52, 0.10), (0.46, 0.40), (0.40, 0.74)), ((0.54, 0.30), (0.58, 0.60), (0.66, 0.72)))
_WESTS: tuple[tuple[Stroke, ...], ...] = (_LID + _BOX + _LEGS, _LID + _BOWL + _STEM, _LID + _BOWL + _LEGS, _LID + _BOX + _STEM)


def written_green_dragon(rng: Generator) -> NDArray[np.uint8]:
    """One dragon's ink, cut tight: h × w uint8, 0 for none to 255 for full."""
    return _written(_FORMS[int(rng.integers(len(_FORMS)))], rng, weight=float(rng.uniform(0.045, 0.095)))


def written_west_wind(rng: Generator) -> NDArray[np.uint8]:
    """One west wind's ink, cut tight: h × w uint8, 0 for none to 255 for full; its lid wider or narrower than the rest."""
    lid, *rest = _WESTS[int(rng.integers(len(_WESTS)))]
    share = rng.uniform(0.7, 1.05)
    narrowed = [tuple((0.5 + (x - 0.5) * share, y) for x, y in stroke) for stroke in rest]
    return _written((lid, *narrowed), rng, weight=float(rng.uniform(0.035, 0.07)))


def _written(form: tuple[Stroke, ...], rng: Generator, *, weight: float) -> NDArray[np.uint8]:
    ink = np.zeros((_SIZE * 2, _SIZE * 2), np.uint8)
    wander, slant = rng.uniform(0.008, 0.035), rng.uniform(-0.15, 0.25)
    for stroke in form:
        points = np.array(stroke) + rng.normal(0, wander, (len(stroke), 2))
        points[:, 0] += slant * (0.5 - points[:, 1])
        _sweep(ink, points, weight * rng.uniform(0.75, 1.25), swells=bool(rng.random() < 0.6))
    ys, xs = np.nonzero(ink > 40)
    return np.ascontiguousarray(ink[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])


def _sweep(ink: NDArray[np.uint8], points: NDArray[np.float64], weight: float, *, swells: bool) -> None:
    """One stroke through its points, heavy at the start and pointed at the end, or swelling on the way."""
    steps = 24 * (len(points) - 1) + 1
    at = np.linspace(0, len(points) - 1, steps)
    path = np.stack([np.interp(at, np.arange(len(points)), points[:, axis]) for axis in (0, 1)], axis=1)
    pressure = np.interp(np.linspace(0, 1, steps), (0, 0.25, 0.75, 1), (0.7, 0.8, 1.25, 0.35) if swells else (1.1, 0.9, 0.8, 0.4))
    for (x, y), radius in zip(path * _SIZE + _SIZE / 2, pressure * weight * _SIZE / 2 * 1.3, strict=True):
        cv2.ellipse(ink, ((float(x), float(y)), (float(2.4 * radius), float(1.6 * radius)), 35.0), 255, -1)
