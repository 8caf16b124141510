"""Sixty-four phones at one address play an evening without cameras to its printed standings; nothing is known but what pages show.

Every phone is a context of its own in Chromium which has scanned the card of its seat; all of them keep their pages open, also while
the hall is killed and started again. A result is disputed, one is typed wrong and corrected, and one is noticed after its confirmation.
"""

import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

from tests.support.dashboard.printed import text_of
from tests.support.demo.tutorials import PASSPHRASE, ServedHall, Tutorial, TutorialDirector

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]
TABLES = [str(n) for n in range(1, 17)]
PHONE = ViewportSize(width=390, height=844)
FEWEST_STREAMS = 60
DISPUTED, CORRECTED, RULED = "5", "6", "7"
REASON = "South had 28 fan: all four agree."


class Phones:
    """A phone at each seat, in the order of the seats; ``streams`` are the requests that bring their pages up to date."""

    def __init__(self, browser: Browser, links: dict[str, list[str]]) -> None:
        self.streams = set[Request]()
        self.at = {table: [self._scan(browser, link) for link in links[table]] for table in TABLES}

    def _scan(self, browser: Browser, link: str) -> Page:
        page = browser.new_context(viewport=PHONE, locale="en").new_page()
        page.on("request", lambda request: self.streams.add(request) if "/events" in request.url else None)
        for ended in ("requestfailed", "requestfinished"):
            page.on(ended, self._ended)
        page.goto(link)
        return page

    def _ended(self, request: Request) -> None:
        self.streams.discard(request)

    def sit_down(self) -> None:
        """Each says who he is, as the page proposes it."""
        for phones in self.at.values():
            for phone in phones:
                phone.locator("button.main[name=player]").click()
                expect(phone.locator(".place-line")).to_contain_text("You are")

    def begin(self, n: int) -> None:
        """One of each table says that the walls stand."""
        for phones in self.at.values():
            expect(phones[0].locator("#my-table .said", has_text="not heard")).to_have_count(0)
            phones[0].locator(f"#begin[value='{n}']").click()

    def enter(self, table: str, place: int, total: int, source: str = "self") -> None:
        """South has won."""
        phone = self.at[table][place]
        phone.locator("#result").click()
        phone.locator("[name=winner][value=S]").check()
        phone.locator(f"[name=source][value={source}]").check()
        phone.fill("#total", str(total))
        phone.locator("#enter-result").click()

    def confirm(self, table: str) -> None:
        """Another than who entered it says that it is right."""
        self.at[table][2].locator("#confirm").click()


@contextmanager
def evening(browser: Browser, folder: Path) -> Iterator[tuple[ServedHall, TutorialDirector]]:
    """A hall of paper tables, and its director, who has entered."""
    hall = ServedHall(folder, ["--tables", str(len(TABLES)), "--paper", str(len(TABLES))])
    try:
        director = TutorialDirector(Tutorial("club-evening"), browser.new_context(locale="en").new_page(), hall.address)
        assert hall.link is not None
        director.enter(hall.link)
        yield hall, director
    finally:
        for context in browser.contexts:
            context.close()
        hall.stop()


def addresses(director: TutorialDirector) -> dict[str, list[str]]:
    """What is printed below the codes of the cards, by table."""
    text = "".join(text_of(director.printed("/print/tables.pdf")).split())
    found = {table: re.findall(rf"{director.address}/seat/{table}/[0-3]\?code=[a-z2-7]{{13}}", text) for table in TABLES}
    assert {len(each) for each in found.values()} == {4}, text
    return found


def test_sixty_four_phones_play_a_disputed_evening_to_its_printed_standings(
    browser: Browser, tmp_path: Path, *, record_property: Callable[[str, object], None]
) -> None:
    begun = time.monotonic()

    def lap(name: str) -> None:
        record_property(name, round(time.monotonic() - begun))

    with evening(browser, tmp_path) as (hall, director):
        director.begin("Thursday 木曜例会")
        director.describe(1, 2)
        director.page.fill("#list", "\n".join(f"Player {n:02}" for n in range(1, 65)))
        director.press("Check the list")
        director.page.get_by_role("button", name="Enter 64 players").click()
        director.save_seats()
        director.make_deals()
        director.choose_tables(len(TABLES))
        director.start_session()
        lap("started")
        phones = Phones(browser, addresses(director))
        phones.sit_down()
        lap("seated")
        expect_streams(phones, director)

        phones.begin(1)
        for n, table in enumerate(TABLES):
            phones.enter(table, 1, 10 + n)
        phones.enter(CORRECTED, 1, 32)
        phones.enter(DISPUTED, 2, 20, "E")
        for table in TABLES:
            if table != DISPUTED:
                phones.confirm(table)
        director.until(f"/table/{DISPUTED}", "[name=choice][value^=entry]")
        director.page.check("[name=choice][value^='entry:S']")
        director.press("Rule and announce")
        director.until("/deal/1", "text=Verified")
        rule_score(director)
        expect_streams(phones, director)
        lap("first hand")

        hall.stop(signal.SIGKILL)
        phones.streams.clear()
        hall.start()
        assert hall.link is None, "there is a director already"
        assert (hall.folder / "server.key").stat().st_mode & 0o077 == 0
        director.go("/")
        director.page.get_by_role("link", name="passphrase").first.click()
        for passphrase, shown in (("a passphrase that is not it", "text=The passphrase is wrong"), (PASSPHRASE, ".pill.green")):
            director.page.fill("#unlock", passphrase)
            director.page.get_by_role("button", name="Unlock the vault").click()
            director.until("/event/deals", shown)
        expect_streams(phones, director)
        lap("went on")

        phones.begin(2)
        for n, table in enumerate(TABLES):
            phones.enter(table, 1, 40 - n, "W")
            phones.confirm(table)
        director.until("/deal/2", "text=Verified")
        lap("second hand")
        director.end_session()
        spectator = browser.new_context(locale="en").new_page()
        spectator.goto(f"{hall.address}/standings")
        ranked = spectator.locator("table.ranking th[scope=row]").all_inner_texts()
        assert len(ranked) == 64
        expect(spectator.locator("main")).to_contain_text(REASON)
        text = text_of(director.printed("/print/standings.pdf"))
        assert sorted(ranked, key=text.index) == ranked
        lap("printed")


def expect_streams(phones: Phones, director: TutorialDirector) -> None:
    """Nearly all phones hold their page at once, and the director has every page all the same."""
    while len(phones.streams) < FEWEST_STREAMS:
        director.wait(0.2)
        director.page.title()
    for path in ("/", "/event/tables", "/calls", "/standings"):
        answer = director.page.goto(f"{director.address}{path}")
        assert answer is not None
        assert answer.status == 200


def rule_score(director: TutorialDirector) -> None:
    """A result that all four had taken for right is put right."""
    director.go(f"/table/{RULED}")
    director.page.get_by_role("link", name="E1", exact=True).click()
    director.page.check("#rule-seat-S")
    director.page.check("input[name=choice][value=adjusted]")
    for seat, score in zip("ESWN", (-36, 108, -36, -36), strict=True):
        director.page.fill(f"[name=score-{seat}]", str(score))
    director.page.fill("#rule-reason", REASON)
    director.press("Rule and announce")
    director.until("/standings", f"text={REASON}")
