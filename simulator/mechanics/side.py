"""Side of the machine that belongs to one seat: its tray, its magazine, and the shuttles that serve the tray."""

from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.electrics.wired_machine import CollisionError
from firmware_bridge.messages import REAR_PLACES
from simulator.mechanics.mishaps import Mishaps
from simulator.mechanics.schedule import EdgeLog, Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.mechanics.shuttle import Shuttle
from simulator.physical_tiles import PhysicalTile


@dataclass(slots=True)
class DrawGate:
    """A gate of a magazine; ``lifted_from`` is the place of the tile lifted last, to which one that is put back returns."""

    open: bool = False
    lifted_from: int | None = None


class Side:
    """The places of one seat; ``seat`` is the physical place 0 to 3."""

    def __init__(
        self,
        seat: int,
        settings: MechanicsSettings,
        mishaps: Mishaps,
        schedule: Schedule,
        *,
        log: EdgeLog,
        give_back: Callable[[PhysicalTile], None],
    ) -> None:
        """``give_back`` takes what a shuttle brings back to the gate."""
        self.seat = seat
        self._settings = settings
        self.tray: list[PhysicalTile | None] = [None] * settings.tray_places
        self.shuttles = tuple(
            Shuttle(seat, rank, settings, mishaps, schedule, tray=self.tray, log=log, give_back=give_back)
            for rank in range(settings.shuttles)
        )
        self.magazine: list[PhysicalTile | None] = [None] * settings.wall_places
        self.gates = (DrawGate(), DrawGate())
        """The draw gate, and the rear gate at the other end of the magazine."""

    def empty_tray(self) -> list[PhysicalTile]:
        """The tray's tiles, which fall."""
        fallen = [tile for tile in self.tray if tile is not None]
        self.tray[:] = [None] * self._settings.tray_places
        return fallen

    def empty_magazine(self) -> list[PhysicalTile]:
        """The magazine's tiles, which fall."""
        fallen = [tile for tile in self.magazine if tile is not None]
        self.magazine = [None] * self._settings.wall_places
        self._forget_lifted()
        return fallen

    def lift(self) -> None:
        """The wall rises from tray to magazine; raises CollisionError when something is in the way there."""
        if any(tile is not None for tile in self.magazine):
            raise CollisionError(f"the walls were raised while the magazine of seat {self.seat} was not empty")
        wall = self._settings.wall_places
        self.magazine = self.tray[:wall]
        self.tray[:wall] = [None] * wall
        self._forget_lifted()

    def home(self) -> list[PhysicalTile]:
        """Stop and come to rest; what was in chutes or carried falls and is returned."""
        return [tile for shuttle in self.shuttles for tile in shuttle.home()]

    def next_at(self, gate: int) -> int | None:
        """Magazine place of the tile behind the draw gate (0) or the rear gate (1), None when there is none."""
        wall = self._settings.wall_places
        places = range(wall - REAR_PLACES if gate else self._settings.hand_places, wall)
        return next((place for place in places if self.magazine[place] is not None), None)

    def _forget_lifted(self) -> None:
        for gate in self.gates:
            gate.lifted_from = None
