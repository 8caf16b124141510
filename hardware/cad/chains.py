"""Solids of stage E's ways from the lanes to the four mouths, in mm: x and y from the table's middle, z as in ``tray``.

Below each lane's end begins a trough, which bends in level and climbs in one straight to the mouth's chute. In a groove below its floor a
chain runs, and back through a gutter below that; lugs on it push the tiles. The gate stands before the middle, below the table, and its
diverter turns the other way than in stage D: seats are counter-clockwise round the table, so only then no way crosses another. Where the
donor's drum and well are is assumed. Brackets of the posts, what brakes tiles at a trough's begin, covers and screws are not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import cos, exp, hypot, radians, sin, sqrt, tan

from build123d import Box, Cylinder, Part, Plane, Polyline, Pos, Rot, Vector, extrude, make_face

from firmware_bridge.electrics.wiring import SEATS
from hardware.cad import diverter, lanes, lift, magazine, mouth, returnlane, wall, window
from hardware.cad.stage import Stage
from hardware.cad.track import LONGEST, Point, Section, TroughPiece, pieces
from hardware.dimensions import largest_tile, least, most, nominal
from hardware.physics.diverter import ARC, PIVOT
from twinwall.values import frozen

TRAY = (-291.0, 465.5)
"""Of seat 2's tray, from the table's middle to its mouth's; the others are turned by quarters."""
BELOW, BEHIND, WALL, HIGH, STRIP = 14.0, 15.0, 2.0, 22.0, 2.0
"""How much lower than a lane's end a trough begins, and how far behind it; thickness and height of its walls, and thickness of the strips
that are its floor."""
SLOT, GROOVE, UNDER = 2.0, (6.5, -10.0), -13.0
"""Half of the slot between both strips; half of the groove's width and its bottom; and the trough's."""
GUTTER = (9.0, 7.0, -33.5, -35.5)
"""Of the gutter that the chain comes back through: half of it outside and inside, its floor and its underside."""
CHAIN, UPPER, LOWER = 4.4, -5.0, -20.2
"""The chain's thickness, and where it runs to and fro."""
LUG, FOOT = (3.4, 6.0, 8.0), (12.0, 10.0, 6.0)
"""Of a lug's neck width, length and height above the floor; and of its foot in the groove."""
WHEEL, ENDS, OPEN = 5.4, 24.0, 33.0
"""Radius of a wheel below the chain, how far its shaft is from the end of a trough, and how long that is open below there."""
MOTOR = (25.0, 52.0)
LEAD = 14.5
"""Of a straight before it climbs, for the walls that lean back there."""
TABLE = 760.0
"""Height of its upper face."""
SAWN = 30.0
"""How much shorter the lanes are than in stage D, along their slope."""
STRIPS = ("right strip", "left strip")
KG_PER_MM = 0.08e-3
"""Of a chain with its lugs."""
SLIDE, SLIDES_DEG = (165.0, -7.0), 30.0
"""Where a slide below the well ends beside the lanes, and how steep it is."""
POSTS = ((212.0, 240.0), (-129.0, 240.0), (134.0, 267.0), (-30.0, 281.0)), ((291.0, -100.0), (-231.0, -100.0))
"""Where troughs stand on profiles, below and above: x, y."""


@frozen
class TroughWay:
    """A seat's: its way in pieces."""

    seat: int
    pieces: tuple[TroughPiece, ...]

    @property
    def way(self) -> float:
        """Its length."""
        return sum(piece.way for piece in self.pieces)

    @property
    def turns(self) -> float:
        """By how much a chain turns on it, in radians, between its wheels."""
        return sum(radians(abs(piece.bend)) for piece in self.pieces) + 2 * radians(nominal("chains.slope_deg"))

    def ends(self) -> tuple[Plane, Plane]:
        """Across it where both shafts are."""
        first, last = self.pieces[0], self.pieces[-1]
        return first.along(ENDS), last.along(last.way - ENDS)

    def printed(self) -> list[list[TroughPiece]]:
        """What is printed in one: level pieces as far as the bed allows, or one that climbs."""
        found: list[list[TroughPiece]] = []
        for piece in self.pieces:
            if found and not piece.ahead.Z and not found[-1][0].ahead.Z and sum(each.way for each in found[-1]) + piece.way < LONGEST:
                found[-1].append(piece)
            else:
                found.append([piece])
        return found


