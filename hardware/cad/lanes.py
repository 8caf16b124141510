"""Lanes behind the diverter as solids, in mm: four chutes, drum and reject cell on one inclined floor.

On the floor s leads down the slope from its edge, x to the chutes of the last seats, up from the floor is z. A lane leads as the physics
model's chute does: straight, a bend in pieces, straight. Bypass cells are not drawn: a record with none leaves ``LANES``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, radians, sin

from build123d import Box, Cylinder, Part, Polyline, Pos, extrude, make_face

from firmware_bridge.electrics.wiring import SEATS
from hardware.dimensions import largest_tile, least, most, nominal
from hardware.physics.diverter import ARC, LANES, PIVOT, TAPER, TIP
from hardware.physics.ways import BENT_PIECES

SILL, FLOOR, SENSORS, ENDED, RUBBER = 8.0, 5.0, 58.0, 17.0, 3.0
"""Where the floor begins, its thickness, the height of the lanes' barriers, how far before a chute's end the slot for a switch is, and the
rubber there."""
Outline = list[tuple[float, float]]


def angle_deg(lane: int) -> float:
    """How far a lane leads off the steepest way, to positive x."""
    return nominal("diverter.travel_deg") * (lane / (LANES - 1) - 0.5)


def axis(lane: int) -> list[tuple[float, float, float]]:
    """A lane's middle from its mouth on: x, s and the angle off the steepest way behind that point."""
    angle, piece = angle_deg(lane), nominal("chute.bent")
    ways = [TAPER, nominal("chute.straight") - TAPER, *[piece] * BENT_PIECES]
    x, s = nominal("diverter.radius") * sin(radians(angle)), PIVOT + nominal("diverter.radius") * cos(radians(angle))
    found = [(x, s, angle)]
    for number, way in enumerate(ways):
        x, s = x + way * sin(radians(angle)), s + way * cos(radians(angle))
        angle -= angle_deg(lane) / (BENT_PIECES + 1) if number else 0.0
        found.append((x, s, angle))
    return found


def ends_at() -> float:
    """Where all lanes end on the slope: the last of them has its straight way behind the bend."""
    return max(axis(lane)[-1][1] for lane in range(LANES)) + nominal("chute.straight")


def edge(lane: int, side: int, half: float, mouth: float) -> Outline:
    """One side of a lane, -1 towards negative x: points so far from its middle, at its mouth further."""
    found: Outline = []
    before = angle_deg(lane)
    for number, (x, s, angle) in enumerate(axis(lane)):
        middle, off = radians((before + angle) / 2), mouth if number == 0 else half / cos(radians((angle - before) / 2))
        found.append((x + side * off * cos(middle), s - side * off * sin(middle)))
        before = angle
    return [*found, (found[-1][0], ends_at())]


def ribs() -> dict[str, Part]:
    """What stands between the lanes and beside the outer ones, each in two for the printer's bed."""
    half, found = half_width(), {}
    mouth = nominal("diverter.radius") * sin(radians(nominal("diverter.travel_deg") / (LANES - 1) / 2)) - TIP / 2
    for number in range(LANES + 1):
        left = edge(number - 1, 1, half, mouth) if number else edge(0, -1, half + 5, mouth + 2)
        right = edge(number, -1, half, mouth) if number < LANES else edge(LANES - 1, 1, half + 5, mouth + 2)
        for name, piece in (("upper", slice(0, 3)), ("lower", slice(2, None))):
            found[f"rib {number} {name}"] = prism([*left[piece], *reversed(right[piece])], 0.0, nominal("chute.wall"))
    return found


def ends(begin: float, deep: float) -> dict[str, Part]:
    """What stops a tile at the end of the four chutes, and of the reject cell; a finger gets behind the tile through its notch."""
    found, middle = {}, ends_at() + begin + deep / 2
    for name, stopped in (("chute ends", range(SEATS)), ("reject end", range(LANES - 1, LANES))):
        left, right = (axis(lane)[-1][0] + side * (half_width() + 4) for lane, side in ((stopped[0], -1), (stopped[-1], 1)))
        bar = Pos((left + right) / 2, middle, nominal("chute.wall") / 2) * Box(right - left, deep, nominal("chute.wall"))
        for lane in stopped:
            bar -= Pos(axis(lane)[-1][0], middle, nominal("chute.wall")) * Box(16, deep, 44)
        found[name] = bar
    return found


def floor() -> Part:
    """A plate as smooth as the tray's floor, cut."""
    wide, low = axis(LANES - 1)[-1][0] + half_width() + 12, ends_at() + 8
    half = [(44.0, SILL), (44.0, 40.0), (wide, 190.0), (wide, low)]
    plate = prism([*half, *((-x, s) for x, s in reversed(half))], -FLOOR, 0.0)
    for seat in range(SEATS):
        plate -= end_at(seat) * Box(3.4, 16, 2 * FLOOR)
    return plate


def end_at(seat: int) -> Pos:
    """Where a tile at the end of a chute presses the lever of a switch, through a slot in the floor."""
    return Pos(axis(seat)[-1][0], ends_at() - ENDED, 0)


def sensor_arc() -> Part:
    """The plate that carries the lanes' barriers, cut."""
    radius = nominal("diverter.radius") + ARC
    arc = [(radius + off, angle / 2 * sign) for off, sign in ((12, 1), (-12, -1)) for angle in range(-67, 68, 3)]
    plate = prism([(r * sin(radians(deg)), PIVOT + r * cos(radians(deg))) for r, deg in arc], SENSORS, SENSORS + 4)
    for lane in range(LANES):
        plate -= spot(angle_deg(lane), radius, SENSORS) * Cylinder(4, 20)
    return plate


def tile_in(seat: int) -> Part:
    """A thickest tile at the end of a chute."""
    long, thick = most("tile.length"), most("tile.thickness")
    return Pos(axis(seat)[-1][0], ends_at() - long / 2, thick / 2) * Box(nominal("tile.width"), long, thick)


def half_width() -> float:
    """Of a lane, from its middle to a wall."""
    return (nominal("tile.width") + nominal("chute.play")) / 2


def too_narrow(radius: float, where: str) -> Iterator[str]:
    """Whether the largest tile has no room where a lane's middle bends by a radius."""
    wide, long, _ = largest_tile()
    inner = radius - (nominal("tile.width") + most("chute.play")) / 2
    needed, room = hypot(inner + wide, long / 2) - inner, nominal("tile.width") + least("chute.play")
    if needed > room:
        yield f"a tile needs {needed:.1f} mm in {where}, which has {room:.1f} mm"


def spot(deg: float, radius: float, height: float) -> Pos:
    """A place so far from the pivot, off the steepest way."""
    return Pos(radius * sin(radians(deg)), PIVOT + radius * cos(radians(deg)), height)


def prism(outline: Outline, low: float, high: float) -> Part:
    """What has this outline between two heights above the floor."""
    return Pos(0, 0, low) * extrude(make_face(Polyline(*outline, close=True)), high - low)
