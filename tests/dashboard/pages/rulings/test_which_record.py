"""The page on which a referee says what happened where the decoder doubts a record: what it shows, to whom, and what is sent."""

import re

import pytest

from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.referee import Referee
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES
from twinwall.game.play_json import PLAY_TYPES
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord
from twinwall.wire.messages.tile_question import AskedRecord

PAGE = "/table/1/record/1"
HAND = closed_hand("1")
NUMBER = [index for index, (name, _) in enumerate((line for line in HAND if line[0] in PLAY_TYPES), 1) if name == "tile-discarded"][5]
ASKED: Line = (
    "record-questioned",
    {
        "n": 1,
        "number": NUMBER,
        "held": '{"type":"tile-discarded","seat":"S","tile":"5m"}',
        "read": '{"type":"tile-discarded","seat":"S","tile":"6m"}',
        "margin": 12.0,
    },
)
ANSWERED: Line = ("record-answered", {"n": 1, "number": NUMBER, "right": "decoder", "by": "Abe"})
RELEASED: Line = ("deal-released", {"n": 1})


def doubting(*after: Line) -> Referee:
    """A referee at a table that has played a deal and has told this since its release."""
    referee = Referee(PAGE, [*HAND, RELEASED, *after])
    referee.hall.release()
    return referee


@pytest.fixture
def referee() -> Referee:
    return doubting(ASKED)


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_readings_stand_there_after_what_came_before_and_nothing_is_chosen(referee: Referee, language: str) -> None:
    page = referee.page(language)
    in_question = page[page.index("</ol>") :]
    assert re.findall(r"#t-(\w+)", in_question) == ["5m", "6m"]
    assert re.findall(r'name="right" id="[^"]+" value="([^"]+)"', page) == list(RecordVerdict)
    assert page.count("<li>") >= 4
    assert "checked" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_place_is_shown_from_before_and_after_where_the_table_has_pictures(referee: Referee, language: str) -> None:
    assert "data:image/jpeg" not in referee.page(language)
    for number in (NUMBER, NUMBER + 1):
        referee.hall.store.ask("1", AskedRecord(1, number, after=b"\xff\xd8\xff after", before=b"\xff\xd8\xff before"))
    assert referee.pictures(language) == [b"\xff\xd8\xff before", b"\xff\xd8\xff after"]


def test_the_list_of_calls_leads_a_referee_there_until_he_has_answered(referee: Referee) -> None:
    assert f'href="{PAGE}"' in referee.hall.client.get("/calls").text
    referee.hall.feed([*HAND, RELEASED, ASKED, ANSWERED])
    assert PAGE not in referee.hall.client.get("/calls").text


def test_an_answer_is_sent_with_the_accounts_name(referee: Referee) -> None:
    assert referee.answer(right="decoder", number=NUMBER) == "sent"
    assert referee.sent == [AnswerRecord(1, NUMBER, RecordVerdict.DECODER, "Abe")]


@pytest.mark.parametrize(("right", "number"), [("", NUMBER), ("both", NUMBER), ("record", NUMBER + 1), ("record", "9" * 5000)])
def test_an_answer_to_nothing_or_with_no_choice_is_not_sent(referee: Referee, right: str, number: int | str) -> None:
    assert referee.answer(right=right, number=number) == "over"
    assert referee.sent == []


def test_an_answer_that_cannot_leave_is_said(referee: Referee) -> None:
    referee.hall.reached = False
    assert referee.answer(right="record", number=NUMBER) == "offline"


def test_what_was_answered_stands_there_with_the_referees_name_and_is_asked_no_more(referee: Referee) -> None:
    referee.hall.feed([*HAND, RELEASED, ASKED, ANSWERED])
    page = referee.page()
    assert f"Abe on event {NUMBER} of deal 1: The decoder is right" in page
    assert 'name="right"' not in page


def test_a_hand_that_nobody_doubts_has_no_such_page() -> None:
    assert doubting().hall.client.get(PAGE).status_code == 404
