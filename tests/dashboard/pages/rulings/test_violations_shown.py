"""The page that shows a referee, and no one else, why a table called: the violation, its rule and place, and a hand that does not win."""

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from html import unescape

import pytest

from controller.state.broken_rules import BROKEN_RULES
from dashboard.i18n.words import Words
from dashboard.projections.fold import LOG_LENGTH, MOST_VIOLATIONS
from tests.dashboard.pages.rulings import test_which_record, test_which_tile
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.dashboard.referee import Referee, others
from tests.support.dashboard.tables.tables_in_play import IN_DOUBT, SHOWN, hand_entered, question
from tests.support.game.random_hands import any_mcr, seigo, sichuan, yangzhou
from tests.support.game.tables import RandomTable
from tests.support.narrowed import present
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
    referee.hall.views.ask("1", ShownViolation(1, "W", "discarded-twice", after=AFTER, before=BEFORE))
    return referee


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_violation_stands_there_with_its_rule_and_its_place_from_before_and_after(language: Language) -> None:
    referee = called_referee(TWICE, CALLED)
    assert Words(language)("violations.rule.discarded-twice") in referee.page(language)
    assert referee.pictures(language) == [BEFORE, AFTER]


@pytest.mark.parametrize("path", [PAGE, "/table/1"])
def test_a_sentence_of_the_table_is_marked_as_english_on_a_page_in_another_language_and_shown_as_text(path: str) -> None:
    told: Line = ("violation", {**EARLY[1], "rule": "<i>wait"})
    page = called_referee(TWICE, told, CALLED).page("ja", path)
    assert '<span lang="en">West laid a second tile</span>' in page
    assert '<span lang="en">&lt;i&gt;wait</span>' in page, "the table told another rule than the usual one"
    for language in LANGUAGES:
        page = called_referee(("violation", {**TWICE[1], "sentence": "<b>x"}), told, CALLED).page(language, path)
        assert ('<span lang="en">' in page) is (language != "en")
        assert "&lt;b&gt;x" in page
        assert "&lt;i&gt;wait" in page
        assert "<b>x" not in page


def test_the_catalogue_has_the_sentence_of_each_broken_rule_as_the_table_tells_it() -> None:
    english = Words("en")
    assert {what: english(f"violations.rule.{what}") for what in BROKEN_RULES} == BROKEN_RULES


@pytest.mark.parametrize("first", [EARLY, TWICE], ids=["what a gate told has no picture", "of two equal violations it is of the last"])
def test_each_picture_stands_with_its_own_violation(first: Line) -> None:
    without, pictured = called_referee(first, CALLED, TWICE).page().split('<section class="card">')[1:]
    assert ("The table has sent no picture of it." in without, "data:image/jpeg" in without) == (True, False)
    assert "data:image/jpeg" in pictured


def test_the_picture_of_a_violation_does_not_stand_beside_the_next_one_of_that_seat_and_kind_or_of_another_hand() -> None:
    referee = called_referee(TWICE, CALLED)
    referee.hall.add(public_events([*PLAYING, TWICE, CALLED, TWICE])[-1:])
    assert referee.pictures() == []
    referee.hall.views.ask("1", ShownViolation(1, "W", "discarded-twice", after=BEFORE, before=AFTER))
    assert referee.pictures() == [AFTER, BEFORE]
    referee.hall.views.begin("1")
    referee.hall.feed([*PLAYING, TWICE, CALLED])
    referee.hall.views.ask("1", ShownViolation(2, "W", "discarded-twice", after=AFTER))
    assert referee.pictures() == []


def test_pictures_of_a_violation_that_is_not_told_or_is_ruled_on_are_discarded() -> None:
    referee = called_referee(TWICE, CALLED)
    referee.hall.views.ask("1", ShownViolation(1, "S", "drew-early", after=AFTER, before=BEFORE))
    referee.hall.feed([*PLAYING, TWICE, CALLED, RULED])
    assert "The table has told of no violation" in referee.page()
    assert present(referee.hall.views.table("1")).shown_violations == ()
    referee.hall.views.ask("1", ShownViolation(1, "W", "discarded-twice", after=AFTER, before=BEFORE))
    referee.hall.add(public_events([*PLAYING, TWICE, CALLED, RULED, EARLY, TWICE])[-2:])
    assert referee.pictures() == []


def test_a_violation_stays_until_the_ruling_on_its_hand_however_much_happens_after_it() -> None:
    lost: Line = ("link-lost", {"what": "panel"})
    told = [TWICE, CALLED, *[lost] * (LOG_LENGTH + 1)]
    referee = called_referee(*told)
    referee.hall.add(public_events([*PLAYING, *told, RULED_ON_ANOTHER_HAND])[-1:])
    assert referee.pictures() == [BEFORE, AFTER]
    assert f'href="{PAGE}"' in referee.page(path="/table/1")
    assert present(referee.hall.views.table("1")).view.concerned is Seat.WEST


