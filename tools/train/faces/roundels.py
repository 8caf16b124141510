"""Roundel: one dot as discs laid on each other from the rim inwards, bare or with beads, spokes or petals.

Makers' dots are targets, coins, chrysanthemums and wheels; the large one of rank 1 has more bands. A ``Roundel`` is
one choice of these, made once for a set.
"""

from enum import Enum, auto

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.faces.canes import draw_line
from twinwall.values import frozen

Colour = tuple[int, int, int]
_WHITE: Colour = (255, 255, 255)
_FINE = 4
"""Bits after the point of a circle's middle and radius."""


class Ornament(Enum):
    """What lies on a band."""

    NONE = auto()
    BEADS = auto()
    SPOKES = auto()
    PETALS = auto()


@frozen
class Band:
    """A disc out to ``radius`` (share of the dot's), in which of the inks (0 the dot's, 1 the tile's, 2 the accent), and what is on it."""

    radius: float
    ink: int
    ornament: Ornament
    count: int
    outlined: bool = False
    """Whether beads and petals are rings."""


@frozen
class Roundel:
    """A dot's bands, from the rim inwards, and how much higher than wide it is."""

    bands: tuple[Band, ...]
    height: float = 1.0


def random_roundel(rng: Generator, *, large: bool) -> Roundel:
    """Any dot; a large one may have more bands and be higher than wide."""
    count = int(rng.integers(3, 8)) if large else int(rng.integers(2, 5))
    rimless = rng.random() < 0.3
    radii = np.sort(rng.uniform(0.12, 0.75 if rimless else 0.95, count - 1))[::-1]
    bands = []
    for index, radius in enumerate((1.0, *radii.tolist())):
        ink = index % 2 if index == 0 or rng.random() < 0.85 else 2
        ornament = list(Ornament)[int(rng.integers(1, 4))] if rng.random() < (0.45 if large else 0.3) else Ornament.NONE
        if index == 0 and rimless:
            ink, ornament = 1, Ornament.PETALS if rng.random() < 0.7 else Ornament.BEADS
        bands.append(Band(float(radius), ink, ornament, int(rng.integers(5, 22 if large else 13)), bool(rng.random() < 0.5)))
    return Roundel(tuple(bands), float(rng.uniform(1.0, 1.4)) if large and rng.random() < 0.4 else 1.0)


def draw_roundel(
    face: NDArray[np.uint8], roundel: Roundel, centre: tuple[float, float], radius: float, inks: tuple[Colour, Colour]
) -> None:
    """Draw on a face (h × w × 3 uint8) around a point, ``radius`` px wide; ``inks`` are the dot's and the accent's."""
    paints = (inks[0], _WHITE, inks[1])
    x, y = centre
    middle_of = np.array(centre)
    inner = [band.radius for band in roundel.bands[1:]] + [0.0]
    for index, (band, inside) in enumerate(zip(roundel.bands, inner, strict=True)):
        _disc(face, (x, y), band.radius * radius, roundel.height, paints[band.ink])
        if band.ornament is Ornament.NONE or (index and band.radius - inside < 0.08):
            continue
        mark = paints[1 if band.ink != 1 else 0]
        middle, reach = (band.radius + inside) / 2 * radius, (band.radius - inside) / 2 * radius
        for step in range(band.count):
            angle = 2 * np.pi * step / band.count
            out = np.array((np.cos(angle), np.sin(angle) * roundel.height))
            place = (x + float(out[0]) * middle, y + float(out[1]) * middle)
            room = min(reach * 0.85, middle * np.pi / band.count * 0.8)
            if band.ornament is Ornament.BEADS:
                _disc(face, place, max(room, 1.5), 1.0, mark)
                if band.outlined and room > 5:
                    _disc(face, place, room * 0.55, 1.0, paints[band.ink])
            elif band.ornament is Ornament.SPOKES:
                draw_line(
                    face, middle_of + out * inside * radius, middle_of + out * band.radius * radius * 0.97, mark, max(2, round(room * 0.6))
                )
            else:
                axes = (2 * reach * 0.95, max(2 * room * 0.8, 3.0))
                thick = max(2, round(min(axes) * 0.22)) if band.outlined and min(axes) > 8 else -1
                cv2.ellipse(face, (place, axes, float(np.rad2deg(angle))), mark, thick, cv2.LINE_AA)


def _disc(face: NDArray[np.uint8], centre: tuple[float, float], radius: float, height: float, ink: Colour) -> None:
    scale = 2**_FINE
    middle = (round(centre[0] * scale), round(centre[1] * scale))
    cv2.ellipse(face, middle, (round(radius * scale), round(radius * height * scale)), 0, 0, 360, ink, -1, cv2.LINE_AA, _FINE)
