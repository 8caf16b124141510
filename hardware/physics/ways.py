"""Ways outside the tray: over the magazine's edge, out of a draw gate, into the reading gate's window, down a chute and into a mouth."""

from __future__ import annotations

from math import cos, degrees, hypot, pi, radians, sin, sqrt, tan

from hardware.dimensions import least, most, nominal
from hardware.physics.scene import RIGHT_TILT_DEG, Running, TrialScene, TrialVerdict, rigid, soft, turned
from hardware.physics.sensors import differ

_SINGLES, _PAIRS = 2, 3
"""Of a row of 13 and 11 columns: those at the border of both, for a column rests on its own floor alone."""
_LIFT_KG, _BAR_KG, _MOST_PULL = 0.19, 0.05, 1.25
"""What of an empty lift carries those five columns, of that the bar, and the most pull, in weights."""
_TILT_NM, _TILT_NMS = 100.0, 0.3
"""How rails hold a floor that tilts, a radian."""
_LONGEST_DRAW_S = 2.0
_BEAM_MM = 4.0
"""Before the window's stop: the barrier that says that a tile is there."""
_REED_DEG = 2.0
"""Up to which a cradle counts as level."""
_HAND_NS_PER_M = 20.0
_WINDOW_S = 0.4
BENT_PIECES = 4
"""Of a chute's bend."""
TAPER = 60.0
"""Length over which a chute narrows to its mouth."""
_CREEP_M_PER_S = 0.005
"""Below this slip a belt's friction grows with the slip."""


def _row(scene: TrialScene, singles: int, pairs: int, *, ragged: str, between: float, first: int = 0) -> list[list[int]]:
    """Single tiles, then pairs, column beside column, as the gripper left them; each stands ``ragged`` before the others.

    ``between``: of the guides at their ends. ``first``: how many are in the first column, where it differs.
    """
    columns: list[list[int]] = []
    for column in range(singles + pairs):
        floor, stack = 0.0, []
        for _ in range(first if first and column == 0 else 1 if column < singles else 2):
            size, off = scene.tile_size(), scene.drawn.each("carriage.error") + scene.drawn.each("carriage.belt")
            deg, before = scene.drawn.each("gripper.turned_deg"), scene.drawn.each(ragged)
            room = max((between - size.length - size.width * sin(radians(abs(deg)))) / 2 - 0.02, 0.0)
            at = (column * scene.drawn("tray.pitch") + off, min(max(before, -room), room), floor + size.thickness / 2 + 0.02)
            stack.append(scene.tile(at, turned(z_deg=deg), size))
            floor += size.thickness + 0.03
        columns.append(stack)
    return columns


def push(scene: TrialScene, *, rises: bool) -> TrialVerdict:
    """A bar pushes the finished row over the edge of the raised floor into the magazine; whether both layers stand there.

    ``rises``: a cord pulls up floor, row and bar before, past the guide in front: suddenly where it is slack, and the floor may tilt.
    """
    drawn, pitch = scene.drawn, scene.drawn("tray.pitch")
    length, gap, depth = drawn("tile.length"), drawn("pusher.gap"), drawn("tile.length") + drawn("tray.play")
    columns = _row(scene, _SINGLES, _PAIRS, ragged="pusher.face", between=depth if rises else 2 * depth)
    wide, edge = (_SINGLES + _PAIRS) * pitch, length / 2 + drawn("pusher.edge")
    high = drawn("lift.height") if rises else 0.0
    magazine, stop, begin = high - drawn("pusher.step_down"), 1.5 * length + gap + 4.5, edge + gap if rises else -60.0
    scene.box((-pitch, edge + gap, magazine - 5.0), (wide, edge + gap + 80.0, magazine))
    scene.box((-pitch, stop, magazine), (wide, stop + 5.0, magazine + 45.0))
    for side in (-pitch / 2 - 6.0, wide - pitch / 2 + 1.0):
        scene.box((side, begin, magazine), (side + 5.0, stop, magazine + 45.0))
    face = -depth / 2 if rises else -length / 2 - 2.0
    out = length / 2 + gap + 3.0 - face
    bar = scene.moved(
        "bar", "0 1 0", scene.geom((-pitch / 2, face - 5.0, 1.0), (wide - pitch / 2, face, drawn("pusher.height"))), mass_kg=_BAR_KG
    )
    floor = (-pitch, -60.0, -5.0), (wide, edge, 0.0)
    if rises:
        _lift(scene, len(columns), scene.geom(*floor), bar)
    else:
        scene.box(*floor)
        scene.add(bar)
    scene.servo("bar", 20000.0, 60.0, -60.0, 60.0)
    running = Running(scene)
    running.step(0.03)
    began_s, slack = running.now_s, drawn.each("lift.cord_slack") if rises else 0.0
    rise_s, push_s = drawn("lift.rise_s") if rises else 0.0, drawn("pusher.seconds")
    while (now_s := running.now_s - began_s) < rise_s + push_s:
        wound = high * _wave(now_s / rise_s if rises else 1.0) + out * _wave((now_s - rise_s) / push_s) - slack
        if rises:
            _pull(running, [number for stack in columns for number in stack], wound)
        running.set("bar", min(max(wound - high, 0.0), out))
        running.step()
    running.step(0.05)
    running.set("bar", out - 17.0)
    running.step(0.15)
    behind = all(running.at(number)[1] > edge + gap + length / 2 - 2.0 for stack in columns for number in stack)
    pairs = range(_SINGLES, len(columns))
    stacks = dict(enumerate(columns))
    changed = differ(running, stacks, pairs, magazine, length + gap + 3.0)
    return TrialVerdict(behind and running.stand(stacks, pitch / 2, magazine), "MAGAZINE_n_p" if changed else None)


