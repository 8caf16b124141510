"""The machine that the board of a station is wired to: its drives become tasks for people (``take_drive``), their confirmations edges. A
drive of the board is a task for people, or happens at once."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from firmware_bridge.electrics.wired_machine import (
    RETURN_LANE,
    Divert,
    Drive,
    Edge,
    GateLock,
    GateReading,
    Grip,
    Lane,
    Levels,
    MachineSizes,
    ReleaseCell,
    Sensor,
    Switch,
    Turn,
    WellDoor,
    capabilities_of,
)
from firmware_bridge.electrics.wiring import Output
from firmware_bridge.messages import Place, Recirculate, Reject
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.manual_state import FROM_FRAME, ManualState
from tableside.station.tasks import Do

_HOME_S = 0.05
"""Duration of a purge with no tile in hand: the board must see that it has begun."""


def take_drive(state: ManualState, drive: Drive) -> None:
    """Ask for what the drive must do, or do it if it needs no person."""
    match drive:
        case Switch(Output.DRUM, on):
            state.feeding = on
        case Switch(Output.BELT, on):
            state.belt = on
        case Switch(_, on):
            state.powered = on
        case Divert(lane, index):
            _divert(state, lane, index)
        case ReleaseCell(cell, seat):
            _release(state, cell, seat)
        case Grip(seat, column, on):
            at = None if column is None or column == RETURN_LANE else _place_at(state, seat, column, taken=on)
            (_grip if on else _let_go)(state, seat, at)
        case GateLock(gate, opened):
            state.turn_lock(gate, opened=opened)
        case Turn(Sensor.HOME):
            _go_home(state)
        case Turn(Sensor.FLOOR, seat):
            state.ask(Do.EMPTY_WALL, seat)
        case Turn(Sensor.MAGAZINE_FLOOR, seat):
            state.ask(Do.EMPTY_PLAYED, seat)
        case Turn():
            state.ask(Do.RAISE)
        case WellDoor(opened, True):
            state.memory = replace(state.memory, door_open=opened)
            state.tell(Sensor.DOOR, level=opened)


def _divert(state: ManualState, lane: Lane, index: int) -> None:
    """The tile in the frame is now in somebody's hand."""
    state.gate = None
    state.memory = replace(state.memory, in_hand=True)
    state.tell(Sensor.GATE, level=False)
    if state.order is not None:
        state.in_frame = state.fresh = False
        state.ordered.append(Place(index, 0) if lane is Lane.CHUTE else Recirculate() if lane is Lane.DRUM else Reject())
    match lane:
        case Lane.CHUTE:
            state.chutes[index].append(FROM_FRAME)
            state.tell(Sensor.CHUTE, index)
        case Lane.CELL:
            state.memory = replace(state.memory, spots=state.memory.spots | 1 << index)
            state.ask(Do.ASIDE, spot=index)
        case Lane.DRUM:
            state.ask(Do.HEAP)
        case Lane.REJECT:
            state.ask(Do.REJECT)


def _release(state: ManualState, cell: int, seat: int) -> None:
    """Ask for a tile that was set aside, from its spot."""
    memory = state.memory
    state.memory = replace(memory, cells=memory.cells & ~(1 << cell), spots=memory.spots | 1 << cell, in_hand=True)
    state.chutes[seat].append(cell)
    state.tell(Sensor.CELL, cell, level=False)
    state.tell(Sensor.CHUTE, seat)


def _place_at(state: ManualState, seat: int, column: int, *, taken: bool) -> int:
    """The highest place of a column with a tile, or the one above it; people see if it does not fit."""
    places = capabilities_of(state.sizes).in_column(column)
    held = sum(state.memory.trays[seat] >> each & 1 for each in places)
    return places[min(max(held - taken, 0), len(places) - 1)]


def _grip(state: ManualState, seat: int, position: int | None) -> None:
    """A shuttle takes the tile that waits for it, or somebody must fetch one from a place."""
    if seat in state.grippers:
        return
    if position is not None:
        state.memory = replace(state.memory, in_hand=True, asked=(*state.memory.asked, (seat, position)))
        state.doubts = state.order is not None
        state.ask(Do.FETCH, seat, position)
    elif state.chutes[seat]:
        state.grippers[seat] = state.chutes[seat].popleft()


def _let_go(state: ManualState, seat: int, position: int | None) -> None:
    """Somebody must put the tile into its place; a fetched one waits before the gate."""
    source = state.grippers.get(seat)
    if source is None:
        return
    if position is None:
        del state.grippers[seat]
        state.returned_s = state.now_s
        return
    state.memory = replace(state.memory, asked=(*state.memory.asked, (seat, position)))
    state.ask(Do.PUT if source == FROM_FRAME else Do.FROM_ASIDE, seat, position, source)


