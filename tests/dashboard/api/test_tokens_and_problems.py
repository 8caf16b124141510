"""Who may ask the API for what, and the problems that it answers in."""

import json

import pytest

from dashboard.access.api_tokens import TokenScope, tokens_of, withdraw_token
from dashboard.access.staff_file import StaffOrder
from tests.support.dashboard.api import PREFIX, Program
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import NAME


@pytest.fixture
def hall() -> Hall:
    return Hall(settings=OPEN)


def test_nothing_is_answered_without_a_token_of_the_event(hall: Hall) -> None:
    program = Program(hall, TokenScope.VIEWER)
    for sent in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Basic {program.token}"}):
        answer = hall.new_client().get(f"{PREFIX}/event", headers=sent)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert json.loads(answer.data)["type"] == "urn:twinwall:problem:no-token"
    assert program.read("/event")["name"] == "Autumn"


def test_a_browser_s_cookie_opens_nothing_and_no_cookie_is_set(hall: Hall) -> None:
    hall.log_in()
    assert hall.client.get(f"{PREFIX}/event").status_code == 401
    assert "Set-Cookie" not in Program(hall).ask("GET", "/event").headers


def test_a_token_that_is_withdrawn_opens_nothing_from_then_on(hall: Hall) -> None:
    program = Program(hall)
    program.read("/event")
    withdraw_token(hall.staff, OPEN.event, tokens_of(hall.staff, OPEN.event)[0].number, StaffOrder(1, NAME))
    assert program.ask("GET", "/event").status_code == 401


@pytest.mark.parametrize("scope", [scope for scope in TokenScope if scope is not TokenScope.DIRECTOR])
def test_a_token_of_another_scope_changes_nothing(hall: Hall, scope: TokenScope) -> None:
    problem = Program(hall, scope).refused("/changes", {"change": {"type": "event-closed"}})
    assert problem["status"] == 403
    assert scope.value in str(problem["detail"])
    assert hall.desk.event.version == 0


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/nothing", None, 404),
        ("PUT", "/event", None, 404),
        ("GET", "/players/99", None, 404),
        ("GET", "/sessions/x/seats", None, 400),
        ("GET", "/event?colour=red", None, 400),
        ("POST", "/changes", {"change": {"type": "event-painted"}}, 400),
        ("POST", "/changes", {"change": {"type": "event-closed"}, "more": 1}, 400),
        ("POST", "/changes", "x" * 200_000, 413),
    ],
)
def test_a_request_that_cannot_be_read_is_answered_with_a_problem(hall: Hall, method: str, path: str, body: object, status: int) -> None:
    problem = Program(hall).refused(path, body, method)
    assert problem["status"] == status
    assert problem["detail"]


def test_a_body_that_is_no_json_is_named(hall: Hall) -> None:
    program = Program(hall)
    answer = hall.client.post(f"{PREFIX}/changes", data=b"{", headers={"Authorization": f"Bearer {program.token}", "Event-Version": "0"})
    assert answer.status_code == 400
    assert json.loads(answer.data)["type"] == "urn:twinwall:problem:invalid"


def test_a_full_disk_is_said_and_nothing_is_changed(hall: Hall) -> None:
    program = Program(hall)
    hall.desk.full = True
    problem = program.refused("/changes", {"change": {"type": "event-described", "kind": "individual", "rules": "mcr-duplicate"}})
    assert problem["status"] == 503
    assert "nothing was changed" in str(problem["detail"])
    assert hall.desk.event.version == 0
