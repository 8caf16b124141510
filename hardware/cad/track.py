"""Ways in plan as straights and level bends, one of which climbs, and solids with one section along them, in mm.

A section is across, to the right, and up from the way. Where a straight begins to climb, both sides meet in the plane half-way between
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, hypot, radians, tan

from build123d import Axis, Keep, Part, Plane, Polyline, Vector, extrude, make_face, revolve

from twinwall.values import frozen

Point = tuple[float, float]
Section = Sequence[Point]
LONGEST = 190.0
"""Of a piece."""
_MORE = 60.0


@frozen
class TroughPiece:
    """A straight piece that leads ``ahead``, or one that bends by degrees, to the left if positive; ``meets`` are the directions of those
    before and behind it."""

    at: Vector
    ahead: Vector
    way: float
    bend: float = 0.0
    radius: float = 0.0
    meets: tuple[Vector, ...] = ()

    @property
    def across(self) -> Vector:
        """To the right."""
        return Vector(self.ahead.Y, -self.ahead.X).normalized()

    def along(self, way: float, back: float = 0.0) -> Plane:
        """The plane across it, so far on its way: x to the right, y up."""
        return Plane(self.at + self.ahead * (way - back), x_dir=self.across, z_dir=-self.ahead)

    def solid(self, section: Section) -> Part:
        """What has this section."""
        if self.bend:
            side = self.radius if self.bend < 0 else -self.radius
            axis = Axis(tuple(self.at + self.across * side), (0, 0, 1 if self.bend > 0 else -1))
            return revolve(_face(self.along(0.0), section), axis, abs(self.bend))
        whole = extrude(_face(self.along(0.0, _MORE), section), -self.way - 2 * _MORE)
        for at, other, sign in zip((self.at, self.at + self.ahead * self.way), self.meets, (1, -1), strict=True):
            whole = whole.split(Plane(at, z_dir=(self.ahead + other) * sign), keep=Keep.TOP)
        return Part(whole.solids())

    def flat(self, part: Part) -> Part:
        """A part as it lies when this piece lies on a printer's bed."""
        return Plane(self.at, x_dir=self.across, z_dir=self.across.cross(self.ahead)).location.inverse() * part


def _face(plane: Plane, section: Section) -> Part:
    return plane * make_face(Polyline(*section, close=True))


def pieces(points: Sequence[Point], radius: float, heights: Point, climb: tuple[int, float, float]) -> list[TroughPiece]:
    """A way along points with bends of a radius; ``climb`` says which straight leads from one height to the other, how far behind its
    begin, and how steeply."""
    (low, high), (which, lead, deg) = heights, climb
    plan = (high - low) / tan(radians(deg))
    at, cut, found = Vector(*points[0], low), 0.0, list[tuple[Vector, Vector, float, float]]()
    corners = [Vector(*point) for point in points]
    for number, (begin, end) in enumerate(pairwise(corners)):
        ahead, bend = (end - begin).normalized(), 0.0
        if number + 2 < len(corners):
            bend = ahead.get_signed_angle(corners[number + 2] - end, Vector(0, 0, 1))
        take = radius * tan(radians(abs(bend)) / 2)
        long = (end - begin).length - cut - take
        runs = [(lead, 0.0), (plan, high - low), (long - lead - plan, 0.0)] if number == which else [(long, 0.0)]
        for run, rises in runs:
            way = hypot(run, rises)
            led = (ahead * run + Vector(0, 0, rises)).normalized()
            for _ in range(count := ceil(way / LONGEST)):
                found.append((at, led, way / count, 0.0))
                at += led * (way / count)
        if bend:
            found.append((at, ahead, radians(abs(bend)) * radius, bend))
            then = (corners[number + 2] - end).normalized()
            at, cut = Vector(end.X, end.Y, at.Z) + then * take, take
    ways = [ahead for _, ahead, _, bend in found]
    made = []
    for number, (start, ahead, way, bend) in enumerate(found):
        before = ways[number - 1] if number and not found[number - 1][3] else ahead
        behind = ways[number + 1] if number + 1 < len(found) and not bend else ahead
        made.append(TroughPiece(start, ahead, way, bend, radius, (before, behind)))
    return made
