"""A request that carries a key has one effect, however often it is sent, also after a restart."""

import json
from pathlib import Path

import pytest

from dashboard.access.api_tokens import TokenScope
from dashboard.api.idempotency import KEPT_S
from dashboard.projections.store import Store
from tests.support.dashboard.api import Program, api_token
from tests.support.dashboard.custody.committing_vaults import CommittingVaults
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import new_staff
from tests.support.event.managed import PREPARED

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
        self.hall = Hall(Store(f"boot-{self.boots}"), self.desk, self.staff, OPEN)
        return self.hall

    def restart(self) -> None:
        self.program.hall = self.start()


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def test_the_same_request_gets_the_same_answer_and_changes_nothing_again(server: Server) -> None:
    first = server.program.ask("POST", "/changes", ORDER, Idempotency_Key="k1")
    again = server.program.ask("POST", "/changes", ORDER, Idempotency_Key="k1")
    assert (first.status_code, first.data) == (200, again.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Event-Version"] == first.headers["Event-Version"] == "1"
    assert server.desk.event.version == 1


def test_an_answer_outlives_a_restart_and_is_kept_for_two_days(server: Server) -> None:
    server.program.do("/changes", ORDER, Idempotency_Key="k1")
    server.restart()
    assert server.program.ask("POST", "/changes", ORDER, Idempotency_Key="k1").headers["Idempotency-Replayed"] == "true"
    server.hall.seconds += KEPT_S + 1
    server.program.do("/changes", ORDER, Idempotency_Key="k1")
    assert server.desk.event.version == 2


def test_a_key_belongs_to_one_request_of_one_token(server: Server) -> None:
    server.program.do("/changes", ORDER, Idempotency_Key="k1")
    problem = server.program.refused("/changes", OTHER, Idempotency_Key="k1")
    assert (problem["status"], problem["type"]) == (422, "urn:twinwall:problem:key-reused")
    other = Program(server.hall, token=api_token(server.hall, TokenScope.DIRECTOR, "other"), seen="1")
    other.do("/changes", OTHER, Idempotency_Key="k1")
    assert server.desk.event.version == 2


def test_a_request_without_effect_may_be_sent_again_with_its_key(server: Server) -> None:
    server.desk.full = True
    assert server.program.refused("/changes", ORDER, Idempotency_Key="k1")["status"] == 503
    server.desk.full = False
    server.program.seen = "7"
    assert server.program.refused("/changes", ORDER, Idempotency_Key="k1")["status"] == 409
    server.program.seen = "0"
    server.program.do("/changes", ORDER, Idempotency_Key="k1")


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


@pytest.mark.parametrize("key", ["", "x" * 201, "a\tb"])
def test_a_key_that_cannot_be_one_is_refused(server: Server, key: str) -> None:
    assert server.program.refused("/changes", ORDER, Idempotency_Key=key)["status"] == 400


def test_no_digest_of_a_passphrase_is_kept(server: Server) -> None:
    hall = Hall(desk=server.desk, staff=server.staff, settings=OPEN, deals=CommittingVaults())
    hall.manage(*PREPARED)
    program = Program(hall, token=server.program.token)
    order = {"source": "tiles: 32", "passphrase": "correct horse battery"}
    program.do("/custody/deals", order, Idempotency_Key="k1")
    answer = program.ask("POST", "/custody/deals", {**order, "passphrase": "another one"}, Idempotency_Key="k1")
    assert answer.headers["Idempotency-Replayed"] == "true", "bodies with a secret are not compared"
    assert "battery" not in json.dumps(program.read("/custody"))
