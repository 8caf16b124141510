"""Ways outside the tray: over the magazine's edge, out of a draw gate, into the reading gate's window, down a chute and into a mouth."""

from __future__ import annotations

from math import cos, degrees, hypot, pi, radians, sin, tan

from hardware.dimensions import most, nominal
from hardware.physics.scene import STEP_S, Running, TrialScene, rigid, soft, turned

_SINGLES, _PAIRS = 2, 3
"""Of a row of 13 and 11 columns: those at the border of both, for a column rests on its own floor alone."""
_LONGEST_DRAW_S = 2.0
_HAND_NS_PER_M = 20.0
_WINDOW_S = 0.4
BENT_PIECES = 4
"""Of a chute's bend."""
TAPER = 60.0
"""Length over which a chute narrows to its mouth."""
_CREEP_M_PER_S = 0.005
"""Below this slip a belt's friction grows with the slip."""
_RIGHT_TILT_DEG = 3.0
_RIGHT_HEIGHT_MM = 1.0


def _row(scene: TrialScene, singles: int, pairs: int, *, ragged: str, first: int = 0) -> list[list[int]]:
    """Single tiles, then pairs, column beside column, as the gripper left them; each stands ``ragged`` before the others.

    ``first``: how many are in the first column, where it differs.
    """
    columns: list[list[int]] = []
    for column in range(singles + pairs):
        floor, stack = 0.0, []
        for _ in range(first if first and column == 0 else 1 if column < singles else 2):
            size, off = scene.tile_size(), scene.drawn.each("carriage.error") + scene.drawn.each("carriage.belt")
            at = (column * scene.drawn("tray.pitch") + off, scene.drawn.each(ragged), floor + size.thickness / 2 + 0.02)
            stack.append(scene.tile(at, turned(z_deg=scene.drawn.each("gripper.turned_deg")), size))
            floor += size.thickness + 0.03
        columns.append(stack)
    return columns


def _stand(running: Running, columns: list[list[int]], floor_mm: float) -> bool:
    """Whether each tile lies flat in its column, on what it should lie on."""
    for column, stack in enumerate(columns):
        height = floor_mm
        for number in stack:
            x, _, z = running.at(number)
            thickness = running.scene.sizes[number].thickness
            if abs(z - height - thickness / 2) > _RIGHT_HEIGHT_MM or running.tilt_deg(number) > _RIGHT_TILT_DEG:
                return False
            if abs(x - column * running.scene.drawn("tray.pitch")) > running.scene.drawn("tray.pitch") / 2:
                return False
            height += thickness
    return True


def push(scene: TrialScene) -> bool:
    """A bar pushes the finished row from the raised tray over the edge into the magazine; whether both layers stand there."""
    drawn = scene.drawn
    length, gap, down = drawn("tile.length"), drawn("pusher.gap"), drawn("pusher.step_down")
    columns = _row(scene, _SINGLES, _PAIRS, ragged="pusher.face")
    wide, pitch = (_SINGLES + _PAIRS) * drawn("tray.pitch"), drawn("tray.pitch")
    edge = length / 2 + drawn("pusher.edge")
    way = length + gap + 3.0
    scene.box((-pitch, -60.0, -5.0), (wide, edge, 0.0))
    scene.box((-pitch, edge + gap, -5.0 - down), (wide, edge + gap + 80.0, -down))
    stop = way + length / 2 + 1.5
    scene.box((-pitch, stop, -down), (wide, stop + 5.0, 45.0))
    for side in (-pitch / 2 - 6.0, wide - pitch / 2 + 1.0):
        scene.box((side, -60.0, -down), (side + 5.0, stop, 45.0))
    face = -length / 2 - 2.0
    scene.add(scene.moved("bar", "0 1 0", scene.geom((-pitch / 2, face - 5.0, 1.0), (wide - pitch / 2, face, drawn("pusher.height")))))
    scene.servo("bar", 20000.0, 200.0, -60.0, 60.0)
    running, seconds = Running(scene), drawn("pusher.seconds")
    running.step(0.03)
    steps = round(seconds / STEP_S)
    for step in range(steps):
        running.set("bar", (way + 2.0) * (1 - cos(pi * step / steps)) / 2)
        running.step()
    running.step(0.05)
    running.set("bar", way - 15.0)
    running.step(0.15)
    behind = all(running.at(number)[1] > edge + gap + length / 2 - 2.0 for stack in columns for number in stack)
    return behind and _stand(running, columns, -down)


def draw(scene: TrialScene, *, upper: bool) -> bool:
    """A player pulls one tile out where the blind lets it pass; whether it comes, and it alone.

    The blind has two storeys, the upper one half a column ahead: of a column that is not due yet half is behind it.
    """
    drawn = scene.drawn
    columns = _row(scene, 0, 3, ragged="pusher.face", first=2 if upper else 1)
    pitch, length = drawn("tray.pitch"), drawn("tile.length")
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
    while running.at(due)[1] < length / 2 + 10.0:
        if running.now_s > _LONGEST_DRAW_S:
            return False
        pull = min(max(_HAND_NS_PER_M * (speed - running.velocity(due)[1]), 0.0), force)
        running.press(due, (0.0, pull, 0.0), off)
        running.step()
    return _stand(running, columns, 0.0) and all(abs(running.at(each)[1]) < length / 4 for stack in columns for each in stack)


def window(scene: TrialScene) -> bool:
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
    return rests and running.yaw_deg(tile) < drawn("window.angle_limit_deg") and running.tilt_deg(tile) < _RIGHT_TILT_DEG


def slide(scene: TrialScene) -> bool:
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
    scene.box((x, y - half, 0.0), (x + 4.0, y + half, wall), _yaw(angle))
    size = scene.tile_size()
    lengthwise = turned(z_deg=90.0 + drawn.each("chute.entering_deg"))
    tile = scene.tile((-30.0 + size.length, drawn.each("window.entering_off"), size.thickness / 2 + 1.0), lengthwise, size)
    running = Running(scene)
    running.step(drawn("chute.seconds"))
    at_x, at_y, at_z = running.at(tile)
    flat = running.tilt_deg(tile) < _RIGHT_TILT_DEG and abs(at_z - size.thickness / 2) < _RIGHT_HEIGHT_MM
    return flat and hypot(at_x - x, at_y - y) < size.length / 2 + 4.0


def mouth(scene: TrialScene) -> bool:
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
        if running.tilt_deg(tile) > _RIGHT_TILT_DEG:
            scene.took_s = running.now_s
    x, _, z = running.at(tile)
    flat = running.tilt_deg(tile) < _RIGHT_TILT_DEG and abs(z - size.thickness / 2) < _RIGHT_HEIGHT_MM
    between = abs(x) + (size.length - length) / 2 < drawn.each("gripper.finger_opens")
    return flat and between and abs(90.0 - running.yaw_deg(tile)) < most("gripper.turned_deg")


def _yaw(angle: float) -> str:
    return f'euler="0 0 {degrees(angle):.4f}"'
