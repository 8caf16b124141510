"""Solids of one magazine of stage E in the table's top, in mm and in the axes of ``tray``: its floor, its ends, and the draw gate.

The floor turns down in one piece, by a cam at its end. Before the draws stands a blind in two storeys, the upper one half a column
ahead; it winds itself onto a drum and is held by an anchor in its holes, which lets it move on by half a column each time that the
bolt's coil draws and lets go. Before the blind stands a shutter, a plate with a bar between every two columns: a spring in its coil holds
it half a column further, its bars before the tiles' middles, and the coil pushes it back. The wall's way up winds the blind back: a slide
waits below the blind's groove, beyond the blind's way, and a cord leads from it to a pulley below the front plate, round one on the lift
and to its fixed end. So it goes twice as far as the lift and takes the blind's lug with it; the anchor's slanted pin lets the blind pass,
and a spring draws the slide back. Below the floor, as below the tray's, are the places' switches and the springs that hold it up. What sees
the upper tiles of pairs and a cover for the lift's opening are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from firmware_bridge.messages import Capabilities
from hardware.cad import lowering, tray
from hardware.cad.lift import FRONT, HIGH, raised, run, stroke, unsprung
from hardware.cad.shuttle import ROD_LONG, palm_at
from hardware.cad.stage import common_mm3
from hardware.cad.tray import PITCH, PLATE, SWITCH, WALL
from hardware.dimensions import most, nominal

TOP = HIGH - nominal("pusher.step_down")
"""Upper face of the magazine's floor and of the table."""
HINGE = (36.0, TOP - 2.5)
EARS = (1.5, 7.5, 14.5, 21.5)
"""Places at which the floor hangs on the front plate."""
CAM_X, SHAFT = 716.0, (24.5, TOP - 10.5)
"""Of the cam that opens it, which is one of ``tray``'s."""
HANDS = Capabilities().hand_places
LUG = ((HANDS + 0.5) * PITCH, (HANDS + 0.5) * PITCH + 10)
"""Where the blind has its lug while it bars all draws."""
OVER, LONG, WHEEL, LOW, LEG, ON_LIFT = 0.6, 14.0, 13.0, -102.0, 39.0, 3.0
"""How far the slide takes the lug beyond its place, so that the pin falls in, and its length; radius and middle of the pulley below the
front plate, where the cord rises to the lift, and the radius of the pulley there."""
RESTS = LUG[1] - OVER + 2 * HIGH
"""Left end of the slide while the lift is down."""
MOVED = ("slide", "slide cord", "lift pulley", "slide spring", "blind", "shutter", "shutter rod", "place switches", "ear springs")
BLIND, DRUM, HOLE, HOLES_Z = 2.0, 22.0, 2.2, TOP + 12
"""Thickness of the blind, radius and middle of its drum, radius and height of its holes."""
SHUTTER, BAR, SUNK, UP = 1.5, 1.0, 6.0, 4.0
"""Thickness of the shutter, width of its bars, how deep it stands in its groove, and how much higher it is than it is deep there."""
GUIDE = (6.0, 8.0, 2.2)
"""Width, height and groove of the channel that the shutter's upper edge runs in."""
HELD = (4.5, 51.0)
"""How far from the pin, and at which angle, an ear holds a spring's end."""
_UPRIGHT = Rot(90, 0, 0) * Pos(0, 0, -BLIND)
DRUM_X, ANCHOR = 790.0, (735.0, 748.4)
"""And where the anchor's two pins are: a hole stands before the second when the blind has moved by 13.4 mm."""


def begins() -> float:
    """Of the floor, beyond the gap from the tray's."""
    return tray.depth() / 2 - tray.ROOM + nominal("pusher.gap")


def ends() -> tuple[float, float]:
    """Of the rows along x, between the cheeks."""
    return PITCH / 2, (WALL + 0.5) * PITCH


def front() -> float:
    """Where the tiles' ends are, pushed in."""
    return stroke() - tray.depth() / 2 + most("tile.length")


