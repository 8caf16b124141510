"""People in place of a feeder's motors and sensors: which task screen and phones show now (``task``), and what a confirmation does. Tasks
of the build come one by one; what players do meanwhile (take hands, draw, gather) is listed beside them. A confirmation names its task, so
a second touch has no effect. Confirmations are on disk before an edge reports them. What was in hand at a power cut is asked for at the
start, for which HOME exists. For the board, a confirmed task means the edges of a feeder's sensors."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from firmware_bridge.electrics.wired_machine import GateReading, MachineSizes, Sensor
from firmware_bridge.messages import REAR_GATE, REAR_PLACES, Command
from tableside.station.camera_worker import Misplaced
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.manual_machine import ManualMachine
from tableside.station.manual_state import FROM_FRAME, SEATS, ManualState
from tableside.station.tasks import IN_HAND, Do, Task, Unread
from vision.table.building_mat import Position


def finish_task(state: ManualState, *, by_next_tile: bool = False) -> None:
    """The present task of the build is done; ``by_next_tile``: because another tile was shown, or a machine has led it."""
    task = state.todo.popleft()
    memory = state.memory
    done = {(task.seat, task.place), state.late}
    state.late = (task.seat, task.place) if by_next_tile and (state.builders > 1 or state.order) and task.do is Do.PUT else None
    asked = (*(place for place in memory.asked if place not in done), *([state.late] if state.late else []))
    spots = memory.spots & ~(1 << task.spot) if task.spot >= 0 else memory.spots
    if task.do in (Do.PUT, Do.FROM_ASIDE):
        del state.grippers[task.seat]
    state.memory = replace(memory, asked=asked, spots=spots, in_hand=bool(state.todo or state.on_its_way or state.late))
    if task.do is not Do.PUT:
        state.last_put = None
    state.none_left = False
    _FINISH[task.do](state, task)


def take_hands(state: ManualState) -> None:
    """Everybody has taken the hand tiles."""
    for seat in SEATS:
        for place in range(state.sizes.hand_places):
            if state.memory.magazines[seat] >> place & 1:
                state.memory = state.memory.without_played(seat, place)
                state.tell(Sensor.HAND, seat, place, level=False)


def take_draw(state: ManualState, gate: int) -> None:
    """The next tile at a draw gate or a rear gate was taken."""
    seat, wall = gate % REAR_GATE, state.sizes.wall_places
    places = range(state.sizes.hand_places, wall) if gate < REAR_GATE else range(wall - REAR_PLACES, wall)
    place = next((place for place in places if state.memory.magazines[seat] >> place & 1), None)
    if place is not None:
        state.memory = state.memory.without_played(seat, place)
        state.tell(Sensor.DRAW, gate, place, level=False)
    state.turn_lock(gate, opened=False)


def count_gathered(state: ManualState, missing: int) -> None:
    """All tiles of the other set are on the heap, except those missing: it has as many as the present walls."""
    more = max(state.memory.placed - state.memory.fallen - missing - state.gathered, 0)
    state.gathered += more
    state.none_left = False
    for _ in range(more):
        state.tell(Sensor.WELL)


def _put(state: ManualState, task: Task) -> None:
    state.set_tray(task.seat, task.place, level=True)
    state.last_put = task.seat, task.place


def _set_aside(state: ManualState, task: Task) -> None:
    state.memory = replace(state.memory, cells=state.memory.cells | 1 << task.spot)
    state.tell(Sensor.CELL, task.spot)


def _fetch(state: ManualState, task: Task) -> None:
    """The tile is in the frame; the board still has its shuttle bring it to the gate."""
    state.fresh = False
    state.grippers[task.seat] = FROM_FRAME
    state.set_tray(task.seat, task.place, level=False)


def _empty_wall(state: ManualState, task: Task) -> None:
    state.memory = state.memory.without_wall(task.seat)
    state.tell(Sensor.FLOOR, task.seat)


def _empty_played(state: ManualState, task: Task) -> None:
    state.memory = state.memory.without_rest(task.seat)
    state.tell(Sensor.MAGAZINE_FLOOR, task.seat)


def _raise(state: ManualState, _: Task) -> None:
    state.memory = state.memory.with_walls_raised(state.sizes.wall_places)
    state.tell(Sensor.LIFT)


def _recover(state: ManualState, task: Task) -> None:
    if task.place >= 0 and state.memory.trays[task.seat] >> task.place & 1:
        state.set_tray(task.seat, task.place, level=False)
    state.home_at_s = None if state.todo else state.now_s


_FINISH: Mapping[Do, Callable[[ManualState, Task], None]] = {
    Do.PUT: _put,
    Do.FROM_ASIDE: _put,
    Do.ASIDE: _set_aside,
    Do.HEAP: lambda state, _: state.tell(Sensor.DRUM_MOUTH),
    Do.REJECT: lambda state, _: state.tell(Sensor.REJECT),
    Do.FETCH: _fetch,
    Do.EMPTY_WALL: _empty_wall,
    Do.EMPTY_PLAYED: _empty_played,
    Do.RAISE: _raise,
    Do.RECOVER: _recover,
}


class ManualFeeder:
    """The screen's content and people's answers; ``machine`` is what the board is wired to."""

    def __init__(
        self,
        sizes: MachineSizes,
        memory: ConfirmedPlaces,
        backs: tuple[int, int],
        keep: Callable[[ConfirmedPlaces], None],
        *,
        first_task: int = 1,
        builders: int = 1,
        order: Callable[[Command], None] | None = None,
    ) -> None:
        """``backs`` are the two sets' numbers, first the one built first; ``keep`` writes a memory to disk. Tasks are numbered from
        ``first_task``, so that a touch from before a power cut meets no later task. ``builders`` people show tiles in turn. If a machine
        brings the tiles, ``order`` takes its orders."""
        self.state = ManualState(sizes, memory, backs, first_task - 1, builders, order=order)
        self.machine = ManualMachine(self.state, keep)
        self.state.ask_players()

    # The screen's content -------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        state = self.state
        if state.task is not None and (state.powered or state.doing is Do.RECOVER):
            return state.task
        if state.gate is not None or (state.on_its_way and state.powered):
            return Task(Do.READING)
        return Task(Do.SHOW if state.feeds else Do.REST)

    @property
    def beside(self) -> tuple[Task, ...]:
        """The tasks of players meanwhile."""
        others = (self.state.hands, self.state.gather, *self.state.draws.values())
        return tuple(task for task in others if task is not None)

    @property
    def unreadable(self) -> Unread | None:
        """What kept the tile in hand, which no place wants, from being read; None if its picture does not say."""
        return self.state.unreadable if self.task.do in (Do.HEAP, Do.REJECT) else None

    @property
    def due(self) -> tuple[Position, ...]:
        """The places that a tile should have come to or must come to now, the last confirmed one first."""
        now, last = self.state.task, self.state.last_put
        asked = ((now.seat, now.place),) if now is not None and now.do in (Do.PUT, Do.FROM_ASIDE) else ()
        return asked if last is None else (last, *asked)

    @property
    def moves_walls(self) -> bool:
        """Whether whole walls are being lifted or emptied, or what was in hand is unknown: no tile there is wrong then."""
        return self.state.doing in (Do.RAISE, Do.EMPTY_WALL, Do.RECOVER)

    @property
    def may_undo(self) -> bool:
        """Whether the last placement can be undone now."""
        state = self.state
        free = not state.todo and state.gate is None and not state.on_its_way
        return free and state.last_put is not None and state.order is None

    # Reports of a machine that brings the tiles

    def led(self, now_s: float) -> None:
        """The machine has led the reported tile to its destination, or the tile is out of its lane."""
        self.state.now_s = now_s
        finish_task(self.state, by_next_tile=True)
        self.state.ask_players()

    def emptied(self, now_s: float, *, none_left: bool) -> None:
        """Whether the machine has no tile except the one in its gate."""
        if none_left is not self.state.none_left:
            self.state.now_s, self.state.none_left = now_s, none_left
            self.state.ask_players()

    # People's answers -----------------------------------------------------------------------------

    def shown(self, now_s: float, unreadable: Unread | None = None, reading: GateReading | None = None) -> None:
        """A tile is at rest in the frame, so the one before is done. ``unreadable`` says why it will not be read. In a machine's gate it
        has a ``reading`` and says nothing of the one before."""
        state = self.state
        state.now_s = now_s
        if state.in_frame:
            return
        state.unreadable, state.reading = unreadable, reading
        state.in_frame = state.fresh = True
        state.none_left = False
        if reading is None and state.doing in IN_HAND | {Do.FETCH}:
            finish_task(state, by_next_tile=True)
        state.ask_players()

    def cleared(self, now_s: float) -> None:
        """The frame is empty."""
        self.state.now_s = now_s
        self.state.in_frame = self.state.fresh = False

    def confirm(self, number: int, now_s: float, missing: int = 0) -> bool:
        """A task is done; False if it is not the present one. ``missing`` tiles could not be found (GATHER)."""
        state = self.state
        state.now_s = now_s
        gate = next((gate for gate, task in state.draws.items() if task.number == number), None)
        if state.task is not None and state.task.number == number and state.task.do is not Do.FETCH:
            if state.task.do is Do.RAISE and state.misplaced is not None:
                return False
            finish_task(state)
        elif state.hands is not None and state.hands.number == number:
            take_hands(state)
        elif state.gather is not None and state.gather.number == number:
            count_gathered(state, missing)
        elif gate is not None:
            take_draw(state, gate)
        else:
            return False
        state.ask_players()
        return True

    def watched(self, misplaced: Misplaced | None, now_s: float) -> None:
        """The present report of the camera above the walls."""
        self.state.now_s = now_s
        self.state.misplaced = misplaced
        self.state.ask_players()

    def none_left(self, now_s: float) -> bool:
        """The heap is empty; False if a tile is still under way."""
        state = self.state
        state.now_s = now_s
        state.none_left = not (state.todo or state.gate is not None or state.in_frame or state.on_its_way)
        state.ask_players()
        return state.none_left

    def undo(self, now_s: float) -> bool:
        """Take back the last placed tile to the heap, because it was put wrongly; False if it is too late."""
        state = self.state
        state.now_s = now_s
        if not self.may_undo or state.last_put is None:
            return False
        seat, place = state.last_put
        state.last_put, state.none_left = None, False
        state.set_tray(seat, place, level=False)
        state.ask_players()
        return True
