"""Pages of a whole event in a real browser: sixteen tables, calls at once, a deal that opens by itself."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.conftest import Site, hall_page
from tests.dashboard.browser.test_browser import MARK
from tests.support.browser import keep_picture
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import building, closed_hand, play
from tests.support.event.stored_event import STARTED
from tests.support.wire.streams import Line
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind

NEW_ICON = """() => {
  const fresh = document.querySelector(".table-card .pill svg").cloneNode(true);
  document.querySelector(".table-card .pill").append(fresh);
  return new Promise((answer) => setTimeout(() => answer(fresh.querySelector("use").getBBox().width), 500));
}"""
AGE, OLD_AGE = re.compile(r"^\d\d:\d\d:\d\d$"), re.compile(r"^\d{3} h$")
CALLED: Line = ("referee-called", {"seat": "S"})
JAM: Line = ("fault", {"code": "feeder-jam", "where": "0x21", "part": "tray", "number": 1, "sentence": "A tile is stuck."})


@pytest.fixture
def four() -> Iterator[Site]:
    """Four tables: deal 1 is released, deal 2 is finished at three of them and played at the fourth, where somebody calls."""
    site = Site(desk=MemoryDesk(teams_of_four(), custody=STARTED))
    for table in "1234":
        more = closed_hand(table, 2) if table != "4" else [*building(2), *play("E2p", 2), CALLED, JAM]
        site.feed([*closed_hand(table), *more], table)
    site.release()
    yield site
    site.off()


def ago(hours: int) -> datetime:
    return datetime.now(UTC) - timedelta(hours=hours)


def hall_of(tables: int, hours: int) -> Iterator[Site]:
    """Tables in groups of four, in whatever state a table can be, that began so many hours ago."""
    names = [str(number) for number in range(1, tables + 1)]
    site = Site(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, names)), started=ago(hours))
    for number, table in enumerate(names):
        script: list[Line] = [*building(), *play("E2p SE"), *[*building(2)][1 : 2 + number % 9]]
        site.feed({3: [*script, CALLED], 6: [*script, JAM], 9: [*building()][:4], 12: closed_hand("1")}.get(number % 16, script), table)
    yield site
    site.off()


@pytest.fixture(params=[(16, 26), (16, 150), pytest.param((64, 26), marks=pytest.mark.nightly)], ids="{0[0]} tables, {0[1]} h ago".format)
def large(request: pytest.FixtureRequest) -> Iterator[Site]:
    yield from hall_of(*request.param)


def test_statement_03_a_hall_of_sixteen_tables_is_seen_without_scrolling_and_told_apart_without_colour(
    browser: Browser, large: Site
) -> None:
    page, tables = hall_page(browser, large), len(large.views.tables())
    cards = page.locator(".table-card")
    expect(cards).to_have_count(tables)
    assert page.evaluate("document.documentElement.scrollHeight") <= 900
    assert page.evaluate("[...document.querySelectorAll('.table-card')].filter(card => card.scrollWidth > card.clientWidth).length") == 0
    states = page.locator(".table-card .pill").all_inner_texts()
    icons = page.eval_on_selector_all(".table-card .pill use", "all => all.map(use => use.getAttribute('href').split('#')[1])")
    assert dict(zip(states, icons, strict=True)) == {
        "Playing": "play",
        "Referee": "call",
        "Fault": "fault",
        "Building wall": "grid",
        "Finished": "check",
    }
    age = AGE if large.started > ago(100) else OLD_AGE
    for card in cards.all()[:4]:
        expect(card.locator(".clock")).to_have_text(age)
    shown = "all => all.filter(hand => hand.getBoundingClientRect().width > 0).length"
    assert page.locator(".table-card .card-line strong").evaluate_all(shown) == tables, "every table's hand is shown"
    keep_picture(page, f"hall-{tables}")
    page.set_viewport_size({"width": 1280, "height": 720})
    assert tables > 16 or page.evaluate("document.documentElement.scrollHeight") <= 720, "the screen of a small laptop"
    assert page.evaluate("[...document.querySelectorAll('.table-card')].filter(card => card.scrollWidth > card.clientWidth).length") == 0
    keep_picture(page, f"hall-{tables}-1280")
    page.context.close()


def test_statement_04_a_call_at_a_table_is_on_the_hall_map_and_on_the_list_without_reload(browser: Browser, four: Site) -> None:
    page = hall_page(browser, four)
    expect(page.locator("#live")).to_be_visible()
    page.evaluate(MARK)
    four.feed([*closed_hand("2"), *closed_hand("2", 2), CALLED], "2", first=-1)
    expect(page.locator("#card-1")).to_contain_text("Referee")
    other = page.context.new_page()
    other.goto(f"{four.address}/calls")
    expect(other.locator("main")).to_contain_text("Table 2")
    other.locator("button.main", has_text="I am on the way").first.click()
    expect(page.locator("#hall-calls")).to_contain_text("is on the way")
    assert page.evaluate("window.mark") == "not reloaded"
    page.context.close()


@pytest.mark.nightly
def test_pages_are_reached_by_keys_that_each_lists_also_one_without_a_stream(browser: Browser, four: Site) -> None:
    page = hall_page(browser, four)
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/standings")
    page.keyboard.press("3")
    expect(page.locator("#jump input")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/table/3")
    page.goto(f"{four.address}/deal/1")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(page.locator("#jump")).to_be_hidden()
    page.goto(f"{four.address}/table/1/hand/1")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    expect(page.locator("#keys")).to_contain_text("g s Standings")
    page.keyboard.press("Escape")
    page.goto(f"{four.address}/nothing")
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_url(f"{four.address}/")
    page.context.close()


@pytest.mark.nightly
def test_icons_stay_while_the_server_is_away(browser: Browser, four: Site) -> None:
    page = hall_page(browser, four)
    four.off()
    drawn = page.evaluate(NEW_ICON)
    four.on()
    assert drawn > 0
    page.context.close()
