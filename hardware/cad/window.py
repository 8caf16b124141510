"""Solids of stage D's reading gate, in mm: the origin is below the middle of a tile at rest, x leads with the belts, y to the chutes, z up.

Two round belts bring a tile face down over a pane until it meets the stop. A camera below looks up through the pane; a solenoid pushes
the tile out under a flap. A cheek at either end carries belt, pulleys and side; both are set to the set's length. Here it is the
longest. Screws, wires and bearings are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians, sin

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rectangle, Rot, extrude, loft, make_face, mirror

from hardware.cad.camera import camera, mount, picture_mm, sight, with_standoffs
from hardware.cad.lamp import FACE, LAMP, PILOT, SHEET, THROUGH, GateLight, bores, lamp
from hardware.dimensions import largest_tile, least, most, nominal

BASE, THICK, PANE = -27.0, 4.0, 2.0
"""Upper face of the plate that carries all, its thickness, and that of the pane on it."""
DEEP, WALL, FLOOR = 90.0, 2.4, 4.0
"""Of the box below the plate: inside along y, its walls, and what the camera is screwed to."""
RIM = (5.0, 8.0)
BEHIND = 112.0
"""How far the plate goes back, to what carries solenoid and sensors."""
STOP, RUBBER = nominal("tile.width") / 2, 3.0
PULLEY, AXLE, PULLEYS = 9.0, 2.5, (-62.0, 44.0)
"""Radius that the belts run on, that of the axles, and where the two are: the first is driven."""
CHEEK, RAIL = 4.0, 8.0
"""Thickness of a cheek, and how high it is between its feet, so that light passes below."""
OPENING = 15.5
"""Half of what a tile leaves by."""
HINGE = 28.0
SENSORS = 66.0
"""Underside of the arm that carries the sensors above the window."""
BEAM_AT = -36.0
"""Of the barrier before the window."""
SENSED = {"window sensor": (-6.0, -5.0), "back sensor": (6.0, 7.0)}


def light() -> GateLight:
    """Below the plane that faces lie in, turned over."""
    more = 2 * nominal("window.offset_limit")
    room = nominal("tile.width") + more, most("tile.length") + more
    return GateLight("window", nominal("window.camera_below"), nominal("window.lamp_below"), (0.0,), room)


def side() -> float:
    """Where the sides stand at a tile's ends."""
    return (most("tile.length") + nominal("window.side_play")) / 2


def seen() -> Part:
    """What light crosses from a face between the belts to the lens."""
    return Rot(180, 0, 0) * sight(light().room[0], _between(), 0.01, nominal("window.camera_below"))


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name."""
    found = {"base": base(), "box": Rot(180, 0, 0) * box(), "near cheek": near_cheek(), "far cheek": far_cheek(), "stop": stop()}
    found |= {"rubber": Pos(STOP + RUBBER / 2, 0, 11) * Box(RUBBER, 24, 18), "pane": Pos(0, 0, BASE + PANE / 2) * Box(115, 68, PANE)}
    found |= {"pusher": pusher(), "solenoid": Pos(0, -63, 11) * Box(26, 50, 26), "mount": arm(), "flap": flap(), "fork": fork()}
    found |= {"hinge": _hinge(2 * OPENING + 8, 0.75), "saddle": saddle()}
    outer = side() + CHEEK
    found["driven axle"] = Pos(PULLEYS[0], -18, _axle_at()) * Rot(90, 0, 0) * Cylinder(AXLE, 2 * outer + 36)
    found["other axle"] = Pos(PULLEYS[1], 0, _axle_at()) * Rot(90, 0, 0) * Cylinder(AXLE, 2 * outer)
    for name, sign in (("near", -1), ("far", 1)):
        y = sign * (most("tile.length") / 2 - nominal("window.belt_in"))
        for x, which in zip(PULLEYS, ("driven", "other"), strict=True):
            found[f"{name} {which} pulley"] = Pos(x, y, _axle_at()) * Rot(90, 0, 0) * (Cylinder(PULLEY, 4.6) - Cylinder(AXLE, 4.6))
        found[f"{name} belt"] = Pos(0, y, 0) * belt()
    found["belt motor"] = Pos(PULLEYS[0], -outer - 31, _axle_at()) * Rot(90, 0, 0) * (Cylinder(12.5, 62) - Cylinder(AXLE, 62))
    for name, (x, y) in SENSED.items():
        found[name] = Pos(x, y, SENSORS + 15) * Cylinder(4, 30)
    found["camera"] = Rot(180, 0, 0) * camera(nominal("window.camera_below"))
    return found | {name: Rot(180, 0, 0) * part for name, part in light().parts().items()}


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed: lamp and diffuser twice."""
    found = {"base": Rot(180, 0, 0) * base(), "box": Rot(180, 0, 0) * box(), "lamp": lamp(), "diffuser": Box(FACE, LAMP, SHEET)}
    found |= {"near cheek": Rot(90, 0, 0) * near_cheek(), "far cheek": Rot(-90, 0, 0) * far_cheek(), "stop": Rot(0, 90, 0) * stop()}
    found |= {"pusher": Rot(-90, 0, 0) * pusher(), "mount": Rot(0, 90, 0) * arm(), "flap": Rot(90, 0, 0) * flap(), "saddle": saddle()}
    return found


