"""Where a tile may go: the positions that still want its kind and can take it now, and the bypass cells that are free.

Each shuttle works in the order of its operations, and so does the diverter. A position whose support is about to be filled
by the same shuttle therefore counts as supported, and a cell whose tile is about to leave as free: the firmware judges
both in the same way (firmware_bridge/PROTOCOL.md), and what fails on the way fails with all that stands behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from controller.planner import Candidate, best
from controller.state import OpenDeal, Position, Setup, TableState
from firmware_bridge.messages import Bypass, Place, Release
from twinwall.game.tiles import Tile


@dataclass(frozen=True, slots=True)
class Traffic:
    """The positions to which a tile is on its way, and for each place how many those are."""

    to: frozenset[Position]
    backlog: tuple[int, ...]


def traffic(state: TableState) -> Traffic:
    """What is on its way now: asked once for a decision, and then handed on."""
    to = [(c.seat, c.position) for p in state.pending if isinstance(c := p.command, (Place, Release))]
    seats = [seat for seat, _ in to]
    return Traffic(frozenset(to), tuple([seats.count(place) for place in range(4)]))


def has_room(setup: Setup, moving: Traffic) -> bool:
    """Whether the chute of any seat can take one tile more."""
    return min(moving.backlog) < setup.capabilities.shuttle_queue


def open_for(state: TableState, deal: OpenDeal, moving: Traffic, tile: Tile) -> list[Position]:
    """Positions that want a kind and have no tile on its way."""
    build = state.making.build
    return [p for p in deal.wanting(tile) if p not in build.placed and p not in build.doubted and p not in moving.to]


def bypassed(state: TableState, tile: Tile) -> int:
    """How many tiles of a kind wait in bypass cells, or are on their way there."""
    waiting = [*state.making.build.bypass.values(), *[p.tile for p in state.pending if isinstance(p.command, Bypass)]]
    return sum([other is tile for other in waiting])


def choose(setup: Setup, state: TableState, moving: Traffic, wanting: Iterable[Position]) -> Position | None:
    """The best of these positions for a tile, None when no seat can take it just now.

    A seat can while its chute has room for one tile more than are on their way: a tile that had to wait for the shuttle would
    stand in the diverter, and nothing could pass it.
    """
    backlog, room = moving.backlog, setup.capabilities.shuttle_queue
    takers = [at for at in wanting if backlog[at[0]] < room and _supported(setup, state, moving, at)]
    if len(takers) < 2:
        return takers[0] if takers else None
    filled = Counter([place for place, _ in state.making.build.placed])
    covers = setup.capabilities.covered_by
    return best(Candidate((place, i), backlog[place], i, filled[place], covers(i) is not None) for place, i in takers)


def worth_waiting(setup: Setup, state: TableState, moving: Traffic, wanting: Iterable[Position]) -> bool:
    """Whether a tile that has no cell to wait in should wait in the gate: one of these positions could take it but for the queue
    of its shuttle. Otherwise it goes back to the drum, which costs one period of the gate."""
    return any(_supported(setup, state, moving, position) for position in wanting)


def spare(setup: Setup, state: TableState, moving: Traffic) -> list[Position]:
    """Tray places beyond the walls: from there a tile of unknown kind can be returned to the gate."""
    taken = state.making.build.doubted | moving.to
    places = range(setup.capabilities.wall_places, setup.capabilities.tray_places)
    return [(place, index) for place in range(4) for index in places if (place, index) not in taken]


def free_cell(setup: Setup, state: TableState) -> int | None:
    """A bypass cell that is empty, or will be when the diverter comes to it."""
    taken = {c.cell for p in state.pending if isinstance(c := p.command, Bypass)} | state.making.build.bypass.keys()
    return next((cell for cell in range(setup.capabilities.bypass_cells) if cell not in taken), None)


def _supported(setup: Setup, state: TableState, moving: Traffic, position: Position) -> bool:
    below = setup.capabilities.support_below(position[1])
    return below is None or (position[0], below) in state.making.build.placed or (position[0], below) in moving.to
