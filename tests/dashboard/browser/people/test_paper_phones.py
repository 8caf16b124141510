"""A table without cameras on a phone, in a real browser: a whole deal fits, and a press without a network says so."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.support.dashboard.tables.tables_in_play import SHEETS, STARTED, answers, entered, seat_address
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES
from twinwall.game.tiles import Seat
from twinwall.wire.messages.commands import BeginHand, Command, ConfirmScore, EnterResult

PHONE = ViewportSize(width=390, height=844)
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


class PaperSite:
    """The served pages with a table without cameras, which answers what is sent to it."""

    def __init__(self, site: Site) -> None:
        self.site, self.script = site, list(SHEETS)
        site.answer = self.answer
        site.feed(SHEETS)

    def answer(self, _table: str, command: Command) -> None:
        known, said = len(self.script), list(answers(command))
        self.script += said
        self.site.feed(self.script, first=known)

    def goes_on(self, lines: list[Line]) -> None:
        known, self.script = len(self.script), lines
        self.site.feed(self.script, first=known)


@pytest.fixture
def paper(site: Site) -> PaperSite:
    return PaperSite(site)


def phone(browser: Browser, paper: PaperSite, place: int, locale: str = "en") -> Page:
    page = browser.new_context(viewport=PHONE, has_touch=True, locale=locale).new_page()
    page.goto(f"{paper.site.address}{seat_address(place)}")
    return page


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_deal_of_paper_tables_fits_a_phone_in_each_language(browser: Browser, paper: PaperSite, language: str) -> None:
    paper.goes_on([*STARTED, *entered("S"), *answers(ConfirmScore(2, 1, (-8, 48, -32, -8)))])
    paper.site.release()
    page = new_page(browser, paper.site)
    page.set_viewport_size(PHONE)
    page.goto(f"{paper.site.address}/deal/1?lang={language}")
    expect(page.locator(".column .pill")).to_have_count(1)
    assert page.evaluate(SIDEWAYS) <= 0
    page.context.close()


def test_a_press_without_a_network_says_so_and_keeps_the_page_and_what_was_typed(browser: Browser, paper: PaperSite) -> None:
    jean = phone(browser, paper, 1)
    seat = jean.url
    lost = jean.get_by_text("Nothing was sent: the hall is not reached.")
    begin = jean.get_by_role("button", name="The walls stand: play begins")
    networks: tuple[tuple[Callable[[], None], Callable[[], None]], ...] = (
        (lambda: jean.context.set_offline(True), lambda: jean.context.set_offline(False)),
        (paper.site.off, paper.site.on),
    )
    for away, back in networks:
        expect(begin).to_be_visible()
        away()
        begin.tap()
        expect(lost).to_be_visible()
        assert jean.url == seat
        back()
    begin.tap()
    jean.get_by_role("link", name="Enter the result").tap()
    jean.get_by_role("group", name="Who won?").get_by_text("南").tap()
    jean.get_by_role("group", name="From whom?").get_by_text("西").tap()
    jean.get_by_label("Fan in all").fill("24")
    jean.context.set_offline(True)
    jean.locator("#enter-result").tap()
    expect(lost).to_be_visible()
    jean.get_by_role("link", name="Back to the table").tap()
    expect(jean.get_by_label("Fan in all")).to_have_value("24")
    jean.context.set_offline(False)
    jean.locator("#enter-result").tap()
    expect(jean.get_by_text("You entered this. Another player confirms it.")).to_be_visible()
    assert [command for _, command in paper.site.sent] == [BeginHand(1, 1), EnterResult(1, 1, Seat.SOUTH, Seat.WEST, 24)]
    jean.context.close()


def test_a_press_of_the_staff_without_a_network_says_so_too(browser: Browser, paper: PaperSite) -> None:
    page = new_page(browser, paper.site)
    page.goto(f"{paper.site.address}/seats")
    page.context.set_offline(True)
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("Nothing was sent: the hall is not reached.")).to_be_visible()
    assert page.url.endswith("/seats")
    page.context.set_offline(False)
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    page.context.close()
