"""What a simulated player sees, and hands that are near to a win, for the tests of how the players of each rule set play."""

import random
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from simulator.players.player_view import PlayerView, SeatView
from twinwall.game.play_events import Meld
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

NOTHING: Mapping[Seat, str] = MappingProxyType({})


def seen(hand: str, *melds: Meld, rivers: Mapping[Seat, str] = NOTHING, riichi: tuple[Seat, ...] = (), draws: int = 10) -> PlayerView:
    """What East sees in the first round."""
    seats = [SeatView(parse_tiles(rivers.get(seat, "")), (), draws, seat in riichi) for seat in SEATS]
    seats[0] = replace(seats[0], melds=melds)
    return PlayerView(Seat.EAST, Seat.EAST, parse_tiles(hand), (seats[0], seats[1], seats[2], seats[3]))


def tiles_near_a_win(chance: random.Random, *, kinds: int, sets: int, size: int) -> list[Tile]:
    """Tiles of the first ``kinds`` kinds, up to four of each: up to ``sets`` sets, then others at random up to ``size``."""
    suited = [kind for kind in range(min(kinds, 27)) if kind % 9 <= 6]
    tiles: list[Tile] = []
    for _ in range(chance.randrange(sets + 1)):
        first = chance.choice(suited)
        part = [Tile(first + step) for step in range(3)] if chance.random() < 0.6 else [Tile(chance.randrange(kinds))] * 3
        if all(tiles.count(tile) + part.count(tile) <= 4 for tile in part):
            tiles += part
    pool = [Tile(kind) for kind in range(kinds) for _ in range(4)]
    chance.shuffle(pool)
    for tile in pool:
        if len(tiles) < size and tiles.count(tile) < 4:
            tiles.append(tile)
    return tiles
