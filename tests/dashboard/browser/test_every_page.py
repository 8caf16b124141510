"""Statement 13 of the acceptance, for every page that the application has: fits, can be read, is translated, and is small.

The list of pages is the application's own list of routes; what is left out is named here with its reason.
"""

import contextlib
import html
import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from werkzeug.exceptions import HTTPException

import dashboard.i18n.words
from dashboard.access.staff_file import StaffOrder
from dashboard.access.staff_schema import Role
from tests.dashboard.browser.conftest import log_in_page
from tests.dashboard.browser.hall_in_play import EVENT, NAMES, addresses_in_play, hall_in_play
from tests.dashboard.browser.test_browser import CUT_OFF
from tests.dashboard.browser.whole_site import WholeSite
from tests.support.browser import keep_picture
from tests.support.dashboard.axe import violations_on
from tests.support.dashboard.guided_tables import IDLE, RECORDING, guided_tables
from tests.support.dashboard.staff import NAME, log_in
from tests.support.tiers import TIER, Tier, one_in, pairs
from twinwall.art.names import LANGUAGES, Language

NOT_TRANSLATED = {
    "Twinwall",
    "Autumn",
    "friends",
    "Ota",
    "IMP",
    *("Plum", "Orchid", "Bamboo", "Chrysanthemum"),
    *("Moretti", "Ida", "Petit", "Jean"),
    *("twinwall", "deals", "verify", "plan", "json", "root", "slip"),
}
"""Names, and a command."""
TEXTS = dashboard.i18n.words._texts


