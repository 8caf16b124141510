"""A person in place of motors and sensors: drives become tasks, confirmations become edges.

Tasks of the build come one after the other; what players do meanwhile (take hands, draw, gather) stands beside them. A
confirmation names the task that it answers, so that a second touch does nothing. What has been confirmed is kept before any
edge tells of it; what was in hand when the power went is asked for again at the start, which is what HOME is for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace

from firmware_bridge.firmware import port
from firmware_bridge.firmware.port import Drive, Edge, GateReading, Lane, Levels, Sensor
from firmware_bridge.messages import REAR_GATE, REAR_PLACES
from twinwall.station.confirmed_places import ConfirmedPlaces, Four
from twinwall.station.sizes import ManualFeederSizes
from twinwall.station.tasks import IN_HAND, WHOLE_TABLE, Do, Task
from twinwall.station.wall_watch import Misplaced, Position

SEATS = range(4)
GATES = range(2 * REAR_GATE)
_HOME_S = 0.05
"""With nothing in anybody's hand a start takes no time, but firmware reads its sensors before it waits for edges."""
_TILE_WIDTH = 260
"""What the gate says of every tile, in tenths of a millimetre: nothing measures it here."""


class ManualFeeder:
    """A plant (``firmware_bridge.firmware.port``) that is a person with a screen."""

    def __init__(
        self,
        sizes: ManualFeederSizes,
        memory: ConfirmedPlaces,
        backs: tuple[int, int],
        keep: Callable[[ConfirmedPlaces], None],
        *,
        first_task: int = 1,
    ) -> None:
        """``backs`` are the two sets' numbers, the one that is built first in front; ``keep`` puts a memory on disk. Tasks are
        numbered from ``first_task``: a touch that was meant for a task of before a power cut must not meet one of after it."""
        self.sizes = sizes
        self.memory = memory
        self._kept = memory
        self._keep = keep
        self._backs = backs
        self._edges: list[Edge] = []
        self._now_s = 0.0
        self._numbers = first_task - 1
        self._todo: deque[Task] = deque()
        self._sources: tuple[deque[int], ...] = tuple(deque() for _ in SEATS)
        """Where the tiles come from that wait for a place, by seat: a spot, or -1 for the tile in hand."""
        self._open: dict[int, Task] = {}
        """Draws that are due, by gate."""
        self._hands: Task | None = None
        self._gather: Task | None = None
        self._gathered = 0
        """Tiles that are said to have come to the heap since the well was opened."""
        self._last_put: tuple[int, int] | None = None
        self._home_at_s: float | None = None
        self._feeding = self._powered = self._none_left = False
        self.in_frame = False
        """Something lies in the camera's frame."""
        self._fresh = False
        """It has not been told of yet."""
        self._gate: GateReading | None = None
        """The tile in the frame as it was told to the firmware."""
        self.misplaced: Misplaced | None = None
        """A tile that a camera above the walls sees where it does not belong: until it is moved, no other is taken on."""
        self._notice()

    # What firmware sees -------------------------------------------------------------------------

    def drive(self, drive: Drive, now_s: float) -> None:  # noqa: PLR0912 - one case per drive
        """Turn a motion into a task; what needs nobody happens at once."""
        self._now_s = now_s
        match drive:
            case port.FeedMotor(on):
                self._feeding = on
            case port.Divert(lane, index):
                self._lead_away(lane, index)
            case port.ReleaseCell(cell, seat):
                left = self.memory.cells & ~(1 << cell)
                self.memory = replace(self.memory, cells=left, spots=self.memory.spots | 1 << cell, in_hand=True)
                self._sources[seat].append(cell)
                self._tell(Sensor.CELL, cell, level=False)
                self._tell(Sensor.CHUTE, seat)
            case port.Carry(seat, position):
                self._hand_out(seat, position)
            case port.Fetch(seat, position):
                self.memory = replace(self.memory, in_hand=True, asked=(*self.memory.asked, (seat, position)))
                self._ask(Do.FETCH, seat, position)
            case port.DropTray(seat):
                self._ask(Do.EMPTY_WALL, seat)
            case port.DropMagazine(seat):
                self._ask(Do.EMPTY_PLAYED, seat)
            case port.Lift():
                self._ask(Do.RAISE)
            case port.WellDoor(opened):
                self.memory = replace(self.memory, door_open=opened)
                self._tell(Sensor.DOOR, level=opened)
            case port.GateLock(gate, opened):
                self._turn_lock(gate, opened)
            case port.Motors(on):
                self._powered = on
            case port.Home():
                self._go_home()
            case _:
                pass  # belts, grippers and loosening are a machine's own affair
        self._offer()

    def advance(self, now_s: float) -> list[Edge]:
        """The edges since the last call; what they tell is on disk by then."""
        self._now_s = now_s
        if self._home_at_s is not None and now_s >= self._home_at_s:
            self._home_at_s = None
            self._tell(Sensor.HOME)
        if self.memory != self._kept:
            self._keep(self.memory)
            self._kept = self.memory
        edges, self._edges = self._edges, []
        return edges

    def next_edge_s(self) -> float | None:
        """At once when edges wait; a person's moment is not known before."""
        return self._now_s if self._edges else self._home_at_s

    def levels(self) -> Levels:
        """What has been confirmed, in place of sensors."""
        return Levels(
            gate=self._gate,
            drum_empty=self._none_left,
            returned=False,
            cells=self.memory.cells,
            carried=sum(1 << task.seat for task in self._todo if task.do in (Do.PUT, Do.FROM_ASIDE)),
            trays=self.memory.trays,
            magazines=self.memory.magazines,
            locks=sum(1 << gate for gate in self._open),
            lid_open=False,
            estop=False,
            door_open=self.memory.door_open,
        )

    # What the screen shows ------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """What is to be done for the build now."""
        if self._todo and (self._powered or self._todo[0].do is Do.RECOVER):
            return self._todo[0]
        if self._gate is not None:
            return Task(Do.READING)
        return Task(Do.SHOW if self._feeding and self._powered else Do.REST)

    @property
    def beside(self) -> tuple[Task, ...]:
        """What players are to do meanwhile."""
        others = (self._hands, self._gather, *self._open.values())
        return tuple(task for task in others if task is not None)

    @property
    def placed(self) -> int:
        """Tiles in the walls that are being built."""
        return sum(mask.bit_count() for mask in self.memory.trays)

    @property
    def building(self) -> int:
        """Back of the set that is built now."""
        return self._backs[self.memory.raised % 2]

    @property
    def due(self) -> tuple[Position, ...]:
        """The places that a tile should have come to or is to come to now, the last one that was confirmed in front."""
        now = self._todo[0] if self._todo else None
        asked = ((now.seat, now.place),) if now is not None and now.do in (Do.PUT, Do.FROM_ASIDE) else ()
        return asked if self._last_put is None else (self._last_put, *asked)

    @property
    def moves_walls(self) -> bool:
        """Whether whole walls are being lifted or emptied, or nobody knows what lay in hand: nothing is wrong then that lies there."""
        return bool(self._todo) and self._todo[0].do in (Do.RAISE, Do.EMPTY_WALL, Do.RECOVER)

    @property
    def may_undo(self) -> bool:
        """Whether the last placement can be taken back now."""
        return self._last_put is not None and not self._todo and self._gate is None

    # What people do -------------------------------------------------------------------------------

    def shown(self, now_s: float) -> None:
        """A tile lies still in the frame: what was done with the one before is done."""
        self._now_s = now_s
        if self.in_frame:
            return
        self.in_frame = self._fresh = True
        self._none_left = False
        if self._todo and self._todo[0].do in IN_HAND | {Do.FETCH}:
            self._done(self._todo.popleft())
        self._offer()

    def cleared(self, now_s: float) -> None:
        """The frame is empty."""
        self._now_s = now_s
        self.in_frame = self._fresh = False

    def confirm(self, number: int, now_s: float, missing: int = 0) -> bool:
        """A task has been done; False when it is not the one to be done now. ``missing`` tiles could not be found (GATHER)."""
        self._now_s = now_s
        if self._todo and self._todo[0].number == number and self._todo[0].do is not Do.FETCH:
            if self._todo[0].do is Do.RAISE and self.misplaced is not None:
                return False
            self._done(self._todo.popleft())
        elif self._hands is not None and self._hands.number == number:
            self._take_hands()
        elif self._gather is not None and self._gather.number == number:
            self._count_gathered(missing)
        elif (gate := next((gate for gate, task in self._open.items() if task.number == number), None)) is not None:
            self._drawn(gate)
        else:
            return False
        self._offer()
        return True

    def watched(self, misplaced: Misplaced | None, now_s: float) -> None:
        """What the camera above the walls says by now."""
        self._now_s = now_s
        self.misplaced = misplaced
        self._offer()

    def none_left(self, now_s: float) -> bool:
        """The heap is empty; False when a tile is still on its way."""
        self._now_s = now_s
        self._none_left = not self._todo and self._gate is None and not self.in_frame
        return self._none_left

    def undo(self, now_s: float) -> bool:
        """The last tile placed goes back to the heap, because it was put wrongly; False when it is too late for that."""
        self._now_s = now_s
        if not self.may_undo:
            return False
        assert self._last_put is not None
        seat, place = self._last_put
        self._last_put, self._none_left = None, False
        self._set_tray(seat, place, level=False)
        return True

    # ----------------------------------------------------------------------------------------------

    def _offer(self) -> None:
        """Tell of the tile in the frame once there is nothing else to do and a tile is wanted."""
        free = self._gate is None and self.misplaced is None and not self._todo
        if self._fresh and free and self._feeding and self._powered:
            self._enter_gate(returned=False)
        self._notice()

    def _enter_gate(self, *, returned: bool) -> None:
        self._fresh = False
        self._gate = GateReading(_TILE_WIDTH, 1, self.building, returned)
        self._edges.append(Edge(Sensor.GATE, self._now_s, reading=self._gate))

    def _lead_away(self, lane: Lane, index: int) -> None:
        """The tile in the frame is in somebody's hand from here on."""
        self._gate = None
        self.memory = replace(self.memory, in_hand=True)
        self._tell(Sensor.GATE, level=False)
        match lane:
            case Lane.CHUTE:
                self._sources[index].append(-1)
                self._tell(Sensor.CHUTE, index)
            case Lane.CELL:
                self.memory = replace(self.memory, spots=self.memory.spots | 1 << index)
                self._ask(Do.ASIDE, spot=index)
            case Lane.DRUM:
                self._ask(Do.HEAP)
            case Lane.REJECT:
                self._ask(Do.REJECT)

    def _hand_out(self, seat: int, place: int) -> None:
        spot = self._sources[seat].popleft()
        self.memory = replace(self.memory, asked=(*self.memory.asked, (seat, place)))
        self._tell(Sensor.PICK, seat)
        self._ask(Do.PUT if spot < 0 else Do.FROM_ASIDE, seat, place, spot)

    def _ask(self, do: Do, seat: int = WHOLE_TABLE, place: int = -1, spot: int = -1) -> None:
        self._todo.append(self._new(do, seat, place, spot))

    def _new(self, do: Do, seat: int = WHOLE_TABLE, place: int = -1, spot: int = -1) -> Task:
        self._numbers += 1
        return Task(do, self._numbers, seat, place, spot)

    def _done(self, task: Task) -> None:
        self._settle_hand(task)
        match task.do:
            case Do.PUT | Do.FROM_ASIDE:
                self._set_tray(task.seat, task.place, level=True)
                self._last_put = task.seat, task.place
            case Do.ASIDE:
                self.memory = replace(self.memory, cells=self.memory.cells | 1 << task.spot)
                self._tell(Sensor.CELL, task.spot)
            case Do.HEAP:
                self._tell(Sensor.DRUM_MOUTH)
            case Do.REJECT:
                self._tell(Sensor.REJECT)
            case Do.FETCH:
                self._set_tray(task.seat, task.place, level=False)
                self._enter_gate(returned=True)
            case Do.EMPTY_WALL:
                self.memory = replace(self.memory, trays=_with(self.memory.trays, task.seat, 0))
                self._tell(Sensor.FLOOR, task.seat)
            case Do.EMPTY_PLAYED:
                left = self.memory.magazines[task.seat].bit_count()
                fallen, empty = self.memory.fallen + left, _with(self.memory.magazines, task.seat, 0)
                self.memory = replace(self.memory, magazines=empty, fallen=fallen)
                self._tell(Sensor.MAGAZINE_FLOOR, task.seat)
            case Do.RAISE:
                self._raise()
            case Do.RECOVER:
                if task.place >= 0 and self.memory.trays[task.seat] >> task.place & 1:
                    self._set_tray(task.seat, task.place, level=False)
                self._home_at_s = None if self._todo else self._now_s
            case _:
                raise AssertionError(f"{task.do} is no task of the build")

    def _settle_hand(self, task: Task) -> None:
        """What is still in hand, and where it may go, after a task."""
        asked = tuple(place for place in self.memory.asked if place != (task.seat, task.place))
        spots = self.memory.spots & ~(1 << task.spot) if task.spot >= 0 else self.memory.spots
        self.memory = replace(self.memory, asked=asked, spots=spots, in_hand=bool(self._todo or any(self._sources)))
        if task.do is not Do.PUT:
            self._last_put = None
        self._none_left = False

    def _raise(self) -> None:
        wall = (1 << self.sizes.wall_places) - 1
        raised = _four(mask & wall for mask in self.memory.trays)
        rest = _four(mask & ~wall for mask in self.memory.trays)
        self.memory = replace(self.memory, trays=rest, magazines=raised, raised=self.memory.raised + 1, fallen=0)
        self._tell(Sensor.LIFT)

    def _take_hands(self) -> None:
        for seat in SEATS:
            for place in range(self.sizes.hand_places):
                if self.memory.magazines[seat] >> place & 1:
                    self._take(seat, place)
                    self._tell(Sensor.HAND, seat, place, level=False)

    def _drawn(self, gate: int) -> None:
        seat, wall = gate % REAR_GATE, self.sizes.wall_places
        places = range(self.sizes.hand_places, wall) if gate < REAR_GATE else range(wall - REAR_PLACES, wall)
        place = next((place for place in places if self.memory.magazines[seat] >> place & 1), None)
        if place is not None:
            self._take(seat, place)
            self._tell(Sensor.DRAW, gate, place, level=False)
        self._turn_lock(gate, opened=False)

    def _take(self, seat: int, place: int) -> None:
        left = self.memory.magazines[seat] & ~(1 << place)
        self.memory = replace(self.memory, magazines=_with(self.memory.magazines, seat, left))

    def _count_gathered(self, missing: int) -> None:
        """All tiles of the other set are on the heap, but for those that are missing: it has as many as the walls that stand."""
        more = max(self.placed - self.memory.fallen - missing - self._gathered, 0)
        self._gathered += more
        self._none_left = False
        for _ in range(more):
            self._tell(Sensor.WELL)

    def _turn_lock(self, gate: int, opened: bool) -> None:
        if (gate in self._open) is opened:
            return
        if opened:
            self._open[gate] = self._new(Do.DRAW, gate)
        else:
            del self._open[gate]
        self._tell(Sensor.LOCK, gate, level=opened)

    def _go_home(self) -> None:
        """Nothing is in anybody's hand: at once if that is known, else as soon as somebody says so."""
        self._todo.clear()
        for waiting in self._sources:
            waiting.clear()
        self._gate = None
        for seat, place in self.memory.asked:
            self._ask(Do.RECOVER, seat, place)
        for spot in range(self.sizes.bypass_cells):
            if self.memory.spots >> spot & 1:
                self._ask(Do.RECOVER, spot=spot)
        if self.memory.in_hand and not self._todo:
            self._ask(Do.RECOVER)
        self._home_at_s = None if self._todo else self._now_s + _HOME_S

    def _notice(self) -> None:
        """What players are to do follows from what lies where."""
        hands = (1 << self.sizes.hand_places) - 1
        if not any(mask & hands for mask in self.memory.magazines):
            self._hands = None
        elif self._hands is None:
            self._hands = self._new(Do.HANDS)
        if not self.memory.door_open:
            self._gather, self._gathered = None, 0
        elif self._gather is None:
            self._gather = self._new(Do.GATHER)

    def _set_tray(self, seat: int, place: int, *, level: bool) -> None:
        mask = self.memory.trays[seat]
        mask = mask | 1 << place if level else mask & ~(1 << place)
        self.memory = replace(self.memory, trays=_with(self.memory.trays, seat, mask))
        self._tell(Sensor.TRAY, seat, place, level=level)

    def _tell(self, sensor: Sensor, index: int = 0, place: int = 0, *, level: bool = True) -> None:
        self._edges.append(Edge(sensor, self._now_s, index, place, level))


def _with(masks: Four, seat: int, mask: int) -> Four:
    return _four(mask if each == seat else masks[each] for each in SEATS)


def _four(masks: Iterable[int]) -> Four:
    first, second, third, fourth = masks
    return first, second, third, fourth
