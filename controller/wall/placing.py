"""Planner of a wall: chooses a read tile's position (``choose``) among those that want its kind and can take it now, finds free bypass
cells, and says from which gate an operation's tile comes.

With one gate, shuttle and diverter work in the order of operations. So a position is supported if the same shuttle is about to fill its
support, and a cell is free if its tile is about to leave; the firmware judges alike (firmware_bridge/PROTOCOL.md), and a failed operation
fails those queued behind it. From several gates, tiles reach a shuttle in any order, so the support must be there already; a tile for
another gate's seat needs an exchanger, which limits the number of waiting tiles.

The planner is greedy, with weights from simulated builds (``python -m benchmarks.feeder``). The least backlog counts most, then the seat
with most left to do. Far places are filled first: near ones are left for the last tiles, which have no choice. A place that another tile
can cover is worth a detour. The mean time is flat around these weights, and looking further ahead gains nothing measurable.
"""

from collections import Counter
from collections.abc import Iterable

from controller.state.sides import OpenDeal, Position
from controller.state.table_state import Setup, TableState
from firmware_bridge.messages import Bypass, Capabilities, Command, Place, Recirculate, Reject, Release, Return
from twinwall.game.tiles import Tile
from twinwall.values import frozen


def gate_of(capabilities: Capabilities, command: Command) -> int:
    """Return the gate from which a command's tile comes, or to which it returns; the machine may not have it."""
    match command:
        case Place(gate=gate) | Recirculate(gate) | Reject(gate):
            return gate
        case Bypass(cell) | Release(cell):
            return capabilities.gate_of_cell(cell)
        case Return(seat):
            return capabilities.gate_of_seat(seat)
        case _:
            return 0


def is_exchanged(capabilities: Capabilities, command: Command) -> bool:
    """Whether a command moves a tile to a seat of another gate."""
    return isinstance(command, Place | Release) and capabilities.gate_of_seat(command.seat) != gate_of(capabilities, command)


DETOUR = 2.0
"""Weight of a way through an exchanger, against one tile of backlog."""
TRAVEL_BONUS = 1.0
"""Weight of a second of shuttle travel, against one tile of backlog."""
FILLED_WEIGHT = 0.5
"""Weight of each tile already in the seat's tray."""
FREES_UPPER_BONUS = 1.0
POSITIONS_PER_S = 40.0


@frozen
class Traffic:
    """Positions with a tile on its way; their number for each shuttle; and for each gate its tiles on their way to other gates' seats."""

    to: frozenset[Position]
    backlog: tuple[int, ...]
    exchanged: tuple[int, ...]


def traffic(setup: Setup, state: TableState) -> Traffic:
    """Return what is on its way now; computed once for each decision."""
    sizes = setup.capabilities
    carried = [c for p in state.pending if isinstance(c := p.command, (Place, Release))]
    shuttles = [sizes.shuttle_of(c.seat, c.position) for c in carried]
    gates = [gate_of(sizes, c) for c in carried if is_exchanged(sizes, c)] if sizes.gates > 1 else []
    backlog = [shuttles.count(shuttle) for shuttle in range(4 * sizes.shuttles)]
    return Traffic(frozenset([(c.seat, c.position) for c in carried]), tuple(backlog), tuple(map(gates.count, range(sizes.gates))))


def has_room(setup: Setup, moving: Traffic) -> bool:
    """Whether any shuttle's chute can take one more tile."""
    return min(moving.backlog) < setup.capabilities.shuttle_queue


def open_for(state: TableState, deal: OpenDeal, moving: Traffic, tile: Tile) -> list[Position]:
    """Return the positions that want a kind and have no tile on its way."""
    build = state.making.build
    return [p for p in deal.wanting(tile) if p not in build.placed and p not in build.doubted and p not in moving.to]


def bypassed(state: TableState, tile: Tile) -> int:
    """Return how many tiles of a kind are in bypass cells, or on their way there."""
    waiting = [*state.making.build.bypass.values(), *[p.tile for p in state.pending if isinstance(p.command, Bypass)]]
    return sum([other is tile for other in waiting])


def choose(setup: Setup, state: TableState, moving: Traffic, wanting: Iterable[Position], gate: int) -> Position | None:
    """Return the best of these positions for a tile of a gate; None if no seat can take it now. Of equal positions the lowest place and
    index win, so that a choice is repeatable.

    A seat can take a tile while its chute has room for one more than are on their way: a tile that waits for the shuttle stands in the
    diverter, and no other could pass. For a seat of another gate the pocket must have room as well.
    """
    takers = [at for at in wanting if not _full(setup, moving, at, gate) and _supported(setup, state, moving, at)]
    filled = Counter([place for place, _ in state.making.build.placed])
    return min(takers, key=lambda at: (_cost(setup, moving, at, gate, filled[at[0]]), at), default=None)


def _full(setup: Setup, moving: Traffic, at: Position, gate: int) -> bool:
    """Whether the way from a gate to a position has no room: in the shuttle's chute, or in the exchanger's pocket."""
    sizes, (place, index) = setup.capabilities, at
    if moving.backlog[sizes.shuttle_of(place, index)] >= sizes.shuttle_queue:
        return True
    return sizes.gate_of_seat(place) != gate and moving.exchanged[gate] >= sizes.pocket_places


def _cost(setup: Setup, moving: Traffic, at: Position, gate: int, filled: int) -> float:
    """Return the cost of a position for a tile of a gate (lower is better); its tray holds ``filled`` tiles."""
    sizes, (place, index) = setup.capabilities, at
    column = sizes.column_of(index)
    travel = abs(column - sizes.column_of(sizes.middle)) if sizes.shuttles > 1 else column
    detour = DETOUR if sizes.gate_of_seat(place) != gate else 0.0
    balance = moving.backlog[sizes.shuttle_of(place, index)] + detour + FILLED_WEIGHT * filled
    return balance - TRAVEL_BONUS * travel / POSITIONS_PER_S - FREES_UPPER_BONUS * (sizes.covered_by(index) is not None)


def worth_waiting(setup: Setup, state: TableState, moving: Traffic, wanting: Iterable[Position]) -> bool:
    """Whether a tile without a free cell should wait in the gate: only a shuttle's queue keeps it from one of these positions. Otherwise it
    goes back to the drum, which costs one gate period."""
    return any(_supported(setup, state, moving, position) for position in wanting)


def spare(setup: Setup, state: TableState, moving: Traffic) -> list[Position]:
    """Return the tray places beyond the walls, from which a tile of unknown kind can return to the gate."""
    taken = state.making.build.doubted | moving.to
    places = range(setup.capabilities.wall_places, setup.capabilities.tray_places)
    return [(place, index) for place in range(4) for index in places if (place, index) not in taken]


def free_cell(setup: Setup, state: TableState, gate: int) -> int | None:
    """Return a bypass cell of a gate that is empty, or will be when the diverter reaches it."""
    taken = {c.cell for p in state.pending if isinstance(c := p.command, Bypass)} | state.making.build.bypass.keys()
    return next((cell for cell in setup.capabilities.cells_of(gate) if cell not in taken), None)


def _supported(setup: Setup, state: TableState, moving: Traffic, position: Position) -> bool:
    below = setup.capabilities.support_below(position[1])
    if below is None or (position[0], below) in state.making.build.placed:
        return True
    return setup.capabilities.gates == 1 and (position[0], below) in moving.to
