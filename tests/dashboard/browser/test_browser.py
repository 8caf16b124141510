"""Pages in a real browser change by themselves: on a desk, on a phone, and on a projector without a hand for an hour."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browser.conftest import Site, enter, hall_page, new_page
from tests.support.browser import keep_picture
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import NAMES, closed_hand, whole_hand
from tests.support.dashboard.hall import SETTINGS

MARK = "window.mark = 'not reloaded'"
OUTSIDE_RESULT = """() => {
  const right = document.getElementById("result").getBoundingClientRect().right + 1;
  return [...document.querySelectorAll("#result *")].filter((e) => e.getBoundingClientRect().right > right).map((e) => e.textContent);
}"""
WHOLE = whole_hand()


def test_a_page_follows_a_whole_hand_without_being_loaded_again(browser: Browser, site: Site) -> None:
    complaints: list[str] = []
    page = hall_page(browser, site)
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda problem: complaints.append(str(problem)))
    expect(page.locator("#cards")).to_contain_text("No table has been heard yet…")
    page.evaluate(MARK)
    site.feed(WHOLE, last=6)
    expect(page.locator(".table-card")).to_contain_text("Building wall")
    assert page.evaluate("window.mark") == "not reloaded"

    page.locator(".table-card").click()
    page.evaluate(MARK)
    expect(page.locator("#centre")).to_contain_text("68")
    keep_picture(page, "building")
    started = next(index for index, (name, _) in enumerate(WHOLE) if name == "hand-started")
    site.feed(WHOLE, first=6, last=started + 40)
    expect(page.locator("#river-E use")).to_have_count(2)
    expect(page.locator(".last")).to_have_count(1)
    keep_picture(page, "playing")
    site.feed(WHOLE, first=started + 40)
    expect(page.locator("#now")).to_contain_text("East won. The hand is closed.")
    expect(page.locator("#river-N .ghost")).to_have_count(1)
    expect(page.locator("#hand-E use").first).to_have_attribute("href", "/tiles.svg#t-7p")
    expect(page.locator(".payments")).to_contain_text("+75")
    keep_picture(page, "closed")
    assert page.evaluate("window.mark") == "not reloaded"
    assert complaints == []
    page.context.close()


def heard_when_the_clock_stood(page: Page, site: Site) -> None:
    """Let a change reach the page whose clock stands, so that what it has heard last is of this moment."""
    before = page.locator("#now").inner_text()
    site.feed(WHOLE, first=6, last=7)
    while page.locator("#now").inner_text() == before:
        page.clock.run_for(100)
        page.wait_for_timeout(20)


def watched_by_a_clock_that_stands(browser: Browser, site: Site) -> Page:
    """A table's page in the middle of a hand."""
    site.feed(WHOLE, last=6)
    page = new_page(browser, site)
    page.clock.install()
    page.goto(f"{site.address}/table/1")
    page.evaluate(MARK)
    expect(page.locator("#live")).to_be_visible()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    heard_when_the_clock_stood(page, site)
    return page


def test_statement_12_twenty_seconds_without_network_are_said_in_one_line_and_nothing_is_missing_or_doubled(
    browser: Browser, site: Site
) -> None:
    page = watched_by_a_clock_that_stands(browser, site)
    page.context.set_offline(True)
    page.clock.run_for(2500)
    assert page.locator("#connection").is_hidden()
    while page.locator("#connection").is_hidden():  # what was on the way when the network went may still be heard
        page.clock.run_for(500)
    expect(page.locator("#connection")).to_contain_text("Reconnecting")
    site.feed(WHOLE, first=7)
    age = re.compile(r"0:2\d\b")
    for _ in range(600):  # what the browser had read when its network went may still be heard, and the age counts from then
        page.clock.run_for(1000)
        if age.search(page.locator("#connection").inner_text()):
            break
    expect(page.locator("#connection")).to_contain_text(age)
    assert page.locator(".notice:visible, [role=alert]:visible .card").count() == 1, "one line, and nothing else, says so"
    page.context.set_offline(False)
    page.clock.resume()
    expect(page.locator("#now")).to_contain_text("East won. The hand is closed.")
    expect(page.locator("#connection")).to_be_hidden()
    assert page.evaluate("window.mark") == "not reloaded"
    fresh = page.context.new_page()
    fresh.goto(f"{site.address}/table/1")
    for part in ("#log", "#result", "#river-E", "#river-S", "#river-W", "#river-N"):
        assert page.locator(part).evaluate("e => e.innerHTML") == fresh.locator(part).evaluate("e => e.innerHTML"), part
    page.context.close()


@pytest.mark.nightly
def test_an_ended_login_leads_to_the_door_and_from_there_back_to_the_page(browser: Browser, site: Site) -> None:
    """All logins end with the secret that signs them."""
    site.feed(WHOLE)
    page = new_page(browser, site)
    page.goto(f"{site.address}/table/1")
    site.off()
    site.on(replace(SETTINGS, secret=b"another"))
    page.wait_for_url(f"{site.address}/login?next=/table/1")
    enter(page)
    page.wait_for_url(f"{site.address}/table/1")
    page.context.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_a_long_name_stays_in_its_panel(browser: Browser, site: Site, width: int) -> None:
    site.feed([(kind, {**fields, "seats": {**NAMES, "E": "Ä" * 64}} if "seats" in fields else fields) for kind, fields in WHOLE])
    page = new_page(browser, site)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site.address}/table/1")
    expect(page.locator("#result")).to_contain_text("ÄÄÄ")
    assert page.evaluate(OUTSIDE_RESULT) == []
    page.context.close()


CUT_OFF = """() => [...document.querySelectorAll("button, .pill, .badge, th, td")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1).map((element) => element.textContent)"""
TEXTS = """() => [...document.querySelectorAll("body *")]
  .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) && e.checkVisibility({ visibilityProperty: true }))
  .filter((e) => !e.closest(".unseen"))
  .map((e) => [parseFloat(getComputedStyle(e).fontSize), e.textContent.trim()])"""
SHOWN = ".slide.shown"
CUT_OFF_ON_A_WALL = """() => [...document.querySelectorAll(".slide.shown :is(h2, th)")].filter((e) => {
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
        assert page.evaluate(CUT_OFF_ON_A_WALL) == [], "letters are cut off below"
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