def blind_at() -> float:
    """Rear face of the blind."""
    return front() + nominal("draw_gate.clearance")


def shutter_at() -> float:
    """Rear face of the shutter."""
    return blind_at() + BLIND + 0.6


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name; the blind bars all draws, and so does the shutter."""
    left, right = ends()
    found = {
        "table": table() - pin() - cam(),
        "magazine floor": floor(),
        "blind": Pos(0, blind_at(), 0) * Rot(90, 0, 0) * Pos(0, 0, -BLIND) * blind(),
    }
    for name, x in (("left cheek", left - 3.5), ("right cheek", right + 3.5)):
        found[name] = Pos(x, (front() - 24) / 2, TOP + 22) * Box(5, front() + 24, 44)
    for number, place in enumerate(EARS, start=1):
        found[f"ear {number}"] = Pos(place * PITCH, 0, 0) * ear() - pin() - ear_springs(0.1)
    found |= {"ear springs": ear_springs(), "place switches": place_switches(), "magazine switches": contacts()}
    found["magazine pin"] = pin()
    found["magazine cam"] = cam()
    found["magazine motor"] = Pos(CAM_X + 34, *SHAFT) * Rot(0, 90, 0) * Cylinder(10, 40) - cam()
    found["drum"] = Pos(DRUM_X, blind_at() + BLIND - DRUM, TOP + 25) * Cylinder(DRUM - BLIND, 50)
    found["anchor"] = Pos(sum(ANCHOR) / 2, blind_at() - 6, HOLES_Z) * Box(24, 4, 8)
    for x, long in zip(ANCHOR, (7, 4), strict=True):
        found["anchor"] += Pos(x, blind_at() - 4 + long / 2, HOLES_Z) * Rot(90, 0, 0) * Cylinder(1.9, long)
    found |= rewind()
    found["bolt coil"] = Pos(sum(ANCHOR) / 2, blind_at() - 23, TOP + 12) * Box(24, 30, 24)
    found["shutter"] = Pos(PITCH / 2, 0, 0) * open_shutter()
    end = Pos(ends()[1] + 10 + PITCH / 2, shutter_at() + SHUTTER / 2, TOP - nominal("table.top") - 10)
    found["shutter rod"] = end * Pos(4, 0, 0) * Rot(0, 90, 0) * Cylinder(2, 8)
    found["shutter coil"] = end * Pos(23, 0, 0) * Box(30, 18, 20)
    leg, y = ends()[1] + 4, shutter_at() + SHUTTER / 2
    found["shutter switch"] = Pos(leg - 1 - SWITCH[0] / 2, y, TOP - nominal("table.top") - SWITCH[2] / 2) * Box(*SWITCH)
    found["bolt switch"] = Pos(sum(ANCHOR) / 2, blind_at() - 8 + SWITCH[1] / 2, HOLES_Z + 4.5 + SWITCH[2] / 2) * Box(*SWITCH)
    return found | guide()


def middle() -> float:
    """Of the tiles along y, pushed in."""
    return front() - most("tile.length") / 2


def place_switches() -> Part:
    """Below the floor, one for each column."""
    return Pos(0, middle(), TOP) * tray.switches(0.5, WALL + 0.5)


def ear_springs(more: float = 0.0) -> Part:
    """One beside each ear, or holes for them."""
    return Part() + [Pos(place * PITCH, *HINGE) * tray.spring(1, more, *HELD) for place in EARS]


def contacts() -> Part:
    """The two switches that the cam presses while the floor is shut, below the table to either side of it."""
    found, z = Part(), TOP - nominal("table.top") - SWITCH[1] / 2
    for side in (-1, 1):
        y, lever = SHAFT[0] + side * 12.2, SHAFT[0] + side * 8.6
        found += Pos(CAM_X + 3 + SWITCH[0] / 2, y, z) * Box(SWITCH[0], SWITCH[2], SWITCH[1])
        found += Pos(CAM_X + 9, lever - side * 0.3, z) * Box(22, 0.6, 3)
    return found


def guide() -> dict[str, Part]:
    """The channel over the shutter's upper edge, above the blind, on a post before the first draw and one behind the shut shutter."""
    wide, high, groove = GUIDE
    y, low, posts = shutter_at() + SHUTTER / 2, TOP + 46 + SUNK - 1.6, ((HANDS + 0.5) * PITCH - 10, DRUM_X - 51)
    begin, end = posts[0] - 5, posts[1] + 5
    channel = Pos((begin + end) / 2, y, low + high / 2) * Box(end - begin, wide, high)
    channel -= Pos((begin + end) / 2, y, low + high / 2 - 1) * Box(end - begin, groove, high - 2)
    made = {
        name: Pos(x, y + 6, (TOP + low) / 2) * Box(12, 10, low - TOP) for name, x in zip(("left post", "right post"), posts, strict=True)
    }
    return {"shutter guide": channel, **made}


