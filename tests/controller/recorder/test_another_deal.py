"""A hand whose walls are not those that the decoder was told: nothing is published wrong, nobody is accused, and questions are asked."""

from collections.abc import Sequence
from functools import cache

import pytest

from controller.recorder.decoder import HandDecoder
from controller.recorder.places import all_seats
from controller.recorder.signals import Decoded, KnownDeal, MarginBound
from simulator.disturbances.draws import NONE
from tests.support.recorder.played_hands import PlayedHand, followed, played, told
from tests.support.simulator.mat_observations import NO_NOISE
from tests.support.tiers import one_in
from twinwall.game.play_events import TileDiscarded
from twinwall.game.session import round_wind
from twinwall.game.tiles import Tile
from twinwall.game.walls import SeatWall


def another_deal(hand: PlayedHand) -> KnownDeal:
    """The deal of a hand with the tiles of one kind of a wall, discarded in the middle of play, exchanged for some of another wall."""
    discards = [event for event in hand.events if isinstance(event, TileDiscarded)]
    middle = discards[len(discards) // 2]
    other = next(seat for seat in hand.walls if seat is not middle.seat)
    own, others = list(hand.walls[middle.seat].tiles), list(hand.walls[other].tiles)
    for place in [number for number, tile in enumerate(own) if tile is middle.tile]:
        given = next(number for number in reversed(range(len(others))) if others[number] is not middle.tile)
        own[place], others[given] = others[given], own[place]
    return KnownDeal({**hand.walls, middle.seat: _wall(own), other: _wall(others)}, hand.rest)


def _wall(tiles: list[Tile]) -> SeatWall:
    return SeatWall(tuple(tiles[:13]), tuple(tiles[13:]))


@cache
def decoded(rules: str, number: int) -> tuple[PlayedHand, HandDecoder, list[Decoded], Sequence[Decoded]]:
    """A hand with the walls of another deal: what was published on the way, and what was found in the end."""
    hand = played(rules, number)
    decoder = HandDecoder(hand.rules, all_seats(hand.east), round_wind(hand.to_play.hand), another_deal(hand))
    return hand, decoder, followed(decoder, told(hand.at_table(NONE), NO_NOISE)), decoder.finish()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "number"),
    [
        ("sichuan", 0),  # a winner's hand has other tiles by that deal, with which it would not win
        ("sichuan", 2),  # a discard that is read surely would be another tile of the seat
        *one_in(4, [("mcr-duplicate", 1), ("seigo", 1), ("sichuan", 1), ("yangzhou", 2)]),
    ],
)
def test_with_the_walls_of_another_deal_nothing_is_published_wrong_and_nobody_accused_but_questions_are_asked(
    rules: str, number: int
) -> None:
    hand, decoder, published, found = decoded(rules, number)
    assert [event.event for event in published] == [hand.events[event.number - 1] for event in published]
    wrong = [event for event, true in zip(found, hand.events, strict=False) if event.event != true]
    assert wrong
    assert any(question.number <= wrong[0].number for question in decoder.questions)
    assert decoder.reported_violations == {}


@pytest.mark.slow
def test_a_discard_that_the_deal_holds_for_another_kind_than_the_camera_surely_sees_is_asked_about_with_every_kind() -> None:
    hand, decoder, _, found = decoded("sichuan", 2)
    doubted = next(event for event in found if event.bound is MarginBound.OTHER_KIND)
    question = next(question for question in decoder.questions if question.number == doubted.number)
    true = hand.event(TileDiscarded, doubted.number - 1)
    assert question.kinds[0] is true.tile
    assert len(question.kinds) == len(set(hand.rules.tiles))
