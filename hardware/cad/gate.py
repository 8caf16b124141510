"""Solids of the reading gate for people who build walls, in mm: the origin is on the floor below the tile's middle, x to the right and
y away from the person who lays the tile in, z up.

A hood over a base carries camera and two lamps; it is open towards the person, and hides the tile's face from all others. The frame
that holds the tile is another one for each length of tiles. Screws, wires and the strips' LEDs are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import acos, atan2, cos, degrees, radians, sin, sqrt, tan

from build123d import Box, Cylinder, Location, Part, Plane, Polyline, Pos, Rot, chamfer, extrude, make_face

from hardware.cad.camera import camera, edge_deg, mount, outside, picture_mm, sight, with_standoffs
from hardware.cad.stage import Point, Stage, print_list
from hardware.dimensions import least, most, nominal

WALL, TOP, BASE = 2.4, 4.0, 6.0
RIM = (5.0, 8.0)
"""What the hood is screwed to, inside it: thickness and height."""
FRAME, SUNK, EDGE = (58.0, 72.0), 3.0, 5.0
"""Outline of a frame, how deep it sits in the base, and how high its edges are: a finger and a thumb take the tile above them."""
LAMP, FACE = 75.0, 14.0
"""Length of a lamp, three pieces of 25 mm of a strip for 12 V; width of its diffuser."""
LIP, SHEET, GAP, STRIP = 0.8, 1.2, 6.2, (10.0, 2.0)
"""Of a lamp from its face inwards: lips that hold the diffuser, the diffuser, the way to the strip, the strip."""
PILOT, THROUGH = 1.25, 1.7
"""Radius of a hole that an M3 screw cuts its thread into, and of one that it passes."""
SCREW_Y = 25.0


def stage() -> Stage:
    """The gate with all that is checked."""
    longest = most("tile.length")
    return Stage(
        "reading-gate",
        parts(),
        first=("base",),
        around={"tile": tile(longest)},
        seen="the tile",
        sight=sight(*_room(longest), most("tile.thickness"), nominal("gate.camera_height")),
        look=((270.0, -900.0, 110.0), (0.0, 0.0, 70.0)),
        scale=1.0,
        printed=printed(),
        wrong=tuple(wrong()),
    )


def summary() -> str:
    """Size and greatest mass of what is printed, and how near to their limits light and picture come."""
    edge = edge_deg(_room(most("tile.length"))[1] / 2, _distance(), "gate")
    light = f"glare {glare_deg():.0f}° off, light {uneven():.2f} uneven"
    return f"{print_list(printed())}; the tile's edge is at most {edge:.1f}° from the middle, {light}"


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name."""
    found = {"base": base(), "frame": Pos(0, 0, -SUNK) * frame(most("tile.length")), "hood": hood()}
    found["camera"] = camera(nominal("gate.camera_height"))
    for side, place in _lamps().items():
        depth = LIP + SHEET + GAP + STRIP[1] / 2
        found |= {f"lamp {side}": place * lamp(), f"diffuser {side}": place * Pos(0, LIP + SHEET / 2, 0) * Box(FACE, SHEET, LAMP)}
        found[f"strip {side}"] = place * Pos(0, depth, 0) * Box(*STRIP, LAMP)
    return found


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed: lamp and diffuser twice, of the frames the one for the set."""
    lengths = range(round(least("tile.length")), round(most("tile.length")) + 1)
    found = {"base": base(), "hood": Rot(180, 0, 0) * hood(), "lamp": lamp(), "diffuser": Box(FACE, LAMP, SHEET)}
    return found | {f"frame {length}": frame(length) for length in lengths}


def tile(length: float) -> Part:
    """The thickest tile of a set, on the frame's floor."""
    thick = most("tile.thickness")
    return Pos(0, 0, thick / 2) * Box(nominal("tile.width"), length, thick)


def base() -> Part:
    """The floor, with a seat for the frame and a rim for the hood's screws."""
    wide, deep = nominal("gate.wide"), nominal("gate.deep")
    snug, (thick, high) = nominal("gate.snug"), RIM
    plate = Pos(0, WALL / 2, -BASE / 2) * Box(wide + 2 * WALL, deep + WALL, BASE)
    plate -= Pos(0, 0, -SUNK / 2) * Box(FRAME[0] + snug, FRAME[1] + snug, SUNK)
    for side in (-1, 1):
        plate += Pos(side * (wide - snug - thick) / 2, 0, high / 2) * Box(thick, deep - 2 * snug, high)
        plate -= _bores(side * wide / 2, high / 2, PILOT, 2 * thick)
    return plate


