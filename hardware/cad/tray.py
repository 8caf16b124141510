"""Solids of one tray of stage E, in mm: x leads from the mouth along the columns, y to the player, z up from the floor.

A floor as smooth as the physics model's, and guides at the tiles' ends with a slot at each column for the gripper's fingers. Floor and
guides are for one length of tiles, here the longest. The floor is in pieces between the ribs of ``lift`` and opens downwards; of a
wall's columns the guide away from the player is ``lift``'s pusher. Below each piece, and fixed to it, are a lever switch for each column
and the springs that hold it up, so that they rise and open with it; at the guide towards the player an eye looks at each upper tile.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil, cos, radians, sin

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face, mirror

from firmware_bridge.messages import Capabilities
from hardware.dimensions import largest_tile, most, nominal
from hardware.physics.sensors import BEHIND_MM, BESIDE_MM

PITCH = nominal("tray.pitch")
COLUMNS, WALL = (Capabilities().column_of(places - 1) + 1 for places in (Capabilities().tray_places, Capabilities().wall_places))
PLATE, BED, ROOM = 5.0, -12.0, nominal("tray.play") / 2 - nominal("pusher.edge")
"""Thickness of floor and bed, the bed's upper face, and the room between floor and guides."""
JOINTS, RIB = (2.5, 9.5, 15.5, 22.5), 4.0
"""Where the lift's ribs are, in places from the mouth, and half of what they take up."""
CAMS = (2, 6, 12, 19, 23, 26)
"""Columns at which a cam opens the floor: one for each of its pieces."""
HINGE = (-14.0, -2.0)
"""What the floor turns about: y, z."""
SHAFT, THROW, CAM = (-25.8, -10.5), 4.2, 9.4
"""Of the cams that open it: their shaft, how far a disc is off it, and a disc's radius."""
SWITCH, SWITCHED, SLOT = (19.8, 6.4, 10.2), 10.3, (7.3, 18.0)
"""Body of a lever switch; middle of those below a floor, and middle and length of the slots for their levers, from the tiles' middle."""
EYE, EYES = (10.2, 7.0, 5.8), range(Capabilities().hand_places + 1, WALL)
"""An eye along x, y and z, and the places of the pairs, whose upper tiles have one."""
COIL, WIRE, LEG = 1.9, nominal("floor.spring_wire"), HINGE[0] - 2.8
"""Radius of a floor's spring on its rod, its wire, and where its end goes into the rib."""
CONTACT = (781.0, 2.0, 6.0)
"""Of the disc that two switches feel while the floor is shut: x, how far off its shaft it is, and its radius."""
_BED_Y = (-70.0, 48.0)
Point = tuple[float, float]


def depth() -> float:
    """Between the guides."""
    return most("tile.length") + nominal("tray.play")


def span() -> tuple[float, float]:
    """Where the tray begins beyond mouth and return lane, and where it ends."""
    return -1.5 * PITCH, (COLUMNS + 0.5) * PITCH


def edges() -> tuple[float, ...]:
    """Where the pieces of the floor begin and end, in places: those of a wall, then that of the spare places."""
    return 0.5, *JOINTS, WALL + 0.5, COLUMNS + 0.5


def parts() -> dict[str, Part]:
    """Every part that stands still where it belongs, by name, and the floor of the spare places."""
    found = {"bed": bed(), "spare back": spare_back(), "camshaft": camshaft()}
    for number, (begin, end) in enumerate(pairwise((0.52, *JOINTS, COLUMNS + 0.5)), start=1):
        found[f"far guide {number}"] = mirror(guide(begin, end, 4.5), about=Plane.XZ) - eyes(0.1)
    found["eyes"] = eyes()
    for number, (begin, end) in enumerate(((WALL + 0.52, CAMS[-1]), (CAMS[-1], COLUMNS + 0.5)), start=1):
        found[f"spare guide {number}"] = guide(begin, end, low=1.0, base=4.0)
    begin, end = ((each + 0.5) * PITCH for each in (WALL, COLUMNS))
    for name, x in (("left ear", begin + 2.5), ("right ear", end - 2.5)):
        found[name] = Pos(x, -28.25, (BED - 0.6) / 2) * Box(3, 33.5, -BED - 0.6) - camshaft() - hinge(begin, end)
        found[name] -= Pos(x, LEG, HINGE[1]) * Rot(0, 90, 0) * Cylinder(WIRE, 4)
    found |= {"floor 6": floor(WALL + 0.5, COLUMNS + 0.5), "hinge 6": hinge(begin + 1, end - 1)}
    found |= {"switches 6": switches(WALL + 0.5, COLUMNS + 0.5), "shutting springs 6": springs(WALL + 0.5, COLUMNS + 0.5)}
    for number, place in enumerate((4.5, 12.5, 20.5), start=1):
        found[f"bearing {number}"] = Pos(place * PITCH, -34, -9.5) * Box(6, 26, 5) - camshaft()
    found["floor bracket"] = Pos(end + 2, -30, -15.5) * Box(4, 36, 33) - camshaft()
    low = SHAFT[1] - CONTACT[1] - CONTACT[2]
    pressed = Pos(end - SWITCH[0] / 2, 0, low - 0.9 - SWITCH[2] / 2) * Box(*SWITCH) + Pos(end - 9, 0, low - 0.5) * Box(14, 3, 0.8)
    found["floor switches"] = Part() + [Pos(0, SHAFT[0] + side * 3.4, 0) * pressed for side in (-1, 1)]
    return found | {"floor motor": Pos(end + 24, *SHAFT) * Rot(0, 90, 0) * Cylinder(12.5, 40) - camshaft()}