def rewind() -> dict[str, Part]:
    """What winds the blind back, the lift down."""
    x, y, turned = LUG[0] - 26, blind_at() + BLIND / 2, Rot(0, 90, 0)
    slide = Pos(RESTS + LONG / 2, y, TOP - 11) * Box(LONG, BLIND - 0.2, 4)
    found = {"slide": slide, "slide spring": Pos(RESTS + LONG + 5, y, TOP - 11.4) * Box(10, BLIND - 0.2, 4)}
    found["corner pulley"] = Pos(x + 4.5, y, TOP - 15.5) * Rot(90, 0, 0) * Cylinder(4.0, BLIND + 0.12)
    found["low pulley"] = Pos(x, LEG + WHEEL + 0.5, LOW) * turned * (Cylinder(WHEEL, 3) + Cylinder(2, 9))
    arms = Pos(x, FRONT + 4.5, (LOW - 85) / 2 + 6) * Box(13, 3, -85 - LOW + 20)
    for side in (-5.0, 5.0):
        arms += Pos(x + side, LEG + WHEEL + 0.5, LOW + 3) * Box(3, 10, 14)
    found["low bracket"] = arms - found["low pulley"] - Pos(x, LEG + WHEEL + 0.5, LOW) * turned * Cylinder(WHEEL + 1, 4)
    hook = Pos(x, LEG + ON_LIFT + 0.5, -40)
    found["lift pulley"] = hook * turned * Cylinder(ON_LIFT, 2) + hook * Pos(3, 0, 0) * turned * Cylinder(1.0, 6)
    found["lift pulley"] += Pos(x + 5, (38 + LEG + ON_LIFT + 2) / 2, -40) * Box(3, LEG + ON_LIFT + 2 - 38, 6)
    runs = [((x + 5, y, TOP - 11), (RESTS, y, TOP - 11)), ((x, y, TOP - 15), (x, y, LOW)), ((x, LEG, LOW), (x, LEG, -40))]
    runs.append(((x, LEG + 2 * ON_LIFT + 1, -40), (x, LEG + 2 * ON_LIFT + 1, -84)))
    return found | {"slide cord": Part() + [run(begin, end) for begin, end in runs]}


def floor() -> Part:
    """A plate, cut: a slot at each column for a switch's lever, notches for ears and springs, and a tail at its end that the cam lifts."""
    left, right = ends()
    back, ahead = begins(), blind_at() - 0.8
    plate = Pos((left + right) / 2, (back + ahead) / 2, TOP - PLATE / 2) * Box(right - left - 0.6, ahead - back, PLATE)
    plate += Pos(right + 6, HINGE[0] + 8, TOP - PLATE / 2) * Box(16, 12, PLATE) + Pos(CAM_X, 36, TOP - PLATE / 2) * Box(7, 28, PLATE)
    plate -= [Pos(column * PITCH, middle() + tray.SLOT[0], TOP - PLATE / 2) * Box(4, tray.SLOT[1], PLATE) for column in range(1, WALL + 1)]
    plate -= [Pos(place * PITCH + 8, HINGE[0], TOP - PLATE / 2) * Box(7.4, 8, PLATE) for place in EARS]
    plate -= ear_springs(0.1)
    plate -= [Pos(place * PITCH, HINGE[0], TOP - PLATE / 2) * Box(9, 8, PLATE) for place in EARS]
    return plate - pin()