def around() -> dict[str, Part]:
    """A thickest tile at rest, and the end of the donor's conveyor."""
    thick = most("tile.thickness")
    tile = Pos(0, 0, thick / 2) * Box(nominal("tile.width"), most("tile.length"), thick)
    return {"tile": tile, "donor's conveyor": Pos(-123, 0, -11) * Box(100, 48, 21)}


def ways() -> dict[str, Part]:
    """What the largest tile takes up on its way in and out, the flap before it, and what the lamps' light crosses to a face."""
    wide, long, high = largest_tile()
    off = nominal("window.offset_limit")
    found = {"a tile's way in": Pos((STOP - 120) / 2, 0, high / 2) * Box(STOP + 120, long, high)}
    found["a tile's way out"] = Pos(0, 14, high / 2) * Box(wide + 2 * off, long + 28, high)
    found["the flap's way"] = Pos(0, side() + 14, 15.5) * Box(2 * OPENING - 1.4, 26, 27)
    down, lamps = radians(nominal("gate.lamp_down_deg")), nominal("window.lamp_below")
    for name, sign in (("left", -1), ("right", 1)):
        lit = Plane((sign * (nominal("gate.lamp_across") - 0.01), 0, -lamps), x_dir=(0, 1, 0), z_dir=(-sign * cos(down), 0, sin(down)))
        face = Plane((0, 0, -0.01), x_dir=(0, 1, 0), z_dir=(0, 0, 1))
        found[f"the light of the {name} lamp"] = loft([lit * Rectangle(LAMP, FACE - 2), face * Rectangle(_between(), light().room[0])])
    return found


def base() -> Part:
    """A plate with a hole for the light, and rims below it that the box is screwed to."""
    outer, (thick, high) = nominal("gate.wide") + 2 * WALL, RIM
    ahead = DEEP / 2 + WALL
    plate = Pos(0, (ahead - BEHIND) / 2, BASE - THICK / 2) * Box(outer, ahead + BEHIND, THICK) - Pos(0, 0, BASE) * Box(110, 64, 3 * THICK)
    for sign in (-1, 1):
        x = sign * (nominal("gate.wide") - nominal("gate.snug") - thick) / 2
        plate += Pos(x, 0, BASE - THICK - high / 2) * Box(thick, DEEP - 2, high)
        plate -= Pos(x, 0, 0) * bores(BASE - THICK - high / 2, PILOT, 2 * thick)
    return plate


def box() -> Part:
    """The box as it would hang above: four walls and a top with posts for the camera, and openings for its cable, lamps and rims."""
    wide, low, begins = nominal("gate.wide"), mount(nominal("window.camera_below")), THICK - BASE
    shell = Pos(0, 0, (low + FLOOR + begins) / 2) * Box(wide + 2 * WALL, DEEP + 2 * WALL, low + FLOOR - begins)
    shell -= Pos(0, 0, (low + begins) / 2) * Box(wide, DEEP, low - begins)
    shell = with_standoffs(shell, low, FLOOR) - Pos(0, DEEP / 2, low - 10) * Box(22, 4 * WALL, 4)
    for sign in (-1, 1):
        shell -= Pos(sign * wide / 2, 0, 0) * bores(begins + RIM[1] / 2, THROUGH, 3 * WALL)
    return shell - light().openings(WALL)


def belt() -> Part:
    """Both runs of a belt; where it goes round its pulleys is left out."""
    run, way = nominal("window.belt") / 2, PULLEYS[1] - PULLEYS[0]
    one = Pos(sum(PULLEYS) / 2, 0, 0) * Rot(0, 90, 0) * Cylinder(run, way)
    return Pos(0, 0, -run) * one + Pos(0, 0, _axle_at() - PULLEY - run) * one


def near_cheek() -> Part:
    """The cheek away from the chutes: a hole for the pusher, notches for the barrier."""
    cheek = _cheek(STOP + RUBBER + 5)
    cheek -= Pos(0, -side(), 11) * Box(23, 4 * CHEEK, 17)
    return cheek - Pos(BEAM_AT, -side(), 30) * Box(14, 4 * CHEEK, 13) - Pos(BEAM_AT, -side(), -9) * Box(14, 4 * CHEEK, 8)


def far_cheek() -> Part:
    """The cheek towards the chutes: open where a tile leaves, with posts that carry the flap."""
    cheek = mirror(_cheek(OPENING + 6), about=Plane.XZ)
    return cheek - Pos(0, side(), 20 - 0.6) * Box(2 * OPENING, 4 * CHEEK, 40) - _hinge(2 * OPENING + 8, 0.75)


def stop() -> Part:
    """What the rubber is glued to, screwed to the near cheek; short enough for the shortest set."""
    ends = least("tile.length") / 2 - 3.0
    return Pos(STOP + RUBBER + 2.5, (ends - side()) / 2, 11) * Box(5, ends + side(), 18)


