"""The pages on which an event is set up, in a real browser; statement 2 of the acceptance."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.support.browser import keep_picture
from tests.support.dashboard.hall import SETTINGS
from tests.support.dashboard.setup import SIXTEEN
from tests.support.dashboard.staff import enrol
from twinwall.game.rules import rule_set_names

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
