"""Stage D whole, in mm: the diverter between the reading gate of ``window`` and the ``lanes``.

A servo swings two walls over the lanes' floor, from mouth to mouth. Parts on the floor are in its own axes (``lanes``); the others, and
the whole, in those of ``window``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import asin, cos, degrees, radians, sin, sqrt

from build123d import Axis, Box, Cylinder, Part, Plane, Polyline, Pos, Rot, extrude, make_face

from firmware_bridge.electrics.wiring import SEATS
from hardware.cad import lanes, window
from hardware.cad.stage import GRAMS_PER_MM3, Stage
from hardware.dimensions import least, most, nominal
from hardware.physics.diverter import ARC, FLARE, LANES, NECK, PIVOT, SLOPE_AT, TIP, pushed_to
from hardware.physics.ways import BENT_PIECES
from simulator.mechanics.settings import MechanicsSettings

EDGE = (SLOPE_AT, -0.8)
"""Where the slope begins: y, z."""
HUB = (-10.0, 48.0)
"""Where the roof above the walls begins and ends."""
WEB, FLANGE, GAP = 1.2, 6.0, 0.6
"""Of a wall: thickness, foot, and the gap below it."""
ROOF, HIGH = 26.0, 14.0
"""Underside of what joins the walls over a tile, and their own height."""
DRAWN = 1
"""The lane that the diverter is drawn at."""
SWUNG = ("hub", "left wall", "right wall", "hoop")
Point = tuple[float, float]


def stage() -> Stage:
    """Reading gate, diverter and lanes with all that is checked."""
    lit = [f"{part} {side}" for part in ("lamp", "diffuser", "strip") for side in ("left", "right")]
    down, late = lanes.ends_at() * sin(radians(nominal("chute.slope_deg"))), max(slide_s(lane) for lane in range(LANES))
    return Stage(
        "gate-and-chutes",
        {**window.parts(), **parts()},
        first=("base",),
        around=window.around() | {f"tile of chute {seat}": on_slope() * lanes.tile_in(seat) for seat in range(SEATS)},
        seen="the face in the window",
        sight=window.seen(),
        clear=("camera", "pane"),
        ways=window.ways() | {name: on_slope() * way for name, way in ways().items()},
        moved=("flap", "hinge", "pane", "rubber", "near belt", "far belt", "pusher", *SWUNG, *lit),
        look=((-500.0, 900.0, 500.0), (0.0, 60.0, -10.0)),
        scale=0.6,
        apart=0.8,
        printed=printed(),
        cut={"floor": lanes.floor(), "sensor arc": Pos(0, 0, -lanes.SENSORS - 4) * lanes.sensor_arc()},
        wrong=(*window.wrong(), *wrong()),
        figures=f"chutes end {down:.0f} mm down, {turn_s():.3f} s to turn, {late:.3f} s to the barrier at most",
    )


def parts() -> dict[str, Part]:
    """Every part behind the window where it belongs, by name."""
    turned = Pos(0, PIVOT, 0) * Rot(0, 0, -lanes.angle_deg(DRAWN))
    found = {"floor": lanes.floor(), "arch": arch(), "servo": servo(), "sensor arc": lanes.sensor_arc()} | lanes.ribs()
    found |= lanes.ends(lanes.RUBBER, 4.0) | {f"rubber of the {name}": part for name, part in lanes.ends(0.0, lanes.RUBBER).items()}
    found |= {name: turned * part for name, part in swung().items()}
    for sign, name in ((-1, "left post"), (1, "right post")):
        found[name] = lanes.spot(sign * 31.0, nominal("diverter.radius") + ARC, lanes.SENSORS / 2) * Box(10, 12, lanes.SENSORS)
    for lane in range(LANES):
        name = f"chute {lane} sensor" if lane < SEATS else ("drum sensor", "reject sensor")[lane - SEATS]
        found[name] = lanes.spot(lanes.angle_deg(lane), nominal("diverter.radius") + ARC, lanes.SENSORS + 15) * Cylinder(4, 30)
    found |= {f"lane {seat} switch": lanes.end_at(seat) * Pos(0, 0, -lanes.FLOOR - 5) * Box(6.4, 20, 10) for seat in range(SEATS)}
    return {"sill": sill()} | {name: on_slope() * part for name, part in found.items()}


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed; both walls and both posts are alike but for their side."""
    upside, made = Rot(180, 0, 0), swung()
    found = {"sill": Rot(0, 90, 0) * sill(), "arch": upside * arch(), "hub": upside * made["hub"], "hoop": upside * made["hoop"]}
    found |= {"left wall": made["left wall"], "right wall": made["right wall"], "post": Box(10, 12, lanes.SENSORS)} | lanes.ribs()
    return window.printed() | found | {name: Rot(90, 0, 0) * part for name, part in lanes.ends(lanes.RUBBER, 4.0).items()}


