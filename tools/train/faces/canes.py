"""Outline of one bamboo cane: its thickness all along, its knots, and what is inside.

Makers' canes differ in everything: dumb-bells and beams, one knot or three, solid, hollow or lined, slim or so thick
that two nearly touch. A ``Cane`` is one choice of these, made once for a set.
"""

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from twinwall.values import frozen

_STEPS = 49
_FINE = 3
"""Bits after the point of a polygon's corners."""
Colour = tuple[int, int, int]
Point = tuple[float, float]


@frozen
class Cane:
    """A cane's form; thicknesses are shares of its greatest, lengths of its own."""

    body: float
    end: float
    knot: float
    knots: tuple[float, ...]
    reach: float
    """How far a knot or an end swells along the cane."""
    square: bool
    """Whether knots are steps, not swellings."""
    wall: float
    """1 for a solid cane, less for one that is hollow with walls so thick."""
    bars: bool
    """Whether a line crosses the hollow at each knot."""
    core: float
    """How thick a line runs along the middle; 0 for none."""
    fat: float
    """How much thicker than usual."""


def random_cane(rng: Generator) -> Cane:
    """Any cane."""
    knots = ((), (0.5,), (0.5,), (0.34, 0.66), (0.3, 0.5, 0.7))[int(rng.integers(5))]
    return Cane(
        body=float(rng.uniform(0.35, 0.9)),
        end=float(rng.uniform(0.6, 1.0)),
        knot=float(rng.uniform(0.55, 1.0)),
        knots=knots,
        reach=float(rng.uniform(0.03, 0.11)),
        square=bool(rng.random() < 0.35),
        wall=float(rng.uniform(0.25, 0.6)) if rng.random() < 0.65 else 1.0,
        bars=bool(rng.random() < 0.6),
        core=float(rng.uniform(0.08, 0.25)) if rng.random() < 0.3 else 0.0,
        fat=float(rng.uniform(0.9, 2.1)),
    )


def draw_cane(face: NDArray[np.uint8], cane: Cane, ends: tuple[Point, Point], width: float, inks: tuple[Colour, Colour]) -> None:
    """Draw on a face (h × w × 3 uint8) from end to end, at most ``width`` px thick; ``inks`` are the cane's and that of its inside."""
    start, end = np.array(ends[0], np.float64), np.array(ends[1], np.float64)
    length = float(np.hypot(*(end - start)))
    along = (end - start) / length
    across = np.array((-along[1], along[0]))
    at = np.linspace(0, 1, _STEPS)
    half = width / 2 * _thickness(cane, at)
    _fill(face, start + np.outer(at * length, along), np.outer(half, across), inks[0])
    if cane.wall < 1:
        wall = max(cane.wall * cane.body * width / 2, 2.0)
        inside = (at * length > wall) & (at * length < length - wall) & (half > wall)
        if inside.sum() > 2:
            _fill(face, start + np.outer(at[inside] * length, along), np.outer(half[inside] - wall, across), inks[1])
        if cane.bars:
            for knot in cane.knots:
                middle, reach = start + knot * length * along, across * width / 2 * float(_thickness(cane, np.array([knot]))[0])
                draw_line(face, middle - reach, middle + reach, inks[0], max(round(wall * 0.8), 2))
    if cane.core:
        thick = max(round(cane.core * width), 2)
        cap = along * (thick / 2 + 1)  # a line's round end lies beyond its point
        draw_line(face, start + cap, end - cap, inks[0], thick)


def _thickness(cane: Cane, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """How thick the cane is at places from 0 to 1, as shares of its greatest thickness."""
    thick = np.full_like(at, cane.body)
    for place, height in ((0.0, cane.end), *((knot, cane.knot) for knot in cane.knots), (1.0, cane.end)):
        off = np.abs(at - place) / cane.reach
        swell = (off < 1).astype(np.float64) if cane.square else np.exp(-(off**2))
        thick = np.maximum(thick, cane.body + (height - cane.body) * swell)
    return thick


def _fill(face: NDArray[np.uint8], middle: NDArray[np.float64], reach: NDArray[np.float64], ink: Colour) -> None:
    outline = np.concatenate((middle + reach, (middle - reach)[::-1]))
    cv2.fillPoly(face, [np.round(outline * 2**_FINE).astype(np.int32)], ink, cv2.LINE_AA, _FINE)


def draw_line(face: NDArray[np.uint8], start: NDArray[np.float64], end: NDArray[np.float64], ink: Colour, thick: int) -> None:
    """A line between two points (x, y in px), to the nearest pixel."""
    (x0, y0), (x1, y1) = np.round(np.stack((start, end))).astype(int).tolist()
    cv2.line(face, (x0, y0), (x1, y1), ink, thick, cv2.LINE_AA)
