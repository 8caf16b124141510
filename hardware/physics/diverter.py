"""A tile's way from the push out of the window to the barrier in an outermost lane: floor and walls of the diverter hold it back.

The lane is drawn as ``hardware/cad`` draws it. How the tile tips over the slope's edge is not modelled: it begins flat on the slope.
"""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, degrees, hypot, radians, sin

from hardware.dimensions import most, nominal
from hardware.physics.scene import Running, TrialScene, TrialVerdict, turned
from simulator.mechanics.settings import MechanicsSettings

LANES, PIVOT, ARC = 6, 22.0, 8.0
"""Lanes of the diverter, its pivot from where the slope begins, and the barriers from the mouths, in mm."""
FLARE, NECK = 2.0, 30.0
"""How much wider the walls begin at their pivot on either side, and how far behind it they are as wide as a lane."""
TAPER, TIP = 30.0, 0.6
"""Behind a lane's mouth: length over which it narrows, and thickness of a rib's tip."""
SLOPE_AT = 25.0
"""Where the slope begins, from the window's middle."""
_LONGEST_S = 1.2


def pushed_to(length: float) -> float:
    """How far on the slope a tile's front is at the end of the push."""
    side = (most("tile.length") + nominal("window.side_play")) / 2
    return nominal("window.eject") - side - 0.5 + length - SLOPE_AT


def lane(scene: TrialScene) -> TrialVerdict:
    """A tile slides through the diverter to the barrier of the first or the last lane; whether it is there before a jam is told."""
    drawn = scene.drawn
    slope, half = radians(drawn("chute.slope_deg")), (drawn("tile.width") + drawn("chute.play")) / 2
    side, radius = scene.drawn.chance.choice((-1, 1)), drawn("diverter.radius")
    leads = side * radians(drawn("diverter.travel_deg") / 2)
    stands = leads + radians(drawn("diverter.error_deg"))
    mouth = radius * sin(radians(drawn("diverter.travel_deg") / (LANES - 1) / 2)) - TIP / 2
    scene.gravity = f"{9.81 * sin(slope):.5f} 0 {-9.81 * cos(slope):.5f}"
    scene.box((-60.0, -250.0, -5.0), (400.0, 250.0, 0.0))
    for angle, outline in (
        (stands, ((0.0, half + FLARE), (NECK, half), (radius - 3.0, half))),
        (leads, ((radius, mouth), (radius + TAPER, half), (radius + 2 * TAPER, half))),
    ):
        for begin, end in pairwise(outline):
            for sign in (-1, 1):
                _wall(scene, angle, (begin[0], sign * begin[1]), (end[0], sign * end[1]))
    size = scene.tile_size()
    off = drawn.each("window.entering_off") + drawn.each("window.side_play") / 2 * side
    at = (pushed_to(size.length) - size.length / 2, off, size.thickness / 2 + 0.02)
    tile = scene.tile(at, turned(z_deg=90.0 + drawn.each("chute.entering_deg")), size)
    running, push_s = Running(scene), MechanicsSettings().gate_clear_s
    running.throw(tile, nominal("window.eject") / push_s)
    while running.now_s < _LONGEST_S:
        running.step()
        x, y, _ = running.at(tile)
        if (x - PIVOT) * cos(leads) + y * sin(leads) + size.length / 2 > radius + ARC:
            break
    scene.took_s = push_s + running.now_s
    in_time = scene.took_s < drawn("diverter.late_s")
    return TrialVerdict(in_time, None if in_time else "CHUTE_n")


def _wall(scene: TrialScene, angle: float, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """An upright wall between two points in the axes of a lane, that are the faces next to the tile."""
    along, across = end[0] - begin[0], end[1] - begin[1]
    long, turn = hypot(along, across), angle + atan2(across, along)
    outside = 2.0 if begin[1] > 0 else -2.0
    middle = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
    x = PIVOT + middle[0] * cos(angle) - middle[1] * sin(angle) - outside * sin(turn)
    y = middle[0] * sin(angle) + middle[1] * cos(angle) + outside * cos(turn)
    high = scene.drawn("chute.wall")
    scene.box((x - long / 2, y - 2.0, 0.0), (x + long / 2, y + 2.0, high), f'euler="0 0 {degrees(turn):.4f}"')
