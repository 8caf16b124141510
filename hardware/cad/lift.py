"""Solids of one tray's lift of stage E, down, in mm and in the axes of ``tray``: ribs that carry a wall's floor, and the pusher on them.

In front of the tray a crossbar with four ribs runs on two rails. From each post of the pusher a cord leads through its rib, over two
pulleys and up: it first lifts the whole, which the springs behind the pusher allow, and when that has met its stops pulls the pusher
over the edge. ``drive`` pulls the cords of four lifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import cos, pi, radians, sin

from build123d import Box, Cylinder, Part, Pos, Rot

from firmware_bridge.messages import Capabilities
from hardware.cad import tray
from hardware.cad.stage import GRAMS_PER_MM3, common_mm3
from hardware.cad.tray import HINGE, JOINTS, PITCH, WALL
from hardware.dimensions import largest_tile, least, most, nominal

HIGH = nominal("lift.height")
ALUMINIUM, STEEL, SWITCHES = 0.0027, 0.00785, 0.0016
"""Grams of a cubic millimetre."""
RAILS = (173.0, 547.0)
FRONT, RAIL, BLOCK = 48.0, (9.0, 6.5), (20.0, 8.0, 40.0)
"""Rear face of the front plate; sections of rail and block."""
PINS, PIN_Z = (-33.6, -28.0), -5.5
"""Of the pusher, in the ribs' slots."""
_RIB = ((-36, -12, -8, 0), (-12, 20.2, -11.5, 0), (20.2, 33, -11.5, -7), (28.2, 33, -60, -7), (33, 40.4, -60, -51))
"""What a rib is made of: y and z from and to."""
CORD, CORD_Y = 0.5, 39.9
"""Half of its thickness, and the plane that it rises in."""


def stroke() -> float:
    """The pusher's way, as the physics model pushes."""
    return most("tile.length") / 2 + nominal("pusher.gap") + 3.0 + tray.depth() / 2


@cache
def parts() -> dict[str, Part]:
    """Every part where it belongs, by name: the floor's pieces of a wall among them."""
    found = {"pusher": pusher(), "crossbar": beam(), "front plate": front_plate()}
    for number, (begin, end) in enumerate(pairwise(tray.edges()[:-1]), start=1):
        found[f"floor {number}"] = tray.floor(begin, end)
        inner = [each * PITCH + sign * (1.6 if each in JOINTS else 5.0) for each, sign in ((begin, 1), (end, -1))]
        found[f"hinge {number}"] = tray.hinge(*inner)
        found |= {f"switches {number}": tray.switches(begin, end), f"shutting springs {number}": tray.springs(begin, end)}
    for number, (begin, end) in enumerate(pairwise((0.52, *tray.CAMS[:-1], WALL + 0.48)), start=1):
        found[f"bar {number}"] = tray.guide(begin, end, low=1.0, base=4.0)
    for number, place in enumerate(JOINTS, start=1):
        x = place * PITCH
        found[f"rib {number}"] = Pos(x, 0, 0) * rib()
        found[f"spring {number}"] = Pos(x, -32, -12.2) * Rot(0, 90, 0) * Cylinder(4.2, 8)
        found[f"upper pulley {number}"] = Pos(x, 29.8, -11) * Rot(0, 90, 0) * Cylinder(3.0, 2.8)
        found[f"lower pulley {number}"] = Pos(x, 36.6, -56) * Rot(0, 90, 0) * Cylinder(2.8, 2.8)
        found[f"cord {number}"] = cord(number)
        top, side = turns(number)
        for name, at in (("top pulley", x + 5), ("side pulley", side)):
            stud = Pos(0, 3.5, 0) * Rot(90, 0, 0) * Cylinder(2, 9.2)
            found[f"{name} {number}"] = Pos(at, CORD_Y, top) * (Rot(90, 0, 0) * Cylinder(4.5, 2.4) + stud)
    for number, x in enumerate(RAILS, start=1):
        rail = Pos(x, FRONT - RAIL[1] / 2, (HIGH - 116) / 2) * Box(*RAIL, HIGH + 44)
        found[f"lift rail {number}"] = rail
        found[f"lift stop {number}"] = Pos(x, FRONT - 3.4, HIGH - 34.5) * Box(BLOCK[0], 6.8, 3)
        found[f"lift block {number}"] = Pos(x, FRONT - 2 - BLOCK[1] / 2, -56) * Box(*BLOCK) - rail
    return found


