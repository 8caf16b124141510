"""Solids of a tray's mouth of stage E, in mm and in the axes of ``tray``: a cradle at the chute's end, beside it the return lane's begin.

While it is empty a spring holds the cradle as steep as the chute's end. A tile slides in against its stop; by its weight it sinks, held
back by a damper, until it is level below the gripper, and draws a pin up by a cord, which holds back what waits in the chute; a magnet
below it then closes a reed contact, without which the place flag has no current here. Beside it begins ``returnlane``. ``chains`` lead
tiles to here.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians, sin

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from hardware.cad import lanes, lift, returnlane, tray, window
from hardware.cad.stage import Stage
from hardware.dimensions import largest_tile, most, nominal
from hardware.physics.ways import TAPER

BACK, INNER = returnlane.BACK, tray.depth() / 2
"""Where the carriage hands a returned tile over, and where the stop is."""
LEFT, THIN, SIDE, HIGH = -(nominal("tile.width") + nominal("mouth.play")) / 2, (1.4, 0.9), 14.0, 34.0
"""The left wall, the thickness of left and right one, and their heights above the chute's floor and beside the cradle."""
PIN, PIN_AT, DRAWN = (2.0, 32.0), -45.0, 14.0
"""Radius and length of the pin, where it stands in the chute, and how far the cradle draws it."""
_SINKS = (INNER, 0.0)
RAMP = 75.0
"""How far before its end the chute begins."""
MOVED = ("cradle", "cradle rod", "magnet", "pin", "pin cord")
Point = tuple[float, float]


def edge(along: float = 0.0, up: float = 0.0) -> Point:
    """Where the chute ends above the raised cradle, or a point so far along it, and so far above: y, z."""
    deg, floor = radians(nominal("mouth.slope_deg")), nominal("mouth.floor") + 0.5 + along
    return INNER - floor * cos(deg) + 0.3 * sin(deg), floor * sin(deg) + 0.3 * cos(deg) + up


def stage() -> Stage:
    """It on the tray's bed, with a tile in the cradle."""
    made = tray.parts()
    return Stage(
        "mouth",
        {name: made[name] for name in ("bed", "far guide 1")} | parts(),
        first=("bed",),
        around={"tile": tile()},
        ways=ways(),
        moved=MOVED,
        hidden=("bed", "mouth", "return cheek", *returnlane.parts()),
        look=((-420.0, -420.0, 150.0), (0.0, -20.0, 10.0)),
        scale=2.0,
        apart=0.8,
        printed={"mouth": Rot(0, -90, 0) * parts()["mouth"], "cradle": cradle()},
        cut={"mouth wall": Rot(0, -90, 0) * wall()},
        wrong=tuple(wrong()),
        figures=f"its chute begins {fall():.0f} mm below a gate that is right below the table",
    )


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name: the cradle level, as under a tile."""
    found = {"mouth": mouth(), "mouth wall": wall(), "cradle": cradle()}
    found |= returnlane.parts()
    found["return cheek"] = Pos(BACK - tray.PITCH / 2, (INNER - 70) / 2, (SIDE + tray.BED) / 2) * Box(1.0, INNER + 70, SIDE - tray.BED)
    outside, y, lies = LEFT - THIN[0], INNER + 1.5, Rot(0, 90, 0)
    found["magnet"], found["reed"] = (Pos(0, -25, z) * shape for z, shape in ((-3, Cylinder(2, 2)), (tray.BED + 2.5, Box(20, 5, 5))))
    rod = Pos((THIN[1] - LEFT + outside) / 2, y, -1) * lies * Cylinder(1.0, THIN[1] - LEFT - outside)
    for name in ("mouth", "mouth wall", "cradle"):
        found[name] -= rod
    found["cradle rod"] = rod + Pos(outside - 2.5, y, -1) * lies * Cylinder(2.0, 5)
    found["damper"] = Pos(outside - 2.5, y + 3.6, -5.8) * lies * Cylinder(4.0, 5)
    (radius, long), foot = PIN, edge(0, DRAWN - 24.0)[1]
    found["pin"] = Pos(0, PIN_AT, foot + long / 2) * Cylinder(radius, long) + Pos(0, PIN_AT + 2.5, foot + 1) * Box(2, 5, 2)
    near, under = INNER - nominal("mouth.floor") + 2, edge()[1] - 6
    hangs = (0, PIN_AT + 4, under)
    runs = [((0, near, -1), (0, near, under)), (hangs, (0, near, under)), ((0, PIN_AT + 4, foot + 2), hangs)]
    found["pin cord"] = Part() + [lift.run(begin, end) for begin, end in runs]
    slot = Pos(12, (near + PIN_AT) / 2, (under + tray.BED) / 2 - 2) * Box(30, near - PIN_AT + 9, under - tray.BED + 9)
    found["mouth"] -= [Pos(0, PIN_AT, 30) * Cylinder(radius + 0.2, 60), slot]
    return found


def mouth() -> Part:
    """The chute's end on a foot beyond the cradle, with the left wall on which it is printed."""
    (y, z), (end, top), near = edge(), edge(RAMP), INNER - nominal("mouth.floor") - 2
    profile = [(y, z), (end, top), (end, top - 5), (-66, -3), (-66, tray.BED), (near, tray.BED), (near, z - 6)]
    floor = lanes.prism([(LEFT, y), *_right(0.0)[1:], (LEFT, end)], -50, 150) & _sheet(profile)
    side = [(x, y) for y in (INNER + 4, end) for x in (LEFT - THIN[0], LEFT)]
    return floor + (lanes.prism([*side[:2], side[3], side[2]], -50, 150) & _side())


