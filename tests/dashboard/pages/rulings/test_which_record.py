"""The page on which a referee says what happened where the decoder doubts a record, and whether a seat broke a rule."""

import re
from typing import Literal

import pytest

from controller.recorder.violations import RULES, ViolationKind
from dashboard.i18n.words import Words
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.referee import Referee
from tests.support.event.ledgers import starting
from tests.support.narrowed import present
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
    assert re.findall(r"#t-(\w+)", page[page.index("</ol>") :]) == ["5m", "6m"]
    assert re.findall(r'name="right" id="[^"]+" value="([^"]+)"', page) == list(RecordVerdict)
    assert page.count("<li>") >= 4
    assert "checked" not in page


def test_an_answer_that_cannot_leave_is_said_and_a_hand_that_nobody_doubts_has_no_such_page(referee: Referee) -> None:
    referee.hall.reached = False
    assert referee.answer(right="record", number=NUMBER) == "offline"
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


Place = tuple[int, Literal["E", "S", "W", "N"] | None]


@pytest.mark.parametrize(
    ("question", "of", "others"),
    [(ASKED, (NUMBER, None), [(NUMBER + 1, None)]), (MAY_HAVE_VIOLATED, (NUMBER, "S"), [(NUMBER, None), (NUMBER, "W")])],
    ids=["an event", "a violation"],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_place_is_shown_from_before_and_after_where_the_table_has_pictures_of_it(
    question: Line, of: Place, others: list[Place], language: Language
) -> None:
    referee = doubting(question)
    page = referee.page(language)
    assert ("data:image/jpeg" in page, Words(language)("violations.nopicture") in page) == (False, of[1] is not None)
    for number, seat in (*others, of):
        after = b"\xff\xd8\xff" + repr((number, seat)).encode()
        referee.hall.views.ask("1", AskedRecord(1, number, after=after, before=b"\xff\xd8\xff before", seat=seat))
    assert referee.pictures(language) == [b"\xff\xd8\xff before", b"\xff\xd8\xff" + repr(of).encode()]


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


DECODER, EARLY = RecordVerdict.DECODER, "drew-early"
ANSWERS: list[tuple[Line, str, str, int | str, AnswerRecord | None]] = [
    (ASKED, "decoder", "", NUMBER, AnswerRecord(1, NUMBER, DECODER, "Abe")),
    *(
        (ASKED, right, "", number, None)
        for right, number in (("", NUMBER), ("both", NUMBER), ("record", NUMBER + 1), ("record", "9" * 5000))
    ),
    (ASKED, EARLY, "", NUMBER, None),
    (MAY_HAVE_VIOLATED, EARLY, "S", NUMBER, AnswerRecord(1, NUMBER, DECODER, "Abe", Seat.SOUTH, EARLY)),
    *(
        (MAY_HAVE_VIOLATED, right, "S", NUMBER, AnswerRecord(1, NUMBER, right, "Abe", Seat.SOUTH))
        for right in (RecordVerdict.RECORD, RecordVerdict.NEITHER)
    ),
    *((MAY_HAVE_VIOLATED, right, "S", NUMBER, None) for right in ("", "decoder", "false-win")),
    *((MAY_HAVE_VIOLATED, EARLY, seat, NUMBER, None) for seat in ("W", "X", "")),
    (MAY_HAVE_VIOLATED, EARLY, "S", NUMBER + 1, None),
]


@pytest.mark.parametrize(("question", "right", "seat", "number", "sent"), ANSWERS)
def test_an_answer_that_was_offered_is_sent_with_the_accounts_name_and_no_other_is(
    question: Line, right: str, seat: str, number: int | str, sent: AnswerRecord | None
) -> None:
    referee = doubting(question)
    assert referee.answer(right=right, seat=seat, number=number) == ("over" if sent is None else "sent")
    assert referee.sent == ([] if sent is None else [sent])


@pytest.mark.parametrize(
    ("question", "answers", "said", "seat"),
    [
        (ASKED, (ANSWERED,), f"Abe on event {NUMBER} of deal 1: The decoder is right", ""),
        (MAY_HAVE_VIOLATED, (YES, CONFIRMED), f"Abe on what happened before event {NUMBER} of deal 1: Yes: a violation", "S"),
    ],
    ids=["an event", "a violation"],
)
def test_what_was_answered_is_asked_no_more_and_a_second_answer_is_not_sent(
    question: Line, answers: tuple[Line, ...], said: str, seat: str
) -> None:
    referee = doubting(question)
    assert f'href="{PAGE}"' in referee.page(path="/calls")
    referee.hall.feed([*HAND, RELEASED, question, *answers])
    assert PAGE not in referee.page(path="/calls")
    page = referee.page()
    assert said in page
    assert 'name="right"' not in page
    assert answer(referee, "record", seat) == "over"
    assert referee.sent == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_history_names_the_seat_once_the_referee_has_confirmed_and_there_is_nothing_to_rule_on(
    suspecting: Referee, language: Language
) -> None:
    words = Words(language)
    did = words("record.violation.drew-early", seat=words.seat(Seat.SOUTH))
    assert did not in suspecting.hall.client.get(f"/table/1?lang={language}").text
    called: Line = ("referee-called", {"seat": "S"})
    suspecting.hall.feed([*HAND, RELEASED, MAY_HAVE_VIOLATED, YES, CONFIRMED, called])
    assert did in suspecting.hall.client.get(f"/table/1?lang={language}").text
    assert present(suspecting.hall.views.table("1")).view.violations == ()
    assert "/table/1/violations" not in suspecting.hall.client.get("/calls").text


@pytest.mark.parametrize("later", [False, True], ids=["at-the-table-still", "the-next-hand-is-at-the-table"])
def test_the_page_leads_to_where_that_hand_is_ruled_on(suspecting: Referee, later: bool) -> None:
    if later:
        suspecting.hall.feed([*HAND, RELEASED, MAY_HAVE_VIOLATED, *starting(2)])
    link = re.findall(r'href="([^"]+)">Rule (?:on a hand that is over|at the table’s page)', suspecting.page())[0]
    assert link == ("/table/1/hand/1" if later else "/table/1")
    assert suspecting.hall.client.get(link).status_code == 200
