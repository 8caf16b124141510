"""The projector in a real browser: readable across a hall, changing by itself, and without a hand for an hour.

Acceptance statement 14: at 1920 x 1080 no text below 64 px, at most 8 rows, every player's table and wind in turn.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browser.conftest import Site, new_page
from tests.support.browser import keep_picture
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import NAMES, closed_hand

TEXTS = """() => [...document.querySelectorAll("body *")]
  .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) && e.checkVisibility({ visibilityProperty: true }))
  .filter((e) => !e.closest(".unseen"))
  .map((e) => [parseFloat(getComputedStyle(e).fontSize), e.textContent.trim()])"""
SHOWN = ".slide.shown"
CUT_OFF = """() => [...document.querySelectorAll(".slide.shown :is(h2, th)")].filter((e) => {
  const text = document.createRange();
  text.selectNodeContents(e);
  return getComputedStyle(e).overflowY !== "visible" && text.getBoundingClientRect().bottom > e.getBoundingClientRect().bottom;
}).map((e) => e.textContent)"""


@pytest.fixture
def screen(browser: Browser) -> Iterator[tuple[Site, Page]]:
    """A projector of 1080 lines before a hall of four tables whose first deal is released."""
    site = Site(desk=MemoryDesk(teams_of_four()))
    for table in "1234":
        site.feed(closed_hand(table), table)
    site.release()
    page = new_page(browser, site)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    page.goto(f"{site.address}/projector")
    yield site, page
    page.context.close()
    site.off()


def test_statement_14_every_slide_can_be_read_across_the_hall_and_names_every_seat(screen: tuple[Site, Page]) -> None:
    _, page = screen
    count = page.locator(".slide").count()
    seen: list[str] = []
    for number in range(count):
        expect(page.locator(SHOWN)).to_have_count(1)
        texts = page.evaluate(TEXTS)
        assert texts
        assert min(size for size, _ in texts) >= 64, texts
        assert page.locator(f"{SHOWN} tr").count() <= 8
        box = page.evaluate("(() => { const m = document.querySelector('.slide.shown'); return [m.scrollHeight, m.clientHeight]; })()")
        assert box[0] <= box[1], "a slide runs out of the picture"
        assert page.evaluate(CUT_OFF) == [], "letters are cut off below"
        seen.append(page.locator(SHOWN).inner_text())
        keep_picture(page, f"projector-{number}")
        page.clock.run_for(12_500)
    for table in "1234":
        (slide,) = [text for text in seen if text.startswith(f"Table {table}\n")]
        assert all(name in slide for name in NAMES.values())
        assert all(wind in slide for wind in ("東 East", "南 South", "西 West", "北 North"))
    assert any("Plum" in text and "+16" in text and "▲" not in text for text in seen)


def test_on_a_phone_no_slide_is_wider_than_the_screen(screen: tuple[Site, Page]) -> None:
    _, page = screen
    for width, height in ((390, 844), (844, 390), (820, 1180)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("[...document.querySelectorAll('.slide table')].every(e => e.getBoundingClientRect().right <= innerWidth)")


def test_statement_14_it_goes_on_by_itself_for_an_hour_and_takes_new_results_in(screen: tuple[Site, Page]) -> None:
    site, page = screen
    first = page.locator(SHOWN).inner_text()
    page.evaluate("window.mark = 'not reloaded'")
    page.clock.fast_forward(3_600_000)
    page.clock.run_for(13_000)
    assert page.locator(SHOWN).inner_text() != first
    for table in "1234":
        site.feed(closed_hand(table, 2), table)
    site.release(2)
    expect(page.locator(".slide").nth(0)).to_contain_text("2 of 16 deals released")
    assert page.evaluate("window.mark") == "not reloaded"
    expect(page.locator(SHOWN)).to_have_count(1)


@pytest.mark.nightly
def test_a_slide_is_held_by_an_arrow_and_the_room_is_lit_by_a_key(screen: tuple[Site, Page]) -> None:
    _, page = screen
    page.keyboard.press("ArrowRight")
    held = page.locator(SHOWN).inner_text()
    page.clock.run_for(30_000)
    assert page.locator(SHOWN).inner_text() == held
    page.clock.run_for(40_000)
    assert page.locator(SHOWN).inner_text() != held
    page.keyboard.press("d")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.nightly
def test_old_data_say_so_in_letters_that_can_be_read(screen: tuple[Site, Page]) -> None:
    site, page = screen
    expect(page.locator("#live")).to_be_attached()
    site.off()
    page.clock.run_for(15_000)
    expect(page.locator("#connection")).to_be_visible()
    assert min(size for size, _ in page.evaluate(TEXTS)) >= 64
    site.on()