def turns(number: int) -> tuple[float, float]:
    """Height of the pulleys that a cord turns about on the front plate, and where the second is."""
    return HIGH - 34 - 2 * number, 764.0 - 12 * number


def rib() -> Part:
    """Two plates with a gap for the pusher's post, the cord and its pulleys: level with the floor, low where it passes the magazine's."""
    whole = Part() + [_block(each) for each in _RIB]
    gap = Pos(0, -8, -8) * Box(3, 73, 18) + Pos(0, 36, -32) * Box(3, 16, 60)
    slot_end = PINS[1] + stroke() + 1.1
    slot = Pos(0, (slot_end + PINS[0] - 1.1) / 2, PIN_Z) * Box(8, slot_end - PINS[0] + 1.1, 2.2)
    spacer = Pos(0, 30.2, -40) * Box(3, 4, 20)
    return whole - gap - slot - tray.hinge(-5, 5) - Pos(0, tray.LEG, HINGE[1]) * Rot(0, 90, 0) * Cylinder(0.5, 8) + spacer


def pusher() -> Part:
    """The angle behind the bars, and at each rib a post between its plates with two pins."""
    bar = tray.angle(26.3, (WALL + 0.5) * PITCH - 0.4)
    for place in JOINTS:
        bar += Pos(place * PITCH, (PINS[0] - 1 - 27) / 2, -3.5) * Box(2.6, -27 - PINS[0] + 1, 9)
        bar += [Pos(place * PITCH, y, PIN_Z) * Rot(0, 90, 0) * Cylinder(1.0, 8) for y in PINS]
    return bar


def beam() -> Part:
    """It joins ribs and blocks."""
    bar = Pos(360, 35.5, -44) * Box(600, 5, 12)
    return bar - [Pos(place * PITCH, 33.5, -44) * Box(3.2, 1.2, 12) for place in JOINTS]


def front_plate() -> Part:
    """A plate, cut, before the bed: it carries the rails and the pulleys, and keeps tiles of the magazine from the lift."""
    low, high = -85.0, HIGH - 35
    return Pos(380, FRONT + 1.5, (low + high) / 2) * Box(780, 3, high - low)


def cord(number: int) -> Part:
    """From the pusher's post through the rib, over its pulleys, up, along the front plate and down to the lift's lever."""
    x, (top, side) = JOINTS[number - 1] * PITCH, turns(number)
    runs = [((x, -27, -7.5), (x, 29.8, -7.5)), ((x, 33.3, -11), (x, 33.3, -56)), ((x, CORD_Y, -56), (x, CORD_Y, top))]
    runs += [((x + 5, CORD_Y, top + 5), (side, CORD_Y, top + 5)), ((side + 5, CORD_Y, top), (side + 5, CORD_Y, -30))]
    return Part() + [run(begin, end) for begin, end in runs]


def _block(side: tuple[float, float, float, float], up: float = 0.0) -> Part:
    """A part of a rib, or what it takes up on its way so far up."""
    back, ahead, low, high = side
    return Pos(0, (back + ahead) / 2, (low + high + up) / 2) * Box(2 * tray.RIB, ahead - back, high - low + up)


def run(begin: tuple[float, ...], end: tuple[float, ...]) -> Part:
    """A cord from one point to another, along an axis."""
    low, high = ([pick(a, b) for a, b in zip(begin, end, strict=True)] for pick in (min, max))
    middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    return Pos(*middle) * Box(*[b - a or 2 * CORD for a, b in zip(low, high, strict=True)])


