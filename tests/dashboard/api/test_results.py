"""Results over the API: what is released, as everybody may see it, and nothing of sessions that are held back."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import cast

import pytest

from dashboard.access.api_tokens import TokenScope
from tests.support.dashboard.api import Program
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.two_sessions import FIELD, TEAMS, play_two_sessions, rule_late
from tests.support.event.sessions import left_out


@pytest.fixture
def hall() -> Hall:
    hall = Hall(desk=MemoryDesk(FIELD), settings=OPEN)
    play_two_sessions(hall)
    return hall


def listed(document: dict[str, object], key: str) -> list[dict[str, object]]:
    found = document[key]
    assert isinstance(found, list)
    return cast(list[dict[str, object]], found)


def test_a_released_deal_has_its_hands_comparison_and_slip(hall: Hall) -> None:
    program = Program(hall, TokenScope.VIEWER)
    assert [(each["deal"], each["state"]) for each in listed(program.read("/deals"), "deals")] == [(1, "released"), (2, "released")]
    deal = program.read("/deals/1")
    assert [hand["table"] for hand in listed(deal, "hands")] == ["1", "2", "3", "4"]
    (group,) = listed(deal, "groups")
    assert {entry["entrant"] for entry in listed(group, "entries")} == set(TEAMS)
    assert sum(cast(int, entry["imp"]) for entry in listed(group, "entries")) == 0
    assert isinstance(deal["slip"], dict)


def test_standings_are_of_the_event_and_of_a_session(hall: Hall) -> None:
    program = Program(hall, TokenScope.VIEWER)
    event = program.read("/standings")
    ranks = listed(event, "event")
    assert {rank["entrant"] for rank in ranks} == set(TEAMS)
    assert set(cast(dict[str, str], ranks[0]["sessions"])) == {"1", "2"}
    (group,) = listed(program.read("/standings?session=2"), "groups")
    assert group["group"] == "A"
    assert program.refused("/standings?session=3", None, "GET")["status"] == 404


def test_results_as_csv_are_what_was_compared(hall: Hall) -> None:
    answer = Program(hall, TokenScope.VIEWER).ask("GET", "/results.csv")
    assert answer.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 2 * 16
    assert {row["team"] for row in rows} == set(TEAMS)


def test_a_session_that_is_held_back_is_shown_to_directors_alone(hall: Hall) -> None:
    hall.desk.hall.follow(replace(hall.desk.hall.programme, held_sessions=(1,)))
    for scope, state in ((TokenScope.VIEWER, "held"), (TokenScope.REFEREE, "held"), (TokenScope.DIRECTOR, "released")):
        program = Program(hall, scope)
        deals = {each["deal"]: each["state"] for each in listed(program.read("/deals"), "deals")}
        assert deals[1] == state
        assert (listed(program.read("/deals/1"), "hands") == []) is (state == "held")
        assert ("\n1,1," in program.ask("GET", "/results.csv").text) is (state == "released")


def test_a_correction_stands_with_the_old_and_the_new_values(hall: Hall) -> None:
    rule_late(hall, "4", left_out("r1", 1))
    (correction,) = listed(Program(hall, TokenScope.VIEWER).read("/standings"), "corrections")
    assert correction["deal"] == 1
    assert listed(correction, "changes")


def test_a_deal_that_nobody_has_begun_is_not_found(hall: Hall) -> None:
    problem = Program(hall, TokenScope.VIEWER).refused("/deals/9", None, "GET")
    assert problem["status"] == 404
    assert "not released" in str(problem["detail"])
