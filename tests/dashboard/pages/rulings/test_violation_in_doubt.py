"""The page on which a referee says whether a seat broke a rule where nobody has told of a violation."""

import re

import pytest

from controller.recorder.violations import RULES, ViolationKind
from dashboard.i18n.words import Words
from tests.dashboard.pages.rulings.test_which_record import ASKED as DOUBTED
from tests.dashboard.pages.rulings.test_which_record import HAND, NUMBER, PAGE, RELEASED, doubting
from tests.support.dashboard.referee import Referee
from tests.support.event.ledgers import starting
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord
from twinwall.wire.messages.tile_question import AskedRecord

MAY_BE = {kind.value: RULES[kind] for kind in (ViolationKind.DREW_EARLY, ViolationKind.PUT_BACK)}
OF = {"n": 1, "number": NUMBER, "seat": "S"}
ASKED: Line = ("record-questioned", {**OF, "held": "", "read": "", "margin": 3.0, "violations": MAY_BE})
NO: Line = ("record-answered", {**OF, "right": "record", "by": "Abe"})
YES: Line = ("record-answered", {**OF, "right": "decoder", "violation": "drew-early", "by": "Abe"})
CONFIRMED: Line = (
    "violation",
    {**OF, "what": "drew-early", "sentence": "South drew early", "rule": MAY_BE["drew-early"], "by": "Abe"},
)


@pytest.fixture
def referee() -> Referee:
    return doubting(ASKED)


def answer(referee: Referee, right: str, seat: str = "S", number: int = NUMBER) -> str:
    return referee.answer(right=right, seat=seat, number=number)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_act_is_one_question_with_all_that_it_may_have_been_and_nothing_is_chosen(referee: Referee, language: Language) -> None:
    page, words = referee.page(language), Words(language)
    assert re.findall(r'name="right" id="[^"]+" value="([^"]+)"', page) == ["drew-early", "put-back", "record", "neither"]
    for what in MAY_BE:
        assert words(f"record.violation.{what}", seat=words.seat(Seat.SOUTH)) in page
        assert words(f"violations.rule.{what}") in page
    assert words("record.violation.gate") in page
    assert page.count("<section") == 1
    assert page.count("<li>") >= 4
    assert "checked" not in page


def test_each_kind_can_be_asked_about() -> None:
    referee = doubting((ASKED[0], {**ASKED[1], "violations": {kind.value: RULES[kind] for kind in ViolationKind}}))
    assert not [kind for kind in ViolationKind if f'value="{kind}"' not in referee.page()]


def test_the_place_is_shown_from_before_and_after_where_the_table_has_pictures(referee: Referee) -> None:
    assert "The table has sent no picture of it." in referee.page()
    for seat in (None, "W", "S"):
        referee.hall.store.ask(
            "1", AskedRecord(1, NUMBER, after=b"\xff\xd8\xff" + repr(seat).encode(), before=b"\xff\xd8\xff before", seat=seat)
        )
    assert referee.pictures() == [b"\xff\xd8\xff before", b"\xff\xd8\xff'S'"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_calls_leads_a_referee_there_names_no_seat_and_ends_with_the_answer(referee: Referee, language: Language) -> None:
    calls = referee.hall.client.get(f"/calls?lang={language}").text
    assert f'href="{PAGE}"' in calls
    assert Words(language)("calls.violation", n=1, number=NUMBER) in calls
    assert Words(language).seat(Seat.SOUTH) not in calls[calls.index(PAGE) - 800 : calls.index(PAGE)]
    referee.hall.feed([*HAND, RELEASED, ASKED, NO])
    assert PAGE not in referee.hall.client.get("/calls").text


def test_an_answer_about_an_event_leaves_the_question_about_a_seat_before_it_open() -> None:
    of_event: Line = ("record-answered", {"n": 1, "number": NUMBER, "right": "record", "by": "Abe"})
    referee = doubting(DOUBTED, ASKED, of_event)
    assert f'href="{PAGE}"' in referee.hall.client.get("/calls").text
    assert referee.page().count('name="number"') == 1
    assert answer(referee, "put-back") == "sent"


@pytest.mark.parametrize(
    ("right", "sent"),
    [
        ("drew-early", AnswerRecord(1, NUMBER, RecordVerdict.DECODER, "Abe", Seat.SOUTH, "drew-early")),
        ("record", AnswerRecord(1, NUMBER, RecordVerdict.RECORD, "Abe", Seat.SOUTH)),
        ("neither", AnswerRecord(1, NUMBER, RecordVerdict.NEITHER, "Abe", Seat.SOUTH)),
    ],
)
def test_an_answer_is_sent_with_the_accounts_name(referee: Referee, right: str, sent: AnswerRecord) -> None:
    assert answer(referee, right) == "sent"
    assert referee.sent == [sent]


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
def test_an_answer_that_was_not_offered_is_not_sent(referee: Referee, right: str, seat: str, number: int) -> None:
    assert answer(referee, right, seat, number) == "over"
    assert referee.sent == []


def test_a_violation_cannot_be_answered_where_an_event_is_in_doubt() -> None:
    referee = doubting(DOUBTED)
    assert answer(referee, "drew-early", "") == "over"


def test_what_was_answered_is_asked_no_more_and_a_second_answer_is_not_sent(referee: Referee) -> None:
    referee.hall.feed([*HAND, RELEASED, ASKED, YES, CONFIRMED])
    page = referee.page()
    assert f"Abe on what happened before event {NUMBER} of deal 1: Yes: a violation" in page
    assert 'name="right"' not in page
    assert answer(referee, "record") == "over"
    assert referee.sent == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_history_names_the_seat_only_once_the_referee_has_confirmed(referee: Referee, language: Language) -> None:
    words = Words(language)
    did = words("record.violation.drew-early", seat=words.seat(Seat.SOUTH))
    assert did not in referee.hall.client.get(f"/table/1?lang={language}").text
    referee.hall.feed([*HAND, RELEASED, ASKED, YES, CONFIRMED])
    assert did in referee.hall.client.get(f"/table/1?lang={language}").text


def test_a_confirmed_violation_is_nothing_to_rule_on_in_the_hand_at_the_table(referee: Referee) -> None:
    called: Line = ("referee-called", {"seat": "S"})
    referee.hall.feed([*HAND, RELEASED, ASKED, YES, CONFIRMED, called])
    view = referee.hall.store.table("1")
    assert view is not None
    assert view.view.violations == ()
    assert "/table/1/violations" not in referee.hall.client.get("/calls").text


@pytest.mark.parametrize("later", [False, True], ids=["at-the-table-still", "the-next-hand-is-at-the-table"])
def test_the_page_leads_to_where_that_hand_is_ruled_on(referee: Referee, later: bool) -> None:
    if later:
        referee.hall.feed([*HAND, RELEASED, ASKED, *starting(2)])
    link = re.findall(r'href="([^"]+)">Rule (?:on a hand that is over|at the table’s page)', referee.page())[0]
    assert link == ("/table/1/hand/1" if later else "/table/1")
    assert referee.hall.client.get(link).status_code == 200
