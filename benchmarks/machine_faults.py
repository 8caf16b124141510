"""Faults of a feeder's machine: whether the table names each of them in time, and moves nothing afterwards.

``python -m benchmarks.machine_faults --json`` breaks the parts of ``machine_faults.toml``, one after the other, at the pins of the
simulated board, while the controller builds a wall through the line and the firmware's C core at a real table's pace. It prints what the
table named first, after how many seconds of the machine's time, and whether anything moved after that.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from types import MappingProxyType

from benchmarks.support.measuring import run_measure
from firmware_bridge.board.library import CarriageDrive, CoreBoard, PinReading
from firmware_bridge.electrics.wired_core import Electrics, WiredCore
from firmware_bridge.electrics.wired_machine import CollisionError
from firmware_bridge.electrics.wiring import SEATS, Input, Output
from firmware_bridge.link.events import OperationRequest
from firmware_bridge.messages import Command, OpenWell, Place, Raise, Return, Stop, Unlock
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.tabletop import tile_set
from tests.support.building.bench import BuildBench, StuckError
from tests.support.building.deals import BACK, any_deal
from twinwall.values import frozen

FAULTS = Path(__file__).with_suffix(".toml")
LIMIT_S = 10.0
_WATCHED_S = 60.0
"""A fault not named within this time counts as not named."""
_AFTERWARDS_S = 5.0
_SILENCE_S = 1.1
"""A board without heartbeats has switched its motors off after this time (PROTOCOL.md, rule 3)."""
_ENDS_S = 1.0
"""A lock's fault stops nothing; operations under way have ended after this time."""
_ORDER_S = 6.0
"""An order has ended after this time."""
_TILES_BEFORE = 12
_FLICKER_US = 50_000
_STEPS_A_PLACE = 32
_MOVES = range(Output.TRAY_FLOOR, Output.MOTOR_POWER)
"""Outputs that move something while on; a gripper that holds does not."""
_ORDERS: dict[str, tuple[Command, ...]] = {
    "raise": (Raise(),),
    "open well": (OpenWell(),),
    "return": (Return(0, 19),),
    "unlock": (Raise(), Unlock(2, 5000)),
    "stop": (Stop(),),
}
"""If there are several, the fault begins before the last."""


@frozen
class MachineFault:
    """One row of the list: the broken part, its kind, what the table must name and where, and how it is made.

    ``when`` is "start", "building", "placing SEAT [POSITION]", "carrying SEAT", "filled TILES", "raising", or "standing";
    ``order`` is asked for then. ``input`` reads low or high or flickers; ``output`` stays off or on; ``swapped`` are two inputs, or two
    carriages; ``carriage`` does not follow its pulses as ``does`` says, or ``slips`` by so many steps; ``act`` is what else happens;
    ``blinds``: the machine has them.
    """

    name: str
    kind: str
    says: str
    where: str = ""
    when: str = "building"
    order: str = ""
    input: str = ""
    reads: str = ""
    output: str = ""
    stays: str = "off"
    swapped: tuple[str, ...] = ()
    carriage: int = -1
    does: str = "runs"
    slips: int = 0
    act: str = ""
    blinds: bool = False


@frozen
class Outcome:
    """The result of a fault: what the table named and where, after how many seconds (None: never), and what moved after that, or how the
    machine broke before."""

    fault: MachineFault
    named: str
    where: str
    seconds: float | None
    moved: str

    @property
    def right(self) -> bool:
        """Whether it was named correctly and in time, and nothing moved afterwards."""
        as_expected = self.named == self.fault.says and self.where.startswith(self.fault.where)
        return as_expected and self.seconds is not None and self.seconds <= LIMIT_S and not self.moved


