"""Where a tile may go: the positions that still want its kind and can take it now, and the bypass cells that are free.

Each shuttle works in the order of its operations, and so does the diverter. A position whose support is about to be filled
by the same shuttle therefore counts as supported, and a cell whose tile is about to leave as free: the firmware judges
both in the same way (firmware_bridge/PROTOCOL.md), and what fails on the way fails with all that stands behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from controller.planner import Candidate, best
from controller.state import OpenDeal, Position, Setup, TableState
from firmware_bridge.messages import Bypass, Place, Release
from twinwall.game.tiles import Tile


def coming(state: TableState) -> frozenset[Position]:
    """Positions to which a tile is on its way."""
    return frozenset((c.seat, c.position) for p in state.pending if isinstance(c := p.command, (Place, Release)))


def open_for(state: TableState, deal: OpenDeal, tile: Tile) -> list[Position]:
    """Positions that want a kind and have no tile on its way."""
    build, on_their_way = state.making.build, coming(state)
    return [p for p in deal.wanting(tile) if p not in build.placed and p not in build.doubted and p not in on_their_way]


def bypassed(state: TableState, tile: Tile) -> int:
    """How many tiles of a kind wait in bypass cells, or are on their way there."""
    waiting = sum(other is tile for other in state.making.build.bypass.values())
    return waiting + sum(p.tile is tile for p in state.pending if isinstance(p.command, Bypass))


def choose(setup: Setup, state: TableState, wanting: Iterable[Position]) -> Position | None:
    """The best of these positions for a tile, None when no seat can take it just now.

    A seat can while its chute has room for one tile more than are on their way: a tile that had to wait for the shuttle would
    stand in the diverter, and nothing could pass it.
    """
    takers = _takers(setup, state, wanting)
    if len(takers) < 2:
        return takers[0][0] if takers else None
    filled = Counter(place for place, _ in state.making.build.placed)
    covers = setup.capabilities.covered_by
    return best(Candidate((place, i), backlog, i, filled[place], covers(i) is not None) for (place, i), backlog in takers)


def worth_waiting(setup: Setup, state: TableState, wanting: Iterable[Position]) -> bool:
    """Whether a tile that has no cell to wait in should wait in the gate: one of these positions could take it but for the queue
    of its shuttle. Otherwise it goes back to the drum, which costs one period of the gate."""
    on_their_way = coming(state)
    return any(_supported(setup, state, on_their_way, position) for position in wanting)


def spare(setup: Setup, state: TableState) -> list[Position]:
    """Tray places beyond the walls: from there a tile of unknown kind can be returned to the gate."""
    taken = state.making.build.doubted | coming(state)
    places = range(setup.capabilities.wall_places, setup.capabilities.tray_places)
    return [(place, index) for place in range(4) for index in places if (place, index) not in taken]


def free_cell(setup: Setup, state: TableState) -> int | None:
    """A bypass cell that is empty, or will be when the diverter comes to it."""
    taken = {c.cell for p in state.pending if isinstance(c := p.command, Bypass)} | state.making.build.bypass.keys()
    return next((cell for cell in range(setup.capabilities.bypass_cells) if cell not in taken), None)


def _takers(setup: Setup, state: TableState, wanting: Iterable[Position]) -> list[tuple[Position, int]]:
    """Those of the positions that could take a tile now, each with the tiles that are on their way to its seat."""
    backlog = Counter(pending.command.seat for pending in state.pending if isinstance(pending.command, (Place, Release)))
    on_their_way, room = coming(state), setup.capabilities.shuttle_queue
    return [(at, backlog[at[0]]) for at in wanting if backlog[at[0]] < room and _supported(setup, state, on_their_way, at)]


def _supported(setup: Setup, state: TableState, on_their_way: frozenset[Position], position: Position) -> bool:
    below = setup.capabilities.support_below(position[1])
    return below is None or (position[0], below) in state.making.build.placed or (position[0], below) in on_their_way
