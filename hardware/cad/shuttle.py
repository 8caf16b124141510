"""Stage E's tray with its shuttle, in mm and in the axes of ``tray``: the gripper up, over column ``DRAWN``; the lift is down.

The gripper hangs on a cord and glides on two rods, so that it rests by its weight on what is there; its fingers slide in the palm, where
a key on one of the rods spreads them. The idler is smaller than the driven pulley, so that the belt's rear run leaves the chute its way
into the mouth. Of the switches those of the place, of step 0 and of the gripper are drawn; screws and cables are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, degrees, hypot, pi

from build123d import Box, Cylinder, Part, Pos, Rot

from hardware.cad import lift, lowering, mouth, tray
from hardware.cad.lowering import ROD, ROD_X
from hardware.cad.stage import GRAMS_PER_MM3, Stage
from hardware.cad.tray import COLUMNS, PITCH
from hardware.dimensions import least, most, nominal

DRAWN = 8
BEAM = (-56.0, 120.0, 20.0, 40.0)
"""Middle (y, z) and sides of the profile that carries the rail."""
RAIL, BLOCK, PLATE = (8.0, 12.0), (45.0, 10.0, 27.0), (50.0, 5.0, 72.0)
"""Of a rail of 12 mm and its block; of the carriage's plate before it."""
PALM = (22.0, 28.0, 9.0)
ROD_LONG = 92.0
BUSH = (96.0, 112.0)
"""Height of what the rods glide in."""
TEETH, IDLER, TOOTH = 60, 20, 3.0
"""Of the driven pulley and of the idler, and their pitch."""
BELT, BELT_Z, ENDS = (1.5, 9.0), 90.5, 22.0
"""The belt's thickness and width, its middle, and how far beyond the first and the last place its pulleys stand."""
COMB, STEEL = 14.0, 0.00785
"""Height of the place barrier's comb; grams of a cubic millimetre."""
FORK, SLIT, HOME = (14.0, 13.0, 14.0), (5.0, 11.5), 14.0
"""A forked barrier's body along the way, across it and its depth; width and depth of its slit; and how long the blade is that darkens it at
step 0 and behind."""
STANDS = (205.0, 620.0)


def stage() -> Stage:
    """Tray and shuttle with all that is checked."""
    (low, high), cam = tray.span(), lowering.CAM
    return Stage(
        "tray-and-shuttle",
        {**tray.parts(), **mouth.parts(), **lift.parts(), **parts(), "tiles": tray.full(DRAWN)},
        first=("bed",),
        ways=ways(),
        moved=("rail", "belt", "comb", "home fork", *carriage()),
        hidden=("front plate",),
        look=((-900.0, 1300.0, 1000.0), (340.0, 0.0, 30.0)),
        scale=0.5,
        apart=1.5,
        taken=tuple(carriage()),
        printed=printed(),
        cut={"comb": comb(), "gripper cam": cam.disc(), "gripper lever": cam.lever(), "finger disc": lowering.opener()[0]},
        wrong=tuple(wrong()),
        figures=f"tray {high - low:.0f} mm, drive {drive():.0f} mm long, gripper {lowered_g():.0f} g",
    )


def palm_at() -> float:
    """Underside of the palm while it is up."""
    return nominal("gripper.carry_height") + most("tile.thickness") + most("tile.spread")


def radius(teeth: int = TEETH) -> float:
    """Of a pulley, to the belt's middle."""
    return teeth * TOOTH / (2 * pi)


