"""The page of the accounts in a real browser, with the keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from dashboard.access.access_policy import Role
from tests.dashboard.browser.conftest import Site, hall_page, keep_picture, new_page
from tests.dashboard.browser.test_browser import CUT_OFF
from tests.support.dashboard.axe import violations_on
from tests.support.dashboard.staff import enrol


@pytest.mark.nightly
def test_a_director_invites_and_withdraws_with_the_keyboard_alone(browser: Browser, site: Site) -> None:
    enrol(site.staff, "Abe", roles={Role.SCORER})
    page = hall_page(browser, site)
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("g")
    page.keyboard.press("p")
    page.wait_for_url("**/staff")
    page.locator("#name").focus()
    page.keyboard.type("Aleksandra-Wilhelmina von und zu Hohenfels-Schwarzenberg")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator(".invitation code")).to_contain_text("/invitation/")
    assert page.locator(".invitation img").evaluate("image => image.naturalWidth") > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(CUT_OFF) == []
    keep_picture(page, "staff-invited-390")
    summary = page.locator("summary", has_text="Withdraw the account").nth(1)
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Abe")
    assert site.staff.known("Abe").revoked
    page.context.close()


@pytest.mark.nightly
def test_a_director_makes_and_withdraws_a_token_of_the_api_with_the_keyboard_alone(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site.address}/staff")
    page.locator("#label").focus()
    page.keyboard.type("scoring laptop of the club")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("#new-token")).to_contain_text("twinwall_")
    page.evaluate("document.getElementById('new-token').textContent = 'x'.repeat(60)")  # a token may have no place to break at
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(CUT_OFF) == []
    assert not violations_on(page)
    keep_picture(page, "staff-token-390")
    page.locator("#tokens li button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("works no more")
    expect(page.locator("#tokens li")).to_have_count(0)
    page.context.close()
