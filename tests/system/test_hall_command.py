"""``twinwall hall serve``: one command gives a hall in which a director makes an event in the browser; a restart goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dashboard.served import Browsing
from tests.support.dashboard.staff import form_token
from tests.support.demo.tutorials import PASSWORD, ServedHall
from tests.support.wire.brokers import eventually

pytestmark = pytest.mark.slow


class HallCommand(ServedHall):
    """The command with a folder of its own, and somebody's browser."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.browser = Browsing("127.0.0.1", self.port)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallCommand]:
    running = HallCommand(tmp_path)
    yield running
    if running.process.poll() is None:
        running.stop()


def make_event(hall: HallCommand) -> None:
    """What a director does who was invited: choose a password, and begin an event."""
    browser = hall.browser
    assert hall.link is not None
    invitation = hall.link.removeprefix(hall.address)
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
    assert hall.link is None, "there is a director already"
    eventually(lambda: "Club evening 例会" in hall.browser.page("/event/tables"), "the event is there, and the session holds")
