"""A person's arm over a path-traced table: a hand of bones, and the sleeve around the forearm, in mm."""

import math

import numpy as np
from numpy.random import Generator

from benchmarks.rendered.meshes import Capsule, Points, tube_mesh
from twinwall.values import frozen

Colour = tuple[float, float, float]
"""Red, green and blue as picture levels, 0 to 1."""
_SKINS: tuple[Colour, ...] = ((0.9, 0.72, 0.6), (0.82, 0.62, 0.48), (0.7, 0.49, 0.36), (0.47, 0.31, 0.22), (0.3, 0.2, 0.15))
_SLEEVES: tuple[Colour, ...] = (
    (0.12, 0.12, 0.13),
    (0.16, 0.2, 0.36),
    (0.5, 0.16, 0.16),
    (0.92, 0.91, 0.88),
    (0.5, 0.5, 0.5),
    (0.55, 0.45, 0.3),
    (0.1, 0.35, 0.3),
)
_LEAST_ABOVE_MM = 28.0
"""Height above the mat at which a finger's middle stays, so that it touches no tile."""
_SHOULDER_MM = 640.0
_ACROSS = (-33.0, -11.5, 11.0, 32.0)
_LENGTHS = ((36.0, 24.0, 18.0), (43.0, 28.0, 19.0), (46.0, 30.0, 20.0), (41.0, 27.0, 19.0))
"""Lengths of the bones, from the little finger on."""


@frozen
class TracedArm:
    """An arm that reaches from a place's edge of the table: the position of its palm, and how the hand is held and dressed."""

    place: int
    palm_mm: tuple[float, float]
    shoulder_mm: float
    """The shoulder, to the right of the place's middle."""
    above_mm: float
    spread_deg: float
    curl_deg: float
    left: bool
    size: float
    skin: Colour
    sleeve: Colour
    cuff_mm: float
    """How far behind the wrist the sleeve ends."""
    seed: int


def drawn_arm(rng: Generator, place: int, sleeve: Colour | None) -> TracedArm:
    """Return a random arm; its sleeve has the given colour, or a random one."""
    return TracedArm(
        place,
        (float(rng.uniform(-260, 260)), float(rng.uniform(-260, 260))),
        float(rng.uniform(-180, 180)),
        float(rng.uniform(52, 80)),
        float(rng.uniform(-3, 10)),
        float(rng.uniform(4, 22)),
        bool(rng.random() < 0.3),
        float(rng.uniform(0.88, 1.1)),
        _SKINS[int(rng.integers(len(_SKINS)))],
        sleeve or _SLEEVES[int(rng.integers(len(_SLEEVES)))],
        float(rng.uniform(15, 120)),
        int(rng.integers(2**31)),
    )


def _frame(arm: TracedArm) -> tuple[Points, Points, Points]:
    """Return the palm's middle, the direction of the fingers, and that of the thumb's side (mm: x, y, above)."""
    turn = math.radians(90 * arm.place)
    shoulder = np.array((arm.shoulder_mm, _SHOULDER_MM)) @ np.array([(math.cos(turn), -math.sin(turn)), (math.sin(turn), math.cos(turn))])
    forth = np.array(arm.palm_mm) - shoulder
    forth /= np.linalg.norm(forth)
    side = np.array((forth[1], -forth[0])) * (-1 if arm.left else 1)
    return np.array((*arm.palm_mm, arm.above_mm)), np.array((*forth, 0.0)), np.array((*side, 0.0))


def hand(arm: TracedArm) -> list[Capsule]:
    """Return the palm, the fingers, the thumb and the forearm."""
    palm, forth, side = _frame(arm)
    wrist = palm - 46 * arm.size * forth
    parts = [_bone(wrist, wrist - 380 * forth + (0, 0, 70), 26 * arm.size, 44 * arm.size)]
    for across, lengths in zip(_ACROSS, _LENGTHS, strict=True):
        knuckle = palm + arm.size * (44 * forth + across * side)
        parts.append(_bone(wrist + 0.35 * across * arm.size * side, knuckle, 17 * arm.size, 11.5 * arm.size))
        parts += _finger(knuckle, _turned(forth, side, across / 33 * (8 + arm.spread_deg)), lengths, arm)
    base = wrist + arm.size * (18 * forth + 22 * side)
    parts += _finger(base, _turned(forth, side, 42 + arm.spread_deg), (42.0, 34.0, 26.0), arm, thick=1.3)
    return parts


def _turned(forth: Points, side: Points, angle_deg: float) -> Points:
    angle = math.radians(angle_deg)
    return math.cos(angle) * forth + math.sin(angle) * side


def _finger(base: Points, forth: Points, lengths: tuple[float, ...], arm: TracedArm, thick: float = 1.0) -> list[Capsule]:
    parts, at, down = [], base, 0.0
    for number, length in enumerate(lengths):
        down += math.radians(arm.curl_deg) * (0.6 + 0.5 * number)
        tip = at + length * arm.size * (math.cos(down) * forth - np.array((0.0, 0.0, math.sin(down))))
        tip[2] = max(tip[2], _LEAST_ABOVE_MM)
        radius = (9.6 - 1.2 * number) * arm.size * thick
        parts.append(_bone(at, tip, radius, radius - 0.8))
        at = tip
    return parts


def _bone(start: Points, end: Points, start_radius_mm: float, end_radius_mm: float) -> Capsule:
    (a, b, c), (d, e, f) = start.tolist(), end.tolist()
    return Capsule((a, b, c), (d, e, f), start_radius_mm, end_radius_mm)


def sleeve(arm: TracedArm) -> tuple[Points, list[tuple[int, ...]]]:
    """Return the sleeve with its folds: points (n × 3 mm) and polygons."""
    rng = np.random.default_rng(arm.seed)
    palm, forth, _ = _frame(arm)
    axis = -forth + np.array((0.0, 0.0, 70 / 380))
    axis /= np.linalg.norm(axis)
    along = np.arange(arm.cuff_mm, 760.0, 9.0)
    middles = palm - 46 * arm.size * forth + along[:, None] * axis
    turns = np.arange(28) / 28 * 2 * np.pi
    radii = np.broadcast_to((40 + 9 * rng.random() + 0.05 * along)[:, None] * arm.size, (len(along), 28)).copy()
    for _ in range(7):
        length, lean, phase = rng.uniform(18, 90), rng.integers(-2, 3), rng.uniform(0, 2 * np.pi)
        radii += rng.uniform(0.4, 1.6) * np.sin(2 * np.pi * along[:, None] / length + lean * turns[None] + phase)
    return tube_mesh(middles, radii, axis)
