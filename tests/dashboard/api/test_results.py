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


def test_standings_are_of_the_event_and_of_a_session(hall: Hall) -> None:
    program = Program(hall, TokenScope.VIEWER)
    event = program.read("/standings")
    ranks = listed(event, "event")
    assert {rank["entrant"] for rank in ranks} == set(TEAMS)
    assert set(cast(dict[str, str], ranks[0]["sessions"])) == {"1", "2"}
    (group,) = listed(program.read("/standings?session=2"), "groups")
    assert group["group"] == "A"
    assert program.refused("/standings?session=3", None, "GET")["status"] == 404


def test_a_correction_stands_with_the_old_and_the_new_values_beside_the_standings_and_the_deal(hall: Hall) -> None:
    rule_late(hall, "4", left_out("r1", 1))
    program = Program(hall, TokenScope.VIEWER)
    for path in ("/standings", "/deals/1"):
        (correction,) = listed(program.read(path), "corrections")
        assert correction["deal"] == 1
        assert listed(correction, "changes")
