"""Lamp of a reading gate as a solid, and what its light does to a tile's face; lengths in mm.

Two lamps stand left and right of a camera that looks down, and shine down and inwards. Stage D's gate is the same turned over. How they
stand is in ``[gate]`` of ``hardware/dimensions.toml``; the strips' LEDs are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import acos, atan2, cos, degrees, radians, sin, sqrt

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from hardware.cad.camera import edge_deg, outside, picture_mm
from hardware.cad.stage import Point
from hardware.dimensions import most, nominal
from twinwall.values import frozen

LAMP, FACE = 75.0, 14.0
"""Length of a lamp, three pieces of 25 mm of a strip for 12 V; width of its diffuser."""
LIP, SHEET, GAP, STRIP = 0.8, 1.2, 6.2, (10.0, 2.0)
"""Of a lamp from its face inwards: lips that hold the diffuser, the diffuser, the way to the strip, the strip."""
PILOT, THROUGH = 1.25, 1.7
"""Radius of a hole that an M3 screw cuts its thread into, and of one that it passes."""
SCREWS_ABOVE, _SCREW_Y = 16.0, 25.0
"""Of a lamp's two screws above its face's middle, and from the middle of its length."""


@frozen
class GateLight:
    """A gate's light: heights of the lens, of the lamps and of the faces, from the lowest to the highest, and within what a face is."""

    stage: str
    lens: float
    lamps: float
    faces: tuple[float, ...]
    room: tuple[float, float]

    @property
    def distance(self) -> float:
        """From the lens to the nearest face."""
        return self.lens - self.faces[-1]

    def edge_deg(self) -> float:
        """How far from the picture's middle the edge of a face may be."""
        return edge_deg(self.room[1] / 2, self.distance, self.stage)

    def glare_deg(self) -> float:
        """How far a lamp is, seen from a face, from where that would mirror it into the lens; the least of all points."""
        found = []
        for (x, y, z), lit in product([point for height in self.faces for point in self._face(height)], self._lit()):
            mirrored, to_lamp = (x, y, self.lens - z), (lit[0] - x, lit[1] - y, lit[2] - z)
            found.append(acos(sum(a * b for a, b in zip(mirrored, to_lamp, strict=True)) / (_long(mirrored) * _long(to_lamp))))
        return degrees(min(found))

    def uneven(self) -> float:
        """The light over the highest face, greatest less least by the mean, from diffusers that are as bright from all sides."""
        light = [sum(_light(point, lit) for lit in self._lit()) for point in self._face(self.faces[-1])]
        return (max(light) - min(light)) * len(light) / sum(light)

    def wrong(self) -> Iterator[str]:
        """What picture and light do not keep."""
        wide, long = self.room
        across, tilt = nominal("gate.lamp_across"), radians(nominal("gate.lamp_down_deg"))
        yield from outside("the tile", (wide / 2, long / 2), self.distance, self.stage)
        if self.distance < nominal("camera.nearest"):
            yield f"the nearest face is {self.distance:.0f} mm from the lens, in focus from {nominal('camera.nearest'):.0f} mm on"
        if self.glare_deg() < nominal("gate.gloss_deg") + 2 * most("gate.lean_deg"):
            yield f"a lamp is {self.glare_deg():.1f}° from where a tile would mirror it"
        if across * cos(tilt) > (self.lens - self.lamps) * sin(tilt):
            yield "the lamps shine into the lens"
        in_picture = picture_mm(self.lens - self.lamps - FACE / 2 * cos(tilt), "wide", most(f"{self.stage}.tilt_deg")) / 2
        if across - FACE / 2 < in_picture + most(f"{self.stage}.off"):
            yield "the lamps are in the picture"
        if self.uneven() > nominal("gate.uneven"):
            yield f"the light over a face is {self.uneven():.2f} uneven"

    def parts(self) -> dict[str, Part]:
        """Both lamps with what is in them, where they belong, by name."""
        found: dict[str, Part] = {}
        down = radians(nominal("gate.lamp_down_deg"))
        right = Plane((nominal("gate.lamp_across"), 0, self.lamps), x_dir=(sin(down), 0, -cos(down)), z_dir=(0, -1, 0)).location
        for side, place in {"right": right, "left": Rot(0, 0, 180) * right}.items():
            found |= {f"lamp {side}": place * lamp(), f"diffuser {side}": place * Pos(0, LIP + SHEET / 2, 0) * Box(FACE, SHEET, LAMP)}
            found[f"strip {side}"] = place * Pos(0, LIP + SHEET + GAP + STRIP[1] / 2, 0) * Box(*STRIP, LAMP)
        return found

    def openings(self, thick: float) -> Part:
        """What is taken from a wall of this thickness on either side for a lamp's screws and wires."""
        found = Part()
        for side in (-1, 1):
            wall = Pos(side * nominal("gate.wide") / 2, 0, 0)
            found += wall * bores(self.lamps + SCREWS_ABOVE, THROUGH, 3 * thick)
            found += wall * Pos(0, LAMP / 2 + 4.5, self.lamps) * Rot(0, 90, 0) * Cylinder(2.5, 3 * thick)
        return found

    def _face(self, height: float) -> Iterator[Point]:
        wide, long = self.room
        return product((-wide / 2, 0.0, wide / 2), (-long / 2, 0.0, long / 2), (height,))

    def _lit(self) -> Iterator[Point]:
        """Points of both lamps' faces, along their middles."""
        for side, step in product((-1, 1), range(-4, 5)):
            yield side * nominal("gate.lamp_across"), step * LAMP / 8, self.lamps


