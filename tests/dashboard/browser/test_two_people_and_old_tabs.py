"""Bad input before an open page: a tab from yesterday, and two directors at one form (more in ``setup/test_bad_input``)."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.support.browser import keep_picture
from tests.support.dashboard.hall import SETTINGS
from tests.support.dashboard.setup import SIXTEEN
from tests.support.dashboard.staff import enrol


@pytest.fixture
def hall(site: Site, tmp_path: Path) -> Site:
    """A hall whose event nobody has described; Abe and Ota are its directors and referees."""
    site.off()
    site.on(replace(SETTINGS, names=tmp_path / "players.json"))
    enrol(site.staff, "Abe")
    return site


def describe(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/event/description")
    page.locator("button[value=save]").click()
    page.wait_for_url("**/event/entrants")


def test_a_tab_from_yesterday_says_that_its_form_is_too_old_and_changes_nothing(browser: Browser, hall: Site) -> None:
    """Its session has ended with the day; the person has logged in anew in another tab of the same browser."""
    page = new_page(browser, hall)
    page.goto(f"{hall.address}/event/description")
    today = page.context.new_page()
    today.goto(f"{hall.address}/")
    today.get_by_role("button", name="Log out").click()
    today.fill("#name", "Ota")
    today.fill("#password", "correct horse")
    today.click("button.main")
    today.wait_for_url(f"{hall.address}/")
    page.locator("button[value=save]").click()
    expect(page.locator("main")).to_contain_text("Nothing was changed")
    keep_picture(page, "tab-from-yesterday")
    assert hall.desk.event.description is None
    page.context.close()


@pytest.mark.nightly
def test_a_form_about_a_player_whom_somebody_changed_meanwhile_keeps_both_changes(browser: Browser, hall: Site) -> None:
    page, other = new_page(browser, hall), new_page(browser, hall, name="Abe")
    describe(page, hall)
    page.fill("#list", "\n".join(SIXTEEN))
    page.locator(".paste button").click()
    page.locator("button[value=enter]").click()
    page.wait_for_url("**/event/entrants")
    for each in (page, other):
        each.goto(f"{hall.address}/event/entrants/3")
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
