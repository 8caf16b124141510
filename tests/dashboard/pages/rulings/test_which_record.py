"""The page on which a referee says what happened where the decoder doubts a record, and whether a seat broke a rule."""

import re

import pytest

from controller.recorder.violations import RULES, ViolationKind
from dashboard.i18n.words import Words
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.referee import Referee
from tests.support.event.ledgers import starting
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.play_json import PLAY_TYPES
from twinwall.game.tiles import Seat
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


MAY_BE = {kind.value: RULES[kind] for kind in (ViolationKind.DREW_EARLY, ViolationKind.PUT_BACK)}
OF = {"n": 1, "number": NUMBER, "seat": "S"}
MAY_HAVE_VIOLATED: Line = ("record-questioned", {**OF, "held": "", "read": "", "margin": 3.0, "violations": MAY_BE})
NO: Line = ("record-answered", {**OF, "right": "record", "by": "Abe"})
YES: Line = ("record-answered", {**OF, "right": "decoder", "violation": "drew-early", "by": "Abe"})
CONFIRMED: Line = ("violation", {**OF, "what": "drew-early", "sentence": "South drew early", "rule": MAY_BE["drew-early"], "by": "Abe"})


@pytest.fixture
def suspecting() -> Referee:
    return doubting(MAY_HAVE_VIOLATED)


def answer(suspecting: Referee, right: str, seat: str = "S", number: int = NUMBER) -> str:
    return suspecting.answer(right=right, seat=seat, number=number)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_act_is_one_question_with_all_that_it_may_have_been_and_nothing_is_chosen(suspecting: Referee, language: Language) -> None:
    page, words = suspecting.page(language), Words(language)
    assert re.findall(r'name="right" id="[^"]+" value="([^"]+)"', page) == ["drew-early", "put-back", "record", "neither"]
    for what in MAY_BE:
        assert words(f"record.violation.{what}", seat=words.seat(Seat.SOUTH)) in page
        assert words(f"violations.rule.{what}") in page
    assert words("record.violation.gate") in page
    assert page.count("<section") == 1
    assert page.count("<li>") >= 4
    assert "checked" not in page


def test_each_kind_can_be_asked_about() -> None:
    suspecting = doubting(
        (MAY_HAVE_VIOLATED[0], {**MAY_HAVE_VIOLATED[1], "violations": {kind.value: RULES[kind] for kind in ViolationKind}})
    )
    assert not [kind for kind in ViolationKind if f'value="{kind}"' not in suspecting.page()]