def moving() -> dict[str, Part]:
    """What goes up, without cords."""
    still = ("front plate", "cord", "top pulley", "side pulley", "lift rail", "lift stop")
    return {name: part for name, part in parts().items() if not name.startswith(still)}


def raised(part: Part) -> Part:
    """What the box round a part takes up on its way from the tray to the magazine."""
    box = part.bounding_box()
    return Pos(box.center().X, box.center().Y, box.center().Z + HIGH / 2) * Box(box.size.X, box.size.Y, box.size.Z + HIGH)


def row(high: float = 0.0) -> Part:
    """A whole wall of the largest tiles, wherever their carriage may have stood, and what it takes up on its way so far up."""
    wide, long, thick = largest_tile()
    x = (WALL - 1) * PITCH + wide + 2 * (most("carriage.error") + most("carriage.belt"))
    return Pos((WALL + 1) * PITCH / 2, 0, thick + high / 2) * Box(x, long, 2 * thick + high)


def ways() -> dict[str, Part]:
    """What the wall and all that carries it take up on their way up, the pusher over the edge, and the floor when it opens."""
    whole = ("bar", "floor", "crossbar", "lift block")
    found = {f"the way up of {name}": raised(part) for name, part in moving().items() if name.startswith(whole)}
    found["the way up of the pusher"] = raised(tray.angle(26.3, (WALL + 0.5) * PITCH - 0.4))
    found |= {f"the way up of the rib at {at}": Pos(at * PITCH, 0, 0) * (Part() + [_block(each, HIGH) for each in _RIB]) for at in JOINTS}
    found["the wall's way up"] = row(HIGH)
    pushed, end = stroke() - tray.depth() / 2 + most("tile.length") / 2, Pos(0, 0, HIGH)
    found["the wall's way over the edge"] = end * (Pos(0, 0, 0.1) * row() + Pos(0, pushed, 0) * row())
    box = (Part() + [part for name, part in moving().items() if name.startswith("bar ")]).bounding_box()
    over = Box(box.size.X, box.size.Y + stroke(), 30)
    found["the pusher's way"] = end * Pos(box.center().X, box.center().Y + stroke() / 2, 16) * over
    for deg in (20.0, 40.0, tray.opened_deg()):
        for number, (begin, end) in enumerate(pairwise(tray.edges()), start=1):
            opens = tray.floor(begin, end) + tray.switches(begin, end)
            found[f"the way of floor {number} at {deg:.0f}°"] = tray.turned_down(opens, deg)
    return found


@cache
def empty_g() -> float:
    """Mass of what goes up, without tiles."""
    grams = {"pusher": ALUMINIUM, "crossbar": ALUMINIUM, "floor": ALUMINIUM, "rib": ALUMINIUM, "bar": GRAMS_PER_MM3, "switches": SWITCHES}
    return float(sum(part.volume * grams.get(name.split()[0], STEEL) for name, part in moving().items()))


def lifted_g() -> float:
    """And with the heaviest tiles of a wall."""
    return empty_g() + Capabilities().wall_places * tile_g()


def tile_g() -> float:
    """The heaviest tile of a set."""
    wide, long, thick = largest_tile()
    return wide * long * thick * most("tile.density_kg_per_m3") * 1e-6


def pull_n() -> float:
    """The most that a lift pulls at its cords while it rises, harmonically: with the spring that balances a part of it, and the blind."""
    rise_s = nominal("lift.rise_s")
    return 2 * most("draw_gate.wind_n") + lifted_g() / 1000 * (9.81 + HIGH / 2000 * (pi / rise_s) ** 2) - nominal("lift.balance_n")


def motor_w() -> float:
    """What four lifts need at most: the pull of a wall at the middle of its way, or all springs while the pushers are fastest."""
    rise = (2 * most("draw_gate.wind_n") + lifted_g() * 0.00981 - nominal("lift.balance_n")) * HIGH / 2000 * pi / nominal("lift.rise_s")
    push = 4 * most("lift.spring_n") * stroke() / 2000 * pi / nominal("pusher.seconds")
    return 4 * max(rise, push)


