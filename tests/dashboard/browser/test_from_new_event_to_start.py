"""Statement 1 of the acceptance: from a hall without an event to a session that is played, with the mouse and with the keyboard alone.

The pages on which an event is set up, in a real browser; statement 2 of the acceptance.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from cli.demo.command import PUBLIC as TILES
from tests.dashboard.browser.conftest import Site, log_in_page, new_page
from tests.dashboard.browser.whole_site import WholeSite
from tests.support.browser import keep_picture
from tests.support.dashboard.hall import SETTINGS
from tests.support.dashboard.setup import SIXTEEN
from tests.support.dashboard.staff import enrol
from twinwall.event.management.managed_event import EventStage
from twinwall.game.rules import rule_set_names

NAME = "Autumn"
PASSPHRASE = "correct horse battery"
MOST_CLICKS = 12
MOST_TABS = 80


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[WholeSite]:
    """A hall without an event; four tables have joined."""
    running = WholeSite(tmp_path)
    yield running
    running.off()


def is_played(hall: Site) -> bool:
    return hall.desk.event.stage is EventStage.PLAYING and len(hall.desk.event.seats(1)) == 4


class Mouse:
    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def press(self, text: str) -> None:
        self.page.locator("main").locator("button, a.button").filter(has_text=text).first.click()
        self.clicks += 1

    def type(self, field: str, text: str) -> None:
        self.page.fill(f"#{field}", text)


class Keyboard:
    """A director who has no mouse: Tab, Enter and letters."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, text: str) -> None:
        self._tab_to(lambda: str(self.page.evaluate("document.activeElement.textContent.trim()")).startswith(text), text)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def type(self, field: str, text: str) -> None:
        self._tab_to(lambda: self.page.evaluate("document.activeElement.id") == field, field)
        self.page.keyboard.insert_text(text)

    def _tab_to(self, there: Callable[[], bool], what: str) -> None:
        for _ in range(MOST_TABS):
            if there():
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{what!r} is not reached by {MOST_TABS} Tabs on {self.page.url}")


def enter_players(director: Mouse | Keyboard, page: Page) -> None:
    """From the page without an event to its sixteen players; every page is reached by what is on the page before."""
    director.type("event-name", NAME)
    director.press("New event")
    page.wait_for_url("**/event/description")
    expect(page.locator("#plan")).to_contain_text("16 players, 4 tables, 5 sessions, every pair meets once; about 2 h 10 a session.")
    director.press("Save and go on")
    director.type("list", "\n".join(SIXTEEN))
    director.press("Check the list")
    expect(page.locator("#counted")).to_contain_text("16 good")
    director.press("Enter 16 players")


def set_up(director: Mouse | Keyboard, page: Page) -> None:
    """From the page without an event to the running session."""
    enter_players(director, page)
    director.press("Next: seating")
    director.press("Save these seats")
    expect(page.locator(".plan[role=status]")).to_contain_text("These seats are saved.")
    director.press("Next: Deals")
    director.type("passphrase", PASSPHRASE)
    director.type("again", PASSPHRASE)
    director.press("Make and commit the deals")
    director.type("public", TILES)
    director.press("Fix the public value")
    expect(page.locator("#code-title")).to_be_visible()
    director.press("Next: Tables")
    expect(page.get_by_text("Ready for a session")).to_have_count(4)
    director.press("Next: Start")
    director.press("Start session")
    expect(page.get_by_text("Being played", exact=True)).to_be_visible()


def test_statement_01_sixteen_players_are_playing_after_twelve_clicks_and_one_paste(browser: Browser, hall: WholeSite) -> None:
    page = log_in_page(browser, hall)
    expect(page.get_by_role("heading", level=1)).to_have_text("No event yet")
    mouse = Mouse(page)
    set_up(mouse, page)
    assert mouse.clicks <= MOST_CLICKS
    assert is_played(hall)
    assert hall.vaults.asked_session == 1
    assert all(
        table.assigned is not None and table.assigned.players == hall.desk.event.seats(1)[table.name] for table in hall.tables.all_tables()
    )
    keep_picture(page, "session-started")
    page.context.close()


@pytest.mark.nightly
def test_statement_01_with_the_keyboard_alone(browser: Browser, hall: WholeSite) -> None:
    """In ``make test`` the mouse goes the whole way, and the keyboard as far as the players."""
    page = log_in_page(browser, hall)
    set_up(Keyboard(page), page)
    assert is_played(hall)
    page.context.close()


