"""Solids of the reading gate for people who build walls, in mm: the origin is on the floor below the tile's middle, x to the right and
y away from the person who lays the tile in, z up.

A hood over a base carries camera and two lamps; it is open towards the person, and hides the tile's face from all others. The frame
that holds the tile is another one for each length of tiles. Screws and wires are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, degrees, radians, tan

from build123d import Box, Part, Pos, Rot, chamfer

from hardware.cad.camera import camera, mount, sight, with_standoffs
from hardware.cad.lamp import FACE, LAMP, PILOT, SHEET, THROUGH, GateLight, bores, lamp
from hardware.cad.stage import Stage
from hardware.dimensions import least, most, nominal

WALL, TOP, BASE = 2.4, 4.0, 6.0
RIM = (5.0, 8.0)
"""What the hood is screwed to, inside it: thickness and height."""
FRAME, SUNK, EDGE = (58.0, 72.0), 3.0, 5.0
"""Outline of a frame, how deep it sits in the base, and how high its edges are: a finger and a thumb take the tile above them."""


def stage() -> Stage:
    """The gate with all that is checked."""
    longest, light = most("tile.length"), _light()
    glare = f"glare {light.glare_deg():.0f}°"
    return Stage(
        "reading-gate",
        parts(),
        first=("base",),
        around={"tile": tile(longest)},
        seen="the tile",
        sight=sight(*_room(longest), most("tile.thickness"), nominal("gate.camera_height")),
        look=((270.0, -900.0, 110.0), (0.0, 0.0, 70.0)),
        scale=1.0,
        apart=1.2,
        printed=printed(),
        wrong=tuple(wrong()),
        figures=f"the tile's edge is at most {light.edge_deg():.1f}° from the middle, {glare} off, light {light.uneven():.2f} uneven",
    )


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name."""
    found = {"base": base(), "frame": Pos(0, 0, -SUNK) * frame(most("tile.length")), "hood": hood()}
    found["camera"] = camera(nominal("gate.camera_height"))
    return found | _light().parts()


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed: lamp and diffuser twice, of the frames the one for the set."""
    lengths = [least("tile.length") + more for more in range(int(most("tile.length") - least("tile.length")) + 1)]
    found = {"base": base(), "hood": Rot(180, 0, 0) * hood(), "lamp": lamp(), "diffuser": Box(FACE, LAMP, SHEET)}
    return found | {f"frame {length:g}": frame(length) for length in lengths}


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
        plate -= Pos(side * wide / 2, 0, 0) * bores(high / 2, PILOT, 2 * thick)
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
        shell -= Pos(side * wide / 2, 0, 0) * bores(RIM[1] / 2, THROUGH, 3 * WALL)
    return shell - _light().openings(WALL)


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
    yield from _light().wrong()
    above = mount(nominal("gate.camera_height")) - most("tile.thickness")
    long = _light().room[1]
    mirrored = long / 2 + above * tan(atan2(long / 2, _light().distance) + radians(2 * most("gate.lean_deg")))
    if mirrored > nominal("gate.deep") / 2:
        yield f"a tile mirrors the room before the hood: it shows what is {mirrored:.0f} mm away below its top"


def _light() -> GateLight:
    """Above the floor, for the longest tiles, of all thicknesses."""
    faces = least("tile.thickness"), most("tile.thickness")
    return GateLight("gate", nominal("gate.camera_height"), nominal("gate.lamp_height"), faces, _room(most("tile.length")))


def _room(length: float) -> tuple[float, float]:
    """Within what a tile of this length lies."""
    more = most("gate.play") + nominal("gate.snug")
    return nominal("tile.width") + more, length + more
