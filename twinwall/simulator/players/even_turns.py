"""Turns at tables where they go round evenly: whose turn it is, and which discards wait for a person's own turn.

Every turn is a draw or a claim and has its place in the river, so walls and melds tell how many turns a seat has had.
No tiles are chosen here.
"""

from __future__ import annotations

from collections.abc import Iterator

from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile
from twinwall.simulator.players.sight_reading import place_at, seat_at
from twinwall.simulator.world.visible_table import VisibleTable


def turns_had(sight: VisibleTable, place: int, draws: int) -> int:
    """How many turns a place has begun; ``draws`` are those of a whole wall."""
    claimed = sum(meld.sideways is not None for meld in sight.melds[place])
    return draws - sight.draws_left[place] + claimed


def waiting(sight: VisibleTable, draws: int) -> Iterator[tuple[Seat, Tile, tuple[int, int]]]:
    """What the person may claim instead of drawing: by seat, the tile of its last turn that nobody has taken and that did not
    declare riichi, with place and slot of the river."""
    for seat in SEATS:
        place = place_at(seat, sight.hand)
        slot = turns_had(sight, place, draws) - 1
        river = sight.rivers[place]
        face = river[slot] if 0 <= slot < len(river) else None
        if place != sight.place and face is not None and sight.sticks[place] != slot:
            yield seat, parse_tile(face), (place, slot)


def just_claimed(sight: VisibleTable) -> tuple[Tile, tuple[Tile, ...]] | None:
    """The discard that the person has just claimed, and the meld that it made; None where it has drawn."""
    melds = sight.melds[sight.place]
    if sight.drawn is not None or not melds or melds[-1].sideways is None:
        return None
    tiles = tuple(parse_tile(face) for face in melds[-1].tiles)
    return tiles[melds[-1].sideways], tiles


def next_shared(sight: VisibleTable, rows: tuple[tuple[int, ...], ...]) -> int:
    """The number of the shared tile that comes out of the rear gate before the person next."""
    row = rows[seat_at(sight.place, sight.hand).index]
    return next(number for number in row if sight.shared[number] is None)
