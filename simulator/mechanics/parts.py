"""Parts that move tiles: one drum, and as many gates, seats and exchangers as the settings say.

It maps drives and numbers to parts; ``hands`` has power, door and locks, and what people do.

An exchanger carries one tile at a time from a gate's pocket to a chute of another gate's seat.
"""

from collections.abc import Iterable
from typing import assert_never

from firmware_bridge.electrics.wired_machine import (
    CollisionError,
    Divert,
    Exchange,
    Grip,
    Lane,
    Loosen,
    Part,
    ReleaseCell,
    Sensor,
    Switch,
    Turn,
    capabilities_of,
)
from firmware_bridge.electrics.wiring import Output
from simulator.mechanics.intake import Drum, Intake
from simulator.mechanics.mishaps import Mishaps, Snag
from simulator.mechanics.schedule import EdgeLog, Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.mechanics.side import Shuttle, Side
from simulator.tabletop import PLACES, PhysicalTile

_TO_THE_POCKET = 1 / 3
"""Share of an exchange's time until the tile is taken."""


class Exchanger:
    """``number`` counts the exchangers from 0."""

    def __init__(self, number: int, settings: MechanicsSettings, mishaps: Mishaps, schedule: Schedule, *, log: EdgeLog) -> None:
        self.number = number
        self._settings = settings
        self._mishaps = mishaps
        self._schedule = schedule
        self._log = log
        self.snag = Snag(schedule, settings.loosen_s)
        self._busy = False
        self.carried: PhysicalTile | None = None

    def exchange(self, intake: Intake, shuttle: Shuttle) -> None:
        """Take the pocket's first tile to a chute; raises CollisionError when it has something else to do. It stalls as shuttles do."""
        if self._busy:
            raise CollisionError(f"exchanger {self.number} was driven while it was busy")
        self._busy = True
        seconds = self._settings.exchange_s * _TO_THE_POCKET
        self.snag.begin(lambda: self._schedule.after(seconds, lambda: self._take(intake, shuttle)), self._mishaps.stall)

    def free(self) -> list[PhysicalTile]:
        """A hand frees it; what it carried is taken out and returned."""
        self.snag.forget(lambda: None)
        self.snag.free()
        return self.home()

    def home(self) -> list[PhysicalTile]:
        """Stop and come to rest; what it carried falls and is returned."""
        spilled = [] if self.carried is None else [self.carried]
        self.carried, self._busy = None, False
        self.snag.forget(lambda: None)
        return spilled

    def _take(self, intake: Intake, shuttle: Shuttle) -> None:
        self.carried = intake.take_from_pocket()
        self._log.tell(Sensor.EXCHANGER, self.number)
        self._schedule.after(self._settings.exchange_s * (1 - _TO_THE_POCKET), lambda: self._hand_over(shuttle))

    def _hand_over(self, shuttle: Shuttle) -> None:
        assert self.carried is not None
        shuttle.receive(self.carried)
        self.carried, self._busy = None, False
        self._log.tell(Sensor.EXCHANGER, self.number, level=False)


TileDrive = Switch | Divert | ReleaseCell | Exchange | Grip | Loosen | Turn
"""Drives that move tiles."""
Stuck = tuple[Part, int]
"""A part in which something sticks, with the diverter's gate or the exchanger's number."""


