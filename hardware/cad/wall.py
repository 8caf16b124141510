"""Stage E's way of a wall, in mm and in the axes of ``tray``: tray, lift with pusher and magazine, the carriage parked at the mouth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from build123d import Compound, Part, Pos, Rot

from hardware.cad import lift, magazine, mouth, returnlane, shuttle, tray
from hardware.cad.stage import TOUCHING_MM3, Stage, common_mm3
from hardware.dimensions import nominal

HANGING = ("shutter rod", "shutter coil", "shutter switch", "magazine switches", "magazine cam", "magazine motor", "table")
"""What the shuttle passes below."""


def stage() -> Stage:
    """All of it, with the lift down."""
    moving, spare = lift.moving(), [name for name in tray.parts() if name.endswith(" 6")]
    cords = [name for name in lift.parts() if name.startswith(("cord", "lift rail"))]
    way = f"wall {lift.HIGH:.0f} mm up, {lift.lifted_g():.0f} g, {lift.pull_n():.0f} N; four need {lift.motor_w():.0f} W at most"
    opened = f"floors open by {tray.opened_deg():.0f}° and {magazine.opened_deg():.0f}°"
    return Stage(
        "wall",
        parts(),
        first=("bed", "table"),
        ways=lift.ways() | magazine.ways() | mouth.ways(),
        moved=(*moving, *cords, *mouth.MOVED, *magazine.MOVED, *spare, "magazine floor", "magazine pin"),
        hidden=("front plate", "table"),
        shown={"wall": Pos(0, 0, lift.HIGH) * tray.full(-1, tray.WALL)},
        look=((1100.0, 1300.0, 600.0), (380.0, 0.0, 60.0)),
        scale=0.5,
        apart=0.5,
        taken=tuple(magazine.parts().keys() - {"table", "left cheek", "right cheek"}),
        printed=printed(),
        cut=cut(),
        wrong=tuple(wrong()),
        figures=f"{way}; pusher {lift.stroke():.1f} mm; {opened}; a table of {side():.0f} mm",
    )


def side() -> float:
    """Of the least table over four of them round the mat, whose mouths open towards the middle; what leads there is not in it."""
    size = alone().bounding_box().size
    return float(size.X + size.Y)


def alone() -> Compound:
    """A tray without return lane and table."""
    inside = ("table", *returnlane.parts())
    return Compound(children=[part for name, part in parts().items() if name not in inside])


def wrong() -> Iterator[str]:
    """What the dimensions do not keep of lift, magazine and room."""
    yield from (*lift.wrong(), *magazine.wrong(), *mouth.wrong())
    for name, way in shuttle.ways().items():
        yield from (f"{part} stands in {name}" for part in HANGING if common_mm3(parts()[part], way) > TOUCHING_MM3)
    if side() > nominal("table.side"):
        yield f"four trays need a table of {side():.0f} mm, it has {nominal('table.side'):.0f} mm"


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed."""
    made = parts()
    found = {name: part for name, part in made.items() if name.startswith(("far guide", "bar "))}
    found |= {name: made[name] for name in ("spare guide 1", "spare guide 2", "bearing 1", "right cheek", "left post")}
    lying = {"ear": "ear 1", "spare ear": "left ear", "floor bracket": "floor bracket"}
    return found | {name: Rot(0, 90, 0) * made[each] for name, each in lying.items()}


def cut() -> dict[str, Part]:
    """Plates, as they lie."""
    found = {f"floor {number}": tray.floor(*ends) for number, ends in enumerate(pairwise(tray.edges()), start=1)}
    found |= {"bed": tray.bed(), "magazine floor": magazine.floor(), "front plate": Rot(90, 0, 0) * lift.front_plate()}
    return found | {"blind": magazine.blind(), "shutter": magazine.shutter(), "rib": Rot(0, 90, 0) * lift.rib()}


@cache
def parts() -> dict[str, Part]:
    """Every part of a tray with all that belongs to it, the carriage at its mouth."""
    return {**tray.parts(), **mouth.parts(), **lift.parts(), **magazine.parts(), **shuttle.parts(0)}
