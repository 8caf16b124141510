"""One person tries a whole evening alone: four tables are simulated from the page, an event is played, published and proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.dashboard.setup import SIXTEEN
from tests.support.demo.proof import prove
from tests.support.demo.tutorials import Tutorial, TutorialDirector, served_hall

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]
OPTIONS = ["--tables", "4", "--fast"]


def test_one_person_rehearses_an_evening_and_proves_a_deal(browser: Browser, tmp_path: Path) -> None:
    tutorial = Tutorial("club-evening")
    with served_hall(tmp_path, OPTIONS) as (address, link):
        page = browser.new_page()
        director = TutorialDirector(tutorial, page, address)
        director.enter(link)
        director.begin("Rehearsal 練習")
        director.describe(1, 1)
        director.paste(SIXTEEN, 16)
        director.save_seats()
        director.make_deals()
        director.simulate("1234")
        director.until("/event/tables", "text=Ready for a session >> nth=3")
        director.choose_tables(4)
        director.start_session()
        director.sit_down()
        director.until("/deal/1", "text=Verified")
        director.go("/")
        expect(page.locator(".table-kind")).to_have_text(["Simulated, for a rehearsal"] * 4)
        director.end_session()
        director.close_event()
        prove(director, browser, tmp_path, 1)
