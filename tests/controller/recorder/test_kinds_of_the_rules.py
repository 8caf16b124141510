"""Without a deal a tile is of a kind that the rules have, whatever the camera reads: nothing else is published, and somebody is asked."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import pytest

from controller.recorder.signals import Decoded
from tests.support.recorder.played_hands import Message, decoder_of, followed, only, played, told
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

BEGINNING = 8
ONE_TILE_MM = 12.0
FIRST = 2
"""The event that is the first discard."""


def first_discard_read_as(shares: Mapping[Tile, float], stream: Iterable[Message]) -> Iterator[Message]:
    """What is told, but that each frame is sure of these shares for the tile that was laid first."""
    laid = Mat().spot(Slot(0, Area.RIVER, 0))
    for message in stream:
        if isinstance(message, MatObservation):
            tiles = (
                replace(tile, shares=shares, sure=True) if math.dist((tile.x_mm, tile.y_mm), (laid.x_mm, laid.y_mm)) < ONE_TILE_MM else tile
                for tile in message.tiles
            )
            yield replace(message, tiles=tuple(tiles))
        else:
            yield message


def first_discard(events: Iterable[Decoded]) -> Tile | None:
    return next((each.event.tile for each in events if isinstance(each.event, TileDiscarded) and each.number == FIRST), None)


@pytest.mark.parametrize("gates", [True, False])
@pytest.mark.parametrize("shares", [{Tile.EAST: 0.99}, {Tile.EAST: 0.9, Tile.P9: 0.05}])
def test_a_tile_that_is_read_as_one_that_the_rules_do_not_have_is_asked_about(shares: Mapping[Tile, float], *, gates: bool) -> None:
    hand = played("sichuan", 0)
    decoder = decoder_of(hand, deal=False, gates=gates)
    stream = first_discard_read_as(shares, told(hand.at_table(only(), BEGINNING)))
    assert first_discard(followed(decoder, stream, gates=gates)) is None
    assert first_discard(decoder.finish()) in hand.rules.tiles
    (question,) = (each for each in decoder.questions if each.number == FIRST)
    assert set(question.kinds) == set(hand.rules.tiles)


def test_a_tile_of_which_the_rest_of_the_shares_is_of_another_set_is_known() -> None:
    """The camera would be in doubt between two kinds of which the rules have one."""
    hand = played("sichuan", 0)
    (laid,) = (event.tile for event in hand.events[:FIRST] if isinstance(event, TileDiscarded))
    decoder = decoder_of(hand, deal=False)
    followed(decoder, first_discard_read_as({laid: 0.55, Tile.EAST: 0.45}, told(hand.at_table(only(), BEGINNING))))
    assert first_discard(decoder.finish()) is laid
    assert FIRST not in {question.number for question in decoder.questions}