def frame(length: float) -> Part:
    """An edge around a tile of this length; its floor is 0 where ``SUNK`` is above the bed."""
    high, play = SUNK + EDGE, nominal("gate.play")
    block = Pos(0, 0, high / 2) * Box(*FRAME, high)
    block -= Pos(0, 0, SUNK + EDGE / 2) * Box(nominal("tile.width") + play, length + play, EDGE)
    return chamfer(block.faces().sort_by()[-1].inner_wires()[0].edges(), 1.0)


def hood() -> Part:
    """Back, sides and top in one, with posts for the camera, and openings for its cable, the lamps' screws and wires."""
    wide, deep, low = nominal("gate.wide"), nominal("gate.deep"), mount(nominal("gate.camera_height"))
    shell = Pos(0, WALL / 2, (low + TOP) / 2) * Box(wide + 2 * WALL, deep + WALL, low + TOP)
    shell -= Pos(0, -WALL / 2, low / 2) * Box(wide, deep + WALL, low)
    shell = with_standoffs(shell, low, TOP) - Pos(0, (deep + WALL) / 2, low - 10) * Box(22, 2 * WALL, 4)
    for side in (-1, 1):
        for height in (RIM[1] / 2, _screws_at()):
            shell -= _bores(side * wide / 2, height, THROUGH, 3 * WALL)
        shell -= Pos(side * wide / 2, deep / 2 - 7, nominal("gate.lamp_height")) * Rot(0, 90, 0) * Cylinder(2.5, 3 * WALL)
    return shell


def lamp() -> Part:
    """A lamp's body standing on its end: its face is the origin's plane across x, y leads into it."""
    across, tilt = nominal("gate.wide") / 2 - nominal("gate.lamp_across"), radians(nominal("gate.lamp_down_deg"))
    half, deep = FACE / 2 + 1.0, LIP + SHEET + GAP + STRIP[1] + 1.8
    to_wall, along_wall = (sin(tilt), cos(tilt)), (-cos(tilt), sin(tilt))

    def at_wall(up: float) -> tuple[float, float]:
        """A point of the hood's wall, so far above the face's middle."""
        return across * to_wall[0] + up * along_wall[0], across * to_wall[1] + up * along_wall[1]

    outline = Polyline(
        (-half, 0), (half, 0), at_wall(-half * cos(tilt)), at_wall(_screws_at() - nominal("gate.lamp_height") + 9), (-half, deep)
    )
    body = extrude(make_face(Polyline(*outline.vertices(), close=True)), LAMP / 2, both=True)
    for width, begins, ends in ((FACE - 2, 0.0, LIP), (FACE, LIP, LIP + SHEET), (STRIP[0], LIP + SHEET, LIP + SHEET + GAP + STRIP[1])):
        body -= Pos(0, (begins + ends) / 2, 0) * Box(width, ends - begins, LAMP)
    for along in (-SCREW_Y, SCREW_Y):
        x, y = at_wall(_screws_at() - nominal("gate.lamp_height"))
        body -= Pos(x, y, along) * Rot(0, 0, degrees(atan2(to_wall[1], to_wall[0]))) * Rot(0, 90, 0) * Cylinder(PILOT, 14)
    return body


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: room for a tile, its place, picture and light."""
    spread, play, snug = most("tile.spread"), most("gate.play"), nominal("gate.snug")
    if least("gate.play") <= spread:
        yield f"a tile that is {spread} mm larger than its set does not go into its frame"
    off = (play + spread + snug) / 2
    if off > nominal("window.offset_limit"):
        yield f"a tile lies up to {off:.2f} mm off, the reader is tried with {nominal('window.offset_limit')} mm"
    askew = degrees(atan2(play + spread, least("tile.length") - spread) + atan2(snug, FRAME[1]))
    if askew > nominal("window.angle_limit_deg"):
        yield f"a tile lies up to {askew:.2f}° askew, the reader is tried with {nominal('window.angle_limit_deg')}°"
    wide, long = _room(most("tile.length"))
    yield from outside("the tile", (wide / 2, long / 2), _distance(), "gate")
    if _distance() < nominal("camera.nearest"):
        yield f"the face of the thickest tile is {_distance():.0f} mm from the lens, in focus from {nominal('camera.nearest'):.0f} mm on"
    if glare_deg() < nominal("gate.gloss_deg") + 2 * most("gate.lean_deg"):
        yield f"a lamp is {glare_deg():.1f}° from where a tile would mirror it"
    tilt, height = radians(nominal("gate.lamp_down_deg")), nominal("gate.lamp_height")
    if nominal("gate.lamp_across") * cos(tilt) > (nominal("gate.camera_height") - height) * sin(tilt):
        yield "the lamps shine into the lens"
    from_lens = nominal("gate.camera_height") - height - FACE / 2 * cos(tilt)
    if nominal("gate.lamp_across") - FACE / 2 < picture_mm(from_lens, "wide", most("gate.tilt_deg")) / 2 + most("gate.off"):
        yield "the lamps are in the picture"
    if uneven() > nominal("gate.uneven"):
        yield f"the light over a face is {uneven():.2f} uneven"
    above = mount(nominal("gate.camera_height")) - most("tile.thickness")
    mirrored = long / 2 + above * tan(atan2(long / 2, _distance()) + radians(2 * most("gate.lean_deg")))
    if mirrored > nominal("gate.deep") / 2:
        yield f"a tile mirrors the room before the hood: it shows what is {mirrored:.0f} mm away below its top"


def glare_deg() -> float:
    """How far a lamp is, seen from a tile's face, from where that would mirror it into the lens; the least of all points."""
    found = []
    for (x, y, z), lit in product((*_face(least("tile.thickness")), *_face(most("tile.thickness"))), _lit()):
        mirrored, to_lamp = (x, y, nominal("gate.camera_height") - z), (lit[0] - x, lit[1] - y, lit[2] - z)
        found.append(acos(sum(a * b for a, b in zip(mirrored, to_lamp, strict=True)) / (_long(mirrored) * _long(to_lamp))))
    return degrees(min(found))