def _lift(scene: TrialScene, columns: int, floor: str, bar: str) -> None:
    """What rises, and the guide before the row, which stays."""
    drawn, pitch = scene.drawn, scene.drawn("tray.pitch")
    inner, slot = (drawn("tile.length") + drawn("tray.play")) / 2, drawn("tray.slot") / 2
    for column in range(-1, columns):
        low = column * pitch + slot, inner, -12.0
        scene.box(low, ((column + 1) * pitch - slot, inner + drawn("tray.guide"), drawn("tray.guide_height") - drawn("tray.flare")))
    for axis in ("1 0 0", "0 1 0"):
        spring = f'stiffness="{_TILT_NM}" damping="{_TILT_NMS}" springref="{drawn.each("lift.tilt_deg"):.4f}"'
        floor += f'<joint type="hinge" axis="{axis}" pos="{(columns - 1) * pitch / 2000:.5f} 0 0" {spring}/>'
    scene.add(scene.moved("lift", "0 0 1", floor, bar, mass_kg=_LIFT_KG - _BAR_KG, ends=f"0 {drawn('lift.height') / 1000:.5f}"))
    scene.motor("lift")
    scene.bounce = least("surface.restitution")  # with more, what stands creeps on a floor that swings: an error of the model's step


def _pull(running: Running, tiles: list[int], wound_mm: float) -> None:
    """The cord, which stretches and never pushes; from a force on the pusher's springs give way."""
    lift, weight = running.data.joint("lift"), 9.81 * _LIFT_KG + sum(running.weight_n(number) for number in tiles)
    stiff = weight / 9.81 * (2 * pi * running.scene.drawn("lift.cord_hz")) ** 2
    pull = stiff * (wound_mm / 1000 - lift.qpos[0]) - 0.2 * sqrt(stiff * weight / 9.81) * lift.qvel[0]
    running.data.actuator("lift").ctrl[0] = min(max(pull + weight, 0.0), _MOST_PULL * weight)


def _wave(share: float) -> float:
    """A harmonic way from 0 to 1."""
    return (1 - cos(pi * min(max(share, 0.0), 1.0))) / 2


def draw(scene: TrialScene, *, upper: bool) -> TrialVerdict:
    """A player pulls one tile out where the blind lets it pass; whether it comes, and it alone.

    The blind has two storeys, the upper one half a column ahead: of a column that is not due yet half is behind it.
    """
    drawn = scene.drawn
    pitch, length = drawn("tray.pitch"), drawn("tile.length")
    columns = _row(scene, 0, 3, ragged="pusher.face", between=2 * length, first=2 if upper else 1)
    front = length / 2 + drawn("draw_gate.clearance")
    storey = drawn("tile.thickness") + drawn("draw_gate.blind_edge")
    opened = 0.5 * pitch if upper else pitch
    scene.box((-2 * pitch, -60.0, -5.0), (4 * pitch, front + 3.0, 0.0))
    scene.box((opened, front, storey + 0.2), (4 * pitch, front + 2.0, 50.0))
    scene.box((opened - pitch / 2, front, 0.0), (4 * pitch, front + 2.0, storey))
    running, due = Running(scene), columns[0].pop()
    running.step(0.03)
    speed, force = drawn("draw_gate.hand_mm_per_s") / 1000, drawn("draw_gate.hand_n")
    off = (drawn.each("carriage.belt"), 0.0, drawn("draw_gate.hand_height"))
    while running.at(due)[1] < length / 2 + 10.0 and running.now_s < _LONGEST_DRAW_S:
        pull = min(max(_HAND_NS_PER_M * (speed - running.velocity(due)[1]), 0.0), force)
        running.press(due, (0.0, pull, 0.0), off)
        running.step()
    stacks = dict(enumerate(columns))
    alone = running.stand(stacks, pitch / 2) and all(abs(running.at(each)[1]) < length / 4 for stack in columns for each in stack)
    changed = differ(running, stacks, range(3))
    return TrialVerdict(alone and running.now_s < _LONGEST_DRAW_S, "MAGAZINE_n_p" if changed else None)