def left_over(page: str) -> set[str]:
    """The words of a page, labels included, that stand outside the brackets.

    A title is the citation of a scale; a machine's own sentence says that it is English.
    """
    labels = re.findall(r'(?:aria-label|alt|placeholder|data-text)="([^"]*)"', page)
    body = re.sub(r"<(script|code)[^>]*>.*?</\1>|<(small|span) lang=\"en\">.*?</\2>", "", page, flags=re.DOTALL)
    text = html.unescape(" ".join([re.sub(r"<[^>]+>", " ", body), *labels]))
    while (inner := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = inner
    return set(re.findall(r"[A-Za-z]{3,}", text)) - NOT_TRANSLATED


class Bracketed:
    """The catalogue of a language whose texts stand in brackets."""

    def __init__(self, language: Language) -> None:
        self._texts = TEXTS(language)

    def gettext(self, key: str) -> str:
        return f"⟦{self._texts.gettext(key)}⟧"

    def ngettext(self, one: str, more: str, count: int) -> str:
        return f"⟦{self._texts.ngettext(one, more, count)}⟧"


pytestmark = pytest.mark.timeout(1800)
"""Each test looks at some 45 pages: axe alone takes minutes beside other work."""
NO_PAGES = {
    "events": "a stream",
    "seat_events": "a stream",
    "slip": "a file, there after the release",
    "replay_as_file": "a file, there after the release; test_replay.py opens it from disk",
    "withdrawal_order": "a file, there after two people have ordered it",
    "replacement_order": "a file, there after it was ordered",
    "key_slip": "needs the request of a table without network; tests/dashboard/pages/people/test_key_slip.py looks at it",
    "recorded_file": "a file, there after a hand was recorded",
    "mat_picture": "a picture of a mat, there after a look at it",
    "mat_print": "a file, offered where a hall gets tables ready",
    "event_site": "a file with prints, which takes seconds to make; tests/dashboard/pages/test_club_site.py looks into it",
    "results_pdf": "a print, which takes as long; tests/dashboard/pages/prints looks at it",
    "tile_question": "a picture of a tile, there while a table enrols",
    "verify_page": "a page of its own, in English, to be kept as a file; tests/verify_page looks at it",
}
PRINTED = "/print/"
"""PDF files, which take seconds to make: tests/dashboard/pages/prints/test_prints.py looks at them."""
FOR_VISITORS = ("login", "invitation", "seat")
"""Whoever has logged in is led on from them, or has another page there."""
BY_CODE = {"login", "invitation", "seat"}
"""Pages to which a printed code, a link that was handed over, or a redirection leads."""
MOST_BYTES = 300 * 1024
BYTES = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter((entry) => !entry.name.includes("/events")).reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""
SIZES = ((390, 844, "dark"), (1440, 900, "light"), (820, 1180, "light"), (1440, 900, "dark"))
AXE_OF = 1 if TIER is Tier.NIGHTLY else 9
"""Axe takes longer than loading a page: ``make test`` lets it look at every ninth."""
FOR_A_WALL = ("projector", "overlay")
"""Made for a picture of 1920 x 1080: test_browser.py and test_worked_deal.py measure them."""
UNTRANSLATED = set(re.findall(r"[A-Za-z]{3,}", " ".join((EVENT, *NAMES.values(), "Guest server commitments start html blue green"))))
"""Names of people, of a vault, of files and of tile sets."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeSite]:
    with guided_tables() as own_tables:
        site = hall_in_play(tmp_path_factory.mktemp("pages"), own_tables)
        yield site
        site.off()


@pytest.fixture(scope="module")
def pages(hall: WholeSite) -> dict[str, str]:
    """The address of every page, by its endpoint; what is not HTML is none."""
    client = hall.app.test_client()
    log_in(client)

    def is_page(endpoint: str, address: str) -> bool:
        if endpoint in NO_PAGES or address.startswith(PRINTED):
            return False
        answer = client.get(address)
        answer.close()
        return answer.mimetype == "text/html"

    found = {endpoint: address for endpoint, address in addresses_in_play(hall).items() if is_page(endpoint, address)}
    until = int(datetime.now(UTC).timestamp()) + 3600
    invitation = f"/invitation/{hall.staff.invite('Guest', {Role.SCORER}, until, StaffOrder(0))}"
    return found | {"invitation": invitation, "hand being recorded": f"/ready/{RECORDING}/record", "missing": "/nothing"}


def visitor(browser: Browser) -> Page:
    return browser.new_context(viewport={"width": 1440, "height": 900}, locale="en").new_page()


def test_statement_13_every_page_is_small_fits_every_screen_in_every_language_and_keeps_axes_rules(
    browser: Browser, hall: WholeSite, pages: dict[str, str]
) -> None:
    staff, anybody = log_in_page(browser, hall), visitor(browser)
    wrong: list[str] = []
    for language, shown in in_language(pages).items():
        for page in (staff, anybody):
            page.goto(f"{hall.address}/login?lang={language}")
        for number, (endpoint, address) in enumerate(shown):
            page = anybody if endpoint in FOR_VISITORS else staff
            answer = page.goto(hall.address + address)
            assert answer is not None
            assert answer.status == (404 if endpoint == "missing" else 200), f"{address}: is it a page, or is it to be named in NO_PAGES?"
            assert answer.headers["content-type"].startswith("text/html"), address
            if page.evaluate(BYTES) > MOST_BYTES:
                wrong.append(f"{address} in {language} has more than {MOST_BYTES} bytes")
            if endpoint not in FOR_A_WALL:
                sizes = SIZES if TIER is Tier.NIGHTLY else SIZES[number % 2 :][:1]
                wrong += misfits(page, sizes, f"{address} in {language}", f"page-{endpoint.replace(' ', '-')}-{language}")
            if number % AXE_OF == 0:
                wrong += [f"{address} in {language}: {rule}: {elements}" for rule, elements in violations_on(page).items()]
    staff.context.close()
    anybody.context.close()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("language", "first", "last"),
    one_in(
        3,
        [
            ("en", "1. Touch “Advanced”.", "3. Touch “Visit Website”."),
            ("ja", "1. 「詳細設定」を押します。", "3. 「Webサイトを閲覧」を押します。"),
            ("zh-Hans", "1. 点“高级”。", "3. 点“访问网站”。"),
        ],
    ),
)
def test_a_phones_code_over_tls_shows_what_to_touch_where_its_browser_warns(
    browser: Browser, hall: WholeSite, language: str, first: str, last: str
) -> None:
    page = log_in_page(browser, hall)
    page.goto(f"{hall.address}/phones?lang={language}")
    page.locator(f"form[action='/phones/{IDLE}/keys/code'] button").click()
    page.locator(".browser-warning summary").click()
    said = page.locator(".browser-warning li p").all_inner_texts()
    assert (said[0], said[-1]) == (first, last)
    assert "192.0.2.7" in said[1]
    assert not misfits(page, ((320, 700, "light"), *SIZES), f"/phones in {language}", f"page-browser-warning-{language}")
    assert not violations_on(page)
    if language == "en" and (folder := os.environ.get("TWINWALL_PICTURES")):
        page.set_viewport_size({"width": 1440, "height": 900})
        page.emulate_media(color_scheme="light")
        page.locator(".browser-warning").screenshot(path=str(Path(folder) / "browser-warning.png"))
    page.context.close()


def in_language(pages: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Endpoint and address of the pages that are looked at in each language."""
    looks = pairs(pages.items(), LANGUAGES)
    return {language: [page for page, asked in looks if asked == language] for language in LANGUAGES}


def misfits(page: Page, sizes: Sequence[tuple[int, int, str]], where: str, picture: str) -> list[str]:
    """What does not fit a screen of these sizes."""
    wrong: list[str] = []
    for width, height, scheme in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wrong.append(f"{where} at {width} scrolls sideways")
        wrong += [f"{where} at {width} cuts off {text!r}" for text in page.evaluate(CUT_OFF)]
        keep_picture(page, f"{picture}-{width}-{scheme}")
    return wrong


EVERY_LOOK = [(language, scheme, width) for language in LANGUAGES for scheme in ("light", "dark") for width in (390, 820, 1440)]
"""Looking at every page once takes axe 20 s of processor time: only ``make nightly`` looks at all."""


@pytest.mark.nightly
@pytest.mark.parametrize("look", EVERY_LOOK, ids=str)
def test_statement_13_axe_finds_nothing_on_any_page_in_any_look(
    browser: Browser, hall: WholeSite, pages: dict[str, str], look: tuple[str, str, int]
) -> None:
    language, scheme, width = look
    found: dict[str, dict[str, list[str]]] = {}
    staff, anybody = log_in_page(browser, hall), visitor(browser)
    for page in (staff, anybody):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.goto(f"{hall.address}/login?lang={language}")
    for endpoint, address in pages.items():
        page = anybody if endpoint in FOR_VISITORS else staff
        page.goto(hall.address + address)
        found[address] = violations_on(page)
    staff.context.close()
    anybody.context.close()
    assert not any(found.values()), found


def test_statement_13_no_page_has_a_text_that_is_not_in_the_catalogues(
    hall: WholeSite, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard.i18n.words, "_texts", Bracketed)
    monkeypatch.setattr(hall, "app", hall.new_app(hall.settings, lambda: True))
    staff, anybody = hall.app.test_client(), hall.app.test_client()
    log_in(staff, NAME)
    found: dict[str, set[str]] = {}
    for endpoint, address in pages.items():
        for client in (anybody,) if endpoint in FOR_VISITORS else (staff, anybody):
            client.get("/login?lang=ja")
            page = client.get(address, follow_redirects=True).text
            assert "⟦" in page, address
            if texts := left_over(page) - UNTRANSLATED:
                found[address] = texts
    assert not found, found


def test_every_page_is_reached_by_links_from_the_first(hall: WholeSite, pages: dict[str, str]) -> None:
    """Nobody types an address: a director finds every page by links and by the addresses of forms."""
    client, routes = hall.app.test_client(), hall.app.url_map.bind("localhost")
    log_in(client)
    waiting, seen, reached = ["/"], {"/"}, {"hall"}
    while waiting:
        for link in re.findall(r'(?:href|action)="([^"#]*)', client.get(waiting.pop()).text):
            path = html.unescape(link).partition("?")[0]
            if not path.startswith("/") or path in seen or path.startswith(("/static", PRINTED)):
                continue
            seen.add(path)
            with contextlib.suppress(HTTPException):
                endpoint = str(routes.match(path, method="GET")[0])
                reached.add(endpoint)
                waiting += [path] * (endpoint in pages)
    typed = pages.keys() - reached - {"missing", "released deal", "one session", "hand being recorded"}
    assert typed == BY_CODE
