"""Ruling form: what a referee is offered, what follows from it, and in which words."""

import html
import re
from collections.abc import Mapping, Sequence
from itertools import chain

import pytest
from werkzeug.test import TestResponse

from dashboard.actions.rulings import (
    NotRuledError,
    RulingChoice,
    RulingSituation,
    announced,
    effects,
    read_form,
    ruling_of,
    ruling_sent,
    situation,
)
from dashboard.i18n.words import Words
from dashboard.pages.table.log_rows import log_rows
from dashboard.projections.fold import fold
from dashboard.projections.table_view import TableView
from tests.support.dashboard.example import SELF_DRAWN, building, closed_hand, play, whole_hand
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.staff import NAME
from tests.support.event.sessions import Play, hand_lines
from tests.support.narrowed import present
from tests.support.wire.streams import Line, public_events
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.play_events import EndReason, HandEnded, HandRuledDead, Offence, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import SEATS
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.ruling import Effect, Ruling, ruling_fields

E, S, W, N = SEATS
PLAYING: tuple[Line, ...] = (*building(), *[*play(SELF_DRAWN)][:30])
VIOLATION: Line = ("violation", {"seat": "W", "what": "put-back", "sentence": "West put a drawn tile back."})
FORM = {"n": "1", "choice": "warning", "seat": "W", "reason": "seen by the referee"}


def view(script: Sequence[Line]) -> TableView:
    seen = TableView("1")
    for event in public_events([*script]):
        seen = fold(seen, event)
    return seen


def now(*more: Line, script: Sequence[Line] = PLAYING) -> RulingSituation:
    return present(situation(view([*script, *more])))


def ruled(n: int = 1, *what: Effect, texts: Mapping[str, str] | None = None, by: str = "Ota") -> Line:
    return "ruling", ruling_fields(Ruling("r1", n, by, texts or {"en": "Play goes on."}, what))


def with_option(value: str) -> tuple[Line, ...]:
    return tuple((name, {**fields, "options": {"false_win": value}} if name == "hand-started" else fields) for name, fields in PLAYING)


RAISED: tuple[Line, ...] = (*whole_hand(), ("hand-closed", {"n": 1}), *[*building(2)][1:-1])


def test_nothing_is_ruled_before_the_first_walls_stand_and_nothing_on_play_while_players_take_their_tiles() -> None:
    assert situation(view([*building()][:-2])) is None
    called = now(("referee-called", {"seat": "N"}), script=RAISED)
    assert (called.n, called.seat) == (2, N)
    assert {offer.choice for offer in called.offers} == {RulingChoice.PLAY_ON, RulingChoice.WARNING}


BY_TABLE: Line = ("referee-called", {"about": "hand-overdue"})


def test_a_ruling_is_about_the_seat_of_the_last_violation_or_call_until_one_was_given() -> None:
    old: tuple[Line, ...] = (("hand-overdue", {"limit_s": 300}), ("referee-called", {"seat": "E"}))
    before: tuple[Line, ...] = (*RAISED[:-1], ("referee-called", {"seat": "S"}), RAISED[-1])
    assert now(VIOLATION).seat is now(VIOLATION, BY_TABLE).seat is W, "a call by the table itself is about no seat"
    assert now(("referee-called", {"seat": "N"})).seat is N
    assert now(*old).seat is E, "an old line about slow play names its seat"
    assert now().seat is now(VIOLATION, ruled()).seat is now(BY_TABLE).seat is None
    assert now(script=before).seat is None, "it was about the hand before"


def test_a_call_by_the_table_names_no_seat_and_is_over_with_the_ruling() -> None:
    called = view([*PLAYING, BY_TABLE, BY_TABLE])
    assert (called.called, called.called_by_table) == ({}, ("hand-overdue",))
    assert view([*PLAYING, BY_TABLE, ruled()]).called_by_table == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("about", TableSubject)