def window(scene: TrialScene) -> TrialVerdict:
    """Two belts bring a tile into the window, against the stop; whether it rests there as the camera needs it.

    The belts pass below a tile's ends all along the window. Their friction is a force here, for a bed without friction.
    """
    drawn = scene.drawn
    length, play = drawn("tile.length"), drawn("window.side_play")
    side = length / 2 + play / 2
    scene.bed((-120.0, -60.0, -5.0), (60.0, 60.0, 0.0))
    for low, high in ((-side - 5.0, -side), (side, side + 5.0)):
        scene.box((-drawn("window.lead"), low, 0.0), (40.0, high, drawn("window.wall")))
    scene.box((0.0, -side, 0.0), (5.0, side, drawn("window.wall")), restitution=drawn("window.stop_restitution"))
    size = scene.tile_size()
    begin = (-drawn("window.lead") - size.width, drawn.each("window.entering_off"), size.thickness / 2)
    tile = scene.tile(begin, turned(z_deg=drawn.each("window.entering_deg")), size)
    running = Running(scene)
    belt, grip = drawn("window.belt_mm_per_s") / 1000, drawn("surface.tile_on_belt") * running.weight_n(tile) / 2
    while running.now_s < _WINDOW_S:
        for end in (drawn("window.belt_in") - length / 2, length / 2 - drawn("window.belt_in")):
            vx, vy = running.velocity(tile, end)
            slip = max(hypot(belt - vx, vy), _CREEP_M_PER_S)
            running.press(tile, (grip * (belt - vx) / slip, -grip * vy / slip, 0.0), (0.0, end, -size.thickness / 2))
        running.step()
    x, y, _ = running.at(tile)
    rests = abs(x + size.width / 2) < drawn("window.offset_limit") and abs(y) < drawn("window.offset_limit") + play / 2
    right = rests and running.yaw_deg(tile) < drawn("window.angle_limit_deg") and running.tilt_deg(tile) < RIGHT_TILT_DEG
    there = running.finds((-_BEAM_MM, -side, size.thickness / 2), (0, 1, 0), 2 * side)
    return TrialVerdict(right, None if right else "the picture" if there else "GATE_FULL")


def slide(scene: TrialScene) -> TrialVerdict:
    """A tile slides lengthwise down a chute that bends in plan; whether it comes to the pocket at its end."""
    drawn = scene.drawn
    slope, bend = radians(drawn("chute.slope_deg")), radians(drawn("chute.bend_deg"))
    scene.gravity = f"{9.81 * sin(slope):.5f} 0 {-9.81 * cos(slope):.5f}"
    half, straight, wall = (drawn("tile.width") + drawn("chute.play")) / 2, drawn("chute.straight"), drawn("chute.wall")
    scene.box((-60.0, -150.0, -5.0), (3 * straight, 3 * straight, 0.0))
    x, y, angle, before = -30.0, 0.0, 0.0, 0.0
    turn = bend / (BENT_PIECES + 1)
    for long, after in ((straight + 30.0, turn), *[(drawn("chute.bent"), turn)] * BENT_PIECES, (straight, 0.0)):
        for side in (-half, half):
            begin, end = side * tan(before / 2), long - side * tan(after / 2)
            along, across = (begin + end) / 2, side + (2.0 if side > 0 else -2.0)
            middle_x, middle_y = x + along * cos(angle) - across * sin(angle), y + along * sin(angle) + across * cos(angle)
            scene.box(
                (middle_x - (end - begin) / 2, middle_y - 2.0, 0.0), (middle_x + (end - begin) / 2, middle_y + 2.0, wall), _yaw(angle)
            )
        x, y, angle, before = x + long * cos(angle), y + long * sin(angle), angle + after, after
    size = scene.tile_size()
    lengthwise = turned(z_deg=90.0 + drawn.each("chute.entering_deg"))
    tile = scene.tile((-30.0 + size.length, drawn.each("window.entering_off"), size.thickness / 2 + 1.0), lengthwise, size)
    scene.box((x, y - half, 0.0), (x + 4.0, y + half, wall), _yaw(angle), restitution=drawn("chute.stop_restitution"))
    running = Running(scene)
    running.step(drawn("chute.seconds"))
    at_x, at_y, _ = running.at(tile)
    there = hypot(at_x - x, at_y - y) < size.length / 2 + 4.0
    return TrialVerdict(there and running.lies(tile), None if there else "AT_PLACE_n")


