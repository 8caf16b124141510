"""Solids of the overhead arm, in mm: the origin is the mat's middle, x and y run along the table's edges, z up.

Sizes come from ``hardware/dimensions.toml``; what only this file needs is below. Screws and cables are not modelled, their holes are.
"""

from __future__ import annotations

from math import hypot, sqrt

from build123d import Box, Cone, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from hardware.cad.camera import camera, edge_deg, mount, outside, sight, with_standoffs
from hardware.cad.stage import Stage
from hardware.dimensions import most, nominal

PLATE = (80.0, 200.0, 8.0)
"""A flat bar below the post, along the table's edge; the mat begins behind it."""
M8, M8_THREAD, M8_HEAD, M5, M4 = 8.4, 6.8, 17.0, 5.5, 4.3
"""Holes that a screw passes, one for a thread, and the width of a countersunk head."""
CLAMPS, CLAMP, REACH = (285.0, 345.0), 20.0, 55.0
"""Where two screw clamps press the plate to the table's edge, how wide and thick they are, and how far they reach in."""
SLOT, CORE = 8.2, 6.8
"""Width of a profile's slots, and the bore that an M8 thread is cut into."""
GUSSET, FOOT = (80.0, 8.0), (30.0, 4.0)
"""Legs of the bracket below the arm and of the angle at the post's foot, and how thick they are."""
BRACKET = 4.0
BAR = (17.0, 500.0, 9.0)
"""Channel of a strip of LEDs."""
BARS_OFF = 120.0
"""From the lens to each of the two channels, along the arm."""


def underside() -> float:
    """Of the arm above the mat."""
    return mount(nominal("arm.camera_height")) + BRACKET


def post_at() -> float:
    """The middle of the post in x, and in y."""
    return nominal("arm.table") / 2 - nominal("arm.inset")


def lengths() -> dict[str, float]:
    """What is cut from the profile."""
    overhang = nominal("arm.profile") / 2
    return {"post": underside() - PLATE[2], "arm": hypot(post_at(), post_at()) + overhang + BARS_OFF + 30.0}


def stage() -> Stage:
    """The arm with all that is checked."""
    side, height = nominal("tray.mat"), nominal("arm.camera_height")
    cut = ", ".join(f"{name} {length:.1f} mm" for name, length in lengths().items())
    edge = edge_deg(nominal("tray.mat") / 2, nominal("arm.camera_height"), "arm")
    return Stage(
        "overhead-arm",
        parts(),
        first=("plate",),
        around={"table": table()},
        seen="the mat",
        sight=sight(side, side, 0.01, height),
        shown={"mat": Pos(0, 0, 0.5) * Box(side, side, 1)},
        look=((3000.0, -2600.0, 2300.0), (150.0, 150.0, 750.0)),
        scale=0.25,
        apart=0.4,
        printed={"camera bracket": Rot(180, 0, 0) * _bracket()},
        cut={"plate": _plate()},
        wrong=outside("the mat", (side / 2, side / 2), height, "arm"),
        figures=f"of the profile: {cut}; the mat's edge is at most {edge:.1f}° from the picture's middle",
    )


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name."""
    profile, at, low = nominal("arm.profile"), post_at(), underside()
    along = Rot(0, 0, 45)
    cut = lengths()
    corner = Pos(hypot(at, at), 0, low)
    found = {
        "plate": _plate(),
        "post": Pos(at, at, PLATE[2] + cut["post"] / 2) * Rot(0, 0, 45) * _profile(cut["post"]),
        "arm": along * Pos(hypot(at, at) + profile / 2 - cut["arm"] / 2, 0, low + profile / 2) * Rot(0, 90, 0) * _profile(cut["arm"]),
        "gusset": along * corner * Pos(-profile / 2, 0, 0) * Rot(180, 0, 0) * _gusset(),
        "foot": along * Pos(hypot(at, at) - profile / 2, 0, PLATE[2]) * _angle(*FOOT, FOOT[0]),
        "camera bracket": along * Pos(0, 0, low - BRACKET / 2) * Rot(0, 0, -45) * _bracket(),
        "camera": camera(nominal("arm.camera_height")),
    }
    for number, side in enumerate((-1, 1), start=1):
        found[f"lamp {number}"] = along * Pos(side * BARS_OFF, 0, low - BAR[2] / 2) * _lamp()
        found[f"screw clamp {number}"] = Pos(nominal("arm.table") / 2, CLAMPS[number - 1], 0) * _clamp()
    return found


def table() -> Part:
    """The table's top, of the greatest thickness that the clamp takes."""
    side, thick = nominal("arm.table"), most("arm.table_top")
    return Pos(0, 0, -thick / 2) * Box(side, side, thick)