def test_the_page_says_what_the_table_itself_calls_about_and_names_no_seat(about: TableSubject, language: Language) -> None:
    hall, words = Hall(settings=OPEN), Words(language)
    hall.log_in()
    hall.feed([*PLAYING, ("referee-called", {"about": about.value})])
    page = html.unescape(hall.client.get(f"/table/1?lang={language}").text)
    reason = words(f"table-call.{about}")
    assert words("alarm.called.by-table", about=reason) in page
    assert words("log.referee-called.by-table", about=reason) in page
    assert not any(words("alarm.called", seat=words.seat(seat)) in page for seat in SEATS)
    assert " checked" not in page


def test_the_call_that_follows_a_violation_is_one_of_the_table_and_any_other_is_the_seats_own() -> None:
    words = Words("en")
    hall = Hall(settings=OPEN)
    hall.log_in()
    hall.feed([*PLAYING, VIOLATION, ("referee-called", {"seat": "W"})])
    page = html.unescape(hall.client.get("/table/1").text)
    assert words("alarm.called.violation", seat="West") in page
    assert words("log.referee-called.violation", seat="West") in page
    assert "West calls" not in page
    for between, seat, name in (((), "N", "North"), ((("hand-overdue", {"limit_s": 300}),), "W", "West")):
        seen = view([*PLAYING, VIOLATION, *between, ("referee-called", {"seat": seat})])
        assert set(seen.called.values()) == {""}
        assert log_rows(seen, words)[0].text == f"{name} calls the referee"


def test_the_history_names_the_rule_that_a_violation_breaks_where_its_line_does() -> None:
    name, fields = VIOLATION
    for line, rule in (((name, {**fields, "rule": "a drawn tile stays"}), " (rule: a drawn tile stays)"), (VIOLATION, "")):
        assert log_rows(view([*PLAYING, line]), Words("en"))[0].text == f"West: West put a drawn tile back.{rule}"


def test_play_that_is_over_can_no_longer_be_ended_or_gone_on_with() -> None:
    playing, over = (
        {offer.choice for offer in situation_.offers} for situation_ in (now(), now(script=[*whole_hand(), ("hand-closed", {"n": 1})]))
    )
    assert playing == set(RulingChoice) - {RulingChoice.REVOKE, RulingChoice.ENTRY, RulingChoice.EXCHANGED}
    assert over == {RulingChoice.WARNING, RulingChoice.PENALTY, RulingChoice.AVERAGE, RulingChoice.ADJUSTED, RulingChoice.EXCHANGED}


