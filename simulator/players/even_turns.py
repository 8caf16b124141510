"""Turns at tables where they go round evenly: whose turn it is, and which discards wait for a person's own turn.

Every turn is a draw or a claim and has its place in the river, so walls and melds tell how many turns a seat has had.
No tiles are chosen here.
"""

from collections.abc import Iterator

from simulator.players.view_reading import place_at, seat_at
from simulator.world.visible_table import VisibleTable
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile


def turns_had(visible: VisibleTable, place: int, draws: int) -> int:
    """How many turns a place has begun; ``draws`` are those of a whole wall."""
    claimed = sum(meld.sideways is not None for meld in visible.melds[place])
    return draws - visible.draws_left[place] + claimed


def waiting(visible: VisibleTable, draws: int) -> Iterator[tuple[Seat, Tile, tuple[int, int]]]:
    """What the person may claim instead of drawing: by seat, the tile of its last turn that is still untaken and that did not
    declare riichi, with place and slot of the river."""
    for seat in SEATS:
        place = place_at(seat, visible.hand)
        slot = turns_had(visible, place, draws) - 1
        river = visible.rivers[place]
        face = river[slot] if 0 <= slot < len(river) else None
        if place != visible.place and face is not None and visible.sticks[place] != slot:
            yield seat, parse_tile(face), (place, slot)


def just_claimed(visible: VisibleTable) -> tuple[Tile, tuple[Tile, ...]] | None:
    """The discard that the person has just claimed, and the meld that it made; None where it has drawn."""
    melds = visible.melds[visible.place]
    if visible.drawn is not None or not melds or melds[-1].sideways is None:
        return None
    tiles = tuple(parse_tile(face) for face in melds[-1].tiles)
    return tiles[melds[-1].sideways], tiles


def next_shared(visible: VisibleTable, rows: tuple[tuple[int, ...], ...]) -> int:
    """The number of the shared tile that comes out of the rear gate before the person next."""
    row = rows[seat_at(visible.place, visible.hand).index]
    return next(number for number in row if visible.shared[number] is None)
