"""Solids of what lets a gripper down and opens it, on its carriage, in mm and in the axes of ``tray``: the gripper up.

A disc with two equal halves, one for each change of PICKER, turns a lever; at its end the cord goes round a loose pulley, so that the
gripper goes twice as far. While the gripper rests on what is there, the cord is slack. A second disc on the shaft turns one of the rods
that the gripper glides on, by a crank through which the rod slides; a key at the rod's end spreads the fingers.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, cos, degrees, pi, radians, sin

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from hardware.cad.drive import LeverCam
from hardware.dimensions import most, nominal
from simulator.mechanics.settings import MechanicsSettings

SLACK = 2.0
"""Of cord when the gripper rests on a tray's floor with a tile, as the physics model has it."""
PULLEY, TOP, FRONT = 3.5, 158.0, 26.0
"""Radius and height of the pulleys that the cord goes over, and where it comes down behind the lever's end."""
FORK_AT = TOP + 4
"""Height of the barrier that the left rod's upper end darkens while the gripper is up; its body reaches 7 mm further."""
_LOW, _CAM_X = 109.2, 13.6
_FLAT = Plane(origin=(_CAM_X, 0, 0), x_dir=(0, 1, 0), z_dir=(1, 0, 0)).location
"""For what is drawn flat: its x leads along y, its y up."""


def way() -> float:
    """Of the cord."""
    return nominal("gripper.carry_height") + SLACK


def turned_s() -> tuple[float, float, float]:
    """When, in a change of PICKER, the gripper is down, has done its work, and is up: the physics model's times."""
    down = way() / nominal("gripper.lowering_mm_per_s")
    worked = down + nominal("gripper.rests_s") + nominal("gripper.opens_s")
    return down, worked, worked + way() / nominal("gripper.raising_mm_per_s")


def let_out(share: float) -> float:
    """How far the lever's end is let out at this share of a change, for half of the cord."""
    now = share * MechanicsSettings().drop_s
    down, worked, up = turned_s()
    return way() / 2 * (now / down if now < down else min(max(up - now, 0.0) / (up - worked), 1.0))


OPENER, CRANK, KEY = (-12.5, 9.4, 1.0), (4.0, 22.5), (2.4, 6.4)
"""Where the second disc is along x, its radius while the fingers are half open, and that of the pin it pushes; length of the crank and
how far it turns to either side; thickness and width of the key."""
ROD, ROD_X = nominal("gripper.rod"), 8.0
"""Radius of the rods, and where the two are to either side: the left one turns."""
CAM = LeverCam((-10.4, 130.0), (5.0, 122.7), 8.3, 28.0, 2.5, _LOW, 2, 2.0, 5.0, (2.2, 1.5, 0.2), let_out)


def parts(share: float = 0.0) -> dict[str, Part]:
    """Every part on the carriage, by name, at this share of a change."""
    shaft = Pos(0, *CAM.centre) * Rot(0, 90, 0) * Cylinder(2.0, 27.2)
    body = Pos(-0.5, -14.9, 129.5) * Box(18, 25, 35) + Pos(0, -18, 156) * Cylinder(8, 18)
    found = {f"gripper {name}": _FLAT * part for name, part in CAM.parts(share).items()}
    found["gripper disc"] += shaft
    found["finger disc"] = Pos(OPENER[0] - _CAM_X - 1, 0, 0) * _FLAT * Pos(*CAM.centre, 0) * Rot(0, 0, 180 * share) * opener()[0]
    found["crank"] = crank(opened(share / 2))
    found["gripper stud"] += Pos(7, *CAM.pivot) * Rot(0, 90, 0) * Cylinder(1.5, 6)
    end = CAM.end(share)
    found["gripper lever"] += Pos(4.9, *end) * Rot(0, 90, 0) * Cylinder(1.0, 12.7)
    mast = Pos(0, 5.2, 138) * Box(8, 5.4, 52) + Pos(0, 19.25, TOP + 1) * Box(8, 33.5, 10) + Pos(0, 5.2, 119.5) * Box(19, 5.4, 15)
    found |= {"gripper motor": body - shaft, "mast": mast - Pos(0, 15.9, TOP) * Box(3.4, 30, 14) - found["gripper stud"]}
    for name, at, radius in (("loose pulley", end, 2.5), ("front pulley", (FRONT - 3.0, TOP), PULLEY), ("rear pulley", (4.0, TOP), PULLEY)):
        found[name] = Pos(0, *at) * Rot(0, 90, 0) * Cylinder(radius, 3) - found["gripper lever"]
        if at[1] == TOP:
            found[name] += Pos(0, *at) * Rot(0, 90, 0) * Cylinder(1.0, 8)
            found["mast"] -= found[name]
    found["gripper fork"] = Pos(-ROD_X - 3, 0, FORK_AT) * (Box(14, 13, 14) - Pos(2.5, 0, 0) * Box(9, 5, 14))
    return found


