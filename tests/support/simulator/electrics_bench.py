"""Electrics bench: a table with its wires and no firmware; outputs are set by name, time passes, inputs are read."""

from __future__ import annotations

from firmware_bridge.electrics.electrics import Electrics
from firmware_bridge.electrics.wires import Change
from firmware_bridge.electrics.wiring import OUTPUT_BYTES, PLACES_A_SEAT, SERVO_FIRST_US, SERVO_RANGE_US, Input, Output
from simulator.mechanics import FaultPlan, Mechanics, MechanicsSettings
from simulator.physical_tiles import tile_set

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
        """Let a carriage stand at a position, -1 for the mouth."""
        steps = self.electrics.actuators.steps.copy()
        steps[seat] = (position + 1) * self.electrics.actuators.steps_per_position
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

    def place(self, seat: int, position: int) -> None:
        """Bring one tile from the drum to a tray position."""
        self.feed_one()
        self.eject(seat)
        self.wait(0.5 / self.mechanics.settings.speed)
        self.carry_to(seat, -1)
        self.set(Output.PICKER + seat)
        self.wait_for(Input.PICKED + seat)
        self.carry_to(seat, position)
        self.set(Output.PICKER + seat, on=False)
        self.wait_for(Input.TRAY + PLACES_A_SEAT * seat + position)

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