def wall() -> Part:
    """The right wall, which narrows the chute."""
    return lanes.prism([*_right(0.0), *reversed(_right(THIN[1]))], -50, 150) & _side()


def cradle() -> Part:
    """Level: its floor, and a stop with a slot for the far finger."""
    long, half = nominal("mouth.floor"), -LEFT - 0.3
    floor = Pos(0, INNER + 3 - (long + 3) / 2, -1) * Box(2 * half, long + 3, 2)
    stop = Pos(0, INNER + 1.5, nominal("mouth.stop") / 2) * Box(2 * half, 3, nominal("mouth.stop"))
    return floor + stop - Pos(0, INNER + 1.5, nominal("mouth.stop") / 2 + 3) * Box(nominal("tray.slot"), 3, nominal("mouth.stop"))


def tile() -> Part:
    """The largest one, at rest in the cradle."""
    wide, long, high = largest_tile()
    return Pos(0, INNER - long / 2, high / 2) * Box(wide, long, high)


def ways() -> dict[str, Part]:
    """What the cradle with the largest tile takes up on its way down, such a tile on the chute, and a returned one."""
    wide, _, high = largest_tile()
    slope = nominal("mouth.slope_deg")
    found = {"a returned tile": returnlane.way()}
    found["a tile's way into the mouth"] = tray.turned_down(Pos(0, INNER - 100, 0.5 + high / 2) * Box(wide, 200, high), slope, _SINKS)
    for deg in (slope, slope / 2):
        found[f"the way of the cradle at {deg:.1f}°"] = tray.turned_down(cradle() + tile(), deg, _SINKS)
    return found


def fall() -> float:
    """How far the chute's begin is below a gate whose sensors just stand below the table."""
    table = lift.HIGH - nominal("pusher.step_down") - nominal("table.top")
    return table - (window.SENSORS + 30) - edge(RAMP)[1]


def wrong() -> Iterator[str]:
    """What the dimensions do not keep."""
    yield from returnlane.wrong()
    if (play := nominal("tile.width") + nominal("mouth.play") - most("tile.width") - most("tile.spread")) < 0.3:
        yield f"the mouth leaves a tile {play:.2f} mm"
    finger = most("tile.length") / 2 + most("gripper.finger_opens") + nominal("gripper.finger")
    if edge()[0] > -finger - 1.0:
        yield f"the chute ends {-edge()[0]:.1f} mm before the column's middle, the near finger needs {finger:.1f} mm"
    if sin(radians(nominal("mouth.slope_deg"))) < most("surface.tile_on_tray") + 0.05:
        yield "a worn tile does not slide into the mouth"


def _right(out: float) -> list[Point]:
    """The right wall's face, or what is so far outside of it: x, y."""
    y, end = edge()[0], edge(RAMP)[0]
    wide = -LEFT + nominal("chute.play") - nominal("mouth.play")
    return [(-LEFT + out, INNER + 4), (-LEFT + out, y), (wide + out, y - TAPER), (wide + out, end)]


def _side() -> Part:
    (y, z), (end, top) = edge(0, SIDE), edge(RAMP, SIDE)
    low = [(end, top - SIDE - 5), (-66, -3), (-66, tray.BED), (INNER + 4, tray.BED)]
    return _sheet([(INNER + 4, HIGH), (y, HIGH if z < HIGH else z), (end, top), *low])


def _sheet(profile: list[Point]) -> Part:
    return extrude(Plane.YZ * make_face(Polyline(*profile, close=True)), 60, both=True)
