"""Parts that move tiles: one drum, and as many gates, seats and exchangers as the settings say.

It maps drives and numbers to parts; ``interlocks`` has power, door and locks, ``hands`` what people do.
"""

from collections.abc import Iterable
from typing import assert_never

from firmware_bridge.electrics.drives import (
    Divert,
    DropMagazine,
    DropTray,
    Exchange,
    FeedMotor,
    GateBelt,
    Grip,
    Home,
    Lane,
    Lift,
    Loosen,
    Part,
    ReleaseCell,
)
from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.electrics.sizes import capabilities_of
from simulator.mechanics.drum import Drum
from simulator.mechanics.edge_log import EdgeLog
from simulator.mechanics.exchanger import Exchanger
from simulator.mechanics.intake import Intake
from simulator.mechanics.mishaps import Mishaps
from simulator.mechanics.schedule import Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.mechanics.shuttle import Shuttle
from simulator.mechanics.side import Side
from simulator.physical_tiles import PhysicalTile
from twinwall.values import frozen

PLACES = range(4)

WallDrive = DropTray | DropMagazine | Lift | Home
"""Drives that move many tiles at once."""
TileDrive = FeedMotor | GateBelt | Divert | ReleaseCell | Exchange | Grip | Loosen | WallDrive
"""Drives that move tiles."""


@frozen
class Stuck:
    """A part in which something sticks; ``index`` is the diverter's gate, or an exchanger's number."""

    part: Part
    index: int


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
        """Begin a motion; raises CollisionError where a real machine would break."""
        match drive:
            case FeedMotor(on):
                self.drum.turn(on)
            case GateBelt(on):
                for intake in self.intakes:
                    intake.window.run_belt(on)
            case Divert(lane, index, gate):
                own = index - gate * self._settings.bypass_cells if lane is Lane.CELL else index
                self.intakes[gate].divert(lane, own)
            case ReleaseCell(cell, index, lane):
                gate, own = divmod(cell, self._settings.bypass_cells)
                self.intakes[gate].release(own, lane, index)
            case Exchange(exchanger, gate, shuttle):
                self.exchangers[exchanger].exchange(self.intakes[gate], self.shuttles[shuttle])
            case Grip(seat, place, on, rank):
                taker = self.sides[seat].shuttles[rank]
                (taker.grip if on else taker.let_go)(place)
            case Loosen(part, index):
                self._part(Stuck(part, index)).loosen()
            case DropTray() | DropMagazine() | Lift() | Home():
                self._move_walls(drive)
            case _:
                assert_never(drive)

    def stuck(self) -> tuple[Stuck, ...]:
        """The parts in which something sticks."""
        parts = (
            *(Stuck(Part.DIVERTER, intake.number) for intake in self.intakes),
            *(Stuck(Part.EXCHANGER, exchanger.number) for exchanger in self.exchangers),
        )
        return tuple(part for part in parts if self._part(part).stuck)

    def free(self, stuck: Stuck) -> None:
        """A hand frees what sticks in a part; the tile falls into the drum."""
        self.drum.pour(self._part(stuck).free())

    def _move_walls(self, drive: WallDrive) -> None:
        settings, after, tell = self._settings, self._schedule.after, self._log.tell
        match drive:
            case DropTray(seat):
                self.drum.pour(self.sides[seat].empty_tray())
                after(settings.dump_s, lambda: tell(Sensor.FLOOR, seat))
            case DropMagazine(seat):
                self.drum.pour(self.sides[seat].empty_magazine())
                after(settings.dump_s, lambda: tell(Sensor.MAGAZINE_FLOOR, seat))
            case Lift():
                after(settings.raise_s, self._raise_walls)
            case Home():
                self._schedule.clear()
                self._go_home()
                after(settings.home_s, lambda: tell(Sensor.HOME))
            case _:
                assert_never(drive)

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
        """Every tile inside, by where it is."""
        windows = [intake.window for intake in self.intakes]
        lying = tuple(tile for window in windows if window.resting for tile in window.resting.tiles)
        near = tuple(
            tile for intake in self.intakes for tile in (*intake.window.row, *intake.window.returned, *intake.moving, *intake.pocket)
        )
        carried = [tile for shuttle in self.shuttles.values() for tile in (*shuttle.chute, shuttle.carried)]
        return {
            "drum": tuple(self.drum.tiles),
            "gate": (*lying, *near, *present(exchanger.carried for exchanger in self.exchangers)),
            "bypass": present(cell for intake in self.intakes for cell in intake.cells),
            "shuttles": present(carried),
            "trays": tuple(tile for side in self.sides for tile in present(side.tray)),
            "magazines": tuple(tile for side in self.sides for tile in present(side.magazine)),
            "rejected": tuple(tile for intake in self.intakes for tile in intake.rejected),
        }

    def _into_chute(self, shuttle: int, tile: PhysicalTile) -> None:
        self.shuttles[shuttle].receive(tile)

    def _part(self, stuck: Stuck) -> Intake | Exchanger:
        return self.intakes[stuck.index] if stuck.part is Part.DIVERTER else self.exchangers[stuck.index]


def present(places: Iterable[PhysicalTile | None]) -> tuple[PhysicalTile, ...]:
    """The tiles among some places."""
    return tuple(tile for tile in places if tile is not None)
