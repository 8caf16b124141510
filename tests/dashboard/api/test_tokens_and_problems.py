"""Who may ask the API for what, tokens on ``/staff``, the problems that it answers in, and keys by which a request has one effect."""

import json
from pathlib import Path

import pytest

from dashboard.access.api_tokens import TokenScope, tokens_of, withdraw_token
from dashboard.access.staff_file import StaffOrder
from dashboard.api.api_routes import KEPT_S
from dashboard.projections.hall_views import HallViews
from tests.support.dashboard.api import PREFIX, Program, api_token
from tests.support.dashboard.custody.vaults import CommittingVaults
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import NAME, new_staff
from tests.support.event.managed import PREPARED


@pytest.fixture
def hall() -> Hall:
    return Hall(settings=OPEN)


def test_nothing_is_answered_without_a_token_of_the_event_that_is_not_withdrawn(hall: Hall) -> None:
    program = Program(hall, TokenScope.VIEWER)
    hall.log_in()
    for sent in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Basic {program.token}"}):
        answer = hall.client.get(f"{PREFIX}/event", headers=sent)
        assert answer.status_code == 401, "a browser's cookie opens nothing"
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert json.loads(answer.data)["type"] == "urn:twinwall:problem:no-token"
    assert program.read("/event")["name"] == "Autumn"
    assert "Set-Cookie" not in program.ask("GET", "/event").headers
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
        *((method, f"/webhooks/{2**63}{path}", None, 404) for method, path in (("DELETE", ""), ("GET", "/deliveries"))),
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


ORDER = {"change": {"type": "event-described", "kind": "individual", "rules": "mcr-duplicate"}}
OTHER = {"change": {"type": "event-described", "kind": "team", "rules": "mcr-duplicate"}}


class Server:
    """A dashboard that can be started again over the same store and staff file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.boots, self.desk = folder, 0, MemoryDesk()
        self.staff = new_staff(folder / "staff.sqlite")
        self.hall = self.start()
        self.program = Program(self.hall)

    def start(self) -> Hall:
        self.boots += 1
        self.hall = Hall(HallViews(f"boot-{self.boots}"), self.desk, self.staff, OPEN)
        return self.hall

    def restart(self) -> None:
        self.program.hall = self.start()


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def test_the_same_request_gets_the_same_answer_also_after_a_restart_for_two_days_and_changes_nothing_again(server: Server) -> None:
    first = server.program.ask("POST", "/changes", ORDER, Idempotency_Key="k1")
    again = server.program.ask("POST", "/changes", ORDER, Idempotency_Key="k1")
    assert (first.status_code, first.data) == (200, again.data)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Event-Version"] == first.headers["Event-Version"] == "1"
    server.restart()
    for answer in (again, server.program.ask("POST", "/changes", ORDER, Idempotency_Key="k1")):
        assert answer.headers["Idempotency-Replayed"] == "true"
    assert server.desk.event.version == 1
    server.hall.seconds += KEPT_S + 1
    server.program.do("/changes", ORDER, Idempotency_Key="k1")
    assert server.desk.event.version == 2


def test_a_key_belongs_to_one_request_of_one_token_and_one_that_cannot_be_is_refused(server: Server) -> None:
    for key in ("", "x" * 201, "a\tb"):
        assert server.program.refused("/changes", ORDER, Idempotency_Key=key)["status"] == 400, key
    server.program.do("/changes", ORDER, Idempotency_Key="k1")
    problem = server.program.refused("/changes", OTHER, Idempotency_Key="k1")
    assert (problem["status"], problem["type"]) == (422, "urn:twinwall:problem:key-reused")
    other = Program(server.hall, token=api_token(server.hall, TokenScope.DIRECTOR, "other"), seen="1")
    other.do("/changes", OTHER, Idempotency_Key="k1")
    assert server.desk.event.version == 2


def test_a_full_disk_is_said_and_a_request_without_effect_may_be_sent_again_with_its_key(server: Server) -> None:
    server.desk.full = True
    problem = server.program.refused("/changes", ORDER, Idempotency_Key="k1")
    assert (problem["status"], "nothing was changed" in str(problem["detail"])) == (503, True)
    server.desk.full = False
    assert server.desk.event.version == 0
    server.program.seen = "7"
    assert server.program.refused("/changes", ORDER, Idempotency_Key="k1")["status"] == 409
    server.program.seen = "0"
    server.program.do("/changes", ORDER, Idempotency_Key="k1")


def test_a_body_that_has_a_key_twice_is_refused_with_its_name(server: Server) -> None:
    content = json.dumps(ORDER).replace('"kind"', '"kind": "team", "kind"')
    answer = server.hall.new_client().post(
        f"{PREFIX}/changes", data=content, headers={"Authorization": f"Bearer {server.program.token}", "Event-Version": "0"}
    )
    assert (answer.status_code, "the key 'kind' is written twice" in answer.text) == (400, True)
    assert server.desk.event.version == 0


def test_a_request_that_a_restart_interrupted_says_so_instead_of_being_done_twice(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_asked: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as ended, pytest.raises(KeyboardInterrupt):
        ended.setattr(MemoryDesk, "manage", fail)
        server.program.ask("POST", "/changes", ORDER, Idempotency_Key="k1")
    problem = server.program.refused("/changes", ORDER, Idempotency_Key="k1")
    assert (problem["status"], problem["type"]) == (409, "urn:twinwall:problem:key-in-use")
    server.restart()
    assert server.program.refused("/changes", ORDER, Idempotency_Key="k1")["reason"] == "interrupted"
    assert server.desk.event.version == 0


def test_a_request_in_which_the_server_failed_is_not_said_to_be_worked_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.delattr(MemoryDesk, "manage")
        assert server.program.refused("/changes", ORDER, Idempotency_Key="k1")["status"] == 500
    assert server.program.refused("/changes", ORDER, Idempotency_Key="k1")["reason"] == "interrupted"


def test_no_digest_of_a_passphrase_is_kept(server: Server) -> None:
    hall = Hall(desk=server.desk, staff=server.staff, settings=OPEN, deals=CommittingVaults())
    hall.manage(*PREPARED)
    program = Program(hall, token=server.program.token)
    order = {"source": "tiles: 32", "passphrase": "correct horse battery"}
    program.do("/custody/deals", order, Idempotency_Key="k1")
    answer = program.ask("POST", "/custody/deals", {**order, "passphrase": "another one"}, Idempotency_Key="k1")
    assert answer.headers["Idempotency-Replayed"] == "true", "bodies with a secret are not compared"
    assert "battery" not in json.dumps(program.read("/custody"))
