"""The state of a manual feeder: where tiles are, the tasks that it makes for people (``new_task``), and edges that the board has not taken
yet."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.electrics.wired_machine import Edge, GateReading, MachineSizes, Sensor
from firmware_bridge.messages import Command
from tableside.station.camera_worker import Misplaced
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.tasks import WHOLE_TABLE, Do, Task, Unread

SEATS = range(4)
FROM_FRAME = -1
"""Instead of a spot: the tile in hand was in the frame."""
_TILE_WIDTH = 260
"""The gate's width for every tile, in tenths of a millimetre: nothing measures it here."""


@dataclass(slots=True)
class ManualState:
    """The state of one manual feeder since its start."""

    sizes: MachineSizes
    memory: ConfirmedPlaces
    """The places of tiles, as people have confirmed them."""
    backs: tuple[int, int]
    """The two sets' numbers, first the one built first."""
    last_number: int
    """The number of the last task."""
    builders: int = 1
    """People who show tiles in turn: of two, one may still have his tile in hand when the other shows the next."""
    late: tuple[int, int] | None = None
    """With two builders, or a machine that leads tiles, the place of the last tile, which may still be in hand."""
    now_s: float = 0.0
    order: Callable[[Command], None] | None = None
    """Takes orders for the tile in the gate of a machine that brings tiles; None if people show them."""
    ordered: list[Command] = field(default_factory=list)
    """Orders that it has not been given yet."""
    doubts: bool = False
    """Whether a tile must go back to the machine, or its place is unknown."""
    changes: int = 0
    """Rises whenever a sensor may have changed."""
    edges: list[Edge] = field(default_factory=list)
    todo: deque[Task] = field(default_factory=deque)
    """The tasks of the build, in order."""
    draws: dict[int, Task] = field(default_factory=dict)
    """Due draws, by draw gate and rear gate."""
    hands: Task | None = None
    gather: Task | None = None
    gathered: int = 0
    """Tiles reported on the heap since the well was opened."""
    chutes: tuple[deque[int], ...] = field(default_factory=lambda: tuple(deque() for _ in SEATS))
    """Origin of the tiles that wait for a shuttle, by seat: a spot, or FROM_FRAME."""
    grippers: dict[int, int] = field(default_factory=dict)
    """Origin of the tile in a seat's shuttle: a spot, or FROM_FRAME."""
    returned_s: float | None = None
    """Since when a fetched tile waits before the gate."""
    home_at_s: float | None = None
    """When the purge ends, if it needs no person."""
    feeding: bool = False
    powered: bool = False
    belt: bool = False
    none_left: bool = False
    in_frame: bool = False
    """Whether something is in the camera's frame."""
    fresh: bool = False
    """Whether it is not yet reported to the board."""
    unreadable: Unread | None = None
    """What keeps the last shown tile from being read, if its picture alone says so."""
    gate: GateReading | None = None
    """The tile in the frame as reported to the board."""
    reading: GateReading | None = None
    """What a machine has measured of the tile in its gate."""
    last_put: tuple[int, int] | None = None
    """The last confirmed place, while it can be undone."""
    misplaced: Misplaced | None = None
    """A tile that the camera above the walls sees in a wrong place: until it is moved, no other is accepted."""

    @property
    def task(self) -> Task | None:
        return self.todo[0] if self.todo else None

    @property
    def doing(self) -> Do | None:
        return self.todo[0].do if self.todo else None

    @property
    def feeds(self) -> bool:
        """Whether tiles are wanted."""
        return self.feeding and self.powered

    @property
    def on_its_way(self) -> bool:
        """Whether a tile is between the frame and the next task, which takes the board a moment."""
        return bool(self.grippers or self.returned_s is not None or any(self.chutes))

    @property
    def building(self) -> int:
        """Back of the set being built."""
        return self.backs[self.memory.raised % 2]

    def tell(self, sensor: Sensor, index: int = 0, place: int = 0, *, level: bool = True) -> None:
        """Add an edge of a sensor."""
        self.edges.append(Edge(sensor, self.now_s, index, place, level))

    def new_task(self, do: Do, seat: int = WHOLE_TABLE, place: int = -1, spot: int = -1) -> Task:
        self.last_number += 1
        return Task(do, self.last_number, seat, place, spot)

    def ask(self, do: Do, seat: int = WHOLE_TABLE, place: int = -1, spot: int = -1) -> None:
        """Add a task of the build."""
        self.todo.append(self.new_task(do, seat, place, spot))

    def enter_gate(self) -> None:
        """The tile in the frame is now in the gate."""
        self.fresh = False
        self.gate = self.reading or GateReading(_TILE_WIDTH, 1, self.building)
        self.edges.append(Edge(Sensor.GATE, self.now_s, reading=self.gate))

    def set_tray(self, seat: int, place: int, *, level: bool) -> None:
        """A place of a wall being built gets its tile, or loses it."""
        self.memory = self.memory.with_tray_place(seat, place, level=level)
        self.tell(Sensor.TRAY, seat, place, level=level)

    def turn_lock(self, gate: int, *, opened: bool) -> None:
        """A draw gate or rear gate opens, so that a draw is due, or shuts."""
        if (gate in self.draws) is opened:
            return
        if opened:
            self.draws[gate] = self.new_task(Do.DRAW, gate)
        else:
            del self.draws[gate]
        self.tell(Sensor.LOCK, gate, level=opened)

    def ask_players(self) -> None:
        """Ask players for what follows from the places of tiles, and report the tile in the frame once it is wanted."""
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