def wheels() -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the idler and the driven pulley turn: x, y. The front run is along the rail."""
    y = BEAM[0] - 10
    return (-PITCH - ENDS, y + radius() - radius(IDLER)), (COLUMNS * PITCH + ENDS, y)


def lowered_g() -> float:
    """What is let down without a tile: palm, cover and fingers of plastic, rods of steel."""
    made = gripper()
    plastic = sum(made[name].volume for name in ("palm", "cover", "near finger", "far finger")) * GRAMS_PER_MM3
    return float(plastic + sum(made[name].volume for name in ("left rod", "right rod")) * STEEL)


def drive() -> float:
    """Length of the belt with its pulleys."""
    return (COLUMNS + 1) * PITCH + 2 * ENDS + radius() + radius(IDLER) + BELT[0]


def parts(column: int = DRAWN + 1) -> dict[str, Part]:
    """Every part where it belongs, by name, the carriage over a column; 0 is the mouth, and before it the return lane."""
    y, z, deep, high = BEAM
    first, last = -PITCH, COLUMNS * PITCH
    middle, long = (first + last) / 2, last - first + 52
    found = {"beam": Pos(middle, y, z) * Box(long, deep, high), "comb": Pos(0, y - 0.5, z + high / 2) * Rot(90, 0, 0) * comb()}
    front = y + deep / 2
    found["rail"] = Pos(middle, front + RAIL[0] / 2, z) * Box(long, *RAIL)
    for x in STANDS:
        found[f"stand {x:.0f}"] = Pos(x, y, (tray.BED + z - high / 2) / 2) * Box(20, deep, z - high / 2 - tray.BED)
    found |= {"belt": belt(), "motor": Pos(last + ENDS, y - 10, 61.5) * Box(42, 42, 40)}
    small, large = wheels()
    for (x, at), name, away, teeth, arm in ((small, "idler", 1, IDLER, (y + 1.5, 23)), (large, "driver", -1, TEETH, (y - 10, 46))):
        found[f"{name} pulley"] = Pos(x, at, BELT_Z) * Cylinder(radius(teeth) - BELT[0] / 2, BELT[1])
        post = Pos(x + away * 50, y, (z - high / 2 + BELT_Z - 4.5) / 2) * Box(20, deep, z - high / 2 - BELT_Z + 4.5)
        found[f"{name} plate"] = Pos(x + away * 20, arm[0], BELT_Z - 6.75) * Box(90, arm[1], 4.5) + post
    found["mouth switch"] = Pos(0, y + 9.75, BELT_Z - 1.6) * Box(12.8, 6.5, 5.8)
    found["idler plate"] -= Pos(0, y + 9.75, BELT_Z + 3) * Box(13, 6.6, 15) + Pos(0, -59, BELT_Z + 3) * Box(22, 5, 15)
    found["home fork"] = Pos(home_at(), y - deep / 2 - FORK[1] / 2, z + high / 2 + 2) * forked()
    return found | {name: Pos(column * PITCH, 0, 0) * part for name, part in carriage().items()}


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed: two stands and fingers."""
    made = parts()
    found = {name: made[name] for name in (f"stand {STANDS[0]:.0f}", "clamp", "bush", "cover", "bracket")}
    found |= {name: Rot(180, 0, 0) * made[name] for name in ("palm", "near finger")}
    found |= {name: Rot(90, 0, 0) * made[name] for name in ("plate", "mast")}
    return found | {name: made[name] for name in ("idler plate", "driver plate")}


def carriage() -> dict[str, Part]:
    """What goes along the tray, over the mouth, with a tile in the gripper; it holds rail, belt and comb round."""
    y, z, deep, high = BEAM
    front, belt_y, top = y + deep / 2, y - 10 + radius(), z + high / 2
    rail, back = Pos(0, front + RAIL[0] / 2, z) * Box(BLOCK[0], *RAIL), front + RAIL[0] + 5.0
    before = back + PLATE[1]
    found = {"block": Pos(0, back - BLOCK[1] / 2, z) * Box(*BLOCK) - rail, "plate": Pos(0, back + PLATE[1] / 2, z + 1) * Box(*PLATE)}
    found["bush"] = Pos(0, (before + 8) / 2, sum(BUSH) / 2) * (Box(26, 8 - before, BUSH[1] - BUSH[0]))
    jaw = belt_y - 2.5
    found["clamp"] = Pos(0, (jaw + back) / 2, BELT_Z) * Box(20, back - jaw, 14) - Pos(0, belt_y, BELT_Z) * Box(20, BELT[0], 14)
    found["fork"] = Pos(0, y, top + 10) * Box(14, 13, 14) - Pos(0, y, top + 8.75) * Box(14, 5, 11.5)
    found["bracket"] = Pos(0, (y - 6 + before) / 2, top + 19.5) * Box(14, before - y + 6, 5)
    back, end = y - deep / 2 - FORK[1] / 2, top + 22.5
    found["home blade"] = Pos(0, (back + y) / 2, end) * Box(HOME, y - back + 1, 1) + Pos(0, back, end - 10.5) * Box(HOME, 1, 22)
    found |= gripper() | lowering.parts()
    for part in (found["right rod"], found["cord"], Pos(-ROD_X, 0, sum(BUSH) / 2) * Cylinder(ROD, BUSH[1] - BUSH[0])):
        found["bush"] -= part
    return found


