"""The page of a seat on a phone: without JavaScript, one question a page, large enough for eyes of any age."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.dashboard.browser.conftest import Site, keep_picture
from tests.support.dashboard.axe import violations_on
from tests.support.dashboard.example import building
from tests.support.tiers import one_in, pairs, some
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES
from twinwall.wire.messages.commands import SwapSeats, TakeSeat

ASKED: list[Line] = [*building(), ("seats-awaited", {"session": 1, "players": ["11", "12", "13", "14"]})]
WRONG: list[Line] = [*ASKED, ("seat-taken", {"place": 3, "player": "12"}), ("seat-taken", {"place": 1, "player": "14"})]
PHONE = ViewportSize(width=390, height=844)
HEIGHTS = "() => [...document.querySelectorAll('main button, main input:not([type=hidden])')].map(e => e.getBoundingClientRect().height)"
GAPS = """() => {
  const boxes = [...document.querySelectorAll('main button, main input:not([type=hidden])')].map(e => e.getBoundingClientRect());
  return boxes.slice(1).map((box, at) => Math.max(box.top - boxes[at].bottom, box.left - boxes[at].right));
}"""
SIZES = """() => [...document.querySelectorAll('main *')].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
  .map(e => parseFloat(getComputedStyle(e).fontSize))"""


@pytest.fixture
def asked(site: Site) -> Site:
    site.feed(ASKED)
    return site


@pytest.mark.nightly
def test_a_player_answers_and_swaps_without_javascript(browser: Browser, asked: Site) -> None:
    context = browser.new_context(viewport=PHONE, java_script_enabled=False, has_touch=True, locale="en")
    page = context.new_page()
    page.goto(f"{asked.address}/seat/1/1")
    page.get_by_role("button", name="14", exact=True).tap()
    expect(page.get_by_text("Your answer is on its way")).to_be_visible()
    assert asked.sent == [("1", TakeSeat(1, "14"))]
    asked.feed(WRONG, first=len(ASKED))
    page.get_by_role("link", name="Look again").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("14, this is not your seat")
    expect(page.get_by_text("Your seat is North. 12 sits here: South.")).to_be_visible()
    page.get_by_role("button", name="Swap seats").tap()
    expect(page.get_by_text("Your answer is on its way")).to_be_visible()
    assert asked.sent[-1] == ("1", SwapSeats((1, 3)))
    context.close()


@pytest.mark.parametrize("size", one_in(3, [2, 1, 0]))
def test_buttons_and_letters_are_large_and_apart_at_every_size_of_text(browser: Browser, asked: Site, size: int) -> None:
    context = browser.new_context(viewport=PHONE, locale="en")
    page = context.new_page()
    page.goto(f"{asked.address}/seat/1/1?text={size}")
    keep_picture(page, f"seat-{size}")
    assert min(page.evaluate(HEIGHTS)) >= 58
    assert page.locator("button.main").evaluate("e => e.getBoundingClientRect().height") >= 68
    assert min(page.evaluate(GAPS)) >= 9
    assert min(page.evaluate(SIZES)) >= 20
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    context.close()


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", some(["dark", "light"], 1))
def test_axe_finds_nothing_on_the_page_of_a_seat_in_any_language(browser: Browser, asked: Site, scheme: str) -> None:
    context = browser.new_context(viewport=PHONE, color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    found: dict[str, dict[str, list[str]]] = {}
    looks = pairs(range(2), LANGUAGES)
    for number, script in enumerate((ASKED, WRONG)):
        asked.feed(script, first=0 if script is ASKED else len(ASKED))
        for language in (language for look, language in looks if look == number):
            page.goto(f"{asked.address}/seat/1/1?lang={language}")
            keep_picture(page, f"seat-{len(script)}-{language}-{scheme}")
            found[f"{len(script)} lines in {language}"] = violations_on(page)
    context.close()
    assert not any(found.values()), found
