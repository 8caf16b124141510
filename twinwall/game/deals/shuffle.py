"""From a stream of words to four walls: the shuffle, how the tiles are dealt, and their digest.

The shuffle draws without bias from SHAKE-256 (contracts, "Deals"). How many tiles a seat gets is a
property of the rule set's name here, because a deal must be re-makable by somebody who has no
rules of play at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from twinwall.game.deals.encoding import sha256
from twinwall.game.tiles import ALL_TILES, COPIES, SEATS, Seat, Tile, format_tiles

HAND_SIZE = 13
"""Tiles of a seat's wall that form its starting hand; the draws follow in draw order."""

_WORD_SIZE = 4
_WORDS = 2**32
_FIRST_WORDS = 136
"""As many words as a full set needs when none is skipped."""


@dataclass(frozen=True, slots=True)
class WallLayout:
    """How the shuffled set is dealt: the kinds in it and how many tiles make one seat's wall; what remains is the rest."""

    kinds: tuple[Tile, ...]
    wall_size: int

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The set in canonical order, four of a kind together."""
        return tuple(kind for kind in self.kinds for _ in range(COPIES))

    @property
    def rest_size(self) -> int:
        """Tiles that belong to no seat."""
        return COPIES * len(self.kinds) - len(SEATS) * self.wall_size


_FULL = WallLayout(ALL_TILES, 34)
_LAYOUTS = {
    "sichuan": WallLayout(ALL_TILES[:27], 27),
    "seigo": WallLayout(ALL_TILES, 31),
}


def layout_of(rules: str) -> WallLayout:
    """The layout for a rule set's name: 34 tiles a seat, but for Sichuan (27 of 108) and Seigo (31, and 12 shared)."""
    return _LAYOUTS.get(rules, _FULL)


@dataclass(frozen=True, slots=True)
class SeatWall:
    """One seat's own tiles: the starting hand as dealt, and the draws in draw order."""

    hand: tuple[Tile, ...]
    draws: tuple[Tile, ...]

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """Hand and draws, as they go into the digest."""
        return self.hand + self.draws


def shuffled(tiles: tuple[Tile, ...], words: Iterator[int]) -> tuple[Tile, ...]:
    """Shuffle by 32-bit words: every order equally likely, because words that would favour one are skipped."""
    order = list(tiles)
    for last in range(len(order) - 1, 0, -1):
        span = last + 1
        limit = _WORDS - _WORDS % span
        chosen = next(word for word in words if word < limit) % span
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def words_of(stream: bytes) -> Iterator[int]:
    """Successive 32-bit big-endian words of SHAKE-256 over ``stream``, without end.

    Its output can only be asked for from the start, so each time it runs out twice as much is asked for.
    """
    shake = hashlib.shake_256(stream)
    given, length = 0, _FIRST_WORDS * _WORD_SIZE
    while True:
        output = shake.digest(length)
        for position in range(given, length, _WORD_SIZE):
            yield int.from_bytes(output[position : position + _WORD_SIZE], "big")
        given, length = length, 2 * length


def deal_tiles(tiles: tuple[Tile, ...], wall_size: int) -> tuple[dict[Seat, SeatWall], tuple[Tile, ...]]:
    """Deal shuffled tiles: E, S, W, N in turn take the next ``wall_size``; returns walls and rest."""
    walls = {}
    for seat in SEATS:
        wall = tiles[seat.index * wall_size : (seat.index + 1) * wall_size]
        walls[seat] = SeatWall(wall[:HAND_SIZE], wall[HAND_SIZE:])
    return walls, tiles[len(SEATS) * wall_size :]


def walls_digest(walls: Mapping[Seat, SeatWall], rest: tuple[Tile, ...]) -> bytes:
    """The digest of a deal's tiles: one line per seat, and one for the rest where there is one."""
    lines = [f"{seat.value} {format_tiles(walls[seat].tiles)}\n" for seat in SEATS]
    if rest:
        lines.append(f"- {format_tiles(rest)}\n")
    return sha256("".join(lines).encode())
