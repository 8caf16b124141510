"""The page of a seat on a phone: without JavaScript, one question a page, large enough for eyes of any age."""

import pytest
from playwright.sync_api import Browser, ViewportSize

from tests.dashboard.browser.conftest import Site
from tests.support.browser import keep_picture
from tests.support.dashboard.example import building
from tests.support.tiers import one_in
from tests.support.wire.streams import Line

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