def floor(begin: float, end: float) -> Part:
    """A piece of the floor, cut: a slot at each column for a switch's lever, notches for springs, and a tail that a cam lifts."""
    left, right = begin * PITCH + RIB + 0.3, end * PITCH - RIB - 0.3
    plate = Pos((left + right) / 2, 0, -PLATE / 2) * Box(right - left, depth() - 2 * ROOM, PLATE)
    columns = range(round(begin + 0.5), round(end + 0.5))
    plate -= [Pos(column * PITCH, SLOT[0], -PLATE / 2) * Box(4, SLOT[1], PLATE) for column in columns]
    plate -= [Pos(x + inwards * (RIB + 4), -15.1, -PLATE / 2) * Box(7.4, 10.6, PLATE) for x, inwards in sprung(begin, end)]
    plate -= springs(begin, end, 0.1)
    plate += [Pos(column * PITCH, -21.9, -PLATE / 2) * Box(8, 8.2, PLATE) for column in columns if column in CAMS]
    return plate - hinge(left - 1, right + 1)


def switches(begin: float, end: float) -> Part:
    """Below a piece of floor, a switch for each column, its lever pressed by a tile: so far in front that it clears the cams."""
    found = Part()
    lever = Plane.YZ * make_face(Polyline((5.6, -PLATE), (5.6, 0.8 - PLATE), (-10, -0.1), (-10, -0.9), close=True))
    for column in range(round(begin + 0.5), round(end + 0.5)):
        body = Pos(0, 0, -PLATE - SWITCH[2] / 2) * Box(SWITCH[1], SWITCH[0], SWITCH[2])
        found += [Pos(column * PITCH, SWITCHED, 0) * part for part in (body, extrude(lever, 1.5, both=True))]
    return found


def eyes(more: float = 0.0) -> Part:
    """What looks through the far guide's slots at the upper tiles, let into its outer face as far as the open fingers allow."""
    y = depth() / 2 + BEHIND_MM + EYE[1] / 2
    return Part() + [Pos(place * PITCH, y, BESIDE_MM) * Box(EYE[0] + 2 * more, EYE[1], EYE[2] + 2 * more) for place in EYES]


def sprung(begin: float, end: float) -> list[tuple[float, int]]:
    """At which ends of a piece of floor a spring is, and the way from there onto it: where something stands that holds its end."""
    held = (*JOINTS, WALL + 0.5, COLUMNS + 0.5) if begin > WALL else JOINTS
    return [(place * PITCH, inwards) for place, inwards in ((begin, 1), (end, -1)) if place in held]


def springs(begin: float, end: float, more: float = 0.0) -> Part:
    """The springs that hold a piece of floor up: on its rod, one end in the rib or ear, the other in the plate; or holes for them."""
    return Part() + [Pos(x, *HINGE) * spring(inwards, more) for x, inwards in sprung(begin, end)]


def spring(inwards: int, more: float = 0.0, reach: float = 2.8, deg: float = 0.0) -> Part:
    """One of them beside what holds its end, so far from the rod and turned so far about it; or holes for it."""
    found = Cylinder(COIL, 6) - Cylinder(1.0, 6) if not more else Part()
    for off, out, turned in ((-reach, -4.2, deg), (2.8, 4.2, 0.0)):
        end = Pos(off, 0, out) * Cylinder(WIRE / 2 + more, 3.8)
        end += Pos((off + COIL * (1 if off > 0 else -1)) / 2, 0, 2.6 if out > 0 else -2.6) * Box(abs(off) - COIL + 0.8, WIRE, WIRE)
        found += Rot(0, 0, turned) * end
    return Pos(inwards * (RIB + 3.7), 0, 0) * Rot(0, 90 * inwards, 0) * Rot(0, 0, 90) * found


