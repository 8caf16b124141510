"""Tiles of a shown hand: which of them is which, and the winning tile among them."""

from __future__ import annotations

import pytest

from controller.recorder.moves.candidates import assigned
from controller.recorder.moves.wins import shows
from controller.recorder.tracks import Track
from tests.controller.recorder.test_whole_hand import followed, with_open_tiles
from tests.support.recorder.played_hands import played
from twinwall.game.play_events import HandShown, WinDeclared
from twinwall.game.tiles import Tile


@pytest.mark.parametrize("among", ["the winning tile", "nothing"])
def test_the_winning_tile_may_lie_among_a_shown_hand(among: str) -> None:
    hand = played("mcr-duplicate", 11)
    won = next(index for index, event in enumerate(hand.events) if isinstance(event, WinDeclared))
    shown = hand.events[won + 1]
    assert isinstance(shown, HandShown)
    table, path = followed(hand, hand.events[: won + 1], {})
    also = [shown.winning] if among == "the winning tile" else []
    table, path = with_open_tiles(table, path, (hand.east + shown.seat.index) % 4, [*shown.concealed[:4], *also, *shown.concealed[4:]])
    likeliest = min(shows(table, path, path.permissions(table)), key=lambda way: way.cost + way.reading(table))
    assert likeliest.events[-1] == shown
    lying = path.loose - likeliest.loose
    assert sorted(likeliest.kinds[track] for track in lying) == sorted([*shown.concealed, *also])


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
