"""``twinwall hall serve``: one command gives a hall in which a director makes an event in the browser; a restart goes on."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.children import ends_with_parent
from tests.support.dashboard.served import Browsing
from tests.support.dashboard.staff import form_token
from tests.support.wire.brokers import eventually, free_port

pytestmark = pytest.mark.slow
PASSWORD = "a long enough password"


class HallCommand:
    """The command with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.broker_port = folder, free_port(), free_port()
        self.said = folder.with_suffix(".log")
        self.browser = Browsing("127.0.0.1", self.port)
        self.start()

    def start(self) -> None:
        words = ["hall", "serve", str(self.folder), "--port", str(self.port), "--broker-port", str(self.broker_port)]
        with self.said.open("wb") as log:
            command = ends_with_parent([sys.executable, "-m", "cli", *words])
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        eventually(lambda: "Ctrl-C" in self.said.read_text(), "the hall is served")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    @property
    def invitation(self) -> str | None:
        found = re.search(r"http://\S+(/invitation/\S+)", self.said.read_text())
        return None if found is None else found[1]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallCommand]:
    running = HallCommand(tmp_path / "hall")
    yield running
    if running.process.poll() is None:
        running.stop()


def make_event(hall: HallCommand) -> None:
    """What a director does who was invited: choose a password, and begin an event."""
    browser, invitation = hall.browser, hall.invitation
    assert invitation is not None
    token = form_token(browser.ask("GET", invitation)[1])
    assert browser.ask("POST", invitation, {"token": token, "password": PASSWORD, "again": PASSWORD})[0] == 303
    first = browser.page("/")
    assert "No event yet" in first
    assert browser.ask("POST", "/hall-events", {"token": form_token(first), "do": "new", "name": "Club evening 例会"})[0] == 200
    eventually(lambda: "Club evening 例会" in browser.page("/event/tables"), "the event is served")


@pytest.mark.nightly
def test_a_director_makes_an_event_in_the_browser_that_the_vault_is_ready_for(hall: HallCommand) -> None:
    make_event(hall)
    eventually(lambda: "Ready" in hall.browser.page("/event/deals"), "the vault is heard")
    assert (hall.folder / "server.key").stat().st_mode & 0o077 == 0


@pytest.mark.nightly
def test_the_event_is_there_after_a_restart(hall: HallCommand) -> None:
    """In ``make test`` tests/dashboard/access/test_login.py reads the secret of the sessions again, and
    tests/dashboard/custody/test_deal_making.py goes on with an event after each kill."""
    make_event(hall)
    hall.stop()
    hall.start()
    assert hall.invitation is None, "there is a director already"
    eventually(lambda: "Club evening 例会" in hall.browser.page("/event/tables"), "the event is there, and the session holds")