def test_the_page_is_told_of_a_violation_and_of_its_picture_when_they_come() -> None:
    referee = called_referee(TWICE, CALLED)
    stream = "/events?table=1&page=violations"
    since = referee.first(stream)
    assert 'id="violations"' not in referee.hall.stream(since)
    referee.hall.add(public_events([*PLAYING, TWICE, CALLED, EARLY])[-1:])
    assert "A tile left the wall of South" in referee.hall.stream(since)
    since = referee.first(stream)
    referee.hall.views.ask("1", ShownViolation(1, "S", "drew-early", after=AFTER))
    assert b64encode(AFTER).decode() in referee.hall.stream(since)


def test_of_very_many_violations_the_last_are_shown() -> None:
    assert called_referee(*[TWICE] * (MOST_VIOLATIONS + 3)).page().count('<section class="card">') == MOST_VIOLATIONS


def test_the_next_hand_at_the_table_has_no_violation_of_the_last() -> None:
    referee = called_referee(TWICE, CALLED, ("deal-opened", dict(building(2))["deal-opened"]), ("wall-raised", {"n": 2}))
    assert "The table has told of no violation" in referee.page()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_table_itself_calls_about_stands_there_with_the_place(language: Language) -> None:
    referee = called_referee(DIFFERS)
    words = Words(language)
    assert words("alarm.called.by-table", about=words("table-call.mat-differs")) in unescape(referee.page(language))
    assert words("violations.call.nopicture") in referee.page(language)
    for _ in range(2):
        referee.hall.views.ask("1", ShownCall(1, "mat-differs", AFTER))
    assert referee.pictures(language) == [AFTER]


def test_the_place_that_the_table_calls_about_is_gone_after_the_ruling_and_is_shown_for_no_other_call_or_hand() -> None:
    referee = called_referee(LATE)
    referee.hall.views.ask("1", ShownCall(1, "mat-differs", AFTER))
    assert referee.pictures() == [], "the table does not call about it"
    referee.hall.add(public_events([*PLAYING, LATE, DIFFERS])[-1:])
    referee.hall.views.ask("1", ShownCall(2, "mat-differs", AFTER))
    assert referee.pictures() == [], "it is of another hand"
    referee.hall.views.ask("1", ShownCall(1, "mat-differs", AFTER))
    assert referee.pictures() == [AFTER]
    referee.hall.add(public_events([*PLAYING, LATE, DIFFERS, RULED, DIFFERS])[-2:])
    assert referee.pictures() == []


DIFFERS: Line = ("referee-called", {"about": "mat-differs"})
LATE: Line = ("referee-called", {"about": "hand-overdue"})


@pytest.mark.parametrize("page", ["/table/1", "/calls"])
def test_a_violation_and_a_call_of_the_table_with_a_picture_lead_a_referee_there_and_no_other_call_does(page: str) -> None:
    for leading in ((TWICE, CALLED), (DIFFERS,)):
        assert f'href="{PAGE}"' in called_referee(*leading).page(path=page)
    for told in ((CALLED,), (EARLY, CALLED), (LATE,)):
        assert PAGE not in called_referee(*told).page(path=page), "no violation of this seat is told"


FALSE_HAND = "2m 8m 1p 4p 3s 9s E E N C F P 6s"
REFUSED: list[Line] = [
    *SHOWN[:-1],
    ("hand-shown", {**SHOWN[-1][1], "concealed": FALSE_HAND}),
    ("win-refused", {"seat": "S", "reason": "not-a-win"}),
]
"""South has won with West's discard and has shown a hand that does not win."""
NO_PICTURE = "The table has sent no picture of it."


def false_win(seat: str) -> Line:
    return "violation", {
        "seat": seat,
        "what": "false-win",
        "sentence": "The hand does not win",
        "rule": "a win is declared on a hand that wins",
    }


def hands_of(page: str) -> list[list[str]]:
    """The shown hands of a page, each as the kinds whose pictures stand there."""
    groups = re.findall(r'<p class="tiles shown" aria-label="The hand of \w+" role="group">(.*?)</p>', page, re.DOTALL)
    return [re.findall(r'<use href="[^"]*#t-([^"]+)"/>', group) for group in groups]


