"""docs/tutorial/club-evening.md, done as it says: a real browser, a real hall, simulated tables; statement 1 of the acceptance counts
the clicks."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.children import ends_with_parent
from tests.support.dashboard.setup import SIXTEEN
from tests.support.wire.brokers import free_port

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1500)]
PASSWORD, PASSPHRASE = "a long enough password", "correct horse battery"
MOST_CLICKS = 12
PATIENCE_S = 600.0
REASON = "A tile lay on the floor."


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A hall with four simulated tables: its address and the first director's link."""
    folder, said, port = tmp_path / "hall", tmp_path / "hall.log", free_port()
    words = ["hall", "serve", str(folder), "--simulate", "--fast", "--port", str(port), "--broker-port", str(free_port())]
    with said.open("wb") as log:
        process = subprocess.Popen(ends_with_parent([sys.executable, "-m", "twinwall.cli", *words]), stdout=log, stderr=log)
    try:
        _wait(lambda: "Ctrl-C" in said.read_text(), "the hall is served")
        link = re.search(r"http://\S+/invitation/\S+", said.read_text())
        assert link is not None
        yield f"http://127.0.0.1:{port}", link[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _wait(what: Callable[[], bool], meaning: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end, meaning
        time.sleep(0.2)


class Director:
    """A director who counts the clicks."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address, self.clicks = page, address, 0

    def click(self, button: Locator) -> None:
        self.clicks += 1
        button.click()

    def go(self, path: str) -> None:
        self.page.goto(f"{self.address}{path}")

    def until(self, path: str, shown: str) -> None:
        """Look at a page again until it shows something."""
        end = time.monotonic() + PATIENCE_S
        self.go(path)
        while not self.page.locator(shown).count():
            assert time.monotonic() < end, f"{path} never shows {shown}"
            time.sleep(0.5)
            self.go(path)


def test_statement_1_a_club_evening_is_set_up_played_and_read_in_the_browser_alone(browser: Browser, hall: tuple[str, str]) -> None:
    address, link = hall
    page = browser.new_page()
    page.set_default_timeout(60_000)
    director = Director(page, address)
    page.goto(link)
    page.fill("#password", PASSWORD)
    page.fill("#again", PASSWORD)
    page.locator("main button.main").click()

    _enter(director)
    _make_deals(director)
    director.go("/event/tables")
    expect(page.get_by_text("Ready for a session")).to_have_count(4)
    director.click(page.get_by_role("button", name="Play at these tables"))
    director.go("/event/sessions")
    director.click(page.get_by_role("button", name="Start session"))
    expect(page.get_by_text("Being played", exact=True)).to_be_visible()
    assert director.clicks <= MOST_CLICKS
    _play(director, deal=1)
    director.go("/seats")
    assert page.locator("table.seat-list a").count() == 16
    page.locator("table.seat-list a").first.click()
    expect(page.locator("main")).to_contain_text("Rank")
    _end_session(director)

    director.go("/event/seating")
    director.click(page.get_by_role("button", name="Save these seats"))
    director.go("/event/sessions")
    director.click(page.get_by_role("button", name="Start session"))
    _play(director, deal=2)
    _correct(director)
    _end_session(director)
    for path in ("/print/seating/2.pdf", "/print/tables.pdf", "/print/standings.pdf"):
        printed = page.request.get(f"{address}{path}")
        assert (printed.status, printed.body()[:5]) == (200, b"%PDF-"), path
    page.locator("summary", has_text="Close the event").click()
    page.get_by_role("button", name="Close the event").click()
    expect(page.get_by_text("The event is closed")).to_be_visible()
    page.close()


def _enter(director: Director) -> None:
    """A new event of two sessions of one hand each, its players and their seats."""
    page = director.page
    page.fill("#event-name", "Club evening 例会")
    director.click(page.locator("button.main"))
    page.wait_for_url("**/event/description")
    page.fill("[name=sessions]", "2")
    page.fill("[name=hands]", "1")
    director.click(page.locator("button[value=save]"))
    page.locator("#list").fill("\n".join(SIXTEEN))
    director.click(page.locator(".paste button"))
    director.click(page.locator("button[value=enter]"))
    director.go("/event/seating")
    director.click(page.get_by_role("button", name="Save these seats"))


def _make_deals(director: Director) -> None:
    page = director.page
    director.go("/event/deals")
    page.fill("#passphrase", PASSPHRASE)
    page.fill("#again", PASSPHRASE)
    director.click(page.get_by_role("button", name="Make and commit the deals"))
    director.until("/event/deals", "#public")
    page.fill("#public", " ".join(["1m", "9p", "E", "C"] * 8))
    director.click(page.get_by_role("button", name="Fix the public value"))
    director.until("/event/deals", "#code-title")


def _play(director: Director, deal: int) -> None:
    """Everybody sits down, and the hand is played at all tables."""
    for table in "1234":
        for place in range(4):
            director.until(f"/seat/{table}/{place}", "button.main[name=player]")
            director.page.locator("button.main[name=player]").click()
            expect(director.page.locator("h1")).to_contain_text(f"at table {table}")
    director.until(f"/deal/{deal}", "text=Verified")


def _end_session(director: Director) -> None:
    director.go("/event/sessions")
    director.page.locator("summary", has_text="End this session").click()
    director.page.get_by_role("button", name="End this session").click()
    expect(director.page.get_by_text("Being played", exact=True)).to_have_count(0)


def _correct(director: Director) -> None:
    """A ruling on the first session's hand, during the second: it stands on the standings with old and new values."""
    page = director.page
    director.go("/table/1/hand/1")
    page.check("#rule-seat-E")
    page.locator("input[name=choice][value=penalty]").check()
    page.fill("[name=imp]", "4")
    page.fill("#rule-reason", REASON)
    page.get_by_role("button", name="Rule and announce").click()
    director.until("/standings", f"text={REASON}")
    assert page.locator(".corrections del").count() > 0
