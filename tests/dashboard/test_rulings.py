"""What a referee is offered at a table, what becomes of his form, and in which words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dashboard.fold import fold
from dashboard.rulings import Choice, NotRuledError, Situation, announced, effects, given, read_form, ruling_of, situation
from dashboard.view import TableView
from dashboard.words import Words
from tests.dashboard.example import SELF_DRAWN, Line, building, play, public_events, whole_hand
from twinwall.game.play import EndReason, HandEnded
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import SEATS
from twinwall.wire.rulings import Ruling, ruling_fields

E, S, W, N = SEATS
PLAYING: tuple[Line, ...] = (*building(), *[*play(SELF_DRAWN)][:30])
VIOLATION: Line = ("violation", {"seat": "W", "what": "put-back", "sentence": "West put a drawn tile back."})
FORM = {"n": "1", "choice": "warning", "seat": "W", "by": "Ota"}


def view(script: Sequence[Line]) -> TableView:
    seen = TableView("1")
    for event in public_events([*script]):
        seen = fold(seen, event)
    return seen


def now(*more: Line, script: Sequence[Line] = PLAYING) -> Situation:
    found = situation(view([*script, *more]))
    assert found is not None
    return found


def with_option(value: str) -> tuple[Line, ...]:
    return tuple((name, {**fields, "options": {"false_win": value}} if name == "hand-started" else fields) for name, fields in PLAYING)


def test_before_the_first_hand_there_is_nothing_to_rule() -> None:
    assert situation(view([*building()])) is None


def test_a_ruling_is_about_the_seat_of_the_last_violation_until_one_was_given() -> None:
    answered: Line = ("ruling", ruling_fields(Ruling("r1", 1, "Ota", {"en": "Play goes on."})))
    assert now(VIOLATION).seat is W
    assert now(("referee-called", {"seat": "N"})).seat is N
    assert now(VIOLATION, answered).seat is now().seat


def test_play_that_is_over_can_no_longer_be_ended_or_gone_on_with() -> None:
    playing, over = (
        {offer.choice for offer in situation_.offers} for situation_ in (now(), now(script=[*whole_hand(), ("hand-closed", {"n": 1})]))
    )
    assert playing == set(Choice)
    assert over == {Choice.WARNING, Choice.PENALTY, Choice.AVERAGE, Choice.ADJUSTED}


@pytest.mark.parametrize(
    ("option", "costs"),
    [("referee", {(4, 0), (8, 0), (0, 8)}), ("imp-4", {(4, 0)}), ("imp-8", {(8, 0)}), ("table", {(0, 8)})],
)
def test_a_false_win_is_offered_at_the_price_of_the_event(option: str, costs: set[tuple[int, int]]) -> None:
    offers = now(script=with_option(option)).offers
    assert {(offer.imp, offer.points) for offer in offers if offer.choice is Choice.FALSE_WIN} == costs


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
def test_what_is_chosen_does_this(sent: dict[str, str], what: tuple[object, ...]) -> None:
    assert effects(read_form({**FORM, **sent}, now(VIOLATION))) == what


def test_a_hand_that_is_dead_is_not_ruled_dead_again_with_a_false_win() -> None:
    dead = now(("hand-ruled-dead", {"seat": "W"}))
    assert effects(read_form({**FORM, "choice": "false-win:4:0"}, dead)) == (PenaltyRuled(W, Offence.FALSE_WIN, 4, 0),)


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"n": "2"}, "moved"),
        ({"n": ""}, "moved"),
        ({"choice": ""}, "choice"),
        ({"choice": "false-win:99:0"}, "choice"),
        ({"choice": "false-win:0:0"}, "choice"),
        ({"by": "  "}, "name"),
        ({"by": "x" * 61}, "name"),
        ({"by": "Ota\x07"}, "name"),
        ({"seat": "Z"}, "seat"),
        ({"choice": "penalty"}, "penalty"),
        ({"choice": "penalty", "imp": "-4"}, "number"),
        ({"choice": "penalty", "imp": "many"}, "number"),
        ({"choice": "adjusted", "score-E": "10000"}, "number"),
    ],
    ids=str,
)
def test_a_form_that_makes_no_ruling_says_why(sent: dict[str, str], problem: str) -> None:
    with pytest.raises(NotRuledError) as refused:
        read_form({**FORM, **sent}, now(VIOLATION))
    assert refused.value.key == f"rule.problem.{problem}"


def test_the_words_are_there_in_all_languages_with_seat_and_cost() -> None:
    asked = read_form({**FORM, "choice": "penalty", "imp": "4", "points": "2"}, now(VIOLATION))
    ruling = ruling_of(asked, 1, "form")
    assert ruling.texts == {
        "en": "West: penalty, 4 IMP and 2 points to each of the others.",
        "ja": "西家に罰点、4 IMP減点と他家へ2点ずつ支払い。",
        "zh-Hans": "西家受罚，扣4 IMP，付其他各家2分。",
    }
    adjusted = read_form({**FORM, "choice": "adjusted", "score-E": "30", "score-N": "-30"}, now(VIOLATION))
    assert announced(adjusted, Words("en")) == "Adjusted score: East +30 · South 0 · West 0 · North −30."


def test_a_form_sent_twice_is_one_ruling_and_another_form_or_content_another() -> None:
    asked = read_form(FORM, now(VIOLATION))
    first = ruling_of(asked, 1, "form-1")
    assert ruling_of(asked, 1, "form-1") == first
    others = (ruling_of(asked, 1, "form-2"), ruling_of(asked, 2, "form-1"), ruling_of(read_form({**FORM, "by": "Abe"}, now()), 1, "form-1"))
    assert len({first.identity, *(other.identity for other in others)}) == 4


def test_rulings_and_refusals_are_listed_the_newest_first() -> None:
    ruling: Line = ("ruling", ruling_fields(Ruling("r1", 1, "Ota", {"en": "Play goes on."})))
    refused: Line = ("ruling-refused", {"ruling": "r2", "reason": "not-now", "sentence": "The hand is over."})
    assert [event.fields["ruling"] for event in given(view([*PLAYING, ruling, VIOLATION, refused]))] == ["r2", "r1"]