@cache
def track(seat: int) -> TroughWay:
    """The way to a seat's mouth."""
    x, y = gate_at()[0] - lanes.axis(seat)[-1][0], begins()
    end, before = _turned(seat, (0.0, mouth.edge(mouth.RAMP)[0])), 240.0
    corners: list[list[Point]] = [
        [(x, before), (end[0], before)],
        [(x, 262.0), (330.0, end[1])],
        [(x, 281.0), (end[0], 281.0)],
        [(x, before), (-231.0, before), (-231.0, end[1])],
    ]
    climb = (2, 1, 1, 2)[seat], LEAD, nominal("chains.slope_deg")
    return TroughWay(seat, tuple(pieces([(x, y), *corners[seat], end], nominal("chains.bend"), heights(), climb)))


def gate_at() -> tuple[float, float, float]:
    """The middle of the window's floor."""
    return nominal("donor.gate_x"), nominal("donor.gate_y"), magazine.TOP - nominal("donor.gate_below")


def lane_end() -> Point:
    """Where the lanes' floor ends: y, z."""
    (y, z), slope = diverter.EDGE, radians(nominal("chute.slope_deg"))
    low = lanes.ends_at() - SAWN
    return gate_at()[1] + y + low * cos(slope), gate_at()[2] + z - low * sin(slope)


def begins() -> float:
    """Of all troughs."""
    return lane_end()[0] + BEHIND


def _turned(seat: int, at: Point) -> Point:
    """A point of a seat's tray."""
    x, y = at[0] + TRAY[0], at[1] + TRAY[1]
    for _ in range((seat + 2) % SEATS):
        x, y = -y, x
    return x, y


def _tray(seat: int) -> Rot:
    return Rot(0, 0, 90.0 * (seat + 2)) * Pos(*TRAY, 0)


def sections() -> dict[str, Section]:
    """Of trough, gutter, both strips, both runs of the chain, and a tile on a lug."""
    half, (groove, low), (outer, inner, floor, under) = lanes.half_width(), GROOVE, GUTTER
    right = [(half + WALL, UNDER), (half + WALL, HIGH), (half, HIGH), (half, -STRIP), (groove, -STRIP), (groove, low)]
    below = [(outer, under), (outer, UNDER), (inner, UNDER), (inner, floor)]
    wide, _, thick = largest_tile()
    sides = {"trough": right, "gutter": below}
    found: dict[str, Section] = {name: [*side, *((-u, w) for u, w in reversed(side))] for name, side in sides.items()}
    for name, sign in (("right strip", 1), ("left strip", -1)):
        found[name] = _rectangle(sign * (half + SLOT) / 2, -STRIP / 2, half - SLOT, STRIP)
    for name, at in (("upper run", UPPER), ("lower run", LOWER)):
        found[name] = _rectangle(0.0, at, CHAIN, CHAIN)
    found["tile"] = _rectangle(0.0, (LUG[2] + thick) / 2 + 0.1, wide, LUG[2] + thick)
    return found