@pytest.mark.nightly
def test_a_table_that_joins_appears_on_the_open_page_and_ticks_that_are_not_sent_stay(browser: Browser, hall: WholeSite) -> None:
    hall.begin(NAME)
    page = log_in_page(browser, hall)
    page.goto(f"{hall.address}/event/tables")
    first = page.get_by_role("checkbox", name="Table 1")
    first.click()
    expect(first).not_to_be_checked()
    hall.join("5")
    expect(page.get_by_role("checkbox", name="Table 5")).to_be_checked()
    expect(first).not_to_be_checked()
    expect(first).to_be_focused()
    page.context.close()


BAD_LIST = "\n".join(["no;name;club", *(f"{n};{name};Lyon" for n, name in enumerate(SIXTEEN, 1)), "17;;Lyon", "18;Player Ada;Lyon"])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site whose event nobody has described, with a names file."""
    running = Site()
    running.off()
    running.on(replace(SETTINGS, names=tmp_path / "players.json"))
    yield running
    running.off()


def enter_sixteen(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/event/description")
    page.locator("button[value=save]").click()
    page.locator("#list").fill("\n".join(SIXTEEN))
    page.locator(".paste button").click()
    page.locator("button[value=enter]").click()
    page.wait_for_url("**/event/entrants")


def test_only_the_options_of_the_chosen_rules_are_shown(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    page.goto(f"{site.address}/event/description")
    shown = page.locator("details.options:visible")
    for rules in rule_set_names():
        page.locator(f"#rules-{rules}").check()
        expect(shown).to_have_count(1)
        assert str(shown.locator("[name]").first.get_attribute("name")).startswith(f"{rules}.")


def test_statement_02_a_doubled_and_a_missing_player_are_marked_in_place_and_nothing_is_saved_until_pressed(
    browser: Browser, site: Site
) -> None:
    page = new_page(browser, site)
    page.goto(f"{site.address}/event/description")
    page.locator("button[value=save]").click()
    page.locator("#list").fill(BAD_LIST)
    page.locator(".paste button").click()
    expect(page.locator("#counted")).to_have_text("16 good, 2 to correct. Nothing is saved yet.")
    bad = page.locator("tr.bad")
    expect(bad).to_have_count(2)
    expect(bad.nth(0)).to_contain_text("Line 18: the name is missing.")
    expect(bad.nth(1)).to_contain_text("Line 19:")
    expect(bad.nth(1)).to_contain_text("Player Ada")
    expect(page.locator("tbody tr")).to_have_count(19)
    keep_picture(page, "setup-check")
    assert site.desk.event.players == {}
    bad.nth(0).locator("input[name=line]").fill("17;Player Quin;Lyon")
    page.locator("button[value=enter]").click()
    expect(page.locator("#answer")).to_contain_text("17")
    assert len(site.desk.event.players) == 17
    expect(page.locator("tr.bad")).to_have_count(1)
    page.context.close()


@pytest.mark.nightly
def test_a_form_about_a_player_that_is_refused_keeps_what_was_typed(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    enter_sixteen(page, site)
    page.goto(f"{site.address}/event/entrants/3")
    page.locator("#name").fill(SIXTEEN[0])
    page.locator("#club").fill("Lyon")
    page.locator("#place").select_option("2")
    page.locator("main form").first.locator("button.main").click()
    expect(page.locator("#answer")).to_be_visible()
    expect(page.locator("#name")).to_have_value(SIXTEEN[0])
    expect(page.locator("#club")).to_have_value("Lyon")
    expect(page.locator("#place")).to_have_value("2")
    page.context.close()


@pytest.mark.nightly
def test_a_form_about_a_player_whom_somebody_changed_meanwhile_keeps_both_changes(browser: Browser, site: Site) -> None:
    enrol(site.staff, "Abe")
    page, other = new_page(browser, site), new_page(browser, site, name="Abe")
    enter_sixteen(page, site)
    for each in (page, other):
        each.goto(f"{site.address}/event/entrants/3")
    other.fill("#club", "Lyon")
    other.locator("main form").first.locator("button.main").click()
    other.wait_for_url("**/event/entrants")
    page.fill("#name", "Nobody Else")
    page.locator("main form").first.locator("button.main").click()
    expect(page.locator("#answer li")).to_contain_text("Abe")
    expect(page.locator("#club")).to_have_value("Lyon")
    expect(page.locator("#name")).to_have_value("Nobody Else")
    page.context.close()
    other.context.close()