def home_at() -> float:
    """Where the barrier is that the carriage's blade darkens at step 0 and behind: its beam is in the middle of its body."""
    return -PITCH - HOME / 2


def forked() -> Part:
    """A forked barrier, open upwards, its beam 5 mm below its upper edge."""
    wide, across, deep = FORK
    return Box(wide, across, deep) - Pos(0, 0, (deep - SLIT[1]) / 2) * Box(wide, SLIT[0], SLIT[1])


def gripper() -> dict[str, Part]:
    """What hangs on the cord, up, with the largest tile: a palm whose fingers slide towards each other, drawn by a spring."""
    foot, (wide, long, thick) = palm_at(), PALM
    slides = Pos(0, 0, foot + 4.5) * Box(nominal("gripper.finger_width") + 0.4, long, 5.2)
    palm = Pos(0, 0, foot + thick / 2 + 1) * Box(wide, long, thick - 2) - slides
    found = {"cover": Pos(0, 0, foot + 1) * Box(wide, long, 2), "spring": Pos(0, 0, foot + 4.5) * Box(4, 8, 4)}
    found["cord"] = lowering.cords(foot + 7.1)
    found["right rod"] = Pos(ROD_X, 0, foot + 2 + ROD_LONG / 2) * Cylinder(ROD, ROD_LONG)
    turned, (key, broad) = Pos(-ROD_X, 0, foot) * Rot(0, 0, lowering.CRANK[1]) * Pos(0, 0, 7 + (ROD_LONG - 5) / 2), lowering.KEY
    found["left rod"] = turned * lowering.rod(ROD_LONG - 5) + Pos(-ROD_X, 0, foot + 4.5) * Box(broad, key, 5)
    turns = Pos(-7.6, 0, foot + 4.5) * Box(7.6, 16, 5.2) + Pos(-ROD_X, 0, foot + 8) * Cylinder(ROD, 4)
    found["palm"] = palm - turns - found["right rod"] - found["cord"]
    across, deep, inner = nominal("gripper.finger"), nominal("gripper.finger_depth"), most("tile.length") / 2
    for name, side in (("near finger", -1), ("far finger", 1)):
        bar = Pos(0, side * (4 + inner + across) / 2, foot + 4.5) * Box(nominal("gripper.finger_width"), inner + across - 4, 5)
        tip = Pos(0, side * (inner + across / 2), foot + (7 - deep) / 2) * Box(nominal("gripper.finger_width"), across, deep + 7)
        lug = Pos(-7.15, side * (6 + key / 2 + 0.05) / 2, foot + 4.5) * Box(6.5, 6 - key / 2 - 0.05, 5)
        found[name] = bar + tip + lug
    high = most("tile.thickness") + most("tile.spread")
    return found | {"carried tile": Pos(0, 0, foot - high / 2) * Box(nominal("tile.width"), 2 * inner, high)}


def belt() -> Part:
    """Both runs; where it goes round its pulleys is left out."""
    y, middle = BEAM[0] - 10, (COLUMNS - 1) * PITCH / 2
    long = (COLUMNS + 1) * PITCH + 2 * ENDS
    slants = 2 * (radius() - radius(IDLER))
    rear = Rot(0, 0, -degrees(atan2(slants, long))) * Box(hypot(long, slants), *BELT)
    return Pos(middle, y + radius(), BELT_Z) * Box(long, *BELT) + Pos(middle, y - radius() + slants / 2, BELT_Z) * rear