def _rectangle(u: float, w: float, wide: float, high: float) -> Section:
    return [(u + a * wide / 2, w + b * high / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


@cache
def parts(seat: int) -> dict[str, Part]:
    """Every part of one way where it belongs, by name."""
    way, shape, found = track(seat), sections(), dict[str, Part]()
    for name in ("trough", "gutter"):
        found |= {f"{name} {seat}.{n}": _along(group, shape[name]) for n, group in enumerate(way.printed(), 1)}
    found |= {f"{name} {seat}": _along(way.pieces, shape[name]) for name in ("right strip", "left strip")}
    chain, across, middle = Part(), lanes.half_width() + WALL, (UPPER + LOWER) / 2
    for name in ("upper run", "lower run"):
        chain += _along(way.pieces, shape[name])
    for name, plane, out in zip(("lower", "upper"), way.ends(), (1, -1), strict=True):
        at, high = plane * Pos(0, middle, 0), UPPER - GUTTER[3]
        opened = at * Pos(0, 0, out * (ENDS - OPEN / 2)) * Box(2 * GROOVE[0], high, OPEN + 0.2)
        beyond = at * Pos(0, 0, out * (ENDS + 1) / 2) * Box(40, 2 * high, ENDS + 1)
        shaft = at * Rot(0, 90, 0) * Cylinder(1.5, 2 * across)
        found[f"{name} wheel {seat}"] = shaft + at * Rot(0, 90, 0) * Cylinder(WHEEL, 10)
        chain -= beyond
        for part in found:
            if part.startswith("trough"):
                found[part] -= opened + shaft
            if part.startswith("gutter"):
                found[part] -= beyond + shaft
    motor = way.ends()[1] * Pos(across + MOTOR[1] / 2, middle, 0) * Rot(0, 90, 0) * Cylinder(MOTOR[0] / 2, MOTOR[1])
    return found | {f"chain {seat}": chain, f"chain motor {seat}": motor, f"lug {seat}": climbing(seat) * lug()}


def _along(group: Sequence[TroughPiece], section: Section) -> Part:
    return Part() + [piece.solid(section) for piece in group]


def climbing(seat: int) -> Plane:
    """Across the way, in the middle of the second piece that climbs."""
    piece = [each for each in track(seat).pieces if each.ahead.Z][1]
    return piece.along(piece.way / 2)


def lug() -> Part:
    """A lug across its way: a neck through the slot, and a foot on the chain that the strips hold down."""
    (wide, long, high), (across, ahead, deep) = LUG, FOOT
    neck = Pos(0, (high - STRIP - 1) / 2, 0) * Box(wide, high + STRIP + 1, long)
    foot = Pos(0, -STRIP - 0.2 - deep / 2, 0) * Box(across, deep, ahead)
    return neck + foot - Pos(0, UPPER, 0) * Box(CHAIN, CHAIN, ahead)


def tile(seat: int) -> Part:
    """A largest tile before it."""
    wide, long, thick = largest_tile()
    return climbing(seat) * Pos(0, thick / 2, -(LUG[1] + long) / 2 - 0.1) * Box(wide, thick, long)


def posts() -> dict[str, Part]:
    """What troughs stand on, on the floor: profiles of 20 mm."""
    low, found = magazine.TOP - TABLE, list[Part]()
    for places, floor in zip(POSTS, heights(), strict=True):
        high = floor + GUTTER[3]
        found += [Pos(x, y, (low + high) / 2) * Box(20, 20, high - low) for x, y in places]
    return {f"post {number}": part for number, part in enumerate(found, 1)}


def heights() -> Point:
    """Of the troughs' floors, before and behind the climb."""
    return lane_end()[1] - BELOW, mouth.edge(mouth.RAMP)[1]


@cache
def parts_near() -> dict[str, Part]:
    """Of the gate and of four trays what may be in the way."""
    left_out = ("chute ends", "reject end", "rubber of", "lane ")
    gate = {name: part for name, part in (window.parts() | diverter.parts()).items() if not name.startswith(left_out)}
    sawn = diverter.on_slope() * Pos(0, lanes.ends_at() - SAWN + 50, 0) * Box(500, 100, 100)
    found = {name: Pos(*gate_at()) * (part - sawn if name == "floor" or name.endswith("lower") else part) for name, part in gate.items()}
    rooms = [part for seat in range(SEATS) for part in parts(seat).values()] + [*posts().values(), *found.values()]
    boxes = [room.bounding_box() for room in rooms]
    inner = max(abs(each) for box in boxes for corner in (box.min, box.max) for each in (corner.X, corner.Y)) - TRAY[1]
    for name, part in wall.parts().items():
        for seat in range(SEATS if inner > part.bounding_box().min.Y and name != "table" else 0):
            box = (moved := _tray(seat) * part).bounding_box()
            near = (all(a < d and c < b for a, b, c, d in zip(box.min, box.max, each.min, each.max, strict=True)) for each in boxes)
            if name == "mouth" or any(near):
                found[f"{name} of tray {seat}"] = moved
    return found


def stage() -> Stage:
    """Four ways with the gate and what of the trays is near."""
    made, near = posts(), parts_near()
    for seat in range(SEATS):
        made |= parts(seat)
    soonest, latest = (pick(late_s(seat, slow=slow) for seat in range(SEATS)) for pick, slow in ((min, False), (max, True)))
    long = [track(seat).way for seat in range(SEATS)]
    return Stage(
        "chains",
        near | made,
        first=(*near, *posts()),
        around={f"tile {seat}": tile(seat) for seat in range(SEATS)} | {"drum": drum()},
        ways=ways(),
        moved=("pusher", "flap", *diverter.SWUNG, *made.keys() & {f"lug {seat}" for seat in range(SEATS)}),
        hidden=("drum", *(f"belt of tray {seat}" for seat in range(SEATS))),
        look=((-1500.0, 900.0, 1300.0), (0.0, 40.0, -80.0)),
        scale=0.5,
        printed=printed(),
        cut={name: TroughPiece(Vector(), Vector(0, 1), 0.0, 90.0, nominal("chains.bend")).solid(sections()[name]) for name in STRIPS},
        wrong=tuple(wrong()),
        figures=f"a tile is level {soonest:.1f} to {latest:.1f} s behind its lane's barrier; "
        f"chains of {min(long):.0f} to {max(long):.0f} mm, {max(map(pull_n, range(SEATS))):.0f} N",
    )


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed."""
    found = {"lug": Rot(90, 0, 0) * lug()}
    for seat in range(SEATS):
        for n, group in enumerate(track(seat).printed(), 1):
            found |= {name: group[0].flat(parts(seat)[name]) for name in (f"trough {seat}.{n}", f"gutter {seat}.{n}")}
    return found


def drum() -> Part:
    """The donor's, as it is assumed."""
    return Pos(*gate_at()[:1], 0, rim() - 50) * Cylinder(nominal("donor.drum"), 100)


def rim() -> float:
    """Height of the drum's."""
    return magazine.TOP - nominal("donor.drum_below")


def ways() -> dict[str, Part]:
    """What tiles take up on lugs, on a slide below the well and from there to the drum, and returned ones."""
    found = {f"a tile's way to seat {seat}": _along(track(seat).pieces, sections()["tile"]) for seat in range(SEATS)}
    found |= {f"a tile that seat {seat} returns": _tray(seat) * returnlane.way() for seat in range(SEATS)}
    well, (x, z), high = nominal("donor.well"), SLIDE, 30.0
    end, up = well / 2, z + (x + well / 2) * tan(radians(SLIDES_DEG))
    slab = [(x, z), (x, z + high), (-end, up + high), (-end, up)]
    found["the slide below the well"] = extrude(Plane.XZ * make_face(Polyline(*slab, close=True)), end, both=True)
    found["the fall to the drum"] = Pos(x + 28, 0, (z + rim()) / 2) * Box(54, well, z - rim())
    return found


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: room for a tile and a lug, speeds, times, and what is assumed of the donor."""
    _, long, thick = largest_tile()
    shortest, slope = least("tile.length") - most("tile.spread"), radians(nominal("chains.slope_deg"))
    yield from lanes.too_narrow(nominal("chains.bend"), "a trough's bend")
    if (thick / 2 - LUG[2]) * sin(slope) > 0.5 * shortest / 2 * cos(slope):
        yield "a tile may tip over the lug that pushes it up"
    radius, deep = (UPPER - LOWER) / 2, -(UPPER + LOWER) / 2
    beyond = shortest / 2 - ENDS + sqrt((radius + LUG[2] - UPPER) ** 2 - deep**2)
    if beyond < 3.0:
        yield f"the middle of the shortest tile is {beyond:.1f} mm beyond the mouth's edge when its lug sinks"
    slowest, fastest = _enters(slow=True), _enters(slow=False)
    if slowest < least("mouth.speed") or fastest > most("mouth.speed"):
        yield f"tiles slide into a mouth at {slowest:.0f} to {fastest:.0f} mm/s"
    waits = (mouth.PIN_AT - mouth.edge(mouth.RAMP)[0]) / cos(radians(nominal("mouth.slope_deg"))) - mouth.PIN[0] - long
    if waits < 5.0:
        yield f"a tile that waits at a mouth is {waits:.1f} mm from the lugs"
    for seat in range(SEATS):
        if (late := late_s(seat, slow=True)) > nominal("chains.late_s"):
            yield f"a tile may be level at the mouth of seat {seat} after {late:.1f} s, its carriage waits {nominal('chains.late_s')} s"
        if (power := pull_n(seat) * most("chains.mm_per_s") / 1000) > nominal("chains.motor_w") * nominal("lift.yield_share"):
            yield f"chain {seat} needs {power:.1f} W of a motor of {nominal('chains.motor_w')} W"
    alone, half = _tray(2) * wall.alone(), nominal("table.side") / 2 + 0.1
    box = alone.bounding_box()
    if max(box.max.X, box.max.Y) > half or box.min.X < -box.min.Y:
        yield "four trays do not stand as the ways expect"
    if (room := min((_tray(1) * part).distance_to(alone) for part in returnlane.parts().values())) < 5.0:
        yield f"a return lane is {room:.1f} mm from the next tray"
    low, rises = heights()[0], tan(radians(nominal("chute.slope_deg")))
    out = max(max(abs(piece.at.X), abs(piece.at.Y)) for seat in range(SEATS) for piece in track(seat).pieces if abs(piece.at.Z - low) < 1.0)
    over = low + GUTTER[3] - rim() - (out + GUTTER[0] - nominal("donor.drum")) * rises
    if over < thick * hypot(1.0, rises) + 5.0:
        yield f"a slide to the drum passes {over:.0f} mm below the troughs"


def late_s(seat: int, *, slow: bool) -> float:
    """From the barrier of its lane until a tile is level in the cradle: with the worst friction and speeds and a lug just missed, or the
    best ones."""
    friction, chain = (
        (most("surface.tile_on_tray"), least("chains.mm_per_s")) if slow else (least("surface.tile_on_tray"), most("chains.mm_per_s"))
    )
    slope, way = radians(nominal("chute.slope_deg")), lanes.ends_at() - SAWN - PIVOT - nominal("diverter.radius") - ARC
    lane = sqrt(2 * way / (9810 * (sin(slope) - friction * cos(slope))))
    chute = (mouth.RAMP + nominal("mouth.floor")) / _enters(slow=slow)
    return lane + (track(seat).way + slow * nominal("chains.lugs")) / chain + chute + nominal("mouth.seconds") * (1.0 if slow else 0.3)


def _enters(*, slow: bool) -> float:
    """How fast a tile is when its front is at the cradle: a long one at worst."""
    near, far = (least, most) if slow else (most, least)
    slope, way = radians(near("mouth.slope_deg")), mouth.RAMP - far("tile.length") / 2
    return sqrt(near("chains.mm_per_s") ** 2 + 2 * 9810 * way * (sin(slope) - far("surface.tile_on_tray") * cos(slope)))


def pull_n(seat: int) -> float:
    """At a chain's upper wheel, with two tiles: its turns multiply what it is pulled with."""
    way, friction, tiles = track(seat), most("chains.friction"), 2 * 9.81e-3 * lift.tile_g()
    own, more = way.way * KG_PER_MM * 9.81 * friction, exp(friction * way.turns)
    return (own * more + own + tiles * (1 + most("surface.tile_on_tray"))) * more