def pusher() -> Part:
    """The head that meets the tile's end, and its rod into the solenoid."""
    return Pos(0, -side() - 2, 11) * Box(18, 3, 13) + Pos(0, -(38 + side() + 3) / 2, 11) * Box(8, 35 - side(), 13)


def arm() -> Part:
    """A bracket behind the solenoid that reaches over the window."""
    stands = Pos(0, -105, (SENSORS + 6 + BASE) / 2) * Box(44, 8, SENSORS + 6 - BASE)
    reach = Pos(0, -47, SENSORS + 3) * Box(44, 124, 6)
    for x, y in SENSED.values():
        reach -= Pos(x, y, SENSORS) * Cylinder(4, 20)
    return stands + reach


def saddle() -> Part:
    """What the solenoid stands on."""
    high = -2 - BASE
    return Pos(0, -63, BASE + high / 2) * Box(26, 50, high)


def flap() -> Part:
    """A sheet that hangs before the opening; a tile lifts it."""
    wide = 2 * OPENING - 1.4
    return Pos(0, side() + 0.5, (HINGE + 2) / 2) * Box(wide, 1.0, HINGE - 2) + _hinge(wide, 1.75) - _hinge(wide, 0.75)


def fork() -> Part:
    """The barrier: one arm above, one below the belts."""
    opening, outer = nominal("window.fork"), side() + CHEEK
    low, top = -5.5, nominal("window.fork") - 5.5
    body = Pos(BEAM_AT, -outer - 20, (top + 6 + BASE) / 2) * Box(12, 16, top + 6 - BASE)
    for height in (low - 3, low + opening + 3):
        body += Pos(BEAM_AT, -(6 + outer) / 2, height) * Box(12, outer + 18, 6)
    return body


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: the picture, the light, and room for a tile."""
    yield from light().wrong()
    from_lens = nominal("window.camera_below") + BASE + PANE
    to_lamps = nominal("window.lamp_below") + BASE + PANE
    mirrored = (nominal("gate.lamp_across") - FACE / 2) * from_lens / (from_lens + to_lamps)
    if mirrored < picture_mm(from_lens, "wide", most("window.tilt_deg")) / 2 * 0.5:
        yield f"the pane mirrors a lamp {mirrored:.0f} mm from its middle"
    hidden = nominal("window.belt_in") + nominal("window.belt") / 2
    if hidden > nominal("tile.margin"):
        yield f"the belts hide a face up to {hidden:.1f} mm from its ends, {nominal('tile.margin')} mm are without engraving"
    yield from too_far("the sensors", SENSORS)
    if nominal("window.fork") < most("tile.thickness") + most("tile.spread") + 7.0:
        yield "the thickest tile does not pass the barrier"


def too_far(sensors: str, height: float) -> Iterator[str]:
    """Where sensors at this height are beyond what they see of a thin or a thick tile."""
    for thick in (least("tile.thickness"), most("tile.thickness")):
        if not least("barrier.distance") <= height - thick <= most("barrier.distance"):
            yield f"{sensors} are {height - thick:.0f} mm above a tile"


def _axle_at() -> float:
    return -nominal("window.belt") - PULLEY


def _between() -> float:
    """What the belts leave of the longest tile's length."""
    return most("tile.length") - 2 * nominal("window.belt_in") - nominal("window.belt")


def _hinge(long: float, radius: float) -> Part:
    return Pos(0, side() + 2, HINGE) * Rot(0, 90, 0) * Cylinder(radius, long)


def _cheek(ends: float) -> Part:
    """The near one: feet with slots, in which it is set to the set's length, a rail for the belt, and the side from the lead on."""
    begins, (first, last) = STOP - nominal("window.lead"), PULLEYS
    outline = [
        (first - 10, BASE),
        (first + 2, BASE),
        (first + 2, -18),
        (first + 8, -18),
        (first + 8, -RAIL),
        (last - 8, -RAIL),
        (last - 8, -16),
        (last + 10, -16),
    ]
    outline += [(last + 14, BASE), (last + 30, BASE), (last + 30, -0.6), (ends, -0.6), (ends, nominal("window.wall"))]
    outline += [(begins, nominal("window.wall")), (begins, -0.6), (first - 10, -0.6)]
    cheek = extrude(Plane.XZ.offset(side()) * make_face(Polyline(*outline, close=True)), CHEEK)
    run = nominal("window.belt")
    inner = side() - 2.6
    bed = Polyline((side(), -run), (inner, -run), (inner, -run - 0.3), (side(), -RAIL), close=True)
    cheek += Pos((first + last) / 2, 0, 0) * Rot(0, 0, 180) * extrude(Plane.YZ * make_face(bed), (last - first - 24) / 2, both=True)
    for x in (first - 4, last + 22):
        cheek += Pos(x, -side() + 5, BASE + 2) * Box(12, 10, 4) - Pos(x, -side() + 5, BASE + 2) * Box(3.4, 8, 4)
    for x in PULLEYS:
        cheek -= Pos(x, 0, _axle_at()) * Rot(90, 0, 0) * Cylinder(AXLE, 200)
    return cheek