def pin() -> Part:
    """What the floor turns about."""
    return Pos(367, *HINGE) * Rot(0, 90, 0) * Cylinder(1.0, 718)


def ear() -> Part:
    """From the front plate up behind the open floor."""
    outline = [(48, -48), (48, -36), (44.5, -29), (34.8, -9.5), (34.8, -5.4), (38.4, -5.4), (38.4, -0.6), (33.6, -0.6), (31.5, -9)]
    outline += [(31.5, -22), (38, -29.5), (42, -30.5), (43.5, -37)]
    profile = Plane.YZ * make_face(Polyline(*((y, TOP + z) for y, z in outline), close=True))
    return extrude(profile, 4, both=True)


def cam() -> Part:
    """Shaft and disc, at its lowest."""
    (y, z), turned = SHAFT, Rot(0, 90, 0)
    disc = Pos(CAM_X, y, z - tray.THROW) * turned * Cylinder(tray.CAM, 4)
    return disc + Pos(CAM_X + 8, y, z) * turned * Cylinder(2.0, 20)


def table() -> Part:
    """What is left of the table's top round magazine and lift, with a groove for blind, lug and slide, and a hole for the cord."""
    thick, (left, right) = nominal("table.top"), ends()
    top = Pos(380, -10, TOP - thick / 2) * Box(880, 220, thick)
    for x0, x1, y0, y1 in ((left - 1, right + 1, -37, blind_at() - 0.4), (right, 722, 8, 52), (728, 772, 12, 37)):
        top -= Pos((x0 + x1) / 2, (y0 + y1) / 2, TOP - thick / 2) * Box(x1 - x0, y1 - y0, thick)
    y, begin = blind_at() + BLIND / 2, LUG[0] - 26
    top -= Pos(590, y, TOP - 3) * Box(420, BLIND + 0.2, 6) + Pos((begin + 804) / 2, y, TOP - 10) * Box(804 - begin, BLIND + 0.2, 10)
    top -= Pos(begin + 3.5, y, TOP - 10) * Box(12, BLIND + 0.2, 20)
    for x, wide, deep in ((560, 350, SUNK), (right + 14, 24, thick)):
        top -= Pos(x, shutter_at() + SHUTTER / 2, TOP - deep / 2) * Box(wide, SHUTTER + 0.4, deep)
    return top


def blind() -> Part:
    """The blind as it lies flat, with a hole for each place that it stands at: x as in the table, y up."""
    return band() - [Pos(ANCHOR[0] - each * PITCH / 2, HOLES_Z, BLIND / 2) * Cylinder(HOLE, BLIND) for each in holes()]


def band() -> Part:
    """It without holes; its lower storey is as high as the set's tiles, here the thickest."""
    begin, storey = (HANDS + 0.5) * PITCH, most("tile.thickness") + nominal("draw_gate.blind_edge")
    end = DRUM_X
    outline = [(begin, TOP - 9), (LUG[1], TOP - 9), (LUG[1], TOP - 5), (end, TOP - 5), (end, TOP + 50), (begin + PITCH / 2, TOP + 50)]
    outline += [(begin + PITCH / 2, TOP + storey + 0.2), (begin, TOP + storey + 0.2)]
    return extrude(make_face(Polyline(*outline, close=True)), BLIND)


