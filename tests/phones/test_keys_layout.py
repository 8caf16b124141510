"""The keys on a phone and on a tablet: large enough for a thumb, in three languages, and with text at twice its size."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tableside.phones.phone_book import PhoneRole
from tests.phones.conftest import TablePhones
from tests.phones.test_phone_page import KEYS, TABLET
from tests.support.tiers import one_in

LEAST_PX = 58
SMALL, PHONE, WIDE = ViewportSize(width=320, height=568), ViewportSize(width=390, height=844), ViewportSize(width=1024, height=768)
TWICE = "document.documentElement.style.fontSize = '200%'"
CUT = """(buttons) => buttons
  .filter((button) => button.scrollWidth > button.clientWidth + 1 || button.scrollHeight > button.clientHeight + 1)
  .map((button) => button.textContent)"""
BOXES = """(sides) => sides.map((side) => {
  const { left, top, right, bottom } = side.getBoundingClientRect();
  return [left, top, right, bottom];
})"""


@pytest.fixture
def shown(browser: Browser, phones: TablePhones, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Keys of a role on a device, in a language, with text of some size."""
    role, device, language, twice = request.param
    page = browser.new_page(viewport=device, locale=language)
    page.goto(phones.link(role))
    expect(page.locator(".lamp").first).to_be_visible()
    if twice:
        page.evaluate(TWICE)
    yield page
    page.close()


def cases(role: PhoneRole, *devices: ViewportSize) -> list[tuple[PhoneRole, ViewportSize, str, bool]]:
    return [(role, device, language, twice) for device in devices for language in ("en", "ja", "zh-CN") for twice in (False, True)]


def called(case: tuple[PhoneRole, ViewportSize, str, bool]) -> str:
    role, device, language, twice = case
    return f"{role.name}, {device['width']} px, {language}{', twice' if twice else ''}"


@pytest.mark.parametrize("shown", one_in(5, cases(KEYS, SMALL, PHONE)), indirect=True, ids=called)
def test_every_key_of_a_place_is_large_whole_and_reached_without_going_sideways(shown: Page) -> None:
    keys = shown.locator(".keys button")
    assert keys.count() == 7
    assert min(min(box["width"], box["height"]) for each in keys.all() if (box := each.bounding_box())) >= LEAST_PX
    assert keys.evaluate_all(CUT) == []
    assert shown.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("shown", one_in(3, cases(TABLET, WIDE)), indirect=True, ids=called)
def test_the_four_sides_of_a_tablet_have_large_keys_that_lie_on_the_screen_and_on_no_other_side(shown: Page) -> None:
    keys = shown.locator(".keys button")
    assert keys.count() == 28
    assert min(min(box["width"], box["height"]) for each in keys.all() if (box := each.bounding_box())) >= LEAST_PX
    assert keys.evaluate_all(CUT) == []
    boxes = shown.locator(".side").evaluate_all(BOXES)
    assert all(left >= 0 and top >= 0 and right <= WIDE["width"] and bottom <= WIDE["height"] for left, top, right, bottom in boxes)
    apart = [
        one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        for number, one in enumerate(boxes)
        for other in boxes[:number]
    ]
    assert all(apart)
