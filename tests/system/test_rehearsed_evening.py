"""One person tries a whole evening alone: four tables are simulated from the page, an event is played, published and proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from tests.support.dashboard.setup import SIXTEEN
from tests.support.demo.tutorials import Tutorial, TutorialDirector, served_hall

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]
OPTIONS = ["--tables", "4", "--fast"]
PATIENCE_MS = 300_000


def test_one_person_rehearses_an_evening_and_proves_a_deal(browser: Browser, tmp_path: Path) -> None:
    tutorial = Tutorial("club-evening")
    with served_hall(tutorial, tmp_path, OPTIONS) as (address, link):
        page = browser.new_page()
        director = TutorialDirector(tutorial, page, address)
        director.enter(link)
        director.begin("Rehearsal 練習")
        director.describe(1, 1)
        director.paste(SIXTEEN, 16)
        director.save_seats()
        director.make_deals()
        _simulate_all(director)
        director.choose_tables(4)
        director.start_session()
        _sit_down(director)
        director.until("/deal/1", "text=Verified")
        director.go("/")
        expect(page.locator(".table-kind")).to_have_text(["Simulated, for a rehearsal"] * 4)
        director.end_session()
        director.close_event()
        _prove(director, browser, tmp_path)


def _simulate_all(director: TutorialDirector) -> None:
    for table in "1234":
        director.go("/event/tables")
        with director.page.expect_navigation():
            director.page.get_by_role("button", name=f"Simulate table {table}", exact=True).click()
    director.until("/event/tables", "text=Ready for a session >> nth=3")


def _sit_down(director: TutorialDirector) -> None:
    for table in "1234":
        for place in range(4):
            director.until(f"/seat/{table}/{place}", "button.main[name=player]")
            director.page.locator("button.main[name=player]").click()
            expect(director.page.locator("h1")).to_contain_text(f"at table {table}")


def _prove(director: TutorialDirector, browser: Browser, folder: Path) -> None:
    """Download what the event published, and prove its deal with the verify page that came with it, without any network."""
    director.go("/trust")
    code = director.page.locator(".trust-code code").inner_text()
    links = [str(link.get_attribute("href")) for link in director.page.locator("a[download]").all()]
    files = {link.rpartition("/")[2]: director.page.request.get(f"{director.address}{link}").body() for link in links}
    (folder / "verify.html").write_bytes(files.pop("verify.html"))
    payloads = [FilePayload(name=name, mimeType="", buffer=content) for name, content in files.items()]
    alone = browser.new_context(offline=True).new_page()
    alone.goto((folder / "verify.html").as_uri())
    alone.set_input_files("#files", payloads)
    alone.fill("#code", code)
    expect(alone.locator(".banner.good")).to_contain_text("1 of 1 slips proved", timeout=PATIENCE_MS)
