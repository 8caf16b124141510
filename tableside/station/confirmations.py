"""What a confirmed task means to the board: the edges that the sensors of a feeder would have given."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.messages import REAR_GATE, REAR_PLACES
from tableside.station.manual_state import FROM_FRAME, SEATS, ManualState
from tableside.station.tasks import Do, Task


def finish_task(state: ManualState, *, by_next_tile: bool = False) -> None:
    """The task of the build that was to be done now has been done; ``by_next_tile``: because another tile was shown, or a machine has led
    it."""
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
    """Everybody has taken the tiles of the hand."""
    for seat in SEATS:
        for place in range(state.sizes.hand_places):
            if state.memory.magazines[seat] >> place & 1:
                state.memory = state.memory.without_played(seat, place)
                state.tell(Sensor.HAND, seat, place, level=False)


def take_draw(state: ManualState, gate: int) -> None:
    """The next tile at a draw gate or a rear gate has been taken."""
    seat, wall = gate % REAR_GATE, state.sizes.wall_places
    places = range(state.sizes.hand_places, wall) if gate < REAR_GATE else range(wall - REAR_PLACES, wall)
    place = next((place for place in places if state.memory.magazines[seat] >> place & 1), None)
    if place is not None:
        state.memory = state.memory.without_played(seat, place)
        state.tell(Sensor.DRAW, gate, place, level=False)
    state.turn_lock(gate, opened=False)


def count_gathered(state: ManualState, missing: int) -> None:
    """All tiles of the other set are on the heap, but for those that are missing: it has as many as the walls that stand."""
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
    """The tile lies in the frame; the board still has its shuttle bring it to the gate."""
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