class BrokenBoard(CoreBoard):
    """A board whose wires are whole until ``apply`` breaks some."""

    _mistaken: Mapping[int, int] = MappingProxyType({})
    """Swapped inputs."""
    _stays: tuple[int, bool] | None = None
    """An output that stays, and whether it is on."""
    _servos_stay: tuple[int, ...] | None = None
    """Where the diverters stay."""
    _flickers: int | None = None
    _flick_us = 0

    def apply(self, fault: MachineFault, now_us: int) -> None:
        """Break what the fault names."""
        if fault.reads == "flickers":
            self._flickers, self._flick_us = _number(Input, fault.input), now_us
        elif fault.input:
            for number in range(Input.LID_OPEN) if fault.input == "CHAIN" else (_number(Input, fault.input),):
                self.stick(number, PinReading[fault.reads.upper()])
        if fault.output == "DIVERTER":
            self._servos_stay = self.outputs()[1]
        elif fault.output:
            self._stays = _number(Output, fault.output), fault.stays == "on"
        if fault.swapped and fault.carriage < 0:
            one, other = (_number(Input, name) for name in fault.swapped)
            self._mistaken = {one: other, other: one}
        elif fault.swapped:
            for one, other in ((0, 1), (1, 0)):
                self.carriage(one, other, CarriageDrive.RUNS)
        elif fault.carriage >= 0:
            self.carriage(fault.carriage, fault.carriage, CarriageDrive[fault.does.upper()], fault.slips)

    def plan(self, at_us: int, number: int, level: bool) -> None:
        """Set an input, or the one swapped with it, to a level."""
        super().plan(at_us, self._mistaken.get(number, number), level)

    def run(self, until_us: int) -> tuple[int, bool]:
        """Let time pass, at most until an input flickers."""
        if self._flickers is None:
            return super().run(until_us)
        reached_us, changed = super().run(min(until_us, self._flick_us))
        if reached_us >= self._flick_us:
            self.stick(self._flickers, PinReading(self._flick_us // _FLICKER_US % 2))
            self._flick_us += _FLICKER_US
        return reached_us, changed

    def outputs(self) -> tuple[bytes, tuple[int, ...], tuple[int, ...]]:
        """Return what reaches the machine."""
        image, servos_us, steps = super().outputs()
        if self._stays is not None:
            number, on = self._stays
            levels = int.from_bytes(image, "little") & ~(1 << number) | on << number
            image = levels.to_bytes(len(image), "little")
        return image, self._servos_stay or servos_us, steps


class BrokenCore(CoreFirmware):
    """The firmware on such a board."""

    board_kind = BrokenBoard


class BrokenBench(BuildBench):
    """A table that builds while something breaks at its machine."""

    def __init__(self, fault: MachineFault) -> None:
        self.fault = fault
        self._ordered = 0
        super().__init__(*any_deal(1), tile_set(BACK), 1, machine=MechanicsSettings(blinds=fault.blinds), faults=FaultPlan(unread=0.0))

    @property
    def board(self) -> BrokenBoard:
        assert isinstance(self.firmware.board, BrokenBoard)
        return self.firmware.board

    def begin(self) -> None:
        """Start the fault."""
        if self.fault.act == "block drum":
            self.mechanics.hands.block_drum(self.now_s)
        elif self.fault.act == "hold tile":
            self.mechanics.hands.hold_gate_tile(self.now_s)
        elif self.fault.act == "cut cable":
            self.delays = replace(self.delays, line_s=float("inf"))
        self.board.apply(self.fault, round(1_000_000 * self.now_s))

    def order(self, command: Command) -> None:
        """Give the feeder an order that the controller did not give."""
        self._ordered = max(self.state.next_operation, self._ordered + 1)
        self.submit(OperationRequest(self._ordered, command))

    def pass_time(self, seconds: float) -> None:
        ends_s = self.now_s + seconds
        while self.now_s < ends_s:
            self.step()

    def has_come_to_it(self) -> bool:
        """Whether it is time to start the fault."""
        when, *place = self.fault.when.split()
        numbers = [int(word) for word in place]
        if when == "placing":
            ordered = [pending.command for pending in self.state.pending]
            return any(isinstance(each, Place) and [each.seat, each.position][: len(numbers)] == numbers for each in ordered)
        if when == "carrying":
            carries = bool(self.mechanics.carried >> numbers[0] & 1) and not self.mechanics.gripping(numbers[0])
            return carries and self.firmware.steps[numbers[0]] > _STEPS_A_PLACE
        if when == "filled":
            return len(self.mechanics.census()["trays"]) >= numbers[0]
        if when == "raising":
            return self._wires is not None and Input.LIFT_DOWN in self._wires.actuators.turning
        return when == "start" or self.gate_tile() is not None

    def named(self) -> tuple[str, str] | None:
        """Return code and place of what the table names first."""
        if self.state.lost:
            return f"lost-{min(self.state.lost)}", ""
        fault = next(iter(self.state.faults), None)
        if fault is None:
            return None
        words = (fault.part or fault.where, fault.place, fault.number)
        return str(fault.code), " ".join(str(word) for word in words if word is not None)

    def moving(self) -> tuple[tuple[int, ...], frozenset[int], frozenset[int]]:
        """Return the carriages' places, the outputs that move something, and the switches of turning cams."""
        image, _, steps = self.board.outputs()
        on = [number for number in _MOVES if image[number // 8] >> number % 8 & 1]
        powered = image[Output.MOTOR_POWER // 8] >> Output.MOTOR_POWER % 8 & 1 and not self.mechanics.held
        turning = self._wires.actuators.turning if self._wires and powered else ()
        return steps[:SEATS], frozenset(on if powered else ()), frozenset(turning)

    def _boot(self) -> WiredCore:
        self.boots += 1
        self._wires = self._wires or Electrics(self.mechanics, 1, self.now_s, in_step=True)
        if self.fault.when == "start":
            chance = Random("carriages")
            self._wires.actuators.steps[:] = [_STEPS_A_PLACE * chance.randrange(3, 32) for _ in range(SEATS)]
        return BrokenCore(self._wires, self.mechanics, self.boots, self.now_s)


def measure(only: str = "") -> dict[str, object]:
    """Run the faults whose name contains ``only``."""
    outcomes = [happen(fault) for fault in listed() if only in fault.name]
    rows = [
        {"fault": each.fault.name, "kind": each.fault.kind, "named": each.named, "where": each.where, "seconds": each.seconds}
        | {"moved": each.moved, "right": each.right}
        for each in outcomes
    ]
    return {"faults": len(rows), "right": sum(each.right for each in outcomes), "rows": rows}


def listed() -> list[MachineFault]:
    return [MachineFault(**row) for row in tomllib.loads(FAULTS.read_text(encoding="utf-8"))["fault"]]


def happen(fault: MachineFault) -> Outcome:
    """Let one fault happen, and watch."""
    bench = BrokenBench(fault)
    if fault.when == "standing":
        bench.build()
    elif fault.when != "start":
        bench.run(lambda: len(bench.mechanics.census()["trays"]) >= _TILES_BEFORE)
    bench.run(lambda: fault.when == "standing" or bench.has_come_to_it())
    *before, asked = _ORDERS.get(fault.order, (None,))
    for command in before:
        bench.order(command)
        bench.pass_time(_ORDER_S)
    began_s = bench.now_s
    try:
        bench.begin()
        if asked is not None:
            bench.order(asked)
        bench.run(lambda: bench.named() is not None, _WATCHED_S)
    except (StuckError, CollisionError) as broke:
        return Outcome(fault, "", "", None, str(broke) if isinstance(broke, CollisionError) else "")
    code, where = bench.named() or ("", "")
    seconds = round(bench.now_s - began_s, 2)
    if fault.act == "cut cable":
        bench.pass_time(max(began_s + _SILENCE_S - bench.now_s, 0.0))
    if code == "feeder-lock":
        bench.pass_time(_ENDS_S)
    return Outcome(fault, code, where, seconds, _moved_after(bench))


def _moved_after(bench: BrokenBench) -> str:
    """Return what moves within a while from now, empty if nothing does."""
    at_rest, ends_s = bench.moving(), bench.now_s + _AFTERWARDS_S
    try:
        while bench.now_s < ends_s:
            bench.step()
            steps, on, cams = bench.moving()
            if steps != at_rest[0] or on - at_rest[1] or cams:
                return f"{at_rest}; then {steps, on, cams}"
    except CollisionError as broke:
        return str(broke)
    return ""


def _number(signals: type[Input] | type[Output], name: str) -> int:
    """Return the number of a signal, such as ``TRAY+43``."""
    first, _, more = name.partition("+")
    return signals[first] + int(more or 0)


if __name__ == "__main__":
    run_measure(measure)