def comb() -> Part:
    """The strip that the place barrier runs along, flat, cut: a slot a step wide to either side of each place."""
    strip = Pos((COLUMNS - 1) * PITCH / 2, COMB / 2, -0.5) * Box((COLUMNS + 1) * PITCH + 40, COMB, 1)
    return strip - [Pos(place * PITCH, COMB - 4, -0.5) * Box(2 * nominal("carriage.step"), 8, 1) for place in range(-1, COLUMNS + 1)]


def ways() -> dict[str, Part]:
    """What the shuttle takes up along the tray with a tile in its gripper, and the gripper down to the floor with its fingers open."""
    found = {}
    for name, part in carriage().items():
        box = part.bounding_box()
        long = (COLUMNS + 1) * PITCH + box.size.X
        found[f"the way of the {name}"] = Pos(box.min.X - PITCH + long / 2, box.center().Y, box.center().Z) * Box(
            long, box.size.Y, box.size.Z
        )
    places = {"": (DRAWN + 1) * PITCH, " at the mouth": 0.0, " at the return lane": mouth.BACK}
    for where, x in places.items():
        found |= reach(x, where)
    return found


def reach(x: float, where: str) -> dict[str, Part]:
    """The gripper's way down, its fingers open."""
    off = most("carriage.error") + most("carriage.belt")
    foot, thinnest = palm_at(), least("tile.thickness") - most("tile.spread")
    found = {f"the palm's way down{where}": Pos(x, 0, (thinnest + foot) / 2) * Box(PALM[0] + 2 * off, PALM[1], foot - thinnest)}
    inner, outer = most("tile.length") / 2, most("tile.length") / 2 + most("gripper.finger_opens") + nominal("gripper.finger")
    low = thinnest - nominal("gripper.finger_depth")
    for name, side in (("near", -1), ("far", 1)):
        across = Box(nominal("gripper.finger_width") + 2 * off, outer - inner, foot - low)
        found[f"the {name} finger's way down{where}"] = Pos(x, side * (inner + outer) / 2, (low + foot) / 2) * across
    return found


def wrong() -> Iterator[str]:
    """What the dimensions do not keep."""
    yield from lowering.wrong()
    off, high = most("carriage.error") + most("carriage.belt"), most("tile.thickness") + most("tile.spread")
    if nominal("gripper.carry_height") < 2 * high + 2.0:
        yield f"a carried tile is {nominal('gripper.carry_height') - 2 * high:.1f} mm above a full column"
    beside = PITCH - (most("tile.width") + most("tile.spread") + PALM[0]) / 2 - 2 * off
    if beside < 1.0:
        yield f"the palm passes {beside:.1f} mm from the next column"
    if nominal("tray.slot") < nominal("gripper.finger_width") + 2 * off:
        yield "the fingers do not go through the guides' slots wherever the carriage may stand"
    if least("tile.thickness") - most("tile.spread") - nominal("gripper.finger_depth") < 2.0:
        yield "the fingers of an upper tile reach the lower one"
    glides = least("tile.thickness") - most("tile.spread") + 2 + ROD_LONG - BUSH[1]
    if glides < 0:
        yield f"the rods are {-glides:.0f} mm too short to glide while the gripper is down"
    if lowered_g() > 1000 * nominal("gripper.weight_kg"):
        yield f"the gripper weighs {lowered_g():.0f} g, the physics model's {1000 * nominal('gripper.weight_kg'):.0f} g"
    if abs(TEETH * TOOTH / 200 - nominal("carriage.step")) > 1e-9:
        yield "a pulley of so many teeth makes another step"
    if drive() > nominal("table.side") - 100.0:
        yield f"the drive is {drive():.0f} mm long, the table {nominal('table.side'):.0f} mm"