@pytest.mark.parametrize(
    ("option", "costs"), [("referee", {(4, 0), (8, 0), (0, 8)}), ("imp-4", {(4, 0)}), ("imp-8", {(8, 0)}), ("table", {(0, 8)})]
)
def test_a_false_win_is_offered_at_the_price_of_the_event(option: str, costs: set[tuple[int, int]]) -> None:
    offers = now(script=with_option(option)).offers
    assert {(offer.imp, offer.points) for offer in offers if offer.choice is RulingChoice.FALSE_WIN} == costs


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        ({"choice": "play-on"}, ()),
        ({"choice": "warning"}, ()),
        ({"choice": "dead-hand"}, (HandRuledDead(W),)),
        ({"choice": "false-win:8:0"}, (PenaltyRuled(W, Offence.FALSE_WIN, 8, 0), HandRuledDead(W))),
        ({"choice": "penalty", "imp": "3"}, (PenaltyRuled(W, Offence.CONDUCT, 3, 0),)),
        ({"choice": "penalty", "points": "10", "imp": ""}, (PenaltyRuled(W, Offence.CONDUCT, 0, 10),)),
        ({"choice": "average"}, (ResultExcluded(),)),
        ({"choice": "annulled"}, (HandEnded(EndReason.ANNULLED, dict.fromkeys(SEATS, 0)),)),
        ({"choice": "adjusted", "score-E": "30", "score-S": "−30"}, (HandEnded(EndReason.RULED, {E: 30, S: -30, W: 0, N: 0}),)),
    ],
    ids=str,
)
def test_what_is_chosen_does_this_and_a_hand_that_is_dead_is_not_ruled_dead_again(sent: dict[str, str], what: tuple[object, ...]) -> None:
    assert effects(read_form({**FORM, **sent}, now(VIOLATION), NAME)) == what
    if len(what) == 2:
        assert effects(read_form({**FORM, **sent}, now(("hand-ruled-dead", {"seat": "W"})), NAME)) == what[:1]


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"n": "2"}, "moved"),
        ({"n": ""}, "moved"),
        ({"choice": ""}, "choice"),
        ({"choice": "false-win:99:0"}, "choice"),
        ({"choice": "false-win:0:0"}, "choice"),
        ({"seat": "Z"}, "seat"),
        ({"choice": "penalty"}, "penalty"),
        ({"choice": "penalty", "imp": "-4"}, "number"),
        ({"choice": "penalty", "imp": "many"}, "number"),
        ({"choice": "penalty", "imp": "100"}, "number"),
        ({"choice": "penalty", "points": "-1", "imp": "3"}, "number"),
        ({"choice": "adjusted"}, "scores"),
        ({"choice": "adjusted", "score-E": "6_6"}, "number"),
        ({"choice": "adjusted", "score-E": "1000001"}, "number"),
        ({"choice": "adjusted", "reason": " "}, "reason"),
        ({"choice": "average", "reason": ""}, "reason"),
        ({"choice": "annulled", "reason": ""}, "reason"),
        ({"choice": "penalty", "imp": "4", "reason": ""}, "reason"),
        ({"choice": "warning", "reason": "x" * 201}, "reason"),
    ],
    ids=str,
)
def test_a_form_that_makes_no_ruling_says_why_even_when_it_is_meant(sent: dict[str, str], problem: str) -> None:
    with pytest.raises(NotRuledError) as refused:
        ruling_sent({**FORM, **sent, "sure": "1"}, now(VIOLATION), NAME)
    assert refused.value.key == f"rule.problem.{problem}"


def test_the_words_are_there_in_all_languages_with_seat_and_cost() -> None:
    asked = read_form({**FORM, "choice": "penalty", "imp": "4", "points": "2"}, now(VIOLATION), NAME)
    ruling = ruling_of(asked, 1, "form")
    assert ruling.texts == {
        "en": "West: penalty, 4 IMP and 2 points to each of the others. Reason: seen by the referee",
        "ja": "西家に罰点、4 IMP減点と他家へ2点ずつ支払い。 理由：seen by the referee",
        "zh-Hans": "西家受罚，扣4 IMP，付其他各家2分。 理由：seen by the referee",
    }
    adjusted = read_form({**FORM, "choice": "adjusted", "score-E": "30", "score-N": "-30"}, now(VIOLATION), NAME)
    assert "Reason" not in announced(read_form({**FORM, "reason": ""}, now(VIOLATION), NAME), Words("en")), "a warning needs none"
    assert announced(adjusted, Words("en")) == "Adjusted score: East +30 · South 0 · West 0 · North −30. Reason: seen by the referee"


def test_a_form_sent_twice_is_one_ruling_and_another_form_or_content_another() -> None:
    asked = read_form(FORM, now(VIOLATION), NAME)
    first = ruling_of(asked, 1, "form-1")
    assert ruling_of(asked, 1, "form-1") == first
    others = (ruling_of(asked, 1, "form-2"), ruling_of(asked, 2, "form-1"), ruling_of(read_form(FORM, now(), "Abe"), 1, "form-1"))
    assert len({first.identity, *(other.identity for other in others)}) == 4


def ruling_in(hall: Hall) -> Ruling:
    ((table, ruling),) = hall.sent
    assert table == "1"
    assert isinstance(ruling, Ruling)
    return ruling


@pytest.fixture
def hall() -> Hall:
    hall = Hall(reached=True)
    hall.feed([*PLAYING, VIOLATION])
    return hall