def sill() -> Part:
    """The first of the slope, between the window's plate and the floor; light passes below it."""
    (y, z), slope = EDGE, radians(nominal("chute.slope_deg"))

    def at(s: float, n: float) -> Point:
        return y + s * cos(slope) + n * sin(slope), z - s * sin(slope) + n * cos(slope)

    outline = [EDGE, at(lanes.SILL, 0), at(lanes.SILL, -lanes.FLOOR), at(27.0, -lanes.FLOOR)]
    outline += [(at(27.0, -lanes.FLOOR)[0], window.BASE), (y + 10.5, window.BASE), (y + 10.5, window.BASE + 5), (y, -10.0)]
    return extrude(Plane.YZ * make_face(Polyline(*outline, close=True)), 45, both=True)


def swung() -> dict[str, Part]:
    """What the servo swings, straight down the slope, its pivot in the origin."""
    half, found = lanes.half_width(), {}
    reach = nominal("diverter.radius") - 3.0
    hub = Pos(0, sum(HUB) / 2, ROOF + 1.5) * Box(2 * (half + FLARE + 3), HUB[1] - HUB[0], 3)
    for side, name in ((-1, "left wall"), (1, "right wall")):
        outer = half + WEB
        guide = [(half + FLARE, 0.0), (half + FLARE + 3, 0.0), (outer + 3, HUB[1]), (outer, HUB[1]), (outer, NECK), (half, NECK)]
        hub += lanes.prism([(side * x, s) for x, s in guide], GAP, ROOF)
        web = Pos(side * (half + WEB / 2), (NECK + reach) / 2, GAP + HIGH / 2) * Box(WEB, reach - NECK, HIGH)
        begins = HUB[1] + 1
        found[name] = web + Pos(side * (outer + FLANGE / 2), (begins + reach) / 2, GAP + WEB / 2) * Box(FLANGE, reach - begins, WEB)
    outer = half + WEB
    hoop = Pos(0, 143, (ROOF + 2 + GAP + WEB) / 2) * Box(2 * outer + 4, 6, ROOF + 2 - GAP - WEB)
    return found | {"hub": hub, "hoop": hoop - Pos(0, 143, ROOF / 2) * Box(2 * outer, 6, ROOF)}


def arch() -> Part:
    """It carries the servo above the pivot; the walls swing between its legs."""
    top = Pos(0, 30, 37) * Box(84, 56, 4) - Pos(0, PIVOT, 37) * Cylinder(7, 4)
    return top + Pos(39, 20, 17.5) * Box(6, 32, 35) + Pos(-39, 20, 17.5) * Box(6, 32, 35)


def servo() -> Part:
    """Body, shaft and the horn that the hub hangs on."""
    return Pos(0, PIVOT + 10, 58) * Box(20, 40, 38) + Pos(0, PIVOT, 35) * Cylinder(3, 8) + Pos(0, PIVOT, 30) * Cylinder(9, 2)


