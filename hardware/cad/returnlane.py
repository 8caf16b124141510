"""Solids of a tray's return lane of stage E, in mm and in the axes of ``tray``: a belt from beside the mouth towards the table's middle.

It leads straight below the shuttle and beside the chute, between two walls of a trough, as far as the least time that the firmware gives a
returned tile. How it goes on from there to the barrier before the gate depends on where that stands, and is not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

from build123d import Box, Cylinder, Part, Pos, Rot

from hardware.cad import tray
from hardware.cad.stage import Stage
from hardware.dimensions import largest_tile, least, most, nominal

BACK, BEGIN = -tray.PITCH, 14.0
"""Where the carriage hands a returned tile over, and where the belt begins."""
BELT, WALL, SIDE, NARROW = (20.0, 1.5), 2.0, 14.0, -97.0
"""The belt's width and thickness; the walls' thickness and height, and where the one beside the chute begins."""
PIECES, FLOOR = 2, 3.0
ROLLER = (-tray.BED - 2 * BELT[1]) / 2
"""Radius of both rollers."""
_TURNED = Rot(0, 90, 0)
_BED_BACK = -70.0


def stage() -> Stage:
    """It behind the tray's bed."""
    return Stage(
        "return-lane",
        {"bed": tray.bed()} | parts(),
        first=("bed",),
        ways={"a returned tile": way()},
        hidden=("bed",),
        look=((-500.0, -900.0, 600.0), (-20.0, -220.0, 0.0)),
        scale=1.0,
        apart=0.5,
        printed=printed(),
        wrong=tuple(wrong()),
        figures=f"{nominal('return_lane.straight') / most('return_lane.belt_mm_per_s'):.2f} s at least",
    )


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name."""
    end, half = -nominal("return_lane.straight"), half_width() + WALL
    found = {"return belt": belt()}
    for number in range(PIECES):
        found[f"trough {number + 1}"] = trough(number)
    for name, y, long in (("return idler", BEGIN - ROLLER, 24.0), ("return roller", end + ROLLER + 4, 2 * half)):
        found[name] = Pos(BACK, y, tray.BED / 2) * _TURNED * (Cylinder(ROLLER, BELT[0]) + Cylinder(1.5, long))
    found["return motor"] = Pos(BACK - half - 26, end + ROLLER + 4, tray.BED / 2) * _TURNED * Cylinder(12.5, 52)
    for number in range(PIECES):
        found[f"trough {number + 1}"] -= found["return roller"]
    for side, name in ((-1, "left"), (1, "right")):
        ear = Pos(BACK + side * 11.5, BEGIN - ROLLER, tray.BED / 2) * Box(1.6, 8, -tray.BED)
        found[f"{name} idler ear"] = ear - found["return idler"]
    return found


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed."""
    return {name: part for name, part in parts().items() if name.startswith("trough")}


def half_width() -> float:
    """Of the lane, from its middle to a wall."""
    return (nominal("tile.width") + nominal("return_lane.play")) / 2


def belt() -> Part:
    """Both runs; where it goes round its rollers is left out."""
    long = BEGIN + nominal("return_lane.straight") - 2 * ROLLER - 4
    run = Pos(BACK, BEGIN - ROLLER - long / 2, 0) * Box(BELT[0], long, BELT[1])
    return Pos(0, 0, -BELT[1] / 2) * run + Pos(0, 0, tray.BED + BELT[1] / 2) * run


def trough(number: int) -> Part:
    """A piece of it: floor and walls, behind the bed; one wall ends before the chute."""
    long, half = (nominal("return_lane.straight") + _BED_BACK) / PIECES, half_width()
    y, low = _BED_BACK - (number + 0.5) * long, tray.BED - FLOOR
    piece = Pos(BACK, y, low + FLOOR / 2) * Box(2 * (half + WALL), long, FLOOR)
    for side in (-1, 1):
        piece += Pos(BACK + side * (half + WALL / 2), y, (low + SIDE) / 2) * Box(WALL, long, SIDE - low)
    if not number:
        piece -= Pos(BACK + half, (NARROW + _BED_BACK) / 2, SIDE) * Box(2 * WALL + 1, _BED_BACK - NARROW, 2 * (SIDE - tray.BED))
    return piece


def way() -> Part:
    """What the largest tile takes up on it, wherever the carriage let it down."""
    wide, long, high = largest_tile()
    end, off = -nominal("return_lane.straight"), most("carriage.error") + most("carriage.belt")
    return Pos(BACK, (long / 2 + end) / 2, high / 2 + 0.05) * Box(wide + 2 * off, long / 2 - end, high - 0.1)


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: room for a tile, and the firmware's times."""
    room = least("return_lane.play") - 2 * (most("carriage.error") + most("carriage.belt")) - most("tile.spread")
    if room < 1.0:
        yield f"the return lane leaves a tile {room:.1f} mm"
    soonest = nominal("return_lane.straight") / most("return_lane.belt_mm_per_s")
    if soonest < least("return_lane.way_s"):
        yield f"a returned tile may be there after {soonest:.2f} s, the firmware expects {least('return_lane.way_s'):.2f} s at least"
    longest = 1000.0 + nominal("return_lane.straight")
    if longest / least("return_lane.belt_mm_per_s") > most("return_lane.way_s") + 0.1:
        yield f"with a metre more a returned tile needs {longest / least('return_lane.belt_mm_per_s'):.2f} s"
