"""No two questions of a hand have the same subject, and that of a question does not change with the questions beside it."""

from dataclasses import replace

import pytest

from controller.recorder.margins.question_subjects import with_subjects
from controller.recorder.signals import Question
from controller.recorder.violations import PathViolation, ViolationKind
from twinwall.game.play_events import PlayEvent, TileDiscarded
from twinwall.game.tiles import Seat, Tile

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
