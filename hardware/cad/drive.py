"""The lift's drive of stage E, one for four walls, flat, in mm: a disc of one turn and a lever that pulls all cords.

The origin is the disc's shaft, on the disc's upper face. Where it stands under the table, and the cords' ways from there, are not drawn.
The disc's outline follows from the way that the lever's end has to go. A cord pulls that end to positive y, which presses the roller to the
disc; the disc pulls against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import acos, asin, atan2, cos, degrees, hypot, pi, sin

from build123d import Box, Cylinder, Part, Polyline, Pos, Rot, extrude, make_face

from hardware.cad import lift, tray
from hardware.cad.stage import Stage, common_mm3
from hardware.dimensions import nominal
from twinwall.values import frozen

_STEPS = 180
Point = tuple[float, float]


@frozen
class LeverCam:
    """Where shaft and pivot are, the lever's arms, the roller's radius, y of the lever's end when no cord is out; how often a turn
    does the same; radius of shaft and stud, width of the lever, thickness of disc and lever and the gap between; and how far the end is
    let out at each share of a motion."""

    centre: Point
    pivot: Point
    short: float
    long: float
    roller: float
    low: float
    times: int
    shaft: float
    wide: float
    thick: tuple[float, float, float]
    let_out: Callable[[float], float]

    def angle(self, share: float) -> float:
        """Of the long arm; the short one is a right angle ahead."""
        return asin((self.low + self.let_out(share) - self.pivot[1]) / self.long)

    def end(self, share: float) -> Point:
        """The lever's end."""
        angle = self.angle(share)
        return self.pivot[0] + self.long * cos(angle), self.pivot[1] + self.long * sin(angle)

    def roller_at(self, share: float) -> Point:
        """The roller's middle."""
        angle = self.angle(share)
        return self.pivot[0] - self.short * sin(angle), self.pivot[1] + self.short * cos(angle)

    def profile(self) -> tuple[list[Point], float]:
        """The disc's outline about its shaft, as it stands between two motions, and the greatest angle at which it pushes the roller."""
        middles, ways = [], []
        for step in range(_STEPS):
            share, back = self.times * step / _STEPS % 1.0, -2 * pi * step / _STEPS
            x, y = (a - b for a, b in zip(self.roller_at(share), self.centre, strict=True))
            middles.append((x * cos(back) - y * sin(back), x * sin(back) + y * cos(back)))
            ways.append(self.angle(share) + back)
        outline, worst = [], 0.0
        for step, (x, y) in enumerate(middles):
            (before_x, before_y), (after_x, after_y) = middles[step - 1], middles[(step + 1) % _STEPS]
            along = hypot(after_x - before_x, after_y - before_y)
            across = (after_y - before_y) / along, (before_x - after_x) / along
            out = 1.0 if across[0] * x + across[1] * y > 0 else -1.0
            outline.append((x - out * self.roller * across[0], y - out * self.roller * across[1]))
            pushed = cos(ways[step]) * across[0] + sin(ways[step]) * across[1]
            worst = max(worst, degrees(acos(min(abs(pushed), 1.0))))
        return outline, worst

    def disc(self) -> Part:
        """The disc, cut."""
        thick = self.thick[0]
        return extrude(make_face(Polyline(*self.profile()[0], close=True)), thick) - Pos(0, 0, thick / 2) * Cylinder(self.shaft, thick)

    def lever(self, share: float = 0.0) -> Part:
        """The lever, cut, where it stands at this share of a motion; its upper face is 0."""
        thick = self.thick[1]
        holes = Part() + [Pos(*at, -thick / 2) * Cylinder(self.shaft / 2, thick) for at in (self.end(share), self.roller_at(share))]
        arms = _bar(self.pivot, self.end(share), self.wide, thick) + _bar(self.pivot, self.roller_at(share), self.wide, thick)
        return arms - holes - Pos(*self.pivot, -thick / 2) * Cylinder(0.75 * self.shaft, thick)

    def parts(self, share: float) -> dict[str, Part]:
        """Disc, lever with its pins, roller and stud at this share of a motion; the disc's upper face is 0."""
        thick, below, gap = self.thick
        under = -thick - gap
        high = thick + gap + below
        pins = Pos(*self.roller_at(share), -high / 2) * Cylinder(self.shaft / 2, high)
        pins += Pos(*self.end(share), under - below) * Cylinder(self.shaft / 2, 2 * below)
        found = {"disc": Pos(*self.centre, -thick) * Rot(0, 0, 360 * share / self.times) * self.disc()}
        found["lever"] = Pos(0, 0, under) * self.lever(share) + pins
        found["roller"] = Pos(*self.roller_at(share), (under + 0) / 2) * Cylinder(self.roller, -under) - pins
        return found | {"stud": Pos(*self.pivot, under - below) * Cylinder(0.75 * self.shaft, 2 * below)}

    def wrong(self, name: str, most_deg: float, still: dict[str, Part]) -> Iterator[str]:
        """How steeply it pushes, and what runs into what during a motion."""
        steep = self.profile()[1]
        if steep > most_deg:
            yield f"the {name} cam pushes its roller at {steep:.0f}°"
        for share in (0.0, 0.3, 0.65, 0.85):
            for (one, first), (other, second) in combinations({**self.parts(share), **still}.items(), 2):
                if one in still and other in still:
                    continue
                if (common := common_mm3(first, second)) > max(1.0, self.thick[0]):
                    yield f"{one} of the {name} cam runs {common:.0f} mm³ into {other} at {share:.2f} of its motion"


