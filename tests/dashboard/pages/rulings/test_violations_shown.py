"""The page that shows a referee why a table called: the violation, its rule and its place, and to whom."""

from base64 import b64encode
from collections.abc import Sequence
from html import unescape

import pytest

from controller.state.broken_rules import BROKEN_RULES
from dashboard.i18n.words import Words
from dashboard.projections.fold import LOG_LENGTH, MOST_VIOLATIONS
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.dashboard.referee import Referee
from tests.support.wire.streams import Line, public_events
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.tiles import Seat
from twinwall.wire.messages.ruling import Ruling, ruling_fields
from twinwall.wire.messages.tile_question import ShownCall, ShownViolation

PAGE = "/table/1/violations"
PLAYING: tuple[Line, ...] = (*building(), *[*play(SELF_DRAWN)][:30])
TWICE: Line = (
    "violation",
    {"seat": "W", "what": "discarded-twice", "sentence": "West laid a second tile", "rule": "a seat discards one tile a turn"},
)
EARLY: Line = (
    "violation",
    {"seat": "S", "what": "drew-early", "sentence": "A tile left the wall of South", "rule": "wait for the discard"},
)
CALLED: Line = ("referee-called", {"seat": "W"})
RULED: Line = ("ruling", ruling_fields(Ruling("r1", 1, "Ota", {"en": "Play goes on."})))
RULED_ON_ANOTHER_HAND: Line = ("ruling", ruling_fields(Ruling("r2", 7, "Ota", {"en": "The result of deal 7 stands."})))
AFTER, BEFORE = b"\xff\xd8\xff after", b"\xff\xd8\xff before"


def called_referee(*told: Line, playing: Sequence[Line] = PLAYING) -> Referee:
    """A referee at a table that has told these lines and has sent pictures of a second discard."""
    referee = Referee(PAGE, [*playing, *told])
    referee.hall.store.ask("1", ShownViolation(1, "W", "discarded-twice", after=AFTER, before=BEFORE))
    return referee


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_violation_stands_there_with_its_rule_and_its_place_from_before_and_after(language: Language) -> None:
    referee = called_referee(TWICE, CALLED)
    assert Words(language)("violations.rule.discarded-twice") in referee.page(language)
    assert referee.pictures(language) == [BEFORE, AFTER]


@pytest.mark.parametrize("path", [PAGE, "/table/1"])
def test_a_sentence_of_the_table_is_marked_as_english_on_a_page_in_another_language(path: str) -> None:
    page = called_referee(TWICE, EARLY, CALLED).page("ja", path)
    assert '<span lang="en">West laid a second tile</span>' in page
    assert '<span lang="en">wait for the discard</span>' in page, "the table told another rule than the usual one"
    assert '<span lang="en">' not in called_referee(TWICE, EARLY, CALLED).page(path=path)


def test_markup_in_a_sentence_of_the_table_is_shown_as_text() -> None:
    told: Line = ("violation", {**TWICE[1], "sentence": "<b>x", "rule": "<i>y"})
    for language in LANGUAGES:
        page = called_referee(told, CALLED).page(language)
        assert "&lt;b&gt;x" in page
        assert "&lt;i&gt;y" in page
        assert "<b>x" not in page


def test_the_catalogue_has_the_sentence_of_each_broken_rule_as_the_table_tells_it() -> None:
    english = Words("en")
    assert {what: english(f"violations.rule.{what}") for what in BROKEN_RULES} == BROKEN_RULES


def test_what_a_gate_told_has_no_picture_and_each_picture_stands_with_its_own_violation() -> None:
    page = called_referee(EARLY, TWICE, CALLED).page()
    early, twice = page.split('<section class="card">')[1:]
    assert "The table has sent no picture of it." in early
    assert "data:image/jpeg" not in early
    assert "data:image/jpeg" in twice


def test_of_two_equal_violations_the_pictures_are_those_of_the_last() -> None:
    first, second = called_referee(TWICE, CALLED, TWICE).page().split('<section class="card">')[1:]
    assert "data:image/jpeg" not in first
    assert "data:image/jpeg" in second


def test_the_picture_of_a_violation_does_not_stand_beside_the_next_one_of_that_seat_and_kind() -> None:
    referee = called_referee(TWICE, CALLED)
    referee.hall.add(public_events([*PLAYING, TWICE, CALLED, TWICE])[-1:])
    assert referee.pictures() == []
    referee.hall.store.ask("1", ShownViolation(1, "W", "discarded-twice", after=BEFORE, before=AFTER))
    assert referee.pictures() == [AFTER, BEFORE]


def test_pictures_of_a_violation_that_is_not_told_or_is_ruled_on_are_discarded() -> None:
    referee = called_referee(TWICE, CALLED)
    referee.hall.store.ask("1", ShownViolation(1, "S", "drew-early", after=AFTER, before=BEFORE))
    referee.hall.feed([*PLAYING, TWICE, CALLED, RULED])
    referee.hall.store.ask("1", ShownViolation(1, "W", "discarded-twice", after=AFTER, before=BEFORE))
    referee.hall.add(public_events([*PLAYING, TWICE, CALLED, RULED, EARLY, TWICE])[-2:])
    assert referee.pictures() == []


