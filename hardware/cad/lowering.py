"""Solids of what lets a gripper down, on its carriage, in mm and in the axes of ``tray``: motor, cam, lever and cord, the gripper up.

A disc with two equal halves, one for each change of PICKER, turns a lever; at its end the cord goes round a loose pulley, so that the
gripper goes twice as far. While the gripper rests on what is there, the cord is slack. What opens the fingers is not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

from build123d import Box, Cylinder, Part, Plane, Pos, Rot

from hardware.cad.levercam import LeverCam
from hardware.dimensions import nominal
from simulator.mechanics.settings import MechanicsSettings

SLACK = 2.0
"""Of cord when the gripper rests on a tray's floor with a tile, as the physics model has it."""
PULLEY, TOP, FRONT = 3.5, 158.0, 26.0
"""Radius and height of the pulleys that the cord goes over, and where it comes down behind the lever's end."""
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


CAM = LeverCam((-10.4, 130.0), (5.0, 122.7), 8.3, 28.0, 2.5, _LOW, 2, 2.0, 5.0, (2.2, 1.5, 0.2), let_out)


def parts(share: float = 0.0) -> dict[str, Part]:
    """Every part on the carriage, by name, at this share of a change."""
    shaft = Pos(3, *CAM.centre) * Rot(0, 90, 0) * Cylinder(2.0, 21.2)
    body = Pos(-0.5, -14.9, 129.5) * Box(18, 25, 35) + Pos(0, -18, 156) * Cylinder(8, 18)
    found = {f"gripper {name}": _FLAT * part for name, part in CAM.parts(share).items()}
    found["gripper disc"] += shaft
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
    return found


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
    flat = _FLAT.inverse()
    yield from CAM.wrong("gripper's", 50.0, {name: flat * part for name, part in parts().items() if name in ("mast", "gripper motor")})
