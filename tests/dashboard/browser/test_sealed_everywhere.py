"""Statement 6 of the acceptance: while a table still plays a deal, nothing of it is found in anything that a browser is given.

In ``make test`` tests/dashboard/access/test_nothing_leaks.py asks the same of every role without a browser.
"""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.access.api_tokens import TokenScope
from dashboard.access.staff_schema import Role
from tests.dashboard.browser.conftest import log_in_page
from tests.dashboard.browser.hall_in_play import addresses_in_play, hall_in_play
from tests.dashboard.browser.whole_site import WholeSite
from tests.support.dashboard.api import api_token
from tests.support.dashboard.custody.vaults import secrets_of
from tests.support.dashboard.printed import text_of
from tests.support.dashboard.staff import enrol
from tests.support.leak_scanner import Leak, find_leaks

FIRST_OF_STREAM = """async (address) => {
  const stop = new AbortController();
  const answer = await fetch(address, { signal: stop.signal });
  const reader = answer.body.getReader();
  const late = new Promise((end) => setTimeout(() => end({ done: true }), 400));
  let text = "";
  for (let part = await reader.read(); !part.done; part = await Promise.race([reader.read(), late])) {
    text += new TextDecoder().decode(part.value);
  }
  stop.abort();
  return text;
}"""
STREAMS = ("events", "seat_events")
VIEWERS = ("spectator", "player", "director")


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeSite]:
    site = hall_in_play(tmp_path_factory.mktemp("sealed"))
    enrol(site.staff, "Abe", roles={Role.DIRECTOR})
    yield site
    site.off()


def entered(browser: Browser, site: WholeSite, viewer: str) -> Page:
    """A page of the viewer: a director has logged in, a player has said at the seat's page who sits there."""
    if viewer == "director":
        return log_in_page(browser, site, name="Abe")
    page = browser.new_context(locale="en").new_page()
    if viewer == "player":
        page.goto(f"{site.address}{addresses_in_play(site)['seat']}")
    return page


def given(page: Page, site: WholeSite, headers: dict[str, str]) -> dict[str, bytes]:
    """Everything that the hall gives this viewer: each address as it is sent, PDF files as their text, and the first of each stream."""
    found: dict[str, bytes] = {}
    for endpoint, address in addresses_in_play(site).items():
        if endpoint in STREAMS:
            continue
        answer = page.request.get(f"{site.address}{address}", headers=headers if address.startswith("/api/") else {})
        content = answer.body()
        found[address] = text_of(content).encode() if content.startswith(b"%PDF") else content + json.dumps(answer.headers).encode()
    page.goto(f"{site.address}/")
    for asked in ("", "?page=standings", "?page=projector", "?page=calls", "?deal=1", "?deal=2", "?table=1", "?table=4"):
        found[f"/events{asked}"] = str(page.evaluate(FIRST_OF_STREAM, f"/events{asked}")).encode()
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("viewer", VIEWERS)
def test_statement_06_nothing_of_a_deal_that_one_table_plays_is_in_any_page_stream_export_or_print(
    browser: Browser, sealed: WholeSite, viewer: str
) -> None:
    page = entered(browser, sealed, viewer)
    scope = TokenScope.DIRECTOR if viewer == "director" else TokenScope.VIEWER
    found = given(page, sealed, {"Authorization": f"Bearer {api_token(sealed, scope, viewer)}"})
    secrets = secrets_of(sealed)
    leaks: dict[str, list[Leak]] = {address: leak for address, content in found.items() if (leak := find_leaks(content, secrets))}
    assert leaks == {}
    assert b"+75" in found["/deal/1"], "what is released is there"
    page.goto(f"{sealed.address}/deal/2")
    expect(page.locator("#deal")).to_contain_text("Opens when")
    page.context.close()
