"""The station's stand-in for a feeder's motors and sensors: people, asked one thing at a time.

Tasks of the build come one after the other; what players do meanwhile (take hands, draw, gather) stands beside them. A
confirmation names the task that it answers, so that a second touch does nothing. What has been confirmed is kept before any
edge tells of it; what was in hand when the power went is asked for again at the start, which is what HOME is for.
"""

from collections.abc import Callable

from firmware_bridge.electrics.edges import GateReading
from firmware_bridge.messages import Command
from tableside.station.confirmations import count_gathered, finish_task, take_draw, take_hands
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.manual_machine import ManualMachine
from tableside.station.manual_state import ManualState
from tableside.station.sizes import ManualFeederSizes
from tableside.station.tasks import IN_HAND, Do, Task, Unread
from tableside.station.wall_watch import Misplaced
from vision.table.building_mat import Position


class ManualFeeder:
    """What the screen shows, and what people say to it; ``machine`` is what the board is wired to."""

    def __init__(
        self,
        sizes: ManualFeederSizes,
        memory: ConfirmedPlaces,
        backs: tuple[int, int],
        keep: Callable[[ConfirmedPlaces], None],
        *,
        first_task: int = 1,
        builders: int = 1,
        order: Callable[[Command], None] | None = None,
    ) -> None:
        """``backs`` are the two sets' numbers, the one that is built first in front; ``keep`` puts a memory on disk. Tasks are
        numbered from ``first_task``: a touch that was meant for a task of before a power cut must not meet one of after it.
        ``builders`` people show tiles by turns. Where a machine brings the tiles, ``order`` takes what it is to do."""
        self.state = ManualState(sizes, memory, backs, first_task - 1, builders, order=order)
        self.machine = ManualMachine(self.state, keep)
        self.state.follow()

    # What the screen shows ------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """What is to be done for the build now."""
        state = self.state
        if state.task is not None and (state.powered or state.doing is Do.RECOVER):
            return state.task
        if state.gate is not None or (state.on_its_way and state.powered):
            return Task(Do.READING)
        return Task(Do.SHOW if state.feeds else Do.REST)

    @property
    def beside(self) -> tuple[Task, ...]:
        """What players are to do meanwhile."""
        others = (self.state.hands, self.state.gather, *self.state.draws.values())
        return tuple(task for task in others if task is not None)

    @property
    def memory(self) -> ConfirmedPlaces:
        """What lies where, as people have confirmed it."""
        return self.state.memory

    @property
    def building(self) -> int:
        """Back of the set that is built now."""
        return self.state.building

    @property
    def in_frame(self) -> bool:
        """Whether something lies in the camera's frame."""
        return self.state.in_frame

    @property
    def unreadable(self) -> Unread | None:
        """What kept the tile in hand, which is not wanted at any place, from being read; None where its picture does not say."""
        return self.state.unreadable if self.task.do in (Do.HEAP, Do.REJECT) else None

    @property
    def misplaced(self) -> Misplaced | None:
        """A tile that a camera above the walls sees where it does not belong."""
        return self.state.misplaced

    @property
    def due(self) -> tuple[Position, ...]:
        """The places that a tile should have come to or is to come to now, the last one that was confirmed in front."""
        now, last = self.state.task, self.state.last_put
        asked = ((now.seat, now.place),) if now is not None and now.do in (Do.PUT, Do.FROM_ASIDE) else ()
        return asked if last is None else (last, *asked)

    @property
    def moves_walls(self) -> bool:
        """Whether whole walls are being lifted or emptied, or what lay in hand is unknown: no tile there is wrong then."""
        return self.state.doing in (Do.RAISE, Do.EMPTY_WALL, Do.RECOVER)

    @property
    def may_undo(self) -> bool:
        """Whether the last placement can be taken back now."""
        state = self.state
        free = not state.todo and state.gate is None and not state.on_its_way
        return free and state.last_put is not None and state.order is None

    # What a machine that brings the tiles says

    def led(self, now_s: float) -> None:
        """The tile that is said to be in hand has come to where the machine was to lead it, or out of its lane."""
        self.state.now_s = now_s
        finish_task(self.state, by_next_tile=True)
        self._changed()

    def emptied(self, now_s: float, *, none_left: bool) -> None:
        """Whether the machine has no tile left but the one in its gate."""
        if none_left is not self.state.none_left:
            self.state.now_s, self.state.none_left = now_s, none_left
            self._changed()

    # What people do -------------------------------------------------------------------------------

    def shown(self, now_s: float, unreadable: Unread | None = None, reading: GateReading | None = None) -> None:
        """A tile lies still in the frame: what was done with the one before is done. ``unreadable``: why it will not be read. In
        a machine's gate it gives a ``reading`` and says nothing of the one before."""
        state = self.state
        state.now_s = now_s
        if state.in_frame:
            return
        state.unreadable, state.reading = unreadable, reading
        state.in_frame = state.fresh = True
        state.none_left = False
        if reading is None and state.doing in IN_HAND | {Do.FETCH}:
            finish_task(state, by_next_tile=True)
        self._changed()

    def cleared(self, now_s: float) -> None:
        """The frame is empty."""
        self.state.now_s = now_s
        self.state.in_frame = self.state.fresh = False

    def confirm(self, number: int, now_s: float, missing: int = 0) -> bool:
        """A task has been done; False when it is not the one to be done now. ``missing`` tiles could not be found (GATHER)."""
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
        self._changed()
        return True

    def watched(self, misplaced: Misplaced | None, now_s: float) -> None:
        """What the camera above the walls says by now."""
        self.state.now_s = now_s
        self.state.misplaced = misplaced
        self._changed()

    def none_left(self, now_s: float) -> bool:
        """The heap is empty; False when a tile is still on its way."""
        state = self.state
        state.now_s = now_s
        state.none_left = not (state.todo or state.gate is not None or state.in_frame or state.on_its_way)
        self._changed()
        return state.none_left

    def undo(self, now_s: float) -> bool:
        """The last tile placed goes back to the heap, because it was put wrongly; False when it is too late for that."""
        state = self.state
        state.now_s = now_s
        if not self.may_undo or state.last_put is None:
            return False
        seat, place = state.last_put
        state.last_put, state.none_left = None, False
        state.set_tray(seat, place, level=False)
        self._changed()
        return True

    def _changed(self) -> None:
        self.state.follow()
