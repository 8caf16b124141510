"""Results over the API: what is released, as everybody may see it, and nothing of sessions that are held back."""

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


def test_a_correction_stands_with_the_old_and_the_new_values(hall: Hall) -> None:
    rule_late(hall, "4", left_out("r1", 1))
    (correction,) = listed(Program(hall, TokenScope.VIEWER).read("/standings"), "corrections")
    assert correction["deal"] == 1
    assert listed(correction, "changes")
