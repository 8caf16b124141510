"""What a manual feeder knows: what lies where, what people are asked to do, and the edges that the board has not taken yet.

``drives`` and ``confirmations`` change it; who may ask for what, and what the screen shows, is left to ``manual_feeder``.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.electrics.edges import Edge, GateReading, Sensor
from firmware_bridge.electrics.sizes import MachineSizes
from firmware_bridge.messages import Command
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.tasks import WHOLE_TABLE, Do, Task, Unread
from tableside.station.wall_watch import Misplaced

SEATS = range(4)
FROM_FRAME = -1
"""In place of a spot: the tile in hand was in the frame."""
_TILE_WIDTH = 260
"""What the gate says of every tile, in tenths of a millimetre: nothing measures it here."""


@dataclass(slots=True)
class ManualState:
    """The state of one manual feeder since its start."""

    sizes: MachineSizes
    memory: ConfirmedPlaces
    """What lies where, as people have confirmed it."""
    backs: tuple[int, int]
    """The two sets' numbers, the one that is built first in front."""
    last_number: int
    """Of the tasks so far."""
    builders: int = 1
    """People who show tiles by turns: the last but one of two may still have his tile in hand when the other shows the next."""
    late: tuple[int, int] | None = None
    """With two builders, or a machine that leads tiles, the place of the last one: it may still be in hand."""
    now_s: float = 0.0
    order: Callable[[Command], None] | None = None
    """Where a machine brings the tiles, what it is to do with the one in its gate; None where people show them."""
    ordered: list[Command] = field(default_factory=list)
    """What it has not been given yet."""
    doubts: bool = False
    """A tile has to go back to the machine, or it is unknown where one is."""
    changes: int = 0
    """Grows whenever a sensor may have changed."""
    edges: list[Edge] = field(default_factory=list)
    todo: deque[Task] = field(default_factory=deque)
    """The tasks of the build, one after the other."""
    draws: dict[int, Task] = field(default_factory=dict)
    """Draws that are due, by draw gate and rear gate."""
    hands: Task | None = None
    gather: Task | None = None
    gathered: int = 0
    """Tiles that are said to have come to the heap since the well was opened."""
    chutes: tuple[deque[int], ...] = field(default_factory=lambda: tuple(deque() for _ in SEATS))
    """Where the tiles come from that wait for a shuttle, by seat: a spot, or FROM_FRAME."""
    grippers: dict[int, int] = field(default_factory=dict)
    """Where the tile of a seat's shuttle comes from: a spot, or FROM_FRAME."""
    returned_s: float | None = None
    """Since when a fetched tile waits before the gate."""
    home_at_s: float | None = None
    """When the purge ends, where it needs no person."""
    feeding: bool = False
    powered: bool = False
    belt: bool = False
    none_left: bool = False
    in_frame: bool = False
    """Something lies in the camera's frame."""
    fresh: bool = False
    """It is not yet reported to the board."""
    unreadable: Unread | None = None
    """What keeps the tile that was shown last from being read, where its picture alone says so."""
    gate: GateReading | None = None
    """The tile in the frame as it was reported to the board."""
    reading: GateReading | None = None
    """What a machine has measured of the tile in its gate."""
    last_put: tuple[int, int] | None = None
    """The place that was confirmed last, while it can be taken back."""
    misplaced: Misplaced | None = None
    """A tile that a camera above the walls sees where it does not belong: until it is moved, no other is taken on."""

    @property
    def task(self) -> Task | None:
        """The task of the build that is to be done now."""
        return self.todo[0] if self.todo else None

    @property
    def doing(self) -> Do | None:
        """What it asks for."""
        return self.todo[0].do if self.todo else None

    @property
    def feeds(self) -> bool:
        """Whether tiles are wanted."""
        return self.feeding and self.powered

    @property
    def on_its_way(self) -> bool:
        """Whether a tile is between the frame and what people are asked to do with it, which takes the board a moment."""
        return bool(self.grippers or self.returned_s is not None or any(self.chutes))

    @property
    def building(self) -> int:
        """Back of the set that is built now."""
        return self.backs[self.memory.raised % 2]

    def tell(self, sensor: Sensor, index: int = 0, place: int = 0, *, level: bool = True) -> None:
        """A sensor changes now."""
        self.edges.append(Edge(sensor, self.now_s, index, place, level))

    def new_task(self, do: Do, seat: int = WHOLE_TABLE, place: int = -1, spot: int = -1) -> Task:
        """A task with the next number."""
        self.last_number += 1
        return Task(do, self.last_number, seat, place, spot)

    def ask(self, do: Do, seat: int = WHOLE_TABLE, place: int = -1, spot: int = -1) -> None:
        """Add a task of the build."""
        self.todo.append(self.new_task(do, seat, place, spot))

    def enter_gate(self) -> None:
        """The tile in the frame lies in the gate from here on."""
        self.fresh = False
        self.gate = self.reading or GateReading(_TILE_WIDTH, 1, self.building)
        self.edges.append(Edge(Sensor.GATE, self.now_s, reading=self.gate))

    def set_tray(self, seat: int, place: int, *, level: bool) -> None:
        """A place of a wall in the making gets its tile, or loses it."""
        self.memory = self.memory.with_tray_place(seat, place, level=level)
        self.tell(Sensor.TRAY, seat, place, level=level)

    def turn_lock(self, gate: int, *, opened: bool) -> None:
        """A draw gate or rear gate opens, and a draw is due there, or it shuts."""
        if (gate in self.draws) is opened:
            return
        if opened:
            self.draws[gate] = self.new_task(Do.DRAW, gate)
        else:
            del self.draws[gate]
        self.tell(Sensor.LOCK, gate, level=opened)

    def follow(self) -> None:
        """Ask players for what follows from what lies where, and tell of the tile in the frame once it is wanted."""
        self.changes += 1
        free = self.gate is None and self.misplaced is None and not self.todo and not self.on_its_way
        if self.fresh and free and self.feeds:
            self.enter_gate()
        if not self.memory.hand_tiles(self.sizes.hand_places):
            self.hands = None
        elif self.hands is None:
            self.hands = self.new_task(Do.HANDS)
        if not self.memory.door_open:
            self.gather, self.gathered = None, 0
        elif self.gather is None:
            self.gather = self.new_task(Do.GATHER)
