"""Which gate an operation's tile comes from, and candidates for a tile: positions that want its kind and can take it now, and free bypass
cells.

With one gate, shuttle and diverter work in the order of operations. So a position counts as supported when the same shuttle is about to
fill its support, and a cell counts as free when its tile is about to leave; the firmware judges alike (firmware_bridge/PROTOCOL.md), and a
failed operation fails those queued behind it. From several gates tiles reach a shuttle in any order, so the support must already lie; a
tile for another gate's seat needs an exchanger, before which the number of waiting tiles is limited.

The planner's choice of a position is greedy. The weights come from simulated builds (``python -m benchmarks.feeder``). The least backlog
counts most, then the seat with most left to do. Far places are filled first, so that near ones are left for the last tiles, which have no
choice. A tile on which another can be laid is worth a detour. The mean time is flat around these weights, and looking further ahead gains
nothing measurable.
"""

from collections import Counter
from collections.abc import Iterable

from controller.state.making import OpenDeal, Position
from controller.state.table_state import Setup, TableState
from firmware_bridge.messages import Bypass, Capabilities, Command, Place, Recirculate, Reject, Release, Return
from twinwall.game.tiles import Tile
from twinwall.values import frozen


def gate_of(capabilities: Capabilities, command: Command) -> int:
    """The gate at which a command's tile is, or to which it comes back; the machine may not have it."""
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
    """Whether a command leads a tile to a seat of another gate."""
    return isinstance(command, Place | Release) and capabilities.gate_of_seat(command.seat) != gate_of(capabilities, command)


DETOUR = 2.0
"""What a way by an exchanger weighs, against one tile of backlog."""
TRAVEL_BONUS = 1.0
"""Per second of shuttle travel, against one tile of backlog."""
FILLED_WEIGHT = 0.5
"""Per tile that the seat's tray holds already."""
FREES_UPPER_BONUS = 1.0
POSITIONS_PER_S = 40.0


@frozen
class Traffic:
    """The positions to which a tile is on its way, for each shuttle how many those are, and for each gate how many of its tiles
    are on their way to seats of another one."""

    to: frozenset[Position]
    backlog: tuple[int, ...]
    exchanged: tuple[int, ...]


def traffic(setup: Setup, state: TableState) -> Traffic:
    """What is on its way now: asked once for a decision, and then handed on."""
    sizes = setup.capabilities
    carried = [c for p in state.pending if isinstance(c := p.command, (Place, Release))]
    shuttles = [sizes.shuttle_of(c.seat, c.position) for c in carried]
    gates = [gate_of(sizes, c) for c in carried if is_exchanged(sizes, c)] if sizes.gates > 1 else []
    backlog = [shuttles.count(shuttle) for shuttle in range(4 * sizes.shuttles)]
    return Traffic(frozenset([(c.seat, c.position) for c in carried]), tuple(backlog), tuple(map(gates.count, range(sizes.gates))))


def has_room(setup: Setup, moving: Traffic) -> bool:
    """Whether the chute of any shuttle can take one tile more."""
    return min(moving.backlog) < setup.capabilities.shuttle_queue


def open_for(state: TableState, deal: OpenDeal, moving: Traffic, tile: Tile) -> list[Position]:
    """Positions that want a kind and have no tile on its way."""
    build = state.making.build
    return [p for p in deal.wanting(tile) if p not in build.placed and p not in build.doubted and p not in moving.to]


def bypassed(state: TableState, tile: Tile) -> int:
    """How many tiles of a kind wait in bypass cells, or are on their way there."""
    waiting = [*state.making.build.bypass.values(), *[p.tile for p in state.pending if isinstance(p.command, Bypass)]]
    return sum([other is tile for other in waiting])


def choose(setup: Setup, state: TableState, moving: Traffic, wanting: Iterable[Position], gate: int) -> Position | None:
    """The best of these positions for a tile of a gate, None when no seat can take it just now; of equal ones that of the lower place and
    index, so that a choice can be repeated.

    A seat can while its chute has room for one tile more than are on their way: a tile that had to wait for the shuttle would
    stand in the diverter, and nothing could pass it. A seat of another gate can while the pocket has room as well.
    """
    takers = [at for at in wanting if not _full(setup, moving, at, gate) and _supported(setup, state, moving, at)]
    filled = Counter([place for place, _ in state.making.build.placed])
    return min(takers, key=lambda at: (_cost(setup, moving, at, gate, filled[at[0]]), at), default=None)


def _full(setup: Setup, moving: Traffic, at: Position, gate: int) -> bool:
    """Whether the way from a gate to a position has no room: in the shuttle's chute, or in the pocket of the exchanger."""
    sizes, (place, index) = setup.capabilities, at
    if moving.backlog[sizes.shuttle_of(place, index)] >= sizes.shuttle_queue:
        return True
    return sizes.gate_of_seat(place) != gate and moving.exchanged[gate] >= sizes.pocket_places


def _cost(setup: Setup, moving: Traffic, at: Position, gate: int, filled: int) -> float:
    """What a position costs for a tile of a gate, lower is better; ``filled`` tiles stand in its tray."""
    sizes, (place, index) = setup.capabilities, at
    column = sizes.column_of(index)
    travel = abs(column - sizes.column_of(sizes.middle)) if sizes.shuttles > 1 else column
    detour = DETOUR if sizes.gate_of_seat(place) != gate else 0.0
    balance = moving.backlog[sizes.shuttle_of(place, index)] + detour + FILLED_WEIGHT * filled
    return balance - TRAVEL_BONUS * travel / POSITIONS_PER_S - FREES_UPPER_BONUS * (sizes.covered_by(index) is not None)


def worth_waiting(setup: Setup, state: TableState, moving: Traffic, wanting: Iterable[Position]) -> bool:
    """Whether a tile that has no cell to wait in should wait in the gate: one of these positions could take it but for the queue
    of its shuttle. Otherwise it goes back to the drum, which costs one period of the gate."""
    return any(_supported(setup, state, moving, position) for position in wanting)


def spare(setup: Setup, state: TableState, moving: Traffic) -> list[Position]:
    """Tray places beyond the walls: from there a tile of unknown kind can be returned to the gate."""
    taken = state.making.build.doubted | moving.to
    places = range(setup.capabilities.wall_places, setup.capabilities.tray_places)
    return [(place, index) for place in range(4) for index in places if (place, index) not in taken]


def free_cell(setup: Setup, state: TableState, gate: int) -> int | None:
    """A bypass cell of a gate that is empty, or will be when the diverter comes to it."""
    taken = {c.cell for p in state.pending if isinstance(c := p.command, Bypass)} | state.making.build.bypass.keys()
    return next((cell for cell in setup.capabilities.cells_of(gate) if cell not in taken), None)


def _supported(setup: Setup, state: TableState, moving: Traffic, position: Position) -> bool:
    below = setup.capabilities.support_below(position[1])
    if below is None or (position[0], below) in state.making.build.placed:
        return True
    return setup.capabilities.gates == 1 and (position[0], below) in moving.to
