"""The overlay for broadcasters in a real browser: nothing behind it, one released deal from its first draw to the score."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from dashboard.pages.replay.replay_pieces import FORMAT
from tests.dashboard.browser.conftest import Site, new_page
from tests.dashboard.browser.deals.test_worked_deal import played
from tests.support.dashboard.desks import MemoryDesk, teams_of_four

EAST_AT_TABLE_1 = 75


@pytest.fixture
def site() -> Iterator[Site]:
    field = teams_of_four()
    site = Site(desk=MemoryDesk(field))
    for group in field.groups:
        for table in group.tables:
            site.feed(played(table), table)
    yield site
    site.off()


@pytest.mark.nightly
def test_a_table_is_shown_from_the_release_on_and_its_scores_at_the_end(browser: Browser, site: Site) -> None:
    page = new_page(browser, site)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    feed = f"{site.address}/overlay/1.json"
    page.goto(f"{site.address}/overlay/1?seconds=0.2")
    expect(page.locator("body")).to_contain_text("No deal of this table is released yet.")
    assert (page.request.get(feed).status, page.locator("svg").count()) == (404, 0)

    site.release()
    document = page.request.get(feed).json()
    assert (document["format"], document["table"], document["n"]) == (FORMAT, "1", 1)
    page.clock.run_for(11_000)
    east = page.locator('[data-seat="E"] .score')
    expect(east).to_have_text("0")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("document.documentElement.scrollHeight <= 1080 && document.documentElement.scrollWidth <= 1920")
    for _ in range(len(document["replay"]["tables"][0]["steps"]) + 2):
        if east.inner_text() != "0":
            break
        page.clock.run_for(200)
    expect(east).to_have_text(f"+{EAST_AT_TABLE_1}")
    page.context.close()
