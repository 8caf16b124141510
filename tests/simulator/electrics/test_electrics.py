"""The wires of the table: outputs move tiles, sensors close when physics says so, and what would break is an error."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from firmware_bridge.electrics.wired_core import Electrics
from firmware_bridge.electrics.wired_machine import CollisionError, capabilities_of
from firmware_bridge.electrics.wires import PULSE_S, Change
from firmware_bridge.electrics.wiring import OUTPUT_BYTES, PLACES_A_SEAT, SERVO_FIRST_US, SERVO_RANGE_US, Input, Output
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.mechanics.hands import MachineHands
from simulator.tabletop import PhysicalTile, tile_set

LONGEST_S = 30.0


class Bench:
    """One table under hand; ``changes`` is all that the inputs have done so far."""

    def __init__(self, *, speed: float = 1.0, seed: int = 1, shuttle: float = 0.0) -> None:
        self.now_s = 0.0
        self.mechanics = Mechanics(MechanicsSettings(speed=speed), FaultPlan(unread=0.0, shuttle=shuttle), tile_set(2), seed)
        self.electrics = Electrics(self.mechanics, seed, 0.0)
        self.changes: list[Change] = []
        self._outputs = 0
        self._levels = int.from_bytes(self.electrics.image(), "little")
        self._coming: list[Change] = []

    def set(self, *bits: int, on: bool = True) -> None:
        """Set outputs and leave the others."""
        for bit in bits:
            self._outputs = self._outputs | 1 << bit if on else self._outputs & ~(1 << bit)
        self.electrics.actuators.take_outputs(self._outputs.to_bytes(OUTPUT_BYTES, "little"), self.now_s)
        self.wait(0.0)

    def cut(self) -> None:
        """Cut the board's power."""
        self._outputs = 0
        self.electrics.actuators.cut(self.now_s)

    def pulse(self, bit: int) -> None:
        """Let an output be on for 10 ms."""
        self.set(bit)
        self.wait(0.01)
        self.set(bit, on=False)

    def point(self, lane: int) -> None:
        """Turn the diverter to a lane and let it come to rest."""
        lanes = 6 + self.mechanics.settings.bypass_cells
        self.electrics.actuators.take_servo(SERVO_FIRST_US + SERVO_RANGE_US * lane // (lanes - 1), self.now_s)
        self.wait(0.06 / self.mechanics.settings.speed)

    def carry_to(self, seat: int, position: int) -> None:
        """Let a carriage stand at the column of a position, -1 for the chute, -2 for the return lane, once its gripper is up."""
        self.wait_for(Input.GRIPPER_UP + seat)
        steps = self.electrics.actuators.steps.copy()
        column = capabilities_of(self.mechanics.settings).column_of(position)
        steps[seat] = (column + 2) * self.electrics.actuators.steps_per_position
        self.electrics.actuators.take_steps(steps)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self._run(self.now_s + seconds)

    def wait_for(self, bit: int, *, level: bool = True) -> float:
        """Let time pass until an input rests at a level; return when it had got there."""
        deadline_s = self.now_s + LONGEST_S
        while not (self.level(bit) is level and not any(change.bit == bit for change in self._coming)):
            due_s = [change.at_s for change in self._coming]
            if (next_s := self.electrics.next_s()) is not None:
                due_s.append(next_s)
            assert due_s, f"nothing moves, and input {bit} is not {level}"
            self._run(max(min(due_s), self.now_s))
            assert self.now_s < deadline_s, f"input {bit} did not become {level}"
        return self.now_s

    def level(self, bit: int) -> bool:
        """What an input reads."""
        return bool(self._levels >> bit & 1)

    def tray(self, seat: int, position: int) -> bool:
        """What the switch of a tray position reads."""
        return self.level(Input.TRAY + PLACES_A_SEAT * seat + position)

    def feed_one(self) -> float:
        """Bring a tile into the window; return when it lay still."""
        self.set(Output.MOTOR_POWER, Output.DRUM, Output.BELT)
        at_s = self.wait_for(Input.GATE_FULL)
        self.set(Output.DRUM, Output.BELT, on=False)
        return at_s

    def eject(self, lane: int) -> None:
        """Lead the window's tile into a lane."""
        self.point(lane)
        self.pulse(Output.EJECT)

    def grip(self, seat: int = 0) -> None:
        """Bring one tile from the drum to a shuttle, which takes hold of it at the chute."""
        self.feed_one()
        self.eject(seat)
        self.wait(0.5 / self.mechanics.settings.speed)
        self.carry_to(seat, -1)
        self.set(Output.PICKER + seat)
        self.wait_for(Input.PICKED + seat)

    def place(self, seat: int, position: int) -> None:
        """Bring one tile from the drum to a tray position; the gripper is up then."""
        self.grip(seat)
        self.carry_to(seat, position)
        self.set(Output.PICKER + seat, on=False)
        self.wait_for(Input.TRAY + PLACES_A_SEAT * seat + position)
        self.wait_for(Input.GRIPPER_UP + seat)

    def _run(self, until_s: float) -> None:
        while True:
            due_s = self.electrics.next_s()
            self.now_s = until_s if due_s is None else max(min(due_s, until_s), self.now_s)
            told = self.electrics.advance(self.now_s)
            self.changes += told
            self._coming += told
            if self.now_s >= until_s:
                break
        arrived = sorted((change for change in self._coming if change.at_s <= self.now_s), key=lambda change: change.at_s)
        self._coming = [change for change in self._coming if change.at_s > self.now_s]
        for change in arrived:
            self._levels = self._levels | 1 << change.bit if change.level else self._levels & ~(1 << change.bit)


DRUM_LANE, REJECT_LANE = 8, 9


def fallen(bench: Bench, bit: int) -> int:
    """How often a barrier has been free again after a tile."""
    return sum(change.bit == bit and not change.level for change in bench.changes)


# A tile's way -----------------------------------------------------------------------------------------


def test_a_tile_is_measured_by_its_shadow_and_rests_in_the_window_with_the_colour_of_its_back() -> None:
    bench = Bench()
    bench.feed_one()
    rose, fell = (change.at_s for change in bench.changes if change.bit == Input.GATE_BEAM)
    assert (fell - rose) * 400.0 == pytest.approx(26.0, abs=0.11)
    assert [bench.level(Input.BACK + bit) for bit in range(3)] == [False, True, False]


# Cams, door, locks ------------------------------------------------------------------------------------


def test_a_floor_drops_its_tiles_when_its_cam_begins_and_is_shut_when_it_ends() -> None:
    bench = Bench()
    bench.place(0, 0)
    bench.pulse(Output.TRAY_FLOOR)
    assert not bench.level(Input.TRAY_FLOOR_SHUT)
    bench.wait(0.05)
    assert not bench.tray(0, 0)
    shut_s = bench.wait_for(Input.TRAY_FLOOR_SHUT)
    bench.set(Output.TRAY_FLOOR)
    bench.wait_for(Input.TRAY_FLOOR_SHUT, level=False)
    assert bench.wait_for(Input.TRAY_FLOOR_SHUT) > shut_s


def test_tiles_that_are_pushed_in_together_fall_through_the_well_one_by_one_and_before_the_door_shuts() -> None:
    bench = Bench(speed=24.0)
    bench.set(Output.MOTOR_POWER, Output.DOOR_OPEN)
    bench.wait_for(Input.DOOR_IS_OPEN)
    bench.set(Output.DOOR_OPEN, on=False)
    bench.mechanics.hands.drop_into_well([PhysicalTile(9000 + number, "1m", 2) for number in range(20)], bench.now_s)
    bench.set(Output.DOOR_SHUT)
    bench.wait_for(Input.DOOR_IS_SHUT)
    assert fallen(bench, Input.WELL) == 20
    pulses = [change for change in bench.changes if change.bit == Input.WELL]
    assert all(later.at_s - earlier.at_s > PULSE_S - 1e-9 for earlier, later in pairwise(pulses))


# Power, lid, emergency stop ---------------------------------------------------------------------------


def test_a_power_cut_stops_everything_and_shuts_every_lock_and_a_purge_empties_what_was_on_its_way() -> None:
    bench = Bench()
    bench.feed_one()
    bench.eject(0)
    bench.set(Output.LOCK)
    bench.cut()
    bench.wait_for(Input.LOCK_IS_OPEN, level=False)
    bench.wait(3.0)
    assert fallen(bench, Input.CHUTE) == 0
    bench.set(Output.MOTOR_POWER)
    bench.pulse(Output.PURGE)
    bench.wait_for(Input.PURGE_SHUT)
    assert len(bench.mechanics.census()["drum"]) + len(bench.mechanics.census()["gate"]) == 136
    assert not bench.level(Input.GATE_FULL)


def with_a_tile_in_the_gripper() -> Bench:
    """A bench whose shuttle of seat 0 holds a tile above the return lane, just after a power cut."""
    bench = Bench()
    bench.grip()
    bench.carry_to(0, -2)
    bench.cut()
    bench.wait(1.0)
    assert bench.level(Input.PICKED)
    return bench


def test_a_gripper_that_is_told_to_hold_before_power_comes_back_hands_its_tile_over() -> None:
    bench = with_a_tile_in_the_gripper()
    bench.set(Output.PICKER)
    bench.set(Output.MOTOR_POWER)
    bench.wait(1.0)
    assert bench.level(Input.PICKED)
    bench.set(Output.PICKER, on=False)
    bench.set(Output.BELT)
    bench.wait_for(Input.RETURN_LANE)
    bench.set(Output.BELT, on=False)
    bench.pulse(Output.PURGE)
    bench.wait_for(Input.PURGE_SHUT)
    assert not bench.level(Input.RETURN_LANE)


def test_a_tile_that_is_let_go_at_the_chute_stays_there_and_none_that_waits_there_goes_into_the_return_lane() -> None:
    bench = Bench()
    bench.grip()
    bench.carry_to(0, -1)
    bench.set(Output.PICKER, on=False)
    bench.wait_for(Input.PICKED, level=False)
    bench.wait(0.5)
    assert not bench.level(Input.RETURN_LANE)
    bench.carry_to(0, -2)
    bench.set(Output.PICKER)
    bench.wait(0.5)
    assert not bench.level(Input.PICKED)
    bench.set(Output.PICKER, on=False)
    bench.carry_to(0, -1)
    bench.set(Output.PICKER)
    bench.wait_for(Input.PICKED)


def test_a_gripper_that_is_told_nothing_opens_with_the_power_over_whatever_lies_under_it() -> None:
    bench = with_a_tile_in_the_gripper()
    bench.carry_to(0, 5)
    bench.set(Output.MOTOR_POWER)
    bench.wait_for(Input.PICKED, level=False)
    assert bench.tray(0, 5)


def test_a_tile_is_gripped_before_the_gripper_is_up_and_a_carriage_that_moves_meanwhile_is_a_collision() -> None:
    bench = Bench()
    bench.grip()
    assert not bench.level(Input.GRIPPER_UP)
    with pytest.raises(CollisionError, match="the carriage of seat 0 moved while its gripper was down"):
        bench.electrics.actuators.take_steps([1, 0, 0, 0])


@pytest.mark.parametrize(
    ("first", "then"),
    [(Output.PICKER + 1, Output.TRAY_FLOOR + 1), (Output.TRAY_FLOOR + 1, Output.PICKER + 1), (Output.TRAY_FLOOR + 2, Output.LIFT)],
)
def test_a_floor_that_moves_under_a_gripper_that_works_and_a_lift_under_a_carriage_are_collisions(first: int, then: int) -> None:
    bench = Bench()
    bench.set(Output.MOTOR_POWER)
    bench.carry_to(1, 20)
    bench.set(first, Output.TRAY_FLOOR + 2)
    with pytest.raises(CollisionError, match="lift or floor moved below the carriage of seat 1"):
        bench.set(then)


def test_a_tile_lies_on_what_is_in_its_column_and_in_a_full_one_it_is_a_collision() -> None:
    bench = Bench()
    for position in (20, 19):
        bench.place(1, position)
    with pytest.raises(CollisionError, match="a tile was dropped where column 16 of seat 1 has no room"):
        bench.place(1, 19)


def test_a_purge_while_a_gripper_holds_a_tile_is_a_collision() -> None:
    bench = with_a_tile_in_the_gripper()
    bench.set(Output.PICKER)
    bench.set(Output.MOTOR_POWER)
    with pytest.raises(CollisionError, match="the purge was turned while the gripper of seat 0 held a tile"):
        bench.pulse(Output.PURGE)


@pytest.mark.parametrize(("press", "sensed"), [(MachineHands.set_lid, Input.LID_OPEN), (MachineHands.set_estop, Input.ESTOP)])
def test_lid_and_emergency_stop_cut_motors_whatever_outputs_say(press: Callable[[MachineHands, bool, float], None], sensed: Input) -> None:
    bench = Bench()
    press(bench.mechanics.hands, True, bench.now_s)
    bench.set(Output.MOTOR_POWER, Output.DRUM, Output.BELT)
    bench.wait(5.0)
    assert not bench.level(Input.GATE_FULL)
    assert bench.level(sensed)