def _profile(length: float) -> Part:
    side = nominal("arm.profile")
    beam = Box(side, side, length) - Cylinder(CORE / 2, length)
    for turn in range(4):
        beam -= Rot(0, 0, 90 * turn) * Pos(side / 2 - 3, 0, 0) * Box(6, SLOT, length)
    return beam


def _plate() -> Part:
    """Holes for the post's screw, whose head is sunk from below, and for the foot's, which has its thread here."""
    wide, long, thick = PLATE
    edge, at, profile = nominal("arm.table") / 2, post_at(), nominal("arm.profile")
    foot = at - (profile / 2 + _hole_of(*FOOT)) / sqrt(2)
    plate = Pos(edge - wide / 2, edge - long / 2, thick / 2) * Box(wide, long, thick)
    plate -= Pos(at, at, thick / 2) * Cylinder(M8 / 2, thick) + Pos(foot, foot, thick / 2) * Cylinder(M8_THREAD / 2, thick)
    return plate - Pos(at, at, 2.15) * Cone(M8_HEAD / 2, M8 / 2, 4.3)


def _clamp() -> Part:
    """A bought one round the plate and the thickest top; x is 0 at the table's edge."""
    low, thick = -most("arm.table_top"), CLAMP
    jaw, screw = Pos((thick - REACH) / 2, 0, PLATE[2] + thick / 2), Pos((thick - REACH) / 2, 0, low - 20 - thick / 2)
    middle = (PLATE[2] + low - 20) / 2
    back = Pos(thick / 2, 0, middle) * Box(thick, thick, PLATE[2] - low + 20 + 2 * thick)
    rod = Pos(thick / 2 - REACH + 10, 0, 0) * (Pos(0, 0, low - 3) * Cylinder(10, 6) + Pos(0, 0, low - 50) * Cylinder(5, 94))
    return back + jaw * Box(REACH + thick, thick, thick) + screw * Box(REACH + thick, thick, thick) + rod


def _angle(leg: float, thick: float, wide: float) -> Part:
    """Two legs towards -x and up, each with a hole for M8."""
    hole = _hole_of(leg, thick)
    level = Pos(-leg / 2, 0, thick / 2) * Box(leg, wide, thick) - Pos(-hole, 0, thick / 2) * Cylinder(M8 / 2, thick)
    upright = Pos(-thick / 2, 0, leg / 2) * Box(thick, wide, leg) - Pos(-thick / 2, 0, hole) * Rot(0, 90, 0) * Cylinder(M8 / 2, thick)
    return level + upright


def _hole_of(leg: float, thick: float) -> float:
    """From an angle's corner to its holes."""
    return (leg + thick) / 2


def _gusset() -> Part:
    """A bought bracket in the corner between post and arm, screwed into the slots of both: an angle with two cheeks."""
    leg, thick = GUSSET
    wide = nominal("arm.profile")
    cheek = extrude(Plane.XZ * make_face(Polyline((0, 0), (-leg, 0), (0, leg), close=True)), 2.5, both=True)
    return _angle(leg, thick, wide) + Pos(0, wide / 2 - 2.5, 0) * cheek + Pos(0, 2.5 - wide / 2, 0) * cheek


def _bracket() -> Part:
    """A plate below the arm with slots across, so that the camera can be turned level with the mat, and holes for its board."""
    plate = with_standoffs(Box(70, 70, BRACKET), -BRACKET / 2, BRACKET)
    for x in (-24, 24):
        plate -= Rot(0, 0, 45) * Pos(x, 0, 0) * Box(M4, 14, BRACKET)
    return plate


def _lamp() -> Part:
    """A channel for a strip of LEDs, open below, with a hole for the screw into the arm's slot."""
    return Box(*BAR) - Pos(0, 0, -1.5) * Box(BAR[0] - 3, BAR[1], BAR[2] - 3) - Cylinder(M5 / 2, BAR[2])