def ways() -> dict[str, Part]:
    """What the largest tile takes up in each lane from the diverter on, and what the diverter takes up on its way."""
    half, high = (most("tile.width") + most("tile.spread")) / 2, most("tile.thickness") + most("tile.spread")
    found = {
        f"lane {lane}": lanes.prism([*lanes.edge(lane, -1, half, half), *reversed(lanes.edge(lane, 1, half, half))], 0.1, high)
        for lane in range(LANES)
    }
    reach, outer = nominal("diverter.radius") - 3.0, lanes.half_width() + WEB + FLANGE
    swing, far = nominal("diverter.travel_deg") / 2 + most("diverter.error_deg"), sqrt(reach**2 + outer**2)
    widest = swing + degrees(asin(outer / far))
    right = [_turned(lanes.half_width() + FLARE + 3, HUB[0], swing), _turned(outer, reach, swing)]
    arc = [(far * sin(radians(widest * step / 12)), PIVOT + far * cos(radians(widest * step / 12))) for step in range(11, -12, -1)]
    outline = [*right, *arc, *((-x, s) for x, s in reversed(right))]
    return found | {"the diverter's way": lanes.prism(outline, 0.3, ROOF + 2.9)}


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: room in mouths and bends, and times."""
    radius, step = nominal("diverter.radius"), radians(nominal("diverter.travel_deg") / (LANES - 1))
    mouth = 2 * radius * (sin(step / 2) - sin(radians(most("diverter.error_deg")))) - TIP
    widest = nominal("tile.width") + most("chute.play")
    if mouth < widest:
        yield f"a lane's mouth leaves {mouth:.1f} mm where the diverter stands worst, its walls are {widest:.1f} mm apart"
    swing = radians(nominal("diverter.travel_deg") / 2 + most("diverter.error_deg"))
    inlet = (lanes.half_width() + FLARE) * cos(swing)
    if inlet < window.OPENING:
        yield f"the diverter takes in what is up to {inlet:.1f} mm from the middle, the window's opening is {window.OPENING} mm"
    if degrees(swing) > nominal("chute.bend_deg"):
        yield f"a lane leads off by {degrees(swing):.1f}°, the physics model's chute by {nominal('chute.bend_deg')}°"
    yield from lanes.too_narrow(nominal("chute.bent") / radians(lanes.angle_deg(LANES - 1) / (BENT_PIECES + 1)), "the bend")
    if turn_s() > nominal("diverter.turn_s"):
        yield f"the diverter turns in {turn_s():.3f} s, the firmware waits {nominal('diverter.turn_s')} s"
    for lane in range(LANES):
        if slide_s(lane) > nominal("diverter.late_s"):
            yield f"in lane {lane} a tile may come after {slide_s(lane):.3f} s, a jam is {nominal('diverter.late_s')} s"
    beyond = nominal("window.eject") - window.side() - 0.5 + least("tile.length") / 2 - EDGE[0]
    if beyond < 1.0:
        yield f"the pusher leaves the middle of the shortest tile {beyond:.1f} mm beyond the slope's edge"
    yield from window.too_far("the lanes' barriers", lanes.SENSORS)


def turn_s() -> float:
    """From the first lane to the last: a servo whose torque falls with its speed, and which brakes as hard as it starts."""
    inertia = sum(part.volume * GRAMS_PER_MM3 * part.radius_of_gyration(Axis.Z) ** 2 for part in swung().values()) * 1e-9
    torque, fastest = nominal("diverter.servo_nm"), radians(nominal("diverter.servo_deg_per_s"))
    left, speed, now_s, tick_s = radians(nominal("diverter.travel_deg")), 0.0, 0.0, 1e-5
    while left > 0 and now_s < 1.0:
        brakes = left <= speed**2 * inertia / (2 * torque)
        speed = max(speed + (-torque if brakes else torque * (1 - speed / fastest)) / inertia * tick_s, 1e-3)
        left, now_s = left - speed * tick_s, now_s + tick_s
    return now_s


def slide_s(lane: int) -> float:
    """From the push until a worn tile's front is below its lane's barrier: floor and the wall that it leans on hold it back.

    What it loses where it meets the walls is not in it.
    """
    push_s, off, slope = MechanicsSettings().gate_clear_s, radians(lanes.angle_deg(lane)), radians(least("chute.slope_deg"))
    friction = most("surface.tile_on_tray")
    pull = 9810 * (sin(slope) * cos(off) - friction * cos(slope) - friction * sin(slope) * abs(sin(off)))
    way = PIVOT + nominal("diverter.radius") + ARC - pushed_to(least("tile.length"))
    speed = nominal("window.eject") / push_s
    return push_s + (sqrt(speed**2 + 2 * pull * way) - speed) / pull


def on_slope() -> Pos:
    """From the lanes' axes to the window's."""
    return Pos(0, *EDGE) * Rot(-nominal("chute.slope_deg"), 0, 0)


def _turned(x: float, s: float, deg: float) -> Point:
    """A point of the diverter when that is turned about its pivot."""
    angle = radians(deg)
    return x * cos(angle) + s * sin(angle), PIVOT - x * sin(angle) + s * cos(angle)