def uneven() -> float:
    """The light over the face of a thickest tile, greatest less least by the mean, from diffusers that are as bright from all sides."""
    light = [sum(_light(point, lit) for lit in _lit()) for point in _face(most("tile.thickness"))]
    return (max(light) - min(light)) * len(light) / sum(light)


def _light(point: Point, lit: Point) -> float:
    """Of a point of a lamp at one of a face: by both angles, and by the square of the way."""
    tilt, inwards = radians(nominal("gate.lamp_down_deg")), -1 if lit[0] > 0 else 1
    x, y, down = (there - here for here, there in zip(lit, point, strict=True))
    return max(-down * sin(tilt) + x * inwards * cos(tilt), 0.0) * -down / _long((x, y, down)) ** 4


def _face(thick: float) -> Iterator[Point]:
    """Points of the face of a longest tile."""
    wide, long = _room(most("tile.length"))
    return product((-wide / 2, 0.0, wide / 2), (-long / 2, 0.0, long / 2), (thick,))


def _lit() -> Iterator[Point]:
    """Points of both lamps' faces, along their middles."""
    for side, step in product((-1, 1), range(-4, 5)):
        yield side * nominal("gate.lamp_across"), step * LAMP / 8, nominal("gate.lamp_height")


def _lamps() -> dict[str, Location]:
    """Where a lamp comes from its own axes to: its face down and inwards."""
    down, height = nominal("gate.lamp_down_deg"), nominal("gate.lamp_height")
    right = Plane((nominal("gate.lamp_across"), 0, height), x_dir=(sin(radians(down)), 0, -cos(radians(down))), z_dir=(0, -1, 0))
    return {"right": right.location, "left": Rot(0, 0, 180) * right.location}


def _room(length: float) -> tuple[float, float]:
    """Within what a tile of this length lies."""
    more = most("gate.play") + nominal("gate.snug")
    return nominal("tile.width") + more, length + more


def _distance() -> float:
    """From the lens to the face of the thickest tile."""
    return nominal("gate.camera_height") - most("tile.thickness")


def _screws_at() -> float:
    """Height of a lamp's screws."""
    return nominal("gate.lamp_height") + 16.0


def _bores(x: float, height: float, radius: float, long: float) -> Part:
    """Two holes along x."""
    bore = Pos(x, 0, height) * Rot(0, 90, 0) * Cylinder(radius, long)
    return Pos(0, -SCREW_Y, 0) * bore + Pos(0, SCREW_Y, 0) * bore


def _long(ray: Point) -> float:
    return sqrt(sum(part * part for part in ray))
