"""Marks of events, what a place costs, the kinds that the rules have, and the subjects of questions."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import pytest

from controller.recorder.margins.question_subjects import with_subjects
from controller.recorder.marks import mark_of
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import Decoded, Question
from controller.recorder.tracks import Track
from controller.recorder.violations import PathViolation, ViolationKind
from tests.support.recorder.played_hands import Message, decoder_of, followed, only, played, told
from twinwall.game.play_events import PlayEvent, TileDiscarded
from twinwall.game.tiles import Seat, Tile
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation

NUMBER = 12
DISCARDED = TileDiscarded(Seat.EAST, Tile.M1)


def question(event: PlayEvent | None = None, *, at_ms: int = 31_000, number: int = NUMBER) -> Question:
    """A question about the course of play; without an event about tiles that nothing explains."""
    return Question(number, 0.0, 0.0, at_ms - 1000, 60_000, (), None, (event, None), 0.0)


def exposed(seat: Seat, at_ms: int = 31_000, tracks: tuple[int, ...] = ()) -> Question:
    return replace(question(at_ms=at_ms), violation=PathViolation(ViolationKind.EXPOSED_TILES, seat, "", at_ms, tracks))


OF_A_KIND = replace(question(DISCARDED), kinds=(Tile.M1, Tile.M2))


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        pytest.param(OF_A_KIND, "kind", id="the kind of a tile"),
        pytest.param(question(DISCARDED), "course", id="an event and what follows"),
        pytest.param(question(), "course 30000", id="tiles that nothing explains"),
        pytest.param(exposed(Seat.WEST), "exposed-tiles W 30000", id="a violation"),
    ],
)
def test_a_question_says_what_it_asks(asked: Question, about: str) -> None:
    (named,) = with_subjects([asked])
    assert named == replace(asked, about=about)
    assert named.subject == (NUMBER, about)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(question(DISCARDED), question(), id="an event, and tiles after it"),
        pytest.param(question(), question(at_ms=45_000), id="tiles at two times"),
        pytest.param(exposed(Seat.WEST), exposed(Seat.SOUTH), id="two seats"),
        pytest.param(exposed(Seat.WEST), exposed(Seat.WEST, 45_000), id="one seat at two times"),
        pytest.param(OF_A_KIND, exposed(Seat.WEST), id="a tile and a violation"),
    ],
)
def test_two_questions_at_one_event_are_told_apart_whichever_others_there_are(one: Question, other: Question) -> None:
    (alone,) = with_subjects([other])
    first, second = with_subjects([one, other])
    assert first.subject != second.subject
    assert second == alone


def test_questions_that_ask_the_same_at_one_time_have_running_numbers() -> None:
    """Two readings of one moment: other tiles would have been exposed."""
    asked = with_subjects([exposed(Seat.WEST, tracks=(3,)), exposed(Seat.WEST, tracks=(3, 4)), exposed(Seat.WEST, tracks=(4,))])
    assert [each.about for each in asked] == ["exposed-tiles W 30000", "exposed-tiles W 30000 2", "exposed-tiles W 30000 3"]


def test_questions_about_two_events_may_ask_the_same() -> None:
    asked = with_subjects([question(DISCARDED), question(DISCARDED, number=NUMBER + 9)])
    assert [each.subject for each in asked] == [(NUMBER, "course"), (NUMBER + 9, "course")]


def test_an_event_has_the_mark_that_it_had_in_another_process() -> None:
    assert mark_of(TileDiscarded(Seat.EAST, Tile.M1)) == 71615194364059770


def test_another_event_has_another_mark() -> None:
    marks = {mark_of(TileDiscarded(seat, tile)) for seat in Seat for tile in Tile}
    assert len(marks) == len(Seat) * len(Tile)


def test_a_violation_has_the_mark_that_it_had_in_another_process() -> None:
    assert PathViolation(ViolationKind.FALSE_WIN, Seat.SOUTH, "a win is declared on a hand that wins", 12).mark == 7523909513337237


def cost_of_a_discard_at(x_mm: float, y_mm: float) -> float:
    """What the place of the first discard of East costs, who sits at place 0."""
    track = Track(0, x_mm, y_mm, 0.0, face_up=True, appeared_ms=0, seen_ms=0)
    return MatPlaces(all_seats(0)).river(Seat.EAST, 0, track)


def test_a_discard_far_from_its_river_lies_rather_on_another_one_than_anywhere() -> None:
    others = [Mat().spot(Slot(place, Area.RIVER, 10)) for place in (1, 2, 3)]
    assert all(cost_of_a_discard_at(spot.x_mm, spot.y_mm) < cost_of_a_discard_at(0.0, 330.0) - 1.0 for spot in others)
    assert cost_of_a_discard_at(-270.0, -270.0) == pytest.approx(cost_of_a_discard_at(0.0, 330.0), abs=0.1)


def test_a_discard_in_its_own_river_is_likelier_than_one_on_another_wherever_it_lies_there() -> None:
    own = [Mat().spot(Slot(0, Area.RIVER, index)) for index in range(Mat().count(0, Area.RIVER))]
    anothers = [Mat().spot(Slot(2, Area.RIVER, index)) for index in range(Mat().count(0, Area.RIVER))]
    dearest = max(cost_of_a_discard_at(spot.x_mm, spot.y_mm) for spot in own)
    assert dearest < min(cost_of_a_discard_at(spot.x_mm, spot.y_mm) for spot in anothers)


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
