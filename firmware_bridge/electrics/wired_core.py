"""The firmware's C core, run in this process at the wiring of a machine, on the caller's clock.

Board and machine share that clock: nothing happens between two calls. The caller serves the serial port and supplies the machine.

Electrics of one table, without I/O: the board's outputs and a time come in, the changes of its inputs come out.

It moves no tile; the ``WiredMachine`` does. ``firmware/emulation/PHYSICS.md`` says what each signal means.
"""

from collections.abc import Callable, Iterable
from math import ceil
from pathlib import Path

from firmware_bridge.board.library import LIBRARY, CoreBoard
from firmware_bridge.electrics.actuators import Actuators
from firmware_bridge.electrics.sensors import MOVING_WALLS, SensorWiring
from firmware_bridge.electrics.wired_machine import WiredMachine
from firmware_bridge.electrics.wires import Change, Wires
from firmware_bridge.electrics.wiring import ALL_INPUT_BYTES, INPUT_BYTES
from firmware_bridge.messages import FeederState, ResetReason


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


class WiredCore:
    """One boot of the C core; its wires outlast it."""

    look_ahead_s = 0.1
    """How far ``next_timer`` looks ahead at most."""
    stops_at_changes = False
    """Whether ``run`` also returns where an output changes or the machine has come to something."""
    board_kind: Callable[..., CoreBoard] = CoreBoard
    """Makes the board, of what ``CoreBoard`` takes."""

    def __init__(
        self,
        wires: Electrics,
        record: bytes,
        boot_id: int,
        now_s: float,
        reason: ResetReason = ResetReason.POWER_ON,
        *,
        clock_us: int = 0,
        program: Path = LIBRARY,
    ) -> None:
        """The board gets its power now; ``record`` is its table's (``TableRecord``), ``clock_us`` what the board's clock shows,
        ``program`` the firmware's library."""
        self._wires = wires
        self._now_us = clock_us
        self._began_s = now_s - clock_us / 1_000_000
        """When the board's clock showed 0."""
        wires.actuators.cut(now_s)
        changes = wires.advance(now_s)
        actuators = wires.actuators
        self.board = self.board_kind(
            record, boot_id, reason, actuators.steps, actuators.most_steps, kept=wires.kept, clock_us=clock_us, program=program
        )
        self._outputs, self._servos_us, _ = self.board.outputs()
        self._plan(changes)
        self.board.image(wires.image(ALL_INPUT_BYTES))

    def receive(self, received: bytes, now_s: float) -> None:
        self.handle_timer(now_s)
        self.board.receive(received)
        self._run(self._now_us)

    def handle_timer(self, now_s: float) -> None:
        while self.run(now_s) < now_s:
            pass

    def run(self, until_s: float) -> float:
        """Let board and machine run until then, or until there is something for the host; return the time reached."""
        end_us = self._us(until_s)
        if self._wires.stirred:
            self._follow()
        while self._now_us < end_us:
            due_s = self._wires.next_s()
            due_us = end_us + 1 if due_s is None else self._us(due_s)
            until_us = min(end_us, due_us)
            changed = self._run(max(until_us, self._now_us + 1))
            if self._now_us >= due_us:
                self._follow()
            stops = self.stops_at_changes and (changed or self._now_us >= due_us)
            if stops or (not changed and self._now_us < until_us):
                return min(self._s(self._now_us), until_s)
        return until_s

    def next_timer(self) -> float:
        """When something is due at the latest: at a motion's end, an output, a word to the host, or in a while."""
        due_s = self._wires.next_s()
        ahead_s = self.now_s + self.look_ahead_s
        until_us = self._us(ahead_s if due_s is None else min(ahead_s, due_s))
        return self._s(self.board.foresee(max(until_us, self._now_us + 1)))

    def data_to_send(self) -> bytes:
        return self.board.take()

    @property
    def state(self) -> FeederState:
        return self.board.state

    @property
    def now_s(self) -> float:
        """How far board and machine have come."""
        return self._s(self._now_us)

    @property
    def steps(self) -> tuple[int, ...]:
        """Where the carriages stand, in steps from the return lane."""
        return self.board.outputs()[2]

    def shows(self, output: int) -> bool:
        """Whether an output (its number in BOARD.md) is on."""
        return bool(self._outputs[output // 8] >> output % 8 & 1)

    def touch(self, number: int, level: bool) -> None:
        """Set an input (its number in BOARD.md) at the board itself, whatever the machine says."""
        self.board.input(number, level)

    # ------------------------------------------------------------------------------------------------

    def _run(self, until_us: int) -> bool:
        """Let the board run, and wire its outputs to the machine; return whether one has changed."""
        self._now_us, changed = self.board.run(until_us)
        if changed:
            self._take_outputs()
            self._follow()
        elif self.board.moved:
            self._wires.actuators.take_steps(self.steps)
        return changed

    def _follow(self) -> None:
        """Let the machine come as far as the board, and wire its sensors to it."""
        self._plan(self._wires.advance(self._s(self._now_us)))

    def _us(self, time_s: float) -> int:
        return ceil((time_s - self._began_s) * 1_000_000 - 1e-3)

    def _s(self, time_us: int) -> float:
        return self._began_s + time_us / 1_000_000

    def _plan(self, changes: Iterable[Change]) -> None:
        for change in changes:
            self.board.plan(max(self._us(change.at_s), 0), change.bit, change.level)

    def _take_outputs(self) -> None:
        outputs, servos_us, steps = self.board.outputs()
        now_s, actuators = self._s(self._now_us), self._wires.actuators
        actuators.take_steps(steps)
        for gate, pulse_us in enumerate(servos_us):
            if pulse_us != self._servos_us[gate]:
                actuators.take_servo(pulse_us, now_s, gate)
        self._servos_us = servos_us
        if outputs != self._outputs:
            self._outputs = outputs
            actuators.take_outputs(outputs, now_s)
