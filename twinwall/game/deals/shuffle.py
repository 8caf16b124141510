"""The unbiased shuffle: SHAKE-256 words give shuffled tiles, four walls and their digest. ``WallLayout`` says which tiles and how many."""

import hashlib
from collections.abc import Iterator, Mapping

from twinwall.game.deals.encoding import Sha256, sha256
from twinwall.game.tiles import SEATS, Seat, TileRow, format_tiles
from twinwall.game.walls import HAND_SIZE, SeatWall

_WORD_SIZE = 4
_WORDS = 2**32
_FIRST_WORDS = 136
"""Words for a full set when none is skipped."""


def shuffled(tiles: TileRow, words: Iterator[int]) -> TileRow:
    """Shuffle with 32-bit words. Words that would favour an order are skipped, so all orders are equally likely."""
    order = list(tiles)
    for last in range(len(order) - 1, 0, -1):
        span = last + 1
        limit = _WORDS - _WORDS % span
        chosen = next(word for word in words if word < limit) % span
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def words_of(stream: bytes) -> Iterator[int]:
    """Endless 32-bit big-endian words of SHAKE-256 over ``stream``. ``digest`` always begins at the start, so each call asks for twice as
    much."""
    shake = hashlib.shake_256(stream)
    given, length = 0, _FIRST_WORDS * _WORD_SIZE
    while True:
        output = shake.digest(length)
        for position in range(given, length, _WORD_SIZE):
            yield int.from_bytes(output[position : position + _WORD_SIZE], "big")
        given, length = length, 2 * length


def deal_tiles(tiles: TileRow, wall_size: int) -> tuple[dict[Seat, SeatWall], TileRow]:
    """Deal shuffled tiles: E, S, W, N in turn take the next ``wall_size``; returns the walls and the shared tiles."""
    walls = {}
    for seat in SEATS:
        wall = tiles[seat.index * wall_size : (seat.index + 1) * wall_size]
        walls[seat] = SeatWall(wall[:HAND_SIZE], wall[HAND_SIZE:])
    return walls, tiles[len(SEATS) * wall_size :]


def walls_digest(walls: Mapping[Seat, SeatWall], rest: TileRow) -> Sha256:
    """The digest of a deal's tiles: one line per seat, and one for shared tiles if there are any."""
    lines = [f"{seat.value} {format_tiles(walls[seat].tiles)}\n" for seat in SEATS]
    if rest:
        lines.append(f"- {format_tiles(rest)}\n")
    return sha256("".join(lines).encode())
