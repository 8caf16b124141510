"""The whole machine: what a board's wires drive and sense, and what people see of it.

Only drives and hands move tiles, and no tile is ever lost: ``census`` says where each one is. Time is an argument of
every call that moves something.
"""

from collections.abc import Iterable, Mapping

from firmware_bridge.electrics.wired_machine import Drive, Edge, GateLock, Levels, Switch, WellDoor
from firmware_bridge.electrics.wiring import PLACES_A_SEAT, Input, Output
from simulator.mechanics.hands import GATES, Interlocks, MachineHands
from simulator.mechanics.mishaps import Mishaps
from simulator.mechanics.parts import Parts, present
from simulator.mechanics.schedule import EdgeLog, FeederView, Schedule
from simulator.mechanics.settings import FaultPlan, MechanicsSettings
from simulator.scene import WindowTile
from simulator.tabletop import PhysicalTile


class Mechanics:
    """The reference table with its tiles, all in the drum to begin with; ``hands`` are those of people. A ``WiredMachine``."""

    def __init__(
        self, settings: MechanicsSettings, faults: FaultPlan, tiles: Iterable[PhysicalTile], seed: int, now_s: float = 0.0
    ) -> None:
        self.settings = settings
        self._schedule = Schedule(settings.speed, now_s)
        self._log = EdgeLog(self._schedule)
        self._parts = Parts(settings, Mishaps(faults, seed), seed, schedule=self._schedule, log=self._log)
        self._interlocks = Interlocks(self._parts.sides, self._schedule, self._log, settings.door_s)
        self.hands = MachineHands(settings, self._parts, self._interlocks, self._schedule, self._log)
        self._parts.drum.pour(tiles)

    # What the board's wires drive and sense -----------------------------------------------------

    def advance(self, now_s: float) -> list[Edge]:
        self._schedule.run_until(now_s)
        return self._log.take()

    def next_edge_s(self) -> float | None:
        return self._schedule.now_s if self._log.waiting else self._schedule.next_s()

    def drive(self, drive: Drive, now_s: float) -> None:
        self._schedule.act(now_s)
        match drive:
            case WellDoor(opened, runs):
                self._interlocks.move_door(opened, runs)
            case GateLock(gate, opened):
                self._interlocks.move_lock(gate, opened)
            case Switch(Output.MOTOR_POWER, on):
                self._interlocks.switch_motors(on)
            case _:
                self._parts.drive(drive)

    def levels(self) -> Levels:
        return Levels(
            cells=_mask(cell is not None for intake in self._parts.intakes for cell in intake.cells),
            trays=tuple(_mask(tile is not None for tile in side.tray) for side in self._parts.sides),
            magazines=tuple(
                _mask(
                    tile is not None and Input.MAGAZINE + PLACES_A_SEAT * side.seat + place not in self.unplugged
                    for place, tile in enumerate(side.magazine)
                )
                for side in self._parts.sides
            ),
            locks=_mask(self._interlocks.gate(gate).open for gate in GATES),
            lid_open=self._interlocks.lid_open,
            estop=self._interlocks.estop,
        )

    @property
    def changes(self) -> int:
        return self._schedule.done

    @property
    def carried(self) -> int:
        return sum(1 << number for number, shuttle in self._parts.shuttles.items() if shuttle.carried is not None)

    @property
    def unplugged(self) -> Mapping[int, bool]:
        return self.hands.unplugged

    def returned_at(self, gate: int) -> bool:
        return self._parts.intakes[gate].window.waits

    def exchanging(self, exchanger: int) -> bool:
        return self._parts.exchangers[exchanger].carried is not None

    @property
    def drum_empty(self) -> bool:
        return not self._parts.drum.tiles and not any(intake.window.row for intake in self._parts.intakes)

    @property
    def held(self) -> bool:
        return self._interlocks.held

    @property
    def door_open(self) -> bool:
        return self._interlocks.door_open

    def gripping(self, shuttle: int) -> bool:
        """Whether a gripper opens or closes just now, so that its carriage must stand still."""
        return self._parts.shuttles[shuttle].gripping

    # What the camera and people see -----------------------------------------------------------

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        resting = self._parts.intakes[gate].window.resting
        return resting.seen if resting else None

    def view(self) -> FeederView:
        hands, draws_end = self.settings.hand_places, self.settings.wall_tiles or self.settings.wall_places
        walls = self.settings.wall_places if self.settings.rear_tiles else draws_end
        sides = self._parts.sides
        return FeederView(
            waiting=tuple(len(present(side.magazine[:hands])) for side in sides),
            draws_left=tuple(len(present(side.magazine[hands:draws_end])) for side in sides),
            gates_open=tuple(side.gates[0].lets_pass for side in sides),
            rear_gates_open=tuple(side.gates[1].lets_pass and not self.settings.blinds for side in sides),
            well_open=self.door_open,
            walls_ready=all(None not in side.tray[:walls] for side in sides),
            walls_raised=self._parts.walls_raised,
        )

    @property
    def looks(self) -> int:
        """Grows whenever ``view`` may have changed."""
        return self._log.looks

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        return self._parts.census() | {"in play": self.hands.in_play}

    def tray(self, place: int) -> tuple[PhysicalTile | None, ...]:
        return tuple(self._parts.sides[place].tray)


def _mask(bits: Iterable[bool]) -> int:
    return sum(1 << number for number, bit in enumerate(bits) if bit)