def _go_home(state: ManualState) -> None:
    """No hand may hold a tile: at once if that is known, otherwise once somebody confirms it."""
    state.todo.clear()
    state.grippers.clear()
    for waiting in state.chutes:
        waiting.clear()
    state.returned_s = state.late = None
    if state.gate is not None:
        state.gate = None
        state.tell(Sensor.GATE, level=False)
    for seat, place in state.memory.asked:
        state.ask(Do.RECOVER, seat, place)
    for spot in range(state.memory.spots.bit_length()):
        if state.memory.spots >> spot & 1:
            state.ask(Do.RECOVER, spot=spot)
    if state.memory.in_hand and not state.todo:
        state.ask(Do.RECOVER)
    state.home_at_s = None if state.todo else state.now_s + _HOME_S


_RETURN_S = 0.02
"""How long a fetched tile waits before the gate: the board must see it there."""


class ManualMachine:
    """A ``WiredMachine`` without motors. The places of tiles are on disk before the board hears of them, or a tile is led."""

    held = False
    """It has neither a lid nor an emergency stop."""
    unplugged: Mapping[int, bool] = MappingProxyType({})

    def __init__(self, state: ManualState, keep: Callable[[ConfirmedPlaces], None]) -> None:
        """``keep`` writes the places of tiles to disk."""
        self._state = state
        self._keep = keep
        self._kept = state.memory

    @property
    def settings(self) -> MachineSizes:
        """The table's sizes."""
        return self._state.sizes

    @property
    def changes(self) -> int:
        """Rises whenever a sensor may have changed."""
        return self._state.changes

    @property
    def carried(self) -> int:
        """Bit per seat with a shuttle that holds a tile, which somebody has in hand."""
        return sum(1 << seat for seat in self._state.grippers)

    @property
    def drum_empty(self) -> bool:
        """Whether somebody has said that no tile is left on the heap."""
        return self._state.none_left

    @property
    def door_open(self) -> bool:
        """Whether tiles must be gathered."""
        return self._state.memory.door_open

    def drive(self, drive: Drive, now_s: float) -> None:
        """Turn a drive into a task, or do it at once if it needs no person."""
        state = self._state
        state.now_s = now_s
        take_drive(state, drive)
        state.ask_players()

    def advance(self, now_s: float) -> list[Edge]:
        """The edges since the last call; what they report is on disk."""
        state = self._state
        self._end_motions(now_s)
        if state.memory != self._kept:
            self._keep(state.memory)
            self._kept = state.memory
        while state.ordered and state.order is not None:
            state.order(state.ordered.pop(0))
        edges, state.edges = state.edges, []
        return edges

    def next_edge_s(self) -> float | None:
        """Now if edges wait; a person's action cannot be predicted."""
        due = (self._state.now_s if self._state.edges else None, self._state.home_at_s, self._returns_s())
        return min((time_s for time_s in due if time_s is not None), default=None)

    def levels(self) -> Levels:
        """The confirmed places, instead of sensors."""
        memory = self._state.memory
        return Levels(
            cells=memory.cells,
            trays=memory.trays,
            magazines=memory.magazines,
            locks=sum(1 << gate for gate in self._state.draws),
            lid_open=False,
            estop=False,
        )

    def gate_tile(self, gate: int = 0) -> GateReading | None:
        """The tile in the frame as reported to the board."""
        return self._state.gate if gate == 0 else None

    def gripping(self, shuttle: int) -> bool:  # noqa: ARG002 - a method of WiredMachine
        """Never: a gripper takes no time."""
        return False

    def returned_at(self, gate: int) -> bool:
        """Whether a fetched tile waits before the gate."""
        return gate == 0 and self._state.returned_s is not None

    def exchanging(self, exchanger: int) -> bool:  # noqa: ARG002 - a method of WiredMachine
        """Never: a table with one gate has no exchanger."""
        return False

    def _returns_s(self) -> float | None:
        state = self._state
        return None if state.returned_s is None or not state.belt else state.returned_s + _RETURN_S

    def _end_motions(self, now_s: float) -> None:
        """End a purge that needs no person, and let a fetched tile slide into the gate."""
        state = self._state
        if state.home_at_s is not None and now_s >= state.home_at_s:
            state.now_s, state.home_at_s = now_s, None
            state.changes += 1
            state.tell(Sensor.HOME)
        returns_s = self._returns_s()
        if returns_s is not None and now_s >= returns_s:
            state.now_s, state.returned_s = now_s, None
            state.changes += 1
            state.enter_gate()