def rule(hall: Hall, **sent: str) -> TestResponse:
    hall.log_in()
    form_id = present(re.search(r'name="form" value="([0-9a-f]+)"', hall.ask("/table/1").text))
    return hall.submit("/table/1/rule", {**FORM, "form": form_id[1], **sent})


def test_a_form_makes_a_ruling_that_is_sent_to_its_table(hall: Hall) -> None:
    answer = rule(hall, choice="dead-hand")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/table/1?ruled=sent")
    assert (ruling_in(hall).n, ruling_in(hall).by, ruling_in(hall).effects) == (1, "Ota", (HandRuledDead(W),))
    assert set(ruling_in(hall).texts) == {"en", "ja", "zh-Hans"}
    must_say(hall.ask("/table/1?ruled=sent").text, "Sent to the table.", "carries your name: Ota.")


def test_without_an_effect_or_a_broker_nothing_is_sent_and_that_is_said(hall: Hall) -> None:
    answer = rule(hall, choice="penalty")
    assert answer.headers["Location"].endswith("?ruled=rule.problem.penalty")
    assert "Say how many IMP" in hall.ask(answer.headers["Location"]).text
    assert "ruled" not in hall.ask("/table/1?ruled=%3Cscript%3E").text, "what a link says is never repeated"
    hall.reached = False
    assert rule(hall).headers["Location"].endswith("?ruled=rule.problem.offline"), "the link takes nothing"
    hall.views.connection(False)
    assert rule(hall).headers["Location"].endswith("?ruled=rule.problem.offline"), "the broker is not connected"
    assert hall.sent == []


def test_a_ruling_that_the_disk_refuses_is_not_sent_and_the_form_says_so(hall: Hall) -> None:
    hall.log_in()
    hall.ask("/table/1")
    hall.desk.full = True
    answer = hall.submit("/table/1/rule", {**FORM, "form": "f", "reason": "A <b> tile fell."})
    assert hall.sent == []
    hall.desk.full = False
    again = hall.ask(answer.headers["Location"]).text
    assert Words("en")("error.store") in html.unescape(again)
    assert 'id="ruled" data-refused' in again, "what was chosen is put back"
    assert "A &lt;b&gt; tile fell.</textarea>" in again, "without JavaScript too"
    assert "tile fell" not in hall.ask("/table/1").text


def test_rulings_and_refusals_stand_on_the_table_s_page_in_its_language(hall: Hall) -> None:
    ruling = ruled(texts={"en": "Play goes on.", "ja": "そのまま続けてください。"})
    refused: Line = ("ruling-refused", {"ruling": "r2", "reason": "not-now", "sentence": "The hand is over."})
    hall.feed([*PLAYING, ruling, VIOLATION, refused])
    hall.log_in()
    page = hall.ask("/table/1").text
    history = page[page.index('id="rulings"') :]
    assert history.index("The hand is over.") < history.index("Play goes on.")
    assert "そのまま続けてください。" in hall.ask("/table/1?lang=ja").text


def test_the_choices_stay_under_the_finger_while_nothing_new_is_to_be_ruled(hall: Hall) -> None:
    hall.log_in()
    page = hall.ask("/table/1").text
    since, boot = (re.search(rf'data-{what}="([^"]+)"', page) for what in ("since", "boot"))
    assert since is not None
    stream = f"/events?table=1&boot={present(boot)[1]}"
    hall.add(public_events([*PLAYING, VIOLATION, ("claims-closed", {}), ("passed", {}), ("gate-unlocked", {"seat": "S"})])[-3:])
    assert 'id="ruling"' not in hall.stream(stream, last=since[1])
    hall.add(public_events([*PLAYING, VIOLATION, *[VIOLATION] * 3, ("referee-called", {"seat": "N"})])[-1:])
    assert 'id="ruling"' in hall.stream(stream, last=since[1])


TWO_HANDS: tuple[Line, ...] = (*closed_hand("1"), *building(2), *[*play(SELF_DRAWN, 2)][:10])


@pytest.fixture
def later() -> Hall:
    hall = Hall(reached=True)
    hall.feed(TWO_HANDS)
    hall.log_in()
    return hall


