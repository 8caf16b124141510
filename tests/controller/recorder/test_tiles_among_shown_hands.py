"""Tiles that lie among a shown hand and are none of it: a tile of the seat's meld that comes to light is not the one that it won on."""

from dataclasses import replace

import pytest

from controller.recorder.hypothesis import Missing, TileRole
from controller.recorder.moves.candidates import assigned
from controller.recorder.moves.wins import shows
from controller.recorder.tracks import Track
from tests.controller.recorder.test_whole_hand import followed, with_open_tiles
from tests.support.recorder.played_hands import played
from twinwall.game.play_events import HandShown, WinDeclared
from twinwall.game.tiles import Tile
from vision.mat import Area


@pytest.mark.parametrize("among", ["a tile of its meld", "the winning tile", "nothing"])
def test_a_tile_of_another_kind_among_a_shown_hand_is_not_taken_for_the_winning_tile(among: str) -> None:
    hand = played("mcr-duplicate", 11)
    won = next(index for index, event in enumerate(hand.events) if isinstance(event, WinDeclared))
    shown = hand.events[won + 1]
    assert isinstance(shown, HandShown)
    table, path = followed(hand, hand.events[: won + 1], {})
    of_meld = next(tile for tile in path.play.seat(shown.seat).melds[0].tiles if tile not in (*shown.concealed, shown.winning))
    also = {"a tile of its meld": [of_meld], "the winning tile": [shown.winning], "nothing": []}[among]
    table, path = with_open_tiles(table, path, (hand.east + shown.seat.index) % 4, [*shown.concealed[:4], *also, *shown.concealed[4:]])
    if also == [of_meld]:  # a cup that lay over the meld is lifted: the path misses the tile, and a new track begins
        missing = {TileRole(shown.seat.index, Area.MELD, 0): Missing(of_meld, 0.0, 0.0, 0)}
        path = replace(path, missing={**path.missing, **missing})
    likeliest = min(shows(table, path, path.permissions(table)), key=lambda way: way.cost + way.reading(table))
    assert likeliest.events[-1] == shown
    lying = path.loose - likeliest.loose
    assert sorted(likeliest.kinds[track] for track in lying) == sorted([*shown.concealed, *also] if also != [of_meld] else shown.concealed)


def test_a_tile_that_no_meld_misses_is_one_of_the_hand_so_that_the_deal_is_doubted() -> None:
    hand = played("mcr-duplicate", 11)
    won = next(index for index, event in enumerate(hand.events) if isinstance(event, WinDeclared))
    shown = hand.events[won + 1]
    assert isinstance(shown, HandShown)
    table, path = followed(hand, hand.events[: won + 1], {})
    strange = next(tile for tile in Tile if tile not in (*shown.concealed, shown.winning))
    table, path = with_open_tiles(table, path, (hand.east + shown.seat.index) % 4, [strange, *shown.concealed[1:], shown.winning])
    assert all(not way.loose for way in shows(table, path, path.permissions(table)))


def test_a_tile_that_no_frame_could_read_is_the_one_of_its_hand_that_no_other_is() -> None:
    """It was taken for the first of all kinds, and a tile of that kind, which frames had read, for the kind that was left."""
    read, unread = (
        Track(2, 0.0, 0.0, 0.0, face_up=True, appeared_ms=0, seen_ms=0),
        Track(1, 0.0, 0.0, 0.0, face_up=True, appeared_ms=0, seen_ms=0),
    )
    read.evidence.look({Tile.M1: 0.995}, sure=True)
    assert assigned([unread, read], [Tile.M1, Tile.P4]) == {1: Tile.P4, 2: Tile.M1}
