"""The lift's drive of stage E, one for four walls, flat, in mm: a disc of one turn and a lever that pulls all cords.

The origin is the disc's shaft, on the disc's upper face. Where it stands under the table, and the cords' ways from there, are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, degrees, pi

from build123d import Box, Cylinder, Part, Pos, Rot

from hardware.cad import lift, tray
from hardware.cad.levercam import LeverCam
from hardware.cad.stage import Stage
from hardware.dimensions import nominal

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