def rule_on_first(hall: Hall, **form: str) -> TestResponse:
    return hall.submit("/table/1/rule", {**FORM, "form": "f", **form})


def test_an_earlier_hand_is_ruled_on_from_a_page_of_its_own(later: Hall) -> None:
    assert '<a href="/table/1/hand/1">E1</a>' in later.ask("/table/1").text
    page = later.ask("/table/1/hand/1").text
    assert 'value="average"' in page
    assert 'value="dead-hand"' not in page
    assert rule_on_first(later, choice="average").headers["Location"] == "/table/1/hand/1?ruled=sent"
    ruling = ruling_in(later)
    assert (ruling.n, ruling.effects) == (1, (ResultExcluded(),))
    later.add(public_events([*TWO_HANDS, ("ruling", ruling_fields(ruling))])[-1:])
    page = later.ask("/table/1/hand/1").text
    must_say(page, "average: left out of the comparison", "<strong>Ota</strong> <span>This table&#39;s result does not count")


def test_hands_of_two_sessions_that_have_one_name_are_told_apart_before_one_is_ruled_on() -> None:
    hall = Hall()
    players = [str(number) for number in range(1, 5)]
    plays = [Play(2 * session + number, session, number, "1", players, (24, -8, -8, -8)) for session in (1, 2) for number in (1, 2)]
    *over, last = (hand_lines(play) for play in plays)
    hall.feed([*chain.from_iterable(over), next(last)])
    hall.log_in()
    earlier = re.sub(r"<[^>]+>", "", "".join(re.findall(r'<p class="earlier">.*?</p>', hall.ask("/table/1").text)))
    assert earlier == "Rule on an earlier hand:Session 1: E1 E2Session 2: E1"


def test_a_ruling_is_revoked_for_a_reason_by_another_that_says_so_and_the_page_shows_both(later: Hall) -> None:
    script = [*TWO_HANDS, ruled(1, ResultExcluded(), texts={"en": "It counts as average.", "ja": "平均点とします。"}, by="Aono")]
    later.add(public_events(script)[-1:])
    assert 'value="revoke:r1"' in later.ask("/table/1/hand/1").text
    assert "rule.problem.reason" in rule_on_first(later, choice="revoke:r1", reason="").headers["Location"]
    rule_on_first(later, choice="revoke:r1", reason="wrong table")
    ruling = ruling_in(later)
    assert (ruling.revokes, ruling.effects) == ("r1", ())
    assert ruling.texts["ja"].startswith("次の裁定を取り消します：「平均点とします。」")
    later.add(public_events([*script, ("ruling", ruling_fields(ruling))])[-1:])
    page = later.ask("/table/1/hand/1").text
    assert '<del>It counts as average.</del> <span class="pill grey">revoked</span>' in page
    assert "This ruling is revoked: “It counts as average.”" in html.unescape(page)
    assert "average: left out of the comparison" not in page
    assert 'value="revoke:r1"' not in page


def test_the_page_of_an_earlier_hand_takes_in_a_ruling_by_itself(later: Hall) -> None:
    stream = present(re.search(r'data-events="([^"]*)"', later.ask("/table/1/hand/1").text))
    later.add(public_events([*TWO_HANDS, ruled(1, ResultExcluded(), texts={"en": "Looked at again."}, by="Abe")])[-1:])
    fresh = later.stream(stream[1].replace("&amp;", "&"))
    must_say(fresh, "<strong>Abe</strong> <span>Looked at again.</span>", "average: left out of the comparison")


def test_there_is_no_page_of_a_hand_that_is_not_over_or_for_a_spectator(later: Hall) -> None:
    for path in ("/table/1/hand/2", "/table/1/hand/9", "/table/9/hand/1"):
        assert later.ask(path).status_code == 404
    hall = Hall(settings=OPEN)
    hall.feed(TWO_HANDS)
    assert hall.ask("/table/1/hand/1").status_code in (302, 404)
