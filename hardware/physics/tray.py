"""Ways in the tray: a gripper lets the lower or the upper tile of a column go, or takes it, among whatever stands beside it.

``lowered``: the gripper is let down until what it carries, or its palm, rests on what is there. ``dropped``: it opens where it carries.
"""

from __future__ import annotations

from hardware.dimensions import nominal
from hardware.physics.scene import Running, TrialScene, TrialVerdict, turned
from hardware.physics.sensors import differ

COLUMNS = range(-2, 3)
_PALM_MM = 4.0
_CORD_N_PER_M, _CORD_NS_PER_M = 4000.0, 30.0
_PICKED_MM = 1.5
"""How far below the palm a tile works its switch."""
_FLAG_MM, _BEAM_MM = 0.05, 0.25
"""Further than this beyond a step the flag's slot has ended, and beyond a rod a barrier has light."""
_READ_S = 0.008
"""The firmware takes a place switch's change after two readings of 4 ms."""


class Column:
    """A tray of five columns round the one that is served, with tiles in it at random, and the gripper over it."""

    def __init__(self, scene: TrialScene, *, upper: bool, filled: bool) -> None:
        """``upper``: which tile of the pair it is about; ``filled``: whether it stands there already."""
        drawn = scene.drawn
        self.scene = scene
        self.pitch, self.carry = drawn("tray.pitch"), drawn("gripper.carry_height")
        self.depth = drawn("tile.length") + drawn("tray.play")
        self._build_tray()
        self.stacks: dict[int, list[int]] = {}
        """The tiles of each column, from the lowest up."""
        self._offs: dict[int, float] = {}
        for column in COLUMNS:
            high = (2 if upper else 1) - (not filled) if column == 0 else drawn.chance.randint(0, 2)
            self._stack(column, high)
        self.stands = drawn.each("carriage.error") + drawn.each("carriage.belt")
        self.off = drawn("gripper.off")
        self.middle = self.stands + self.off
        self.carried: int | None = None
        self.let_go: list[int] = []
        """The column's tiles once the fingers have opened."""
        self._empty_s = 0.0
        if not filled:
            turn = turned(drawn.each("gripper.tilted_deg"), drawn.each("gripper.tilted_deg"), drawn.each("gripper.turned_deg"))
            size, off = scene.tile_size(), drawn.chance.uniform(-0.5, 0.5) * drawn("mouth.play")
            self.carried = scene.tile((self.middle + off, 0.0, self.carry + size.thickness / 2), turn, size)
        self.pairs = {column for column, stack in self.stacks.items() if len(stack) > 1 or (upper and column == 0)}
        self._build_gripper()

    def _build_tray(self) -> None:
        scene, drawn = self.scene, self.scene.drawn
        wide = (len(COLUMNS) / 2 + 0.5) * self.pitch
        scene.box((-wide, -40.0, -5.0), (wide, 40.0, 0.0))
        slot, guide = drawn("tray.slot") / 2, drawn("tray.guide")
        height, flare = drawn("tray.guide_height"), drawn("tray.flare")
        for column in (*COLUMNS, max(COLUMNS) + 1):
            left, right = (column - 1) * self.pitch + slot, column * self.pitch - slot
            for side in (-1, 1):
                inner, outer = side * self.depth / 2, side * (self.depth / 2 + guide)
                scene.box((left, inner, 0.0), (right, outer, height - flare))
                middle = side * (self.depth / 2 + flare / 2 + guide / 2)
                scene.box(
                    (left, middle - 3.0, height - 2.0 - flare / 2),
                    (right, middle + 3.0, height + 2.0 - flare / 2),
                    f'euler="{side * 45} 0 0"',
                )

    def _stack(self, column: int, high: int) -> None:
        """Tiles that were let go before, so that none stands in another's room."""
        scene, drawn, floor = self.scene, self.scene.drawn, 0.0
        self.stacks[column] = []
        before = self.stacks.get(column - 1, [])
        for level in range(high):
            size = scene.tile_size()
            off = drawn.each("carriage.error") + drawn.each("carriage.belt")
            if level < len(before):
                other = before[level]
                off = max(off, self._offs[other] + (scene.sizes[other].width + size.width) / 2 + 0.02 - self.pitch)
            number = scene.tile((column * self.pitch + off, 0.0, floor + size.thickness / 2 + 0.02), size=size)
            self._offs[number] = off
            self.stacks[column].append(number)
            floor += size.thickness + 0.03

    def _build_gripper(self) -> None:
        """Palm and fingers on a slide that hangs on a cord: it is let down and drawn up, and rests by its weight alone."""
        scene, drawn = self.scene, self.scene.drawn
        self.open = drawn("tile.length") / 2 + drawn("gripper.finger_opens") + 0.3
        self.held, top = self.open, self.carry + drawn("tile.thickness") + 0.3
        if self.carried is not None:
            size = scene.sizes[self.carried]
            self.held, top = size.length / 2 - 0.1, self.carry + size.thickness + 0.3
        self.top = top
        half, deep = drawn("gripper.finger_width") / 2, drawn("gripper.finger_depth")
        palm = scene.geom((self.middle - 10.0, -14.0, top), (self.middle + 10.0, 14.0, top + _PALM_MM))
        fingers = ""
        for name, side in (("near", -1), ("far", 1)):
            inner, outer = side * self.held, side * (self.held + drawn("gripper.finger"))
            form = scene.geom((self.middle - half, inner, top - deep), (self.middle + half, outer, top + _PALM_MM), finger=True)
            fingers += scene.moved(name, f"0 {side} 0", form, mass_kg=0.005)
            grip_n = drawn("gripper.force_n")
            scene.servo(name, 3000.0, 15.0, -grip_n, grip_n)
        scene.add(scene.moved("lift", "0 0 1", palm, fingers, mass_kg=drawn("gripper.weight_kg") - 0.01, ends="-0.1 0.001"))
        scene.motor("lift")

    # -----------------------------------------------------------------------------------------------------

    def hang(self, running: Running, wound_off_mm: float, mm_per_s: float) -> None:
        """One step of the cord, from which the gripper hangs: it pulls and never pushes."""
        lift = running.data.joint("lift")
        stretch, rate = -wound_off_mm / 1000 - lift.qpos[0], -mm_per_s / 1000 - lift.qvel[0]
        running.data.actuator("lift").ctrl[0] = max(_CORD_N_PER_M * stretch + _CORD_NS_PER_M * rate, 0.0)
        running.step()
        if self.let_go and self._empty_s < _READ_S:
            self._empty_s = self._empty_s + self.scene.step_s if differ(running, {0: self.let_go}, self.pairs) else 0.0

    def let_down(self, running: Running, to_mm: float) -> None:
        """Let the gripper down to ``to_mm`` below where it carries, or as far as it goes."""
        self._wind(running, 0.0, to_mm, self.scene.drawn("gripper.lowering_mm_per_s"))
        self.wait(running, to_mm, self.scene.drawn("gripper.rests_s"))

    def draw_up(self, running: Running, from_mm: float) -> None:
        """Draw it up again."""
        self._wind(running, from_mm, 0.0, -self.scene.drawn("gripper.raising_mm_per_s"))

    def wait(self, running: Running, way_mm: float, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / self.scene.step_s)):
            self.hang(running, way_mm, 0.0)

    def _wind(self, running: Running, way_mm: float, to_mm: float, mm_per_s: float) -> None:
        step_s = self.scene.step_s
        for _ in range(round((to_mm - way_mm) / mm_per_s / step_s)):
            way_mm += mm_per_s * step_s
            self.hang(running, way_mm, mm_per_s)

    def move_fingers(self, running: Running, to_mm: float, way_mm: float) -> None:
        """Open or close the fingers, one a little after the other."""
        first, second = self.scene.drawn.chance.sample(("near", "far"), 2)
        running.set(first, to_mm)
        self.wait(running, way_mm, self.scene.drawn.each("gripper.finger_skew_s"))
        running.set(second, to_mm)
        self.wait(running, way_mm, self.scene.drawn("gripper.opens_s"))

    def picks(self, running: Running) -> bool:
        """Whether a gripper that is up feels a tile below its palm."""
        return running.finds((self.middle, 0.0, self.top + 1.0), (0, 0, -1), 2.0 + _PICKED_MM)

    def verdict(self, running: Running, stacks: dict[int, list[int]], *, told: bool, carried: bool = True) -> TrialVerdict:
        """Of a gripper that is up again; ``told``: whether PICKED contradicts; ``carried``: whether it has the tile that it was to take.

        A tile that it has drawn up again and lost has left its place for a while, wherever it is now.

        The flag of the place rides on the carriage, behind the belt; the end of a rod darkens the barrier of the gripper that is up.
        """
        changed = differ(running, stacks, self.pairs)
        seen = "PICKED_n" if told else "TRAY_n_p" if changed or self._empty_s >= _READ_S else None
        if abs(self.off) > nominal("gripper.rod") + _BEAM_MM:
            seen = "GRIPPER_UP_n"
        if abs(self.stands) > nominal("carriage.step") + _FLAG_MM:
            seen = "AT_PLACE_n"
        return TrialVerdict(carried and running.stand(stacks, self.pitch - self.scene.drawn("tile.width")), seen)