def opened(share: float) -> float:
    """How far the crank has turned at this share of a turn of the disc, -1 to 1: it opens, and half a turn later it closes."""
    down, worked, _ = turned_s()
    long_s = MechanicsSettings().drop_s
    begin, end = (down + nominal("gripper.rests_s") / 2) / long_s, worked / long_s
    part = min(max((2 * share % 1.0 - begin) / (end - begin), 0.0), 1.0)
    return (2 * part - 1) * (1 if share < 0.5 else -1)


def opener() -> tuple[Part, float]:
    """The second disc, flat, as it stands between two turns, and the greatest angle at which it pushes its pin."""
    (_, radius, pin), (crank, deg), steps = OPENER, CRANK, 120
    at = [radius + crank * sin(radians(deg * opened(step / steps))) for step in range(steps)]
    worst = max(degrees(atan2(abs(at[step] - at[step - 1]) * steps / (2 * pi), at[step] + pin)) for step in range(steps))
    outline = [(out * cos(2 * pi * step / steps), -out * sin(2 * pi * step / steps)) for step, out in enumerate(at)]
    return extrude(make_face(Polyline(*outline, close=True)), 2.0) - Cylinder(2.0, 4.0), worst


def crank(turned: float) -> Part:
    """The sleeve on the rod, with its pin before the second disc, turned so far."""
    (_, _, pin), (long, deg), height = OPENER, CRANK, CAM.centre[1]
    arm = Pos(-long / 2, 0, height) * Box(long, 1.8, 4) + Pos(-long, 0, height) * Cylinder(pin, 6)
    sleeve = Pos(0, 0, height - 8) * Cylinder(2.4, 20)
    return Pos(-ROD_X, 0, 0) * Rot(0, 0, -deg * turned) * (sleeve + arm - Pos(0, 0, height - 8) * rod(20))


def rod(long: float) -> Part:
    """The rod that turns, with a flat."""
    return Cylinder(ROD, long) - Pos(0, ROD + 0.1, 0) * Box(2 * ROD, 1.2, long)


def cords(foot: float) -> Part:
    """From the gripper over the pulleys to the lever's end and up to the mast, at ``x`` 0."""
    over = TOP + PULLEY + 0.5
    cord = Pos(0, 0, (foot + TOP) / 2) * Cylinder(0.5, TOP - foot) + Pos(0, (FRONT + 1) / 2, over) * Box(1, FRONT - 7, 1)
    ends = ((FRONT + 0.5, TOP), (FRONT + 6.5, TOP - 4))
    return cord + [Pos(0, y, (_LOW + high) / 2) * Cylinder(0.5, high - _LOW) for y, high in ends]


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: the gripper's time, and what the cam can push."""
    _, _, up = turned_s()
    if up > min(MechanicsSettings().pick_s, MechanicsSettings().drop_s):
        yield f"the gripper is up again after {up:.3f} s"
    (thick, wide), deg = KEY, radians(2 * CRANK[1])
    if not nominal("gripper.finger_opens") <= (opens := (thick * cos(deg) + wide * sin(deg) - thick) / 2) <= most("gripper.finger_opens"):
        yield f"the key spreads each finger by {opens:.1f} mm"
    if opener()[1] > 50.0:
        yield f"the fingers' disc pushes its pin at {opener()[1]:.0f}°"
    flat = _FLAT.inverse()
    yield from CAM.wrong("gripper's", 50.0, {name: flat * part for name, part in parts().items() if name in ("mast", "gripper motor")})
