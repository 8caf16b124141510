"""The director's step with tiles that cameras read: asked, named where they are not read, typed, compared and fixed; then seen by all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browser.conftest import keep_picture, new_page
from tests.dashboard.browser.test_browser import CUT_OFF, LOW_CONTRAST
from tests.dashboard.browser.whole_site import WholeSite
from tests.support.dashboard.axe import violations_on
from tests.support.dashboard.tile_cameras import TileCameras
from tests.support.event.managed import PREPARED
from twinwall.art.names import LANGUAGES

EIGHT = {"1": "5p 3s E 7m C 1s 9p 2m", "2": "F P W S 1p 1p 8s 4m", "3": "2s 2s 6p N 9m 7p 3m 5s"}
TYPED = "1m 4p 4s 8m E C 6s 2p"


@pytest.fixture
def cameras() -> TileCameras:
    """Of tables 1 to 3; table 4 has none here."""
    return TileCameras(dict(EIGHT))


@pytest.fixture
def hall(tmp_path: Path, cameras: TileCameras) -> Iterator[WholeSite]:
    with cameras.served() as address:
        running = WholeSite(tmp_path, readiness=address)
        running.begin("Autumn")
        running.manage(*PREPARED)
        yield running
        running.off()


def look_everywhere(page: Page, name: str) -> None:
    """In both colours, wide and on a phone, in each language: nothing is cut off, all has contrast."""
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        for language in LANGUAGES:
            page.goto(f"{page.url.partition('?')[0]}?lang={language}")
            assert page.evaluate(CUT_OFF) == []
            assert page.evaluate(LOW_CONTRAST) == []
            assert language != "en" or violations_on(page) == {}
            keep_picture(page, f"{name}-{scheme}-{language}")
    page.goto(f"{page.url.partition('?')[0]}?lang=en")


@pytest.mark.nightly
def test_a_director_lets_tables_read_types_the_rest_and_fixes_the_value(browser: Browser, hall: WholeSite, cameras: TileCameras) -> None:
    page = new_page(browser, hall)
    page.goto(f"{hall.address}/event/deals?lang=en")
    page.fill("#passphrase", "correct horse battery")
    page.fill("#again", "correct horse battery")
    page.get_by_role("button", name="Make and commit the deals").click()
    cameras.tiles["2"] = EIGHT["2"].removesuffix(" 4m")
    cameras.unread["2"] = [{"place": 4, "number": 2, "why": "unsure"}]
    page.get_by_role("button", name="Read the tiles on the tables").click()
    expect(page.get_by_role("group", name="Table 2")).to_contain_text("Place 4, river, tile 2: The reader is not sure.")
    look_everywhere(page, "tiles-unread")
    cameras.tiles["2"], cameras.unread["2"] = EIGHT["2"], []
    page.get_by_role("group", name="Table 4").get_by_role("textbox").fill(TYPED)
    page.get_by_role("button", name="Read the tiles again").click()
    expect(page.get_by_role("group", name="Table 2")).to_contain_text("8 of 8 tiles")
    expect(page.get_by_role("group", name="Table 4").get_by_role("textbox")).to_have_value(TYPED)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Fix the public value").click()
    expect(page.locator("#code-title")).to_be_visible()
    page.goto(f"{hall.address}/trust")
    expect(page.locator("main")).to_contain_text("The tables' tiles were read 2 times.")
    look_everywhere(page, "tiles-trust")
    page.context.close()