def hinge(left: float, right: float) -> Part:
    """A rod that a piece of the floor turns about."""
    return Pos((left + right) / 2, *HINGE) * Rot(0, 90, 0) * Cylinder(1.0, right - left)


def camshaft() -> Part:
    """One disc below the tail of each piece, all at their lowest."""
    y, z = SHAFT
    last = (COLUMNS + 0.5) * PITCH + 40
    shaft = Pos((18 + last) / 2, y, z) * Rot(0, 90, 0) * Cylinder(2.0, last - 18)
    shaft += Pos(CONTACT[0], y, z - CONTACT[1]) * Rot(0, 90, 0) * Cylinder(CONTACT[2], 4)
    return shaft + [Pos(column * PITCH, y, z - THROW) * Rot(0, 90, 0) * Cylinder(CAM, 4) for column in CAMS]


def bed() -> Part:
    """A plate, cut, that carries guides and bearings: open below the floor, and in front where the lift passes."""
    (low, high), (back, front) = span(), _BED_Y
    plate = Pos((low + high) / 2, (back + front) / 2, BED - PLATE / 2) * Box(high - low, front - back, PLATE)
    begin, inner = PITCH / 2 - 0.2, depth() / 2
    for x0, x1, y0, y1 in ((begin, high - 1, -40.0, inner), (55, 665, inner + 6.2, front), (716, 762, 34, 45)):
        plate -= Pos((x0 + x1) / 2, (y0 + y1) / 2, BED - PLATE / 2) * Box(x1 - x0, y1 - y0, PLATE)
    return plate


def guide(begin: float, end: float, short: float = 0.0, low: float = BED, base: float = 0.0) -> Part:
    """A guide at negative y between two places, shorter at joints; its slots begin at ``base``, at its own ends at its foot."""
    height, flare, thick, inner = nominal("tray.guide_height"), nominal("tray.flare"), nominal("tray.guide"), -depth() / 2
    outline = [(inner, low), (inner, height - flare), (inner - flare, height), (inner - thick, height), (inner - thick, low)]
    left, right = (each * PITCH + (sign * short if each in JOINTS else 0) for each, sign in ((begin, 1), (end, -1)))
    piece = Pos(left, 0, 0) * extrude(Plane.YZ * make_face(Polyline(*outline, close=True)), right - left)
    for place in range(ceil(begin), int(end) + 1):
        foot = low if place in (begin, end) else base
        piece -= Pos(place * PITCH, inner, (foot + height) / 2) * Box(nominal("tray.slot"), 4 * thick, height - foot)
    return piece


def angle(left: float, right: float) -> Part:
    """What carries guides that stand on no bed, cut away where a cam turns: an angle behind them, its foot above the floor."""
    inner = -depth() / 2 - nominal("tray.guide")
    bar = Pos((left + right) / 2, inner - 1.5, 16) * Box(right - left, 3, 30)
    bar += Pos((left + right) / 2, inner - 4.5, 2.25) * Box(right - left, 9, 2.5)
    return bar - [Pos(column * PITCH, inner - 5, 3) * Box(10, 12, 6) for column in CAMS]


def spare_back() -> Part:
    """The angle behind the spare places, on two feet."""
    left, right = (WALL + 0.5) * PITCH + 1, (COLUMNS + 0.5) * PITCH - 1
    feet = [Pos(x, -41, (BED + 3.5) / 2) * Box(8, 11, 3.5 - BED) for x in (left + 8, right - 12)]
    return angle(left, right) + feet


def opened_deg() -> float:
    """How far a piece of the floor opens."""
    return opens_deg(SHAFT, HINGE, PLATE + HINGE[1])


def opens_deg(shaft: Point, hinge_at: Point, under: float) -> float:
    """How far a floor opens whose underside is so far below its hinge: until the tail touches the disc that is turned up."""
    off, up = hinge_at[0] - shaft[0], shaft[1] + THROW - hinge_at[1]
    return next((deg / 10 for deg in range(901) if off * sin(radians(deg / 10)) - up * cos(radians(deg / 10)) >= CAM + under), 0.0)


def turned_down(part: Part, deg: float, hinge_at: Point = HINGE) -> Part:
    """A floor, opened so far."""
    return Pos(0, *hinge_at) * Rot(-deg, 0, 0) * Pos(0, -hinge_at[0], -hinge_at[1]) * part


def full(without: int, columns: int = COLUMNS) -> Part:
    """The tallest tiles, two in every column but one."""
    wide, long, high = largest_tile()
    return Part() + [Pos((column + 1) * PITCH, 0, high) * Box(wide, long, 2 * high) for column in range(columns) if column != without]
