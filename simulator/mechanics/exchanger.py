"""Exchanger: carries one tile at a time from a gate's pocket to a chute of another gate's seat."""

from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.electrics.wired_machine import CollisionError
from simulator.mechanics.edge_log import EdgeLog
from simulator.mechanics.intake import Intake
from simulator.mechanics.mishaps import Mishaps, Snag
from simulator.mechanics.schedule import Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.mechanics.shuttle import Shuttle
from simulator.physical_tiles import PhysicalTile

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
        self._snag = Snag(schedule, settings.loosen_s)
        self._busy = False
        self.carried: PhysicalTile | None = None

    def exchange(self, intake: Intake, shuttle: Shuttle) -> None:
        """Take the pocket's first tile to a chute; raises CollisionError when it has something else to do. It stalls as shuttles do."""
        if self._busy:
            raise CollisionError(f"exchanger {self.number} was driven while it was busy")
        self._busy = True
        seconds = self._settings.exchange_s * _TO_THE_POCKET
        self._snag.begin(lambda: self._schedule.after(seconds, lambda: self._take(intake, shuttle)), self._mishaps.stall())

    def loosen(self) -> None:
        """Run it to and fro, which may free it."""
        self._snag.loosen()

    @property
    def stuck(self) -> bool:
        """Whether it has stalled."""
        return self._snag.stuck

    def free(self) -> list[PhysicalTile]:
        """A hand frees it; what it carried is taken out and returned."""
        self._snag.forget(lambda: None)
        self._snag.free()
        return self.home()

    def home(self) -> list[PhysicalTile]:
        """Stop and come to rest; what it carried falls and is returned."""
        spilled = [] if self.carried is None else [self.carried]
        self.carried, self._busy = None, False
        self._snag.forget(lambda: None)
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