def mouth(scene: TrialScene) -> TrialVerdict:
    """A tile slides from the chute into a cradle that sinks level under it; whether it rests against the stop, for the gripper to take.

    x leads along the way, 0 is the column's middle.
    """
    drawn = scene.drawn
    length, half, wide = drawn("tile.length"), (drawn("tile.width") + drawn("mouth.play")) / 2, drawn("chute.play") - drawn("mouth.play")
    slope, far = radians(drawn("mouth.slope_deg")), 180.0
    end, floor = (length + drawn("tray.play")) / 2, nominal("mouth.floor")
    edge = end - (floor + 0.5) * cos(slope) + 0.3 * sin(slope), (floor + 0.5) * sin(slope) + 0.3 * cos(slope)
    middle = edge[0] - far / 2 * cos(slope) - 2.5 * sin(slope), edge[1] + far / 2 * sin(slope) - 2.5 * cos(slope)
    tilted = f'euler="0 {degrees(slope):.4f} 0"'
    scene.box((middle[0] - far / 2, -40.0, middle[1] - 2.5), (middle[0] + far / 2, 40.0, middle[1] + 2.5), tilted)
    scene.box((end - floor, -40.0, -5.0), (end - floor + 5.0, 40.0, -2.0))
    scene.box((edge[0] - far, -half - 4.0, -5.0), (end + 30.0, -half, far))
    scene.box((edge[0], half, -5.0), (end + 30.0, half + 4.0, 60.0))
    scene.box((edge[0] - TAPER - far, half + wide, 0.0), (edge[0] - TAPER, half + wide + 4.0, far))
    at = edge[0] - TAPER / 2, half + wide / 2 + 2.0
    scene.box((at[0] - TAPER / 2, at[1] - 2.0, 0.0), (at[0] + TAPER / 2, at[1] + 2.0, far), _yaw(-wide / TAPER))
    form = scene.geom((end - floor, 0.3 - half, -2.0), (end, half - 0.3, 0.0))
    rubber = soft(drawn("mouth.stop_restitution"))
    for side in (-1, 1):
        form += scene.geom((end, side * 5.0, -2.0), (end + 3.0, side * (half - 0.3), nominal("mouth.stop")), rubber)
    spring = f'stiffness="{drawn("mouth.spring_nm")}" springref="190" damping="{drawn("mouth.damping_nms")}"'
    hinge = f'pos="{end / 1000:.5f} 0 0" axis="0 1 0" range="-1 {degrees(slope)}" limited="true" {rigid()}'
    scene.add(f'<body name="cradle"><joint name="cradle" type="hinge" {hinge} {spring}/>{form}</body>')
    size = scene.tile_size()
    above = edge[0] - size.length * cos(slope), edge[1] + size.length * sin(slope) + size.thickness / 2 / cos(slope) + 1.0
    turn = turned(z_deg=90.0 + drawn.each("mouth.entering_deg"), tilted_deg=degrees(slope))
    tile = scene.tile((above[0], wide / 2, above[1]), turn, size)
    running = Running(scene)
    running.data.joint("cradle").qpos[0] = slope
    running.throw(tile, drawn("mouth.speed"), degrees(slope))
    while running.now_s < drawn("mouth.seconds"):
        running.step()
        if running.tilt_deg(tile) > RIGHT_TILT_DEG:
            scene.took_s = running.now_s
    between = abs(running.at(tile)[0]) + (size.length - length) / 2 < drawn.each("gripper.finger_opens")
    right = running.lies(tile) and between and abs(90.0 - running.yaw_deg(tile)) < most("gripper.turned_deg")
    level = abs(degrees(running.data.joint("cradle").qpos[0])) < _REED_DEG
    return TrialVerdict(right, "AT_PLACE_n" if not level else None if between else "PICKED_n")


def _yaw(angle: float) -> str:
    return f'euler="0 0 {degrees(angle):.4f}"'
