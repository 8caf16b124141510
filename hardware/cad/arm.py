"""Solids of the overhead arm, in mm: the origin is the mat's middle, x and y run along the table's edges, z up.

Sizes come from ``hardware/dimensions.toml``; what only this file needs is below. Screws, washers and cables are not modelled.
"""

from __future__ import annotations

from math import hypot

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from hardware.cad.camera import camera, edge_deg, mount, outside, sight, with_standoffs
from hardware.cad.stage import Stage
from hardware.dimensions import most, nominal

PLATE = 8.0
"""Thickness of the clamp's steel."""
CLAMP = 84.0
"""A side of the clamp's upper plate; the mat begins behind it."""
SLOT, CORE = 8.2, 6.8
"""Width of a profile's slots, and the bore that an M8 thread is cut into."""
GUSSET, FOOT = 80.0, 30.0
"""Legs of the triangle below the arm and of the angle at the post's foot."""
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
    return {"post": underside() - PLATE, "arm": hypot(post_at(), post_at()) + overhang + BARS_OFF + 30.0}


def stage() -> Stage:
    """The arm with all that is checked."""
    side, height = nominal("tray.mat"), nominal("arm.camera_height")
    cut = ", ".join(f"{name} {length:.1f} mm" for name, length in lengths().items())
    edge = edge_deg(nominal("tray.mat") / 2, nominal("arm.camera_height"), "arm")
    return Stage(
        "overhead-arm",
        parts(),
        first=("clamp",),
        around={"table": table()},
        seen="the mat",
        sight=sight(side, side, 0.01, height),
        shown={"mat": Pos(0, 0, 0.5) * Box(side, side, 1)},
        look=((3000.0, -2600.0, 2300.0), (150.0, 150.0, 750.0)),
        scale=0.25,
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
        "clamp": _clamp(),
        "screw": _screw(),
        "post": Pos(at, at, PLATE + cut["post"] / 2) * Rot(0, 0, 45) * _profile(cut["post"]),
        "arm": along * Pos(hypot(at, at) + profile / 2 - cut["arm"] / 2, 0, low + profile / 2) * Rot(0, 90, 0) * _profile(cut["arm"]),
        "gusset": along * corner * Pos(-profile / 2, 0, 0) * _gusset(),
        "foot": along * Pos(hypot(at, at) - profile / 2, 0, PLATE) * _foot(),
        "camera bracket": along * Pos(0, 0, low - BRACKET / 2) * Rot(0, 0, -45) * _bracket(),
        "camera": camera(nominal("arm.camera_height")),
    }
    for number, side in enumerate((-1, 1), start=1):
        found[f"lamp {number}"] = along * Pos(side * BARS_OFF, 0, low - BAR[2] / 2) * _lamp()
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


def _clamp() -> Part:
    """A C around the table's edge: the jaw leaves the thickest top and 20 mm for the screw's pad."""
    edge, inset = nominal("arm.table") / 2, nominal("arm.inset")
    inner, drop = edge - CLAMP, most("arm.table_top") + 20.0
    middle, y = (inner + edge + PLATE) / 2, edge - CLAMP / 2
    upper = Pos(middle, y, PLATE / 2) * Box(CLAMP + PLATE, CLAMP, PLATE) - Pos(edge - inset, edge - inset, PLATE / 2) * Cylinder(4.2, PLATE)
    back = Pos(edge + PLATE / 2, y, -drop / 2) * Box(PLATE, CLAMP, drop)
    jaw = Pos(middle, y, -drop - PLATE / 2) * Box(CLAMP + PLATE, CLAMP, PLATE) - Pos(edge - inset, y, -drop - PLATE / 2) * Cylinder(
        5, PLATE
    )
    return upper + back + jaw


def _screw() -> Part:
    """M10 through the jaw, with a pad below the table's top and a knob."""
    x, y = nominal("arm.table") / 2 - nominal("arm.inset"), nominal("arm.table") / 2 - CLAMP / 2
    top, jaw = -most("arm.table_top"), -most("arm.table_top") - 20.0 - PLATE
    pad = Pos(x, y, top - 3) * Cylinder(12, 6)
    rod = Pos(x, y, (top - 6 + jaw - 30) / 2) * Cylinder(5, top - 6 - jaw + 30)
    return pad + rod + Pos(x, y, jaw - 38) * Cylinder(20, 16)


def _gusset() -> Part:
    """A triangle in the corner between post and arm, screwed into the slots of both."""
    corner = Plane.XZ * make_face(Polyline((0, 0), (-GUSSET, 0), (0, -GUSSET), close=True))
    return extrude(corner, nominal("arm.profile") / 2, both=True)


def _foot() -> Part:
    """An angle between clamp and post: one screw in the post's middle would let it turn."""
    return Pos(-FOOT / 2, 0, FOOT / 2) * (Box(FOOT, FOOT, FOOT) - Pos(-4, 0, 4) * Box(FOOT, FOOT, FOOT))


def _bracket() -> Part:
    """A plate below the arm with slots across, so that the camera can be turned level with the mat, and holes for its board."""
    plate = with_standoffs(Box(70, 70, BRACKET), -BRACKET / 2, BRACKET)
    for x in (-24, 24):
        plate -= Rot(0, 0, 45) * Pos(x, 0, 0) * Box(4.3, 14, BRACKET)
    return plate


def _lamp() -> Part:
    """A channel for a strip of LEDs, open below."""
    return Box(*BAR) - Pos(0, 0, -1.5) * Box(BAR[0] - 3, BAR[1], BAR[2] - 3)
