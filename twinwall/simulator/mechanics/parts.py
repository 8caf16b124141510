"""Parts that move single tiles: one drum, and as many gates, seats and exchangers as the settings say.

It maps drives and numbers to parts; ``machine`` has floors, lift, well, locks and people's actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from firmware_bridge.firmware.port import (
    Carry,
    Divert,
    Edge,
    Exchange,
    FeedMotor,
    Fetch,
    GateBelt,
    Grip,
    Lane,
    LetGo,
    Loosen,
    Part,
    ReleaseCell,
)
from firmware_bridge.firmware.settings import capabilities_of
from twinwall.simulator.mechanics.drum import Drum
from twinwall.simulator.mechanics.exchanger import Exchanger
from twinwall.simulator.mechanics.intake import Intake
from twinwall.simulator.mechanics.mishaps import Mishaps
from twinwall.simulator.mechanics.schedule import Schedule
from twinwall.simulator.mechanics.settings import MechanicsSettings
from twinwall.simulator.mechanics.shuttle import Shuttle
from twinwall.simulator.mechanics.side import Side
from twinwall.simulator.physical_tiles import PhysicalTile

PLACES = range(4)

TileDrive = FeedMotor | GateBelt | Divert | ReleaseCell | Exchange | Carry | Fetch | Grip | LetGo | Loosen
"""Drives that move tiles one by one."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A part in which something sticks; ``index`` is the diverter's gate, or a shuttle's or an exchanger's number."""

    part: Part
    index: int


class Parts:
    """Drum, intakes, sides, shuttles and exchangers; each by its number."""

    def __init__(
        self, settings: MechanicsSettings, mishaps: Mishaps, seed: int, *, schedule: Schedule, edge: Callable[[Edge], None]
    ) -> None:
        sizes = capabilities_of(settings)
        self._cells = settings.bypass_cells
        self.drum = Drum()
        self.intakes = tuple(
            Intake(gate, settings, mishaps, seed, drum=self.drum, schedule=schedule, edge=edge, to_chute=self._into_chute)
            for gate in range(settings.gates)
        )
        self.sides = tuple(
            Side(seat, settings, mishaps, schedule, middle=sizes.middle, edge=edge, give_back=intake.give_back)
            for seat, intake in ((seat, self.intakes[sizes.gate_of_seat(seat)]) for seat in PLACES)
        )
        self.shuttles: dict[int, Shuttle] = {shuttle.number: shuttle for side in self.sides for shuttle in side.shuttles}
        self.exchangers = tuple(Exchanger(each, settings, mishaps, schedule, edge=edge) for each in range(settings.exchangers))

    def drive(self, drive: TileDrive) -> None:
        """Begin a motion; raises CollisionError where a real machine would break."""
        match drive:
            case FeedMotor(on):
                self.drum.turn(on)
            case GateBelt(on):
                for intake in self.intakes:
                    intake.run_belt(on)
            case Divert(lane, index, gate):
                own = index - gate * self._cells if lane is Lane.CELL else index
                self.intakes[gate].divert(lane, own)
            case ReleaseCell(cell, index, lane):
                gate, own = divmod(cell, self._cells)
                self.intakes[gate].release(own, lane, index)
            case Exchange(exchanger, gate, shuttle):
                self.exchangers[exchanger].exchange(self.intakes[gate], self.shuttles[shuttle])
            case Carry(seat, position):
                self.sides[seat].shuttle_for(position).carry(position)
            case Fetch(seat, position):
                self.sides[seat].shuttle_for(position).fetch(position)
            case Grip(seat, place, rank):
                self.sides[seat].shuttles[rank].grip(place)
            case LetGo(seat, place, rank):
                self.sides[seat].shuttles[rank].let_go(place)
            case Loosen(part, index):
                self._part(Stuck(part, index)).loosen()
            case _:
                assert_never(drive)

    def stuck(self) -> tuple[Stuck, ...]:
        """The parts in which something sticks."""
        parts = (
            *(Stuck(Part.DIVERTER, intake.number) for intake in self.intakes),
            *(Stuck(Part.SHUTTLE, number) for number in self.shuttles),
            *(Stuck(Part.EXCHANGER, exchanger.number) for exchanger in self.exchangers),
        )
        return tuple(part for part in parts if self._part(part).stuck)

    def free(self, stuck: Stuck) -> None:
        """A hand frees what sticks in a part; the tile falls into the drum."""
        if stuck.part is Part.DIVERTER:
            self.intakes[stuck.index].free()
        else:
            carrier = self.shuttles[stuck.index] if stuck.part is Part.SHUTTLE else self.exchangers[stuck.index]
            self.drum.pour(carrier.free())

    def home(self) -> None:
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
        lying = tuple(tile for intake in self.intakes if intake.gate for tile in intake.gate.tiles)
        near = tuple(tile for intake in self.intakes for tile in (*intake.row, *intake.returned, *intake.moving, *intake.pocket))
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

    def _part(self, stuck: Stuck) -> Intake | Shuttle | Exchanger:
        match stuck.part:
            case Part.DIVERTER:
                return self.intakes[stuck.index]
            case Part.SHUTTLE:
                return self.shuttles[stuck.index]
            case Part.EXCHANGER:
                return self.exchangers[stuck.index]


def present(places: Iterable[PhysicalTile | None]) -> tuple[PhysicalTile, ...]:
    """The tiles among some places."""
    return tuple(tile for tile in places if tile is not None)
