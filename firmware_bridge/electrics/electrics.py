"""Electrics of one table, without I/O: the board's outputs and a time come in, the changes of its inputs come out.

It moves no tile; the ``WiredMachine`` does. ``firmware/emulation/PHYSICS.md`` says what each signal means.
"""

from firmware_bridge.electrics.actuators import Actuators
from firmware_bridge.electrics.sensors import MOVING_WALLS, SensorWiring
from firmware_bridge.electrics.wired_machine import WiredMachine
from firmware_bridge.electrics.wires import Change, Wires
from firmware_bridge.electrics.wiring import INPUT_BYTES


class Electrics:
    """Outputs go to ``actuators``; ``advance`` gives what the inputs become, whether or not a board has power."""

    def __init__(self, machine: WiredMachine, seed: int, now_s: float, *, in_step: bool = False) -> None:
        """``seed`` says how switches bounce; ``in_step``: board and machine share one exact clock, so that on a fast machine what
        passes a sensor may pass faster too."""
        self._machine = machine
        self._wires = Wires(seed, machine.settings.speed if in_step else 1.0)
        self.actuators = Actuators(machine, self._wires, now_s)
        self._sensors = SensorWiring(machine.settings, self._wires, self.actuators)
        self.kept = bytearray(b"\xff\xff\xff\xff\0")
        """What the memory of the board keeps of the blinds, and of the lift: no turn is open, or each first way home would wait for one."""
        self._seen = -1
        """The machine's changes as they were when the sensors looked last."""
        self.advance(now_s)

    def next_s(self) -> float | None:
        """When something is due by itself, None if nothing moves."""
        return self._machine.next_edge_s()

    @property
    def stirred(self) -> bool:
        """Whether a sensor may have changed since the last call of ``advance``: somebody has done something to the machine."""
        return self._machine.changes != self._seen

    def advance(self, now_s: float) -> list[Change]:
        """Let time pass; return the changes of inputs that came of it, some of them still ahead."""
        edges = self._machine.advance(now_s)
        if self._machine.changes == self._seen:
            return self._wires.take()
        self._seen = self._machine.changes
        for edge in edges:
            self._sensors.take_edge(edge)
        if self.actuators.walls_move or any(edge.sensor in MOVING_WALLS for edge in edges):
            self.actuators.walls_move = False
            self._sensors.look_at_all(self._machine.levels(), now_s)
        self._sensors.look(self._machine, now_s)
        self.actuators.work_grippers(now_s)
        return self._wires.take()

    def image(self, size: int = INPUT_BYTES) -> bytes:
        """The first ``count`` bytes of inputs as they are or are about to be, for a board that has just got its power."""
        return self._wires.image(size)
