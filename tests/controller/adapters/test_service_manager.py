"""The heart of the table's service: systemd hears it over a real socket as long as the loop that plays goes round."""

import os
import re
import select
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.adapters.follower import nothing
from controller.adapters.hall_member import BEAT_S, HallMember, Membership
from controller.adapters.journal_keys import ASKED_EVERY_S, JournalKeyRequest
from controller.adapters.service_manager import tell_alive
from controller.ledger.assignment_folder import AssignmentFolder
from controller.state.keys import KeyPressed
from tests.support.controller.rigs import Rig
from tests.support.custody.hall import PlayedTable
from tests.support.patience import PATIENCE_S
from tests.support.wire.assignments import HALL_SERVER, IDENTITY
from tests.support.wire.link import FakeLink
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.shapes.panel import Key

ALIVE = b"READY=1\nWATCHDOG=1"


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Systemd's end of the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


def heard(listener: socket.socket) -> list[bytes]:
    """What has come by now."""
    came = []
    while select.select([listener], [], [], 0)[0]:
        came.append(listener.recv(99))
    return came


def test_the_heart_stops_while_the_tables_loop_hangs_and_goes_on_with_it(systemd: socket.socket, rig: Rig) -> None:
    hangs, goes_on = threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        assert goes_on.wait(PATIENCE_S)

    rig.settle()
    thread = threading.Thread(target=rig.table.run, args=(rig.follower, rig.publisher, nothing))
    rig.post(KeyPressed(0, Key.WIN))
    thread.start()
    assert systemd.recv(99) == ALIVE
    rig.publisher.questions = hang  # part of a beat
    assert hangs.wait(PATIENCE_S)
    heard(systemd)
    for _ in range(3):
        rig.post(KeyPressed(0, Key.WIN))
    assert heard(systemd) == []
    goes_on.set()
    assert systemd.recv(99) == ALIVE
    rig.table.stop()
    thread.join()


def test_a_table_that_waits_for_an_assignment_is_alive(systemd: socket.socket, tmp_path: Path) -> None:
    membership = Membership(IDENTITY, HALL_SERVER.public, "0.1.0", lambda: ())
    member = HallMember(membership, AssignmentFolder(tmp_path, "1", HALL_SERVER.public), lambda: datetime.now(UTC))
    thread = threading.Thread(target=member.next)
    thread.start()
    assert systemd.recv(99) == ALIVE
    member.stop()
    thread.join()


def test_a_table_that_waits_for_its_journals_key_is_alive(systemd: socket.socket, tmp_path: Path) -> None:
    table = PlayedTable("1", tmp_path / "played")
    request = JournalKeyRequest(table.deals, {}, LedgerPosition("unknown"))
    request.stop()
    assert request.wait(FakeLink()) is None
    assert heard(systemd) == [ALIVE]
    table.close()


def test_a_socket_with_an_abstract_name_is_heard_and_none_or_one_that_is_gone_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"twinwall-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0{name}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        tell_alive()
        assert heard(listener) == [ALIVE]
    tell_alive()
    monkeypatch.delenv("NOTIFY_SOCKET")
    tell_alive()


def test_the_tables_unit_wants_a_heart_that_beats_often_enough() -> None:
    unit = (Path(__file__).parents[3] / "config" / "systemd" / "twinwall-table.service").read_text(encoding="utf-8")
    keys = dict(re.findall(r"^(\w+)=(.*)$", unit, re.MULTILINE))
    assert keys["Type"] == "notify"
    assert float(keys["WatchdogSec"]) >= 10 * max(BEAT_S, ASKED_EVERY_S)