def release(scene: TrialScene, *, upper: bool, lowered: bool) -> TrialVerdict:
    """Let a tile go; whether it and all others lie right, and the gripper is empty."""
    column = Column(scene, upper=upper, filled=False)
    running = Running(scene)
    way = column.carry + 2.0 if lowered else 0.0
    for finger in ("near", "far"):
        running.set(finger, -2.0)
    column.wait(running, 0.0, 0.04)
    column.let_down(running, way)
    column.move_fingers(running, column.open - column.held, way)
    assert column.carried is not None
    column.let_go = [*column.stacks[0], column.carried]
    column.draw_up(running, way)
    column.wait(running, 0.0, 0.06 if lowered else 0.3)
    stacks = column.stacks | {0: column.let_go}
    told = not lowered or column.picks(running)  # a tile that leaves a gripper that is up, or is still there
    if not (verdict := column.verdict(running, stacks, told=told)).right:
        column.wait(running, 0.0, 0.3)  # what was held for longer may still be on its way down
        verdict = column.verdict(running, stacks, told=told)
    return verdict


def pick(scene: TrialScene, *, upper: bool) -> TrialVerdict:
    """Take a tile up, as RETURN does; whether it comes alone, and all others stay."""
    column = Column(scene, upper=upper, filled=True)
    running = Running(scene)
    taken, way = column.stacks[0][-1], column.carry + 2.0
    column.wait(running, 0.0, 0.02)
    column.let_down(running, way)
    column.move_fingers(running, -6.0, way)
    column.draw_up(running, way)
    column.wait(running, 0.0, 0.03)
    stacks = column.stacks | {0: column.stacks[0][:-1]}
    return column.verdict(running, stacks, told=not column.picks(running), carried=running.at(taken)[2] > column.carry)