def test_the_page_is_told_of_a_violation_and_of_its_picture_when_they_come() -> None:
    referee = called_referee(TWICE, CALLED)
    stream = "/events?table=1&page=violations"
    since = referee.first(stream)
    assert 'id="violations"' not in referee.hall.stream(since)
    referee.hall.add(public_events([*PLAYING, TWICE, CALLED, EARLY])[-1:])
    assert "A tile left the wall of South" in referee.hall.stream(since)
    since = referee.first(stream)
    referee.hall.store.ask("1", ShownViolation(1, "S", "drew-early", after=AFTER))
    assert b64encode(AFTER).decode() in referee.hall.stream(since)


def test_pictures_of_another_hand_are_not_shown() -> None:
    referee = called_referee(TWICE, CALLED)
    referee.hall.store.begin("1")
    referee.hall.feed([*PLAYING, TWICE, CALLED])
    referee.hall.store.ask("1", ShownViolation(2, "W", "discarded-twice", after=AFTER))
    assert referee.pictures() == []


def test_after_the_ruling_neither_violation_nor_picture_is_there_any_more() -> None:
    referee = called_referee(TWICE, CALLED)
    referee.hall.feed([*PLAYING, TWICE, CALLED, RULED])
    assert "The table has told of no violation" in referee.page()
    status = referee.hall.store.table("1")
    assert status is not None
    assert status.shown_violations == ()


def test_a_ruling_on_another_hand_leaves_the_violation_its_picture_and_the_seat_that_a_ruling_is_about() -> None:
    referee = called_referee(TWICE, CALLED)
    referee.hall.add(public_events([*PLAYING, TWICE, CALLED, RULED_ON_ANOTHER_HAND])[-1:])
    assert referee.pictures() == [BEFORE, AFTER]
    assert f'href="{PAGE}"' in referee.page(path="/table/1")
    status = referee.hall.store.table("1")
    assert status is not None
    assert status.view.concerned is Seat.WEST


def test_a_violation_stays_until_the_ruling_however_much_happens_after_it() -> None:
    lost: Line = ("link-lost", {"what": "panel"})
    referee = called_referee(TWICE, CALLED, *[lost] * (LOG_LENGTH + 1))
    assert referee.pictures() == [BEFORE, AFTER]


def test_of_very_many_violations_the_last_are_shown() -> None:
    page = called_referee(*[TWICE] * (MOST_VIOLATIONS + 3)).page()
    assert page.count('<section class="card">') == MOST_VIOLATIONS


def test_the_next_hand_at_the_table_has_no_violation_of_the_last() -> None:
    referee = called_referee(TWICE, CALLED, ("deal-opened", dict(building(2))["deal-opened"]), ("wall-raised", {"n": 2}))
    assert "The table has told of no violation" in referee.page()


def test_the_list_of_calls_and_the_tables_page_lead_a_referee_there() -> None:
    referee = called_referee(TWICE, CALLED)
    assert f'href="{PAGE}"' in referee.page(path="/calls")
    assert f'href="{PAGE}"' in referee.page(path="/table/1")


@pytest.mark.parametrize("page", ["/table/1", "/calls"])
def test_a_call_of_a_seat_of_which_no_violation_is_told_leads_nowhere(page: str) -> None:
    assert PAGE not in called_referee(CALLED).page(path=page)
    assert PAGE not in called_referee(EARLY, CALLED).page(path=page), "another seat violated"


DIFFERS: Line = ("referee-called", {"about": "mat-differs"})
LATE: Line = ("referee-called", {"about": "hand-overdue"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_table_itself_calls_about_stands_there_with_the_place(language: Language) -> None:
    referee = called_referee(DIFFERS)
    words = Words(language)
    text = words("alarm.called.by-table", about=words("table-call.mat-differs"))
    assert text in unescape(referee.page(language))
    assert words("violations.call.nopicture") in referee.page(language)
    for _ in range(2):
        referee.hall.store.ask("1", ShownCall(1, "mat-differs", AFTER))
    assert referee.pictures(language) == [AFTER]


def test_the_place_that_the_table_calls_about_is_gone_after_the_ruling_and_is_shown_for_no_other_call_or_hand() -> None:
    referee = called_referee(LATE)
    referee.hall.store.ask("1", ShownCall(1, "mat-differs", AFTER))
    assert referee.pictures() == [], "the table does not call about it"
    referee.hall.add(public_events([*PLAYING, LATE, DIFFERS])[-1:])
    referee.hall.store.ask("1", ShownCall(2, "mat-differs", AFTER))
    assert referee.pictures() == [], "it is of another hand"
    referee.hall.store.ask("1", ShownCall(1, "mat-differs", AFTER))
    assert referee.pictures() == [AFTER]
    referee.hall.add(public_events([*PLAYING, LATE, DIFFERS, RULED, DIFFERS])[-2:])
    assert referee.pictures() == []


@pytest.mark.parametrize("page", ["/table/1", "/calls"])
def test_a_call_of_the_table_of_which_it_sends_a_picture_leads_a_referee_there_and_no_other_does(page: str) -> None:
    assert f'href="{PAGE}"' in called_referee(DIFFERS).page(path=page)
    assert PAGE not in called_referee(LATE).page(path=page)