def _bar(begin: Point, end: Point, wide: float, thick: float) -> Part:
    long, turned = hypot(end[0] - begin[0], end[1] - begin[1]), degrees(atan2(end[1] - begin[1], end[0] - begin[0]))
    bar = Pos(long / 2, 0, 0) * Box(long, wide, thick) + Cylinder(wide / 2, thick) + Pos(long, 0, 0) * Cylinder(wide / 2, thick)
    return Pos(*begin, -thick / 2) * Rot(0, 0, turned) * bar


_PLATE, _THICK = -25.0, 6.0
"""Upper face of the plate below the lever, and its thickness."""


def pulled(now_s: float) -> float:
    """How much cord the lever has pulled: the wall rises, the pusher goes out and comes back, the lift sinks."""
    rise_s, out_s, back_s, sink_s = (nominal(name) for name in ("lift.rise_s", "pusher.seconds", "lift.back_s", "lift.lower_s"))
    way = 0.0
    for long_s, to in ((rise_s, lift.HIGH), (out_s, lift.stroke()), (back_s, -lift.stroke()), (sink_s, -lift.HIGH)):
        way += to * (1 - cos(pi * min(max(now_s / long_s, 0.0), 1.0))) / 2
        now_s -= long_s
    return way


def let_out(share: float) -> float:
    """How far the lever's end is let out at this share of a turn."""
    return lift.HIGH + lift.stroke() - pulled(share * nominal("lift.turn_s"))


CAM = LeverCam((0.0, 0.0), (86.6, -62.5), 70.0, 260.0, 11.0, -179.8, 1, 8.0, 24.0, (8.0, 8.0, 1.0), let_out)


def stage() -> Stage:
    """All of it, with the lifts down."""
    return Stage(
        "lift-drive",
        {**CAM.parts(0.0), **still()},
        first=("base plate",),
        look=((500.0, -900.0, 900.0), (140.0, 0.0, 0.0)),
        scale=0.8,
        printed={"eyelet": Rot(90, 0, 0) * eyelet()},
        cut={"disc": CAM.disc(), "lever": CAM.lever(), "base plate": still()["base plate"]},
        wrong=tuple(wrong()),
        figures=f"{lift.HIGH + lift.stroke():.0f} mm of cord, at {CAM.profile()[1]:.0f}° at most",
    )


def still() -> dict[str, Part]:
    """What stands still, by name: cords reach from the lever's end to the eyelet."""
    x, y = CAM.end(0.0)
    middle = (_PLATE - _THICK) / 2
    plate = Pos(110, -30, _PLATE - _THICK / 2) * Box(500, 340, _THICK) - Cylinder(CAM.shaft, 200)
    found = {"base plate": plate, "shaft": Pos(0, 0, middle) * Cylinder(CAM.shaft, _THICK - _PLATE), "eyelet": eyelet()}
    found["motor"] = Pos(0, 0, _PLATE - _THICK - 45) * Box(60, 60, 90)
    low, (wide, thick, high) = -17.0, tray.SWITCH
    lies = Pos(x, y, 0) * Rot(0, 0, degrees(CAM.angle(0.0))) * Pos(-34, 0, 0)
    found["switch block"] = lies * Pos(-11, 18.5, (_PLATE + low) / 2) * Box(2 * wide + 2, high, low - _PLATE)
    for number in (1, 2):
        found[f"lift switch {number}"] = lies * Pos(11 - 22 * (number - 0.5), 18.5, low + thick / 2) * Box(wide, high, thick)
    return found | {"cords": Pos(x, (y + 139) / 2 + 2, -20) * Box(2, 139 - y - 4, 2)}


def eyelet() -> Part:
    """What all four cords pass."""
    return Pos(CAM.end(0.0)[0], 130, _PLATE + 7) * (Box(24, 18, 14) - Pos(0, 0, -2) * Box(2, 18, 2))


def wrong() -> Iterator[str]:
    """What the dimensions do not keep."""
    yield from CAM.wrong("lift's", 45.0, {name: part for name, part in still().items() if name not in ("cords", "shaft")})
