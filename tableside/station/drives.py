"""What each drive of the board means at a table without motors: a task for people, or something that happens at once."""

from dataclasses import replace

from firmware_bridge.electrics import drives
from firmware_bridge.electrics.drives import Drive, Lane
from firmware_bridge.electrics.edges import Sensor
from firmware_bridge.electrics.sizes import capabilities_of
from tableside.station.manual_state import FROM_FRAME, ManualState
from tableside.station.tasks import Do

_HOME_S = 0.05
"""So long a purge takes where no tile is in anybody's hand: the board has to see that it has begun."""


def take_drive(state: ManualState, drive: Drive) -> None:
    """Ask for what the drive is to do, or do it where it needs no person."""
    match drive:
        case drives.FeedMotor(on):
            state.feeding = on
        case drives.GateBelt(on):
            state.belt = on
        case drives.Motors(on):
            state.powered = on
        case drives.Divert(lane, index):
            _divert(state, lane, index)
        case drives.ReleaseCell(cell, seat):
            _release(state, cell, seat)
        case drives.Grip(seat, column, on):
            (_grip if on else _let_go)(state, seat, None if column is None else _place_at(state, seat, column, taken=on))
        case drives.GateLock(gate, opened):
            state.turn_lock(gate, opened=opened)
        case drives.Home():
            _go_home(state)
        case _:
            _move_walls(state, drive)


def _move_walls(state: ManualState, drive: Drive) -> None:
    match drive:
        case drives.DropTray(seat):
            state.ask(Do.EMPTY_WALL, seat)
        case drives.DropMagazine(seat):
            state.ask(Do.EMPTY_PLAYED, seat)
        case drives.Lift():
            state.ask(Do.RAISE)
        case drives.WellDoor(opened):
            state.memory = replace(state.memory, door_open=opened)
            state.tell(Sensor.DOOR, level=opened)


def _divert(state: ManualState, lane: Lane, index: int) -> None:
    """The tile in the frame is in somebody's hand from here on."""
    state.gate = None
    state.memory = replace(state.memory, in_hand=True)
    state.tell(Sensor.GATE, level=False)
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
    """A tile that lies aside is to be taken from its spot."""
    memory = state.memory
    state.memory = replace(memory, cells=memory.cells & ~(1 << cell), spots=memory.spots | 1 << cell, in_hand=True)
    state.chutes[seat].append(cell)
    state.tell(Sensor.CELL, cell, level=False)
    state.tell(Sensor.CHUTE, seat)


def _place_at(state: ManualState, seat: int, column: int, *, taken: bool) -> int:
    """The highest place of a column that holds a tile, or the one above it; people see what does not fit."""
    places = capabilities_of(state.sizes).in_column(column)
    held = sum(state.memory.trays[seat] >> each & 1 for each in places)
    return places[min(max(held - taken, 0), len(places) - 1)]


def _grip(state: ManualState, seat: int, position: int | None) -> None:
    """A shuttle takes the tile that waits for it, or somebody is to fetch one from a place."""
    if seat in state.grippers:
        return
    if position is not None:
        state.memory = replace(state.memory, in_hand=True, asked=(*state.memory.asked, (seat, position)))
        state.ask(Do.FETCH, seat, position)
    elif state.chutes[seat]:
        state.grippers[seat] = state.chutes[seat].popleft()


def _let_go(state: ManualState, seat: int, position: int | None) -> None:
    """Somebody is to put the tile into its place; one that was fetched waits before the gate."""
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
    """Nothing is to be in anybody's hand: at once where that is known, else as soon as somebody says so."""
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
    for spot in range(state.sizes.bypass_cells):
        if state.memory.spots >> spot & 1:
            state.ask(Do.RECOVER, spot=spot)
    if state.memory.in_hand and not state.todo:
        state.ask(Do.RECOVER)
    state.home_at_s = None if state.todo else state.now_s + _HOME_S
