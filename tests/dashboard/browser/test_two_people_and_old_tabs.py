"""Bad input before an open page: an account that is revoked, a tab from yesterday, two directors, two referees, a full disk."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.access.staff_file import StaffOrder
from tests.dashboard.browser.conftest import Site, keep_picture, new_page
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.dashboard.hall import SETTINGS
from tests.support.dashboard.setup import SIXTEEN
from tests.support.dashboard.staff import enrol
from tests.support.wire.streams import Line
from twinwall.wire.messages.ruling import Ruling

PLAYING: list[Line] = [*building(), *[*play(SELF_DRAWN)][:30], ("referee-called", {"seat": "W"})]


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


@pytest.mark.nightly
def test_a_revoked_account_in_an_open_tab_is_led_to_the_login_and_can_do_nothing(browser: Browser, hall: Site) -> None:
    page, form = new_page(browser, hall, name="Abe"), new_page(browser, hall, name="Abe")
    form.goto(f"{hall.address}/event/description")
    page.goto(f"{hall.address}/")
    expect(page.locator("#live")).to_be_visible()
    hall.staff.revoke("Abe", StaffOrder(0))
    page.wait_for_url(re.compile("/login"))
    form.locator("button[value=save]").click()
    expect(form.locator("main")).to_contain_text("Log in")
    assert hall.desk.event.description is None
    page.context.close()
    form.context.close()


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
def test_the_second_of_two_directors_sees_what_the_first_has_changed_and_nothing_is_overwritten(browser: Browser, hall: Site) -> None:
    first, second = new_page(browser, hall), new_page(browser, hall, name="Abe")
    second.goto(f"{hall.address}/event/description")
    second.fill("[name=hands]", "4")
    describe(first, hall)
    second.locator("button[value=save]").click()
    answer = second.locator("#answer")
    expect(answer).to_have_attribute("role", "alert")
    expect(answer).to_contain_text("Ota")
    expect(second.locator("[name=hands]")).to_have_value("4")
    keep_picture(second, "two-directors")
    assert hall.desk.event.description is not None
    assert hall.desk.event.description.hands == 16
    second.locator("button[value=save]").click()
    second.wait_for_url("**/event/entrants")
    assert hall.desk.event.description.hands == 4, "pressed again, with the change before his eyes, it counts"
    first.context.close()
    second.context.close()


@pytest.mark.nightly
def test_two_rulings_at_once_both_go_to_the_table_each_under_its_own_name(browser: Browser, hall: Site) -> None:
    hall.feed(PLAYING)
    pages = [new_page(browser, hall), new_page(browser, hall, name="Abe")]
    for page, choice in zip(pages, ("Dead hand", "Warning"), strict=True):
        page.goto(f"{hall.address}/table/1")
        page.get_by_label(choice).click()
    for page in pages:
        page.get_by_role("button", name="Rule and announce").click()
        expect(page.locator("#ruled")).to_contain_text("Sent to the table.")
    assert [command.by for _, command in hall.sent if isinstance(command, Ruling)] == ["Ota", "Abe"]
    for page in pages:
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


@pytest.mark.nightly
def test_a_full_disk_is_said_in_a_sentence_on_the_page_and_what_was_typed_stays(browser: Browser, hall: Site) -> None:
    page = new_page(browser, hall)
    describe(page, hall)
    page.locator("#list").fill("\n".join(SIXTEEN))
    page.locator(".paste button").click()
    hall.desk.full = True
    page.locator("button[value=enter]").click()
    expect(page.locator("#counted")).to_contain_text("16 good")
    expect(page.locator("main")).to_contain_text("it was not done: the disk or the database takes nothing")
    keep_picture(page, "disk-full")
    assert hall.desk.event.players == {}
    hall.desk.full = False
    page.locator("button[value=enter]").click()
    page.wait_for_url("**/event/entrants")
    assert len(hall.desk.event.players) == 16
    page.context.close()