class Parts:
    """Drum, intakes, sides, shuttles and exchangers; each by its number."""

    def __init__(self, settings: MechanicsSettings, mishaps: Mishaps, seed: int, *, schedule: Schedule, log: EdgeLog) -> None:
        sizes = capabilities_of(settings)
        self._settings = settings
        self._schedule = schedule
        self._log = log
        self.walls_raised = 0
        """How often the walls have risen."""
        self.drum = Drum()
        self.intakes = tuple(
            Intake(gate, settings, mishaps, seed, drum=self.drum, schedule=schedule, log=log, to_chute=self._into_chute)
            for gate in range(settings.gates)
        )
        self.sides = tuple(
            Side(seat, settings, mishaps, schedule, log=log, give_back=intake.window.give_back)
            for seat, intake in ((seat, self.intakes[sizes.gate_of_seat(seat)]) for seat in PLACES)
        )
        self.shuttles: dict[int, Shuttle] = {shuttle.number: shuttle for side in self.sides for shuttle in side.shuttles}
        self.exchangers = tuple(Exchanger(each, settings, mishaps, schedule, log=log) for each in range(settings.exchangers))

    def drive(self, drive: TileDrive) -> None:
        settings, after, tell = self._settings, self._schedule.after, self._log.tell
        match drive:
            case Switch(Output.DRUM, on):
                self.drum.turn(on)
            case Switch(_, on):
                for intake in self.intakes:
                    intake.window.run_belt(on)
            case Divert(lane, index, gate):
                own = index - gate * settings.bypass_cells if lane is Lane.CELL else index
                self.intakes[gate].divert(lane, own)
            case ReleaseCell(cell, index, lane):
                gate, own = divmod(cell, settings.bypass_cells)
                self.intakes[gate].release(own, lane, index)
            case Exchange(exchanger, gate, shuttle):
                self.exchangers[exchanger].exchange(self.intakes[gate], self.shuttles[shuttle])
            case Grip(seat, place, on, rank):
                taker = self.sides[seat].shuttles[rank]
                (taker.grip if on else taker.let_go)(place)
            case Loosen(part, index):
                self._part((part, index)).snag.loosen()
            case Turn(Sensor.FLOOR, seat):
                self.drum.pour(self.sides[seat].empty_tray())
                after(settings.dump_s, lambda: tell(Sensor.FLOOR, seat), cam=True)
            case Turn(Sensor.MAGAZINE_FLOOR, seat):
                self.drum.pour(self.sides[seat].empty_magazine())
                after(settings.dump_s, lambda: tell(Sensor.MAGAZINE_FLOOR, seat), cam=True)
            case Turn(Sensor.HOME):
                self._schedule.clear()
                self._go_home()
                after(settings.home_s, lambda: tell(Sensor.HOME), cam=True)
            case Turn():
                after(settings.raise_s, self._raise_walls, cam=True)
            case _:
                assert_never(drive)

    def stuck(self) -> tuple[Stuck, ...]:
        parts = (
            *((Part.DIVERTER, intake.number) for intake in self.intakes),
            *((Part.EXCHANGER, exchanger.number) for exchanger in self.exchangers),
        )
        return tuple(part for part in parts if self._part(part).snag.stuck)

    def free(self, stuck: Stuck) -> None:
        """A hand frees what sticks in a part; the tile falls into the drum."""
        self.drum.pour(self._part(stuck).free())

    def _raise_walls(self) -> None:
        for side in self.sides:
            side.lift()
        self.walls_raised += 1
        self._log.tell(Sensor.LIFT)

    def _go_home(self) -> None:
        """Every part comes to rest; what was on its way falls into the drum."""
        self.drum.turning = False
        for intake in self.intakes:
            intake.home()
        for side in self.sides:
            self.drum.pour(side.home())
        for exchanger in self.exchangers:
            self.drum.pour(exchanger.home())

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        windows = [intake.window for intake in self.intakes]
        lying = tuple(tile for window in windows if window.resting for tile in window.resting.tiles)
        near = tuple(tile for intake in self.intakes for tile in (*intake.window.row, *intake.moving, *intake.pocket))
        returned = (tile for window in windows for tile, _ in window.returned)
        carried = [tile for shuttle in self.shuttles.values() for tile in (*shuttle.chute, shuttle.carried)]
        return {
            "drum": tuple(self.drum.tiles),
            "gate": (*lying, *near, *returned, *present(exchanger.carried for exchanger in self.exchangers)),
            "bypass": present(cell for intake in self.intakes for cell in intake.cells),
            "shuttles": present(carried),
            "trays": tuple(tile for side in self.sides for tile in present(side.tray)),
            "magazines": tuple(tile for side in self.sides for tile in present(side.magazine)),
            "rejected": tuple(tile for intake in self.intakes for tile in intake.rejected),
        }

    def _into_chute(self, shuttle: int, tile: PhysicalTile) -> None:
        self.shuttles[shuttle].receive(tile)

    def _part(self, stuck: Stuck) -> Intake | Exchanger:
        part, index = stuck
        return self.intakes[index] if part is Part.DIVERTER else self.exchangers[index]


def present(places: Iterable[PhysicalTile | None]) -> tuple[PhysicalTile, ...]:
    return tuple(tile for tile in places if tile is not None)
