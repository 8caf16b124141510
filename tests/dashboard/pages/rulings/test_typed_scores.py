"""Scores and penalties that people type: the impossible is refused with its reason, the odd is asked about, at every door alike."""

import html
import re

import pytest
from werkzeug.test import TestResponse

from dashboard.access.api_tokens import TokenScope
from dashboard.i18n.words import Words
from tests.support.dashboard.api import Program
from tests.support.dashboard.example import whole_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import submit
from tests.support.dashboard.tables.tables_in_play import STARTED, seat_address, words_of
from tests.support.narrowed import present
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.wire.messages.commands import EnterResult

ODD = (66, -22, -22, -21)
CLOSED: list[Line] = [*whole_hand(), ("hand-closed", {"n": 1})]


class Referee:
    """The form for the hand of a table that has closed it, and the same ruling over the API."""

    def __init__(self, script: list[Line] = CLOSED) -> None:
        self.hall = Hall(settings=OPEN, reached=True)
        self.hall.feed(script)
        self.hall.log_in()

    def post(self, **form: str) -> TestResponse:
        return self.hall.submit("/table/1/rule", {"n": "1", "seat": "W", "reason": "slip", "form": "f", **form})

    def adjust(self, *scores: object, **form: str) -> TestResponse:
        typed = {f"score-{seat}": str(score) for seat, score in zip("ESWN", scores, strict=True)}
        return self.post(choice="adjusted", **typed, **form)


@pytest.mark.parametrize("language", LANGUAGES)
def test_scores_that_miss_the_sum_of_the_rules_are_asked_about_before_they_are_ruled(language: Language) -> None:
    referee, words = Referee(), Words(language)
    referee.hall.client.get(f"/?lang={language}")
    asked = referee.adjust(*ODD)
    page = html.unescape(asked.text)
    assert asked.status_code == 409
    assert words("odd.sum", number="+1") in page
    assert referee.hall.sent == []
    fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page))
    assert referee.hall.client.post("/table/1/rule", data={**fields, "sure": "1"}).status_code == 303
    assert len(referee.hall.sent) == 1, "it is the referee's to rule it all the same"
    back = present(re.search(r'href="(/table/1\?ruled=rule.problem.odd)"', page))
    assert words("rule.problem.odd") in html.unescape(referee.hall.client.get(back[1]).text)


@pytest.mark.parametrize(
    ("form", "odd"),
    [
        ({"score-E": "66", "score-S": "-22", "score-W": "-22", "score-N": "-22"}, []),
        ({"score-E": "６６", "score-S": "−22", "score-W": "﹣22", "score-N": "－22"}, []),
        ({"score-E": "660", "score-S": "-220", "score-W": "-220", "score-N": "-220"}, ["large"]),
        ({"score-E": "66"}, ["sum"]),
        ({"score-E": "22", "score-S": "22", "score-W": "22", "score-N": "66"}, ["sum"]),
        ({"choice": "penalty", "imp": "4"}, []),
        ({"choice": "penalty", "imp": "40"}, ["imp"]),
        ({"choice": "penalty", "points": "1000", "imp": "20"}, ["imp", "large"]),
    ],
    ids=str,
)
def test_what_is_odd_is_asked_on_the_page_and_refused_over_the_api_until_it_is_meant(form: dict[str, str], odd: list[str]) -> None:
    referee = Referee()
    assert (referee.post(**{"choice": "adjusted", **form}).status_code, len(referee.hall.sent)) == ((409, 0) if odd else (303, 1))
    program = Program(referee.hall, TokenScope.REFEREE)
    if not all(re.fullmatch("-?[0-9]+|[a-z]+", value) for value in form.values()):
        return
    scores = {key[-1]: int(value) for key, value in form.items() if key.startswith("score-")}
    order = {"deal": 1, "choice": form.get("choice", "adjusted"), "seat": "W", "reason": "slip", "scores": scores}
    order |= {key: int(form[key]) for key in ("imp", "points") if key in form}
    if odd:
        problem = program.refused("/tables/1/rulings", order)
        assert problem["reason"] == "odd"
        assert len(str(problem["detail"]).split(". ")) >= len(odd)
    program.do("/tables/1/rulings", {**order, "sure": True})


@pytest.mark.parametrize(
    ("rules", "scores", "odd"),
    [
        ("seigo", (48_000, -16_000, -16_000, -16_000), False),
        ("seigo", (96_000, -32_000, -32_000, -32_000), True),
        ("sichuan", (24, -8, -8, -8), False),
        ("sichuan", (240, -80, -80, -80), True),
    ],
)
def test_how_much_is_usual_is_what_the_rule_set_says(rules: str, scores: tuple[int, ...], odd: bool) -> None:
    referee = Referee([(kind, {**fields, "rules": rules} if "rules" in fields else fields) for kind, fields in STARTED])
    assert referee.adjust(*scores).status_code == (409 if odd else 303)


def test_scores_need_no_sum_where_the_rules_have_none() -> None:
    rounded: dict[str, object] = {"options": {"self_draw": "rounded"}}
    referee = Referee([(kind, {**fields, **rounded} if kind == "hand-started" else fields) for kind, fields in STARTED])
    assert referee.adjust(*ODD).status_code == 303
    assert referee.adjust(10, 10, 0, 0).status_code == 409, "nobody pays"


def test_players_are_told_the_sum_that_they_missed_and_asked_about_what_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.access.viewer_scope.LOOK_S", 0.001)
    script: list[Line] = [(kind, {**fields, "rules": "sichuan"} if "rules" in fields else fields) for kind, fields in STARTED]
    referee = Referee(script)
    hall, sent = referee.hall, referee.hall.sent
    phone = hall.new_client()
    phone.get(seat_address(0))

    def enter(*scores: str, sure: str = "") -> str:
        typed = {f"score-{seat}": score for seat, score in zip("ESWN", scores, strict=True)}
        return submit(phone, "/seat/1/0", {"result": "1", "sure": sure, **typed}, follow=True).text

    assert Words("en")("odd.sum", number="+1") in words_of(enter("-1", "+3", "-1", "0"))
    page = enter("900", "-300", "-300", "-300")
    assert Words("en")("odd.large", number="+900") in words_of(page)
    assert sent == []
    found = present(re.search(r'name="sure" value="([^"]*)"', page))
    enter("300", "-900", "-300", "900", sure=found[1])
    assert sent == [], "it was asked about other scores"
    enter("９００", "－300", "-300", "-300", sure=found[1])
    assert sent == [("1", EnterResult(0, 1, scores=(900, -300, -300, -300)))]