def shutter() -> Part:
    """The shutter as it lies flat, where it lets tiles pass, with a leg down to its coil: x as in the table, y up."""
    begin, end = (HANDS + 0.5) * PITCH - BAR / 2, ends()[1] + 10
    plate = Pos((begin + end) / 2, TOP + 23 + UP / 2, SHUTTER / 2) * Box(end - begin, 46 + 2 * SUNK + UP, SHUTTER)
    windows = [Pos(column * PITCH, TOP + 23, SHUTTER / 2) * Box(PITCH - BAR, 47, SHUTTER) for column in range(HANDS + 1, WALL + 1)]
    return plate - windows + Pos(end - 3, TOP - 19, SHUTTER / 2) * Box(6, 26, SHUTTER)


def open_shutter() -> Part:
    """The shutter where it lets tiles pass."""
    return Pos(0, shutter_at() + SHUTTER, 0) * Rot(90, 0, 0) * shutter()


def holes() -> list[int]:
    """Where the blind may stand, in half columns: shut, and then for each draw; the last stands alone, so that two are one."""
    draws = Capabilities().wall_places - HANDS
    return [*range(draws), draws + draws % 2]


def draw(number: int) -> Part:
    """What a draw takes up when a player pulls it out: pairs from the upper tile on."""
    lower = number % 2 or number == len(holes()) - 2
    wide, thick = most("tile.width") + most("tile.spread") + 2 * (most("carriage.error") + most("carriage.belt")), most("tile.thickness")
    x, z = (HANDS + 1 + number // 2) * PITCH, TOP + (thick / 2 if lower else 1.5 * thick)
    return Pos(x, front() + 20, z) * Box(wide, 39, thick - 1.2)


def opened_deg() -> float:
    """How far the floor opens."""
    return tray.opens_deg(SHAFT, HINGE, PLATE + HINGE[1] - TOP)


def ways() -> dict[str, Part]:
    """What the floor takes up when it opens, and the wall on it; the slide along its groove, and the pulley on the lift."""
    opens = floor() + place_switches()
    found = {f"the way of the magazine's floor at {deg:.0f}°": tray.turned_down(opens, deg, HINGE) for deg in (20.0, 40.0, opened_deg())}
    begin, end = LUG[1] - OVER, RESTS + LONG
    found["the slide's way"] = Pos((begin + end) / 2, blind_at() + BLIND / 2, TOP - 11) * Box(end - begin, BLIND, 4)
    found |= {f"the way of the shutter, {moved} mm from open": Pos(moved, 0, 0) * open_shutter() for moved in (0.0, PITCH / 4)}
    return found | {"the way up of the lift pulley": raised(rewind()["lift pulley"])}


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: the table above the shuttle, and what the blind lets pass."""
    over = nominal("lift.height") - nominal("pusher.step_down") - nominal("table.top") - max(palm_at() + 2 + ROD_LONG, lowering.FORK_AT + 7)
    if over < 2.0:
        yield f"the table is {over:.1f} mm above the gripper's rods"
    load = sum(2 if place in tray.EYES else 1 for place in range(1, WALL + 1)), middle()
    yield from unsprung("the magazine's floor", floor(), HINGE[0], load, len(EARS))
    if opened_deg() < 50.0:
        yield f"the magazine's floor opens by {opened_deg():.0f}°"
    if (moved := holes()[-1] * PITCH / 2) > 2 * HIGH - OVER - 5.0:
        yield f"the slide goes {2 * HIGH:.0f} mm, the blind {moved:.0f} mm"
    upright, bars = _UPRIGHT * band(), open_shutter()
    for number, half in enumerate(holes()[1:]):
        if common_mm3(draw(number), bars) > 1.0:
            yield f"the open shutter holds draw {number + 1} back"
        if common_mm3(draw(number), Pos(PITCH / 2, 0, 0) * bars) < 10 * SHUTTER * BAR:
            yield f"the shut shutter lets draw {number + 1} pass"
        stands = Pos(half * PITCH / 2, blind_at(), 0) * upright
        if common_mm3(draw(number), stands) > 1.0:
            yield f"the blind holds draw {number + 1} back when it is due"
        if number + 2 < len(holes()) and common_mm3(draw(number + 1), stands) < 10 * BLIND * 10:
            yield f"the blind lets draw {number + 2} pass before it is due"
