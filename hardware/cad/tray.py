"""Solids of one tray of stage E, in mm: x leads from the mouth along the columns, y to the player, z up from the floor.

A floor as smooth as the physics model's, and guides at the tiles' ends with a slot at each column for the gripper's fingers. Floor and
guides are for one length of tiles, here the longest. Switches, and what opens and lifts the floor, are not drawn.
"""

from __future__ import annotations

from build123d import Box, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from firmware_bridge.messages import Capabilities
from hardware.dimensions import most, nominal

PITCH = nominal("tray.pitch")
COLUMNS = Capabilities().column_of(Capabilities().tray_places - 1) + 1
PLATE, BED, ROOM = 5.0, -12.0, 0.4
"""Thickness of floor and bed, the bed's upper face, and the room between floor and guides."""
PIECE = 7
"""Places in one piece of a guide; four pieces make a side, the mouth's place among them."""
_BED_Y = (-70.0, 30.0)


def depth() -> float:
    """Between the guides."""
    return most("tile.length") + nominal("tray.play")


def span() -> tuple[float, float]:
    """Where the tray begins before the mouth's middle, and where it ends."""
    return -PITCH / 2, (COLUMNS + 0.5) * PITCH


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name."""
    found = {"floor": floor(), "bed": bed()}
    for number in range((COLUMNS + 1) // PIECE):
        at, turned = Pos(number * PIECE * PITCH, 0, 0), Rot(0, 0, 180) * Pos((1 - PIECE) * PITCH, 0, 0)
        found |= {f"near guide {number + 1}": at * guide(), f"far guide {number + 1}": at * turned * guide()}
    for number, place in enumerate((3.5, 13.5, 23.5), start=1):
        found[f"rest {number}"] = Pos(place * PITCH, 0, (BED - PLATE) / 2) * Box(12, 30, -PLATE - BED)
    return found


def floor() -> Part:
    """A plate, cut, with a slot at each column for a switch's lever."""
    low, high = span()
    plate = Pos((low + high) / 2, 0, -PLATE / 2) * Box(high - low, depth() - 2 * ROOM, PLATE)
    return plate - [Pos(column * PITCH, 0, -PLATE / 2) * Box(4, 14, PLATE) for column in range(1, COLUMNS + 1)]


def bed() -> Part:
    """A plate, cut, that carries guides and what stands behind them."""
    (low, high), (back, front) = span(), _BED_Y
    return Pos((low + high) / 2, (back + front) / 2, BED - PLATE / 2) * Box(high - low, front - back, PLATE)


def guide() -> Part:
    """One piece of the guide at negative y, from the mouth's place on; its upper edge leans away from the tiles."""
    height, flare, thick, inner = nominal("tray.guide_height"), nominal("tray.flare"), nominal("tray.guide"), -depth() / 2
    outline = [(inner, BED), (inner, height - flare), (inner - flare, height), (inner - thick, height), (inner - thick, BED)]
    long = PIECE * PITCH
    piece = Pos((PIECE - 1) * PITCH / 2, 0, 0) * extrude(Plane.YZ * make_face(Polyline(*outline, close=True)), long / 2, both=True)
    return piece - [Pos(place * PITCH, inner, height / 2) * Box(nominal("tray.slot"), 4 * thick, height) for place in range(PIECE)]


def full(without: int) -> Part:
    """The tallest tiles, two in every column but one."""
    wide, long, high = (most(f"tile.{name}") + most("tile.spread") for name in ("width", "length", "thickness"))
    return Part() + [Pos((column + 1) * PITCH, 0, high) * Box(wide, long, 2 * high) for column in range(COLUMNS) if column != without]