def refused_in(played: RandomTable) -> list[Line]:
    """A hand up to its first win that is refused, and the violation that the table then tells."""
    lines = hand_entered(played)
    at = next(index for index, (kind, _) in enumerate(lines) if kind == "win-refused")
    return [*lines[: at + 1], false_win(str(lines[at][1]["seat"]))]


HANDS: dict[str, tuple[Callable[[], RandomTable], str]] = {
    "mcr-duplicate, a kong turned up": (lambda: any_mcr(15), "7p 8p 9p N N N N 7m 8m 9m 4p 8p 2s 7s 7s"),
    "seigo": (lambda: seigo(5), "6m 6m 6m 6m 7m 7m 7m 3m 3m 4m 5m 8m 9m 2p N"),
    "sichuan": (lambda: sichuan(39), "7p 7p 7p 9p 9p 9p 9p 2m 4m 5m 6m 7m 6p 8p 4p"),
    "yangzhou, a kong turned up": (lambda: yangzhou(31), "6p 6p 6p 6p 7m 8m 9m 2p 4p 5s 5s 6s 7s 8s F"),
}


@pytest.mark.parametrize("rules", HANDS)
def test_the_shown_hand_of_a_false_win_stands_beside_it_with_its_melds_and_the_winning_tile_last(rules: str) -> None:
    played, tiles = HANDS[rules]
    page = called_referee(playing=refused_in(played())).page()
    assert hands_of(page) == [tiles.split()]
    assert NO_PICTURE not in page


def test_a_false_win_whose_hand_was_not_shown_has_no_tiles() -> None:
    page = called_referee(("win-call-refused", {"seat": "S"}), false_win("S"), playing=SHOWN[:-1]).page()
    assert hands_of(page) == []
    assert NO_PICTURE in page


def test_a_hand_stands_beside_the_violation_that_tells_of_it_and_beside_no_other() -> None:
    later: tuple[Line, ...] = (("win-call-refused", {"seat": "S"}), false_win("S"), TWICE)
    cards = called_referee(false_win("S"), CALLED, *later, playing=REFUSED).page().split('<section class="card">')[1:]
    assert [len(hands_of(card)) for card in cards] == [1, 0, 0]
    assert [NO_PICTURE in card for card in cards] == [False, True, False]


def test_a_shown_hand_that_was_not_refused_stands_beside_no_violation() -> None:
    assert hands_of(called_referee(false_win("S"), playing=SHOWN).page()) == []
    assert hands_of(called_referee(false_win("W"), playing=REFUSED).page()) == [], "another seat violated"


def test_the_hand_stays_until_the_ruling_however_much_happens_after_it() -> None:
    lost: Line = ("link-lost", {"what": "panel"})
    told = [*REFUSED, false_win("S"), CALLED, *[lost] * (LOG_LENGTH + 1)]
    referee = called_referee(playing=told)
    assert hands_of(referee.page()) == [["2m", "8m", "1p", "4p", "3s", "6s", "9s", "E", "E", "N", "C", "F", "P", "S"]]
    referee.hall.add(public_events([*told, RULED])[-1:])
    assert "The table has told of no violation" in referee.page()
    assert present(referee.hall.views.table("1")).view.refused_hands == ()


ASKED: dict[str, tuple[Callable[[], Referee], dict[str, object]]] = {
    "which tile": (lambda: test_which_tile.asking(IN_DOUBT), {"tile": "5m"}),
    "which record": (lambda: test_which_record.doubting(test_which_record.ASKED), {"number": test_which_record.NUMBER, "right": "record"}),
    "a violation in doubt": (
        lambda: test_which_record.doubting(test_which_record.MAY_HAVE_VIOLATED),
        {"number": test_which_record.NUMBER, "seat": "S", "right": "drew-early"},
    ),
    "violations": (lambda: called_referee(TWICE, CALLED), {}),
}


@pytest.mark.parametrize(("asked", "form"), ASKED.values(), ids=ASKED)
def test_no_other_is_asked_or_led_there_or_shown_a_picture(asked: Callable[[], Referee], form: dict[str, object]) -> None:
    referee = asked()
    pictures = [b64encode(picture)[:200] for picture in (question().after, AFTER)]
    for client in others(referee.hall):
        assert client.get(referee.page_path).status_code in (302, 404)
        assert client.post(referee.page_path, data=form).status_code in (400, 401, 404, 405)
        calls = client.get("/calls").text
        assert referee.page_path not in calls
        assert "South" not in calls, "nor the seat of a violation in doubt"
        for path in ("/", "/table/1", "/calls", "/events?table=1&page=which-tile", "/events?table=1&page=violations", "/seat/1/2"):
            referee.hall.turns_left = 1
            assert not any(picture in client.get(path).data for picture in pictures)
    assert referee.sent == []