def unsprung(name: str, plate: Part, hinge_y: float, load: tuple[int, float], held: int) -> Iterator[str]:
    """Whether so many springs do not hold a floor up under so many of the heaviest tiles, whose middle is at this y."""
    tiles, y = load
    turns_nm = (plate.volume * ALUMINIUM * (plate.bounding_box().center().Y - hinge_y) + tiles * tile_g() * (y - hinge_y)) * 9.81e-6
    if held * least("floor.spring_nm") < 1.3 * turns_nm:
        yield f"{name} turns down with {turns_nm:.3f} Nm, its springs hold it with {held * least('floor.spring_nm'):.3f} Nm"


def throat() -> float:
    """Between the open floor and the guide before it: what a tile falls through."""
    deg, (y, z) = radians(tray.opened_deg()), HINGE
    return (tray.depth() / 2 - y) * sin(deg) + (tray.BED - z) * cos(deg) + z


def falls_s() -> float:
    """How long the floor is open further than tiles need to slide off, in a turn of its cam."""
    deep = [sin(radians(step)) for step in range(180)]
    wide = nominal("floor.falls_deg") / tray.opened_deg()
    return nominal("floor.turn_s") * 2 * sum(each**2 > wide for each in deep) / 360


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: the ends of the ways, forces, times."""
    parts_, end = moving(), stroke()
    there = [Pos(0, end, 0) * part for name, part in parts_.items() if name.startswith(("bar ", "pusher"))]
    for name, part in parts_.items():
        if not name.startswith(("bar ", "pusher")) and sum(common_mm3(part, each) for each in there) > 1.0:
            yield f"the pusher at the end of its way runs into {name}"
    if abs(nominal("pusher.height") - nominal("tray.guide_height") + nominal("tray.flare")) > 0.01:
        yield "the pusher is not as high as the physics model's"
    if nominal("pusher.height") < most("tile.thickness") + most("tile.spread") + 5.0:
        yield "the pusher does not meet the upper tiles of a wall"
    if 4 * least("lift.spring_n") < pull_n():
        yield f"a lift pulls with {pull_n():.0f} N, the springs hold the pusher with {4 * least('lift.spring_n'):.0f} N: it moves too early"
    if nominal("lift.balance_n") > empty_g() * 0.00981 - 2.0:
        yield "an empty lift does not come down by its weight"
    if motor_w() > nominal("lift.motor_w") * nominal("lift.yield_share"):
        yield f"four lifts need {motor_w():.0f} W of a motor of {nominal('lift.motor_w'):.0f} W"
    turn_s = nominal("lift.rise_s") + nominal("pusher.seconds") + nominal("lift.back_s") + nominal("lift.lower_s")
    if turn_s > nominal("lift.turn_s"):
        yield f"the lift needs {turn_s:.2f} s, the firmware waits {nominal('lift.turn_s'):.2f} s"
    for number, (begin, end) in enumerate(pairwise(tray.edges()), start=1):
        tiles = sum(2 if place in tray.EYES else 1 for place in range(round(begin + 0.5), round(end + 0.5)))
        yield from unsprung(f"floor {number}", tray.floor(begin, end), HINGE[0], (tiles, 0.0), len(tray.sprung(begin, end)))
    if (stress := 32000 * most("floor.spring_nm") / (pi * tray.WIRE**3)) > nominal("floor.spring_mpa"):
        yield f"a floor's spring bends with {stress:.0f} MPa"
    if throat() < most("tile.thickness") + most("tile.spread") + 1.0:
        yield f"an open floor leaves a tile {throat():.1f} mm"
    if falls_s() < nominal("floor.falls_s"):
        yield f"a floor is open for {falls_s():.2f} s, tiles need {nominal('floor.falls_s'):.2f} s"
