"""A player's phone: the score is confirmed by scrolling one way only, with large buttons, and once; the seat's page needs no JavaScript."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.dashboard.browser.conftest import Site
from tests.dashboard.browser.test_browser import MARK
from tests.support.browser import keep_picture
from tests.support.dashboard.example import building, play
from tests.support.dashboard.tables.tables_in_play import ENTERED, hand_entered, seat_address
from tests.support.game.random_hands import sichuan
from tests.support.tiers import one_in
from tests.support.wire.streams import Line

PHONE = ViewportSize(width=390, height=844)
TABLET = ViewportSize(width=1024, height=768)
ZOOMED = ViewportSize(width=195, height=422)
"""The same phone with the page at 200 %."""
LARGER_TEXT = "document.documentElement.style.fontSize = '200%'"
BOXES = """() => [...document.querySelectorAll('main button, main a.look')].map(e => e.getBoundingClientRect())
  .map(b => [b.left, b.top, b.right, b.bottom])"""
CUT_OFF = """() => [...document.querySelectorAll('main *')]
  .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== 'visible').map(e => e.outerHTML.slice(0, 80))"""
SEEN = """text => [...document.querySelectorAll('main *')].some(e => e.textContent.includes(text)
  && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.includes(text)) && e.getBoundingClientRect().width > 0)"""


@pytest.fixture
def entered(site: Site) -> Site:
    site.feed(ENTERED)
    return site


def phone(browser: Browser, site: Site, place: int, size: ViewportSize = PHONE) -> Page:
    page = browser.new_context(viewport=size, has_touch=True, locale="en").new_page()
    page.goto(f"{site.address}{seat_address(place)}")
    return page


@pytest.fixture(params=one_in(3, ["text at 200 %", "page at 200 %", "the third size of text"]))
def confirming(request: pytest.FixtureRequest, browser: Browser, entered: Site) -> Iterator[Page]:
    page = phone(browser, entered, 0, ZOOMED if request.param == "page at 200 %" else PHONE)
    if request.param == "text at 200 %":
        page.evaluate(LARGER_TEXT)
    elif request.param == "the third size of text":
        page.goto(f"{entered.address}/seat/1/0?text=2")
    yield page
    keep_picture(page, f"confirm-{request.param.replace(' ', '-')}")
    page.context.close()


def test_statement_09_the_confirm_page_scrolls_one_way_only_and_its_buttons_are_large(confirming: Page) -> None:
    expect(confirming.get_by_role("heading", level=1)).to_have_text("South wins from West")
    for said in ("−8", "+48", "−32", "pays South", "Yes, this is right", "Not right: call referee"):
        assert confirming.evaluate(SEEN, said), said
    width = confirming.viewport_size["width"] if confirming.viewport_size else 0
    assert confirming.evaluate("document.documentElement.scrollWidth") <= width
    assert confirming.evaluate(CUT_OFF) == []
    boxes = confirming.evaluate(BOXES)
    assert len(boxes) >= 2
    assert all(left >= 0 and right <= width and bottom - top >= 58 for left, top, right, bottom in boxes)
    assert all(below[1] - above[3] >= 9 for above, below in pairwise(boxes))


@pytest.mark.parametrize("size", [PHONE, TABLET, ZOOMED], ids=["phone", "tablet", "page at 200 %"])
def test_two_shown_hands_with_their_fans_and_payments_scroll_one_way_only(browser: Browser, site: Site, size: ViewportSize) -> None:
    site.feed(hand_entered(sichuan(73)))
    page = phone(browser, site, 0, size)
    expect(page.get_by_role("list", name="Fan of South").get_by_role("listitem").last).to_have_text("Total 8")
    expect(page.get_by_role("list", name="Fan of North").get_by_text("Four alike 槓・帰 ×2")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert page.evaluate(CUT_OFF) == []
    keep_picture(page, f"confirm-two-winners-{size['width']}")
    page.context.close()


def test_statement_04_a_rulings_text_reaches_the_seats_screen_in_its_language_without_reload(browser: Browser, site: Site) -> None:
    played: list[Line] = [*building(), *play("E2p"), ("referee-called", {"seat": "S"})]
    site.feed(played)
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{site.address}/login?lang=ja")
    page.goto(f"{site.address}{seat_address(1)}")
    expect(page.get_by_text("審判を呼びました。")).to_be_visible()
    page.evaluate(MARK)
    texts = {"en": "Play goes on.", "ja": "そのまま続けてください。"}
    site.feed([*played, ("ruling", {"ruling": "r1", "n": 1, "by": "Ota", "texts": texts, "effects": []})], first=len(played))
    expect(page.locator(".ruling-text")).to_contain_text("そのまま続けてください。")
    expect(page.get_by_text("審判を呼びました。")).to_be_hidden()
    assert page.evaluate("window.mark") == "not reloaded"
    context.close()


ASKED: list[Line] = [*building(), ("seats-awaited", {"session": 1, "players": ["11", "12", "13", "14"]})]
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
