"""A tutorial that is followed: its document names the command that starts the hall and every button, a director presses them."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from cli.demo.command import PUBLIC
from tests.support.children import ends_with_parent
from tests.support.wire.brokers import eventually, free_port

TUTORIALS = Path(__file__).parents[3] / "docs" / "tutorial"
PASSWORD, PASSPHRASE = "a long enough password", "correct horse battery"
PATIENCE_S = 1500.0
_STEP_S = 0.05


class Tutorial:
    """A document of ``docs/tutorial``, or one that leaves some steps to others."""

    def __init__(self, *names: str) -> None:
        self.text = " ".join(word for name in names for word in (TUTORIALS / f"{name}.md").read_text(encoding="utf-8").split())
        self.bold = frozenset(re.findall(r"\*\*(.+?)\*\*", self.text))

    @property
    def hall_options(self) -> list[str]:
        """What the document's command says after the hall's folder."""
        found = re.search(r"hall serve \S+ ([^`]*?) ```", self.text)
        assert found is not None, "the document starts a hall"
        return found[1].split()


class ServedHall:
    """A hall with these options, for example a document's, which may end and be started again; what it says is in hall.log.
    TWINWALL_PROGRAM has the words that start a program which is installed, in place of that of the checkout."""

    def __init__(self, folder: Path, options: Sequence[str]) -> None:
        self.folder, self.log, self.port = folder / "hall", folder / "hall.log", free_port()
        program = shlex.split(os.environ.get("TWINWALL_PROGRAM", "")) or [sys.executable, "-m", "cli"]
        ports = ["--port", str(self.port), "--broker-port", str(free_port())]
        self._words = [*program, "hall", "serve", str(self.folder), *options, *ports]
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Wait until it is served."""
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(ends_with_parent(self._words), stdout=log, stderr=log)
        eventually(self._is_served, "the hall is served", PATIENCE_S, 0.2)

    def _is_served(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return "Ctrl-C" in self.log.read_text()

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(by)
        self.process.wait(60)

    @property
    def link(self) -> str | None:
        """The first director's, as long as there is none."""
        found = re.search(r"http://\S+/invitation/\S+", self.log.read_text())
        return None if found is None else found[0]


@contextmanager
def served_hall(folder: Path, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A hall that serves until the end: its address and the first director's link."""
    hall = ServedHall(folder, options)
    try:
        assert hall.link is not None
        yield hall.address, hall.link
    finally:
        hall.stop()


class TutorialDirector:
    """A director who does what a document says, counts the clicks, and presses no button that the document does not name."""

    def __init__(self, tutorial: Tutorial, page: Page, address: str, meanwhile: Callable[[], None] = lambda: None) -> None:
        """``meanwhile`` is done again and again while he waits."""
        self.tutorial, self.page, self.address, self.clicks, self.meanwhile = tutorial, page, address, 0, meanwhile
        self.opened = 0
        """Pages that he opened, each by touching a link."""

    def press(self, name: str) -> None:
        assert name in self.tutorial.bold, f"the document does not name the button {name!r}"
        self.clicks += 1
        self.page.get_by_role("button", name=name, exact=False).first.click()

    def go(self, path: str) -> None:
        self.opened += 1
        self.page.goto(f"{self.address}{path}")

    def until(self, path: str, shown: str) -> None:
        """Look at a page again until it shows something."""
        end = time.monotonic() + PATIENCE_S
        self.go(path)
        while not self.page.locator(shown).count():
            assert time.monotonic() < end, f"{path} never shows {shown}"
            self.wait(0.5)
            self.page.goto(f"{self.address}{path}")

    def wait(self, seconds: float) -> None:
        """Look at nothing for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.meanwhile()
            time.sleep(_STEP_S)

    def enter(self, link: str) -> None:
        self.page.set_default_timeout(60_000)
        self.page.goto(link)
        self.page.fill("#password", PASSWORD)
        self.page.fill("#again", PASSWORD)
        self.page.locator("main button.main").click()

    def begin(self, name: str) -> None:
        self.page.fill("#event-name", name)
        self.press("New event")
        self.page.wait_for_url("**/event/description")

    def describe(self, sessions: int, hands: int) -> None:
        self.page.fill("[name=sessions]", str(sessions))
        self.page.fill("[name=hands]", str(hands))
        self.press("Save and go on to the entrants")

    def paste(self, lines: list[str], players: int) -> None:
        self.page.locator("#list").fill("\n".join(lines))
        self.press("Check the list")
        self.press(f"Enter {players} players")

    def save_seats(self) -> None:
        self.go("/event/seating")
        self.press("Save these seats")

    def make_deals(self) -> None:
        """Let the vault make the deals, and fix the public value."""
        self.go("/event/deals")
        self.page.fill("#passphrase", PASSPHRASE)
        self.page.fill("#again", PASSPHRASE)
        self.press("Make and commit the deals")
        self.until("/event/deals", "#public")
        self.page.fill("#public", PUBLIC)
        self.press("Fix the public value")
        self.until("/event/deals", "#code-title")

    def choose_tables(self, count: int) -> None:
        self.go("/event/tables")
        expect(self.page.get_by_text("Ready for a session")).to_have_count(count)
        self.press("Play at these tables")

    def simulate(self, tables: str) -> None:
        """Have tables simulated that nobody has joined."""
        for table in tables:
            self.go("/event/tables")
            with self.page.expect_navigation():
                self.page.get_by_role("button", name=f"Simulate table {table}", exact=True).click()

    def sit_down(self, tables: str = "1234") -> None:
        """All players say where they sit, each as the page proposes it."""
        for table in tables:
            for place in range(4):
                self.until(f"/seat/{table}/{place}", "button.main[name=player]")
                self.page.locator("button.main[name=player]").click()
                expect(self.page.locator("h1")).to_contain_text(f"at table {table}")

    def start_session(self) -> None:
        self.go("/event/sessions")
        self.press("Start session")
        expect(self.page.get_by_text("Being played", exact=True)).to_be_visible()

    def end_session(self) -> None:
        self.go("/event/sessions")
        self.page.locator("summary", has_text="End this session").click()
        self.press("End this session")
        expect(self.page.get_by_text("Being played", exact=True)).to_have_count(0)

    def let_play_go_on(self, table: str) -> None:
        self.until(f"/table/{table}", "input[name=choice][value=play-on]")
        self.page.check("input[name=choice][value=play-on]")
        self.press("Rule and announce")
        self.until(f"/table/{table}", "#rulings >> text=Play goes on")

    def correct_the_first_hand(self, reason: str, path: str = "/table/1/hand/1") -> None:
        """Rule on the first hand of table 1 after its release: the standings show old and new values. A hand that none has followed is
        at ``path`` /table/1."""
        self.go(path)
        self.page.check("#rule-seat-E")
        self.page.locator("input[name=choice][value=penalty]").check()
        self.page.fill("[name=imp]", "4")
        self.page.fill("#rule-reason", reason)
        self.press("Rule and announce")
        self.until("/standings", f"text={reason}")
        assert self.page.locator(".corrections del").count() > 0

    def print(self, *paths: str) -> None:
        for path in paths:
            self.printed(path)

    def printed(self, path: str) -> bytes:
        answer = self.page.request.get(f"{self.address}{path}", timeout=1000 * PATIENCE_S)
        assert (answer.status, answer.body()[:5]) == (200, b"%PDF-"), path
        return answer.body()

    def close_event(self) -> None:
        self.go("/event/sessions")
        self.page.locator("summary", has_text="Close the event").click()
        self.press("Close the event")
        expect(self.page.get_by_text("The event is closed")).to_be_visible()