def test_the_place_of_what_may_be_a_violation_is_shown_from_before_and_after(suspecting: Referee) -> None:
    assert "The table has sent no picture of it." in suspecting.page()
    for seat in (None, "W", "S"):
        suspecting.hall.store.ask(
            "1", AskedRecord(1, NUMBER, after=b"\xff\xd8\xff" + repr(seat).encode(), before=b"\xff\xd8\xff before", seat=seat)
        )
    assert suspecting.pictures() == [b"\xff\xd8\xff before", b"\xff\xd8\xff'S'"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_calls_leads_a_referee_there_names_no_seat_and_ends_with_the_answer(suspecting: Referee, language: Language) -> None:
    calls = suspecting.hall.client.get(f"/calls?lang={language}").text
    assert f'href="{PAGE}"' in calls
    assert Words(language)("calls.violation", n=1, number=NUMBER) in calls
    assert Words(language).seat(Seat.SOUTH) not in calls[calls.index(PAGE) - 800 : calls.index(PAGE)]
    suspecting.hall.feed([*HAND, RELEASED, MAY_HAVE_VIOLATED, NO])
    assert PAGE not in suspecting.hall.client.get("/calls").text


def test_an_answer_about_an_event_leaves_the_question_about_a_seat_before_it_open() -> None:
    of_event: Line = ("record-answered", {"n": 1, "number": NUMBER, "right": "record", "by": "Abe"})
    suspecting = doubting(ASKED, MAY_HAVE_VIOLATED, of_event)
    assert f'href="{PAGE}"' in suspecting.hall.client.get("/calls").text
    assert suspecting.page().count('name="number"') == 1
    assert answer(suspecting, "put-back") == "sent"


@pytest.mark.parametrize(
    ("right", "sent"),
    [
        ("drew-early", AnswerRecord(1, NUMBER, RecordVerdict.DECODER, "Abe", Seat.SOUTH, "drew-early")),
        ("record", AnswerRecord(1, NUMBER, RecordVerdict.RECORD, "Abe", Seat.SOUTH)),
        ("neither", AnswerRecord(1, NUMBER, RecordVerdict.NEITHER, "Abe", Seat.SOUTH)),
    ],
)
def test_an_answer_about_a_violation_is_sent_with_the_accounts_name(suspecting: Referee, right: str, sent: AnswerRecord) -> None:
    assert answer(suspecting, right) == "sent"
    assert suspecting.sent == [sent]


@pytest.mark.parametrize(
    ("right", "seat", "number"),
    [
        ("", "S", NUMBER),
        ("decoder", "S", NUMBER),
        ("false-win", "S", NUMBER),
        ("drew-early", "W", NUMBER),
        ("drew-early", "X", NUMBER),
        ("drew-early", "", NUMBER),
        ("drew-early", "S", NUMBER + 1),
    ],
)
def test_an_answer_that_was_not_offered_is_not_sent(suspecting: Referee, right: str, seat: str, number: int) -> None:
    assert answer(suspecting, right, seat, number) == "over"
    assert suspecting.sent == []


def test_a_violation_cannot_be_answered_where_an_event_is_in_doubt() -> None:
    suspecting = doubting(ASKED)
    assert answer(suspecting, "drew-early", "") == "over"


def test_what_was_answered_is_asked_no_more_and_a_second_answer_is_not_sent(suspecting: Referee) -> None:
    suspecting.hall.feed([*HAND, RELEASED, MAY_HAVE_VIOLATED, YES, CONFIRMED])
    page = suspecting.page()
    assert f"Abe on what happened before event {NUMBER} of deal 1: Yes: a violation" in page
    assert 'name="right"' not in page
    assert answer(suspecting, "record") == "over"
    assert suspecting.sent == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_history_names_the_seat_only_once_the_referee_has_confirmed(suspecting: Referee, language: Language) -> None:
    words = Words(language)
    did = words("record.violation.drew-early", seat=words.seat(Seat.SOUTH))
    assert did not in suspecting.hall.client.get(f"/table/1?lang={language}").text
    suspecting.hall.feed([*HAND, RELEASED, MAY_HAVE_VIOLATED, YES, CONFIRMED])
    assert did in suspecting.hall.client.get(f"/table/1?lang={language}").text


def test_a_confirmed_violation_is_nothing_to_rule_on_in_the_hand_at_the_table(suspecting: Referee) -> None:
    called: Line = ("referee-called", {"seat": "S"})
    suspecting.hall.feed([*HAND, RELEASED, MAY_HAVE_VIOLATED, YES, CONFIRMED, called])
    view = suspecting.hall.store.table("1")
    assert view is not None
    assert view.view.violations == ()
    assert "/table/1/violations" not in suspecting.hall.client.get("/calls").text


@pytest.mark.parametrize("later", [False, True], ids=["at-the-table-still", "the-next-hand-is-at-the-table"])
def test_the_page_leads_to_where_that_hand_is_ruled_on(suspecting: Referee, later: bool) -> None:
    if later:
        suspecting.hall.feed([*HAND, RELEASED, MAY_HAVE_VIOLATED, *starting(2)])
    link = re.findall(r'href="([^"]+)">Rule (?:on a hand that is over|at the table’s page)', suspecting.page())[0]
    assert link == ("/table/1/hand/1" if later else "/table/1")
    assert suspecting.hall.client.get(link).status_code == 200
