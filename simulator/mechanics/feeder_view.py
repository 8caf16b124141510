"""Visible state of the feeder, without opening it: hand places, draw gates, the well, and progress of the next wall."""

from firmware_bridge.electrics.edges import Sensor
from twinwall.values import frozen

SEEN = frozenset(
    {
        Sensor.HAND,
        Sensor.DRAW,
        Sensor.LOCK,
        Sensor.DOOR,
        Sensor.LIFT,
        Sensor.FLOOR,
        Sensor.MAGAZINE_FLOOR,
        Sensor.TRAY,
        Sensor.HOME,
    }
)
"""Edges after which a feeder may look different."""


@frozen
class FeederView:
    """The feeder at one moment; tuples have an entry for each place.

    ``waiting`` are the tiles in the hand places, ``draws_left`` those behind the draw gates.
    ``walls_ready`` holds while every tray has a whole wall; ``walls_raised`` counts the walls that have risen so far.
    """

    waiting: tuple[int, ...] = (0,) * 4
    draws_left: tuple[int, ...] = (0,) * 4
    gates_open: tuple[bool, ...] = (False,) * 4
    rear_gates_open: tuple[bool, ...] = (False,) * 4
    well_open: bool = False
    walls_ready: bool = False
    walls_raised: int = 0

    @property
    def clearing(self) -> bool:
        """The next walls are ready, the magazines empty and the well open: whatever lies on the table is to be pushed in.

        A well that is open for staff, who add a tile to an unfinished wall, is not for players.
        """
        return self.well_open and self.walls_ready and not any(self.waiting) and not any(self.draws_left)
