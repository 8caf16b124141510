"""The person at a machine with lanes: takes each tile out of its lane as the station's screen says, and gives back what it asks back."""

from contextlib import suppress
from threading import Event

from msgspec import MsgspecError

from simulator.by_hand.builders import StationScreen
from simulator.by_hand.hand_table import PLACES, Asked
from simulator.feeder_simulator import FeederSimulator
from simulator.physical_tiles import NotPossibleError, PhysicalTile


class LaneHands:
    """``walls`` has the tiles by seat and place. Whole walls are for the people at the screen."""

    def __init__(self, machine: FeederSimulator, screen: StationScreen) -> None:
        self._machine, self._screen = machine, screen
        self.walls: dict[tuple[int, int], PhysicalTile] = {}
        self.aside: list[PhysicalTile] = []
        """For the well, as soon as it is open."""

    def work(self, stopping: Event, pause_s: float) -> None:
        """Look at the screen again and again, with a pause between, until that is over."""
        while not stopping.wait(pause_s):
            # no station yet, or another server; the tile is on its way, the well still shut
            with suppress(OSError, MsgspecError, NotPossibleError):
                self._do(self._screen.now(0).task)

    def _do(self, task: Asked) -> None:
        at = task.seat, task.place
        if task.do == "put" or (task.do == "machine-empty-lane" and at[1] >= 0 and at not in self.walls):
            self.walls[at] = self._machine.take_from_lane(task.seat)
        elif task.do == "machine-empty-lane":
            self.aside.append(self._machine.take_from_lane(task.seat))
        elif task.do == "recover":
            with self._machine.lock:
                self.aside += [self.walls.pop(at)] if at in self.walls else []
                for seat in PLACES:
                    with suppress(NotPossibleError):
                        self.aside.append(self._machine.take_from_lane(seat))
                self._machine.drop_into_well(self.aside)
                self.aside.clear()
            self._screen.touch("/done", number=task.number)