def lamp() -> Part:
    """A lamp's body standing on its end: its face is the origin's plane across x, y leads into it."""
    across, tilt = nominal("gate.wide") / 2 - nominal("gate.lamp_across"), radians(nominal("gate.lamp_down_deg"))
    half, deep = FACE / 2 + 1.0, LIP + SHEET + GAP + STRIP[1] + 1.8
    to_wall, along_wall = (sin(tilt), cos(tilt)), (-cos(tilt), sin(tilt))

    def at_wall(up: float) -> tuple[float, float]:
        """A point of the wall, so far above the face's middle."""
        return across * to_wall[0] + up * along_wall[0], across * to_wall[1] + up * along_wall[1]

    outline = Polyline((-half, 0), (half, 0), at_wall(-half * cos(tilt)), at_wall(SCREWS_ABOVE + 9), (-half, deep), close=True)
    body = extrude(make_face(outline), LAMP / 2, both=True)
    for width, begins, ends in ((FACE - 2, 0.0, LIP), (FACE, LIP, LIP + SHEET), (STRIP[0], LIP + SHEET, LIP + SHEET + GAP + STRIP[1])):
        body -= Pos(0, (begins + ends) / 2, 0) * Box(width, ends - begins, LAMP)
    x, y = at_wall(SCREWS_ABOVE)
    for along in (-_SCREW_Y, _SCREW_Y):
        body -= Pos(x, y, along) * Rot(0, 0, degrees(atan2(to_wall[1], to_wall[0]))) * Rot(0, 90, 0) * Cylinder(PILOT, 14)
    return body


def bores(height: float, radius: float, long: float) -> Part:
    """Two holes along x, for screws through the wall beside it."""
    bore = Pos(0, 0, height) * Rot(0, 90, 0) * Cylinder(radius, long)
    return Pos(0, -_SCREW_Y, 0) * bore + Pos(0, _SCREW_Y, 0) * bore


def _light(point: Point, lit: Point) -> float:
    """Of a point of a lamp at one of a face: by both angles, and by the square of the way."""
    tilt, inwards = radians(nominal("gate.lamp_down_deg")), -1 if lit[0] > 0 else 1
    x, y, down = (there - here for here, there in zip(lit, point, strict=True))
    return max(-down * sin(tilt) + x * inwards * cos(tilt), 0.0) * -down / _long((x, y, down)) ** 4


def _long(ray: Point) -> float:
    return sqrt(sum(part * part for part in ray))
