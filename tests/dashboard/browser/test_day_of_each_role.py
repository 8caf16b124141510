"""A day of each role in a running event: every page is reached by links and keys from the first one, up to the print."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.access.access_policy import Role
from tests.dashboard.browser.conftest import log_in_page
from tests.dashboard.browser.hall_in_play import hall_in_play
from tests.dashboard.browser.whole_site import WholeSite
from tests.support.dashboard.printed import text_of
from tests.support.dashboard.staff import enrol
from twinwall.wire.messages.ruling import Ruling

pytestmark = pytest.mark.nightly
MOST_TABS = 80


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[WholeSite]:
    site = hall_in_play(tmp_path)
    for name, role in (("Sato", Role.REFEREE), ("Mori", Role.SCORER), ("Abe", Role.DIRECTOR)):
        enrol(site.staff, name, roles={role})
    yield site
    site.off()


def printed(page: Page, link: str) -> str:
    """The text of the PDF file to which a link leads."""
    address = str(page.get_by_role("link", name=link).first.evaluate("link => link.href"))
    answer = page.request.get(address, timeout=120_000)
    assert answer.status == 200, address
    return text_of(answer.body())


def test_a_spectator_reads_a_deal_and_checks_it(browser: Browser, hall: WholeSite) -> None:
    page = browser.new_context(locale="en").new_page()
    page.goto(hall.address)
    page.get_by_role("link", name="Standings", exact=True).first.click()
    page.get_by_role("link", name="E1").first.click()
    expect(page.locator(".imps")).to_contain_text("+16")
    page.locator("summary", has_text="Verify this deal").click()
    with page.expect_download() as slip:
        page.locator("a[href$='slip.json']").click()
    assert slip.value.suggested_filename == "slip-0001.json"
    page.get_by_role("link", name="What is proved").first.click()
    expect(page.locator("main")).to_contain_text("Start code")
    page.get_by_role("link", name="日本語").click()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    page.context.close()


def test_a_player_finds_the_seat_and_the_own_results_and_leaves_with_the_print(browser: Browser, hall: WholeSite) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 844}, locale="en").new_page()
    page.goto(hall.address)
    page.get_by_role("link", name="Seats", exact=True).click()
    page.fill("#name", "李娜")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="李娜").click()
    expect(page.locator(".next-seat")).to_contain_text("Table 4")
    page.locator("main a[href='/deal/1']").first.click()
    expect(page.locator("#deal")).to_contain_text("+75")
    page.get_by_role("link", name="Standings", exact=True).first.click()
    assert "+16" in printed(page, "Standings PDF")
    page.context.close()


def test_a_referee_takes_the_call_and_rules(browser: Browser, hall: WholeSite) -> None:
    page = log_in_page(browser, hall, name="Sato")
    page.get_by_role("link", name="Calls").first.click()
    page.get_by_role("button", name="I am on the way").first.click()
    expect(page.locator("main")).to_contain_text("Sato is on the way")
    page.locator("main a", has_text="Table 4").first.click()
    page.get_by_label("Warning").click()
    page.get_by_role("button", name="Rule and announce").click()
    expect(page.locator("#ruled")).to_contain_text("Sent to the table.")
    assert [(table, ruling.by) for table, ruling in hall.sent if isinstance(ruling, Ruling)] == [("4", "Sato")]
    page.context.close()


def test_whoever_looks_after_the_machines_finds_the_fault_and_what_to_do(browser: Browser, hall: WholeSite) -> None:
    page = log_in_page(browser, hall, name="Mori")
    page.get_by_role("link", name="Machines").click()
    expect(page.locator("#machines")).to_contain_text("free it, then press CONFIRM")
    page.locator("#machines a", has_text="Table 4").click()
    expect(page.locator("main")).to_contain_text("4")
    page.context.close()


def test_a_director_with_the_keyboard_alone_pauses_resumes_announces_and_prints(browser: Browser, hall: WholeSite) -> None:
    page = log_in_page(browser, hall, name="Abe")

    def go(keys: str, path: str) -> None:
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_url(f"**{path}")

    def press(text: str) -> None:
        for _ in range(MOST_TABS):
            page.keyboard.press("Tab")
            if str(page.evaluate("document.activeElement.textContent.trim()")).startswith(text):
                with page.expect_navigation():
                    page.keyboard.press("Enter")
                return
        raise AssertionError(f"{text!r} is not reached by {MOST_TABS} Tabs on {page.url}")

    go("ge", "/event/sessions")
    press("Pause all clocks")
    assert hall.desk.event.paused
    press("Resume")
    assert not hall.desk.event.paused
    while page.evaluate("document.activeElement.id") != "text-en":
        page.keyboard.press("Tab")
    page.keyboard.insert_text("Tea is served.")
    press("Announce")
    go("gh", "/")
    expect(page.get_by_text("Tea is served.")).to_be_visible()
    go("gf", "/event/prints")
    assert "Müller-Lüdenscheidt" in printed(page, "Print seating slips")
    page.context.close()
