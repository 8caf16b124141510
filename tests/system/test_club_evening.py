"""docs/tutorial/club-evening.md, done as it says: a real browser, a real hall, simulated tables; statement 1 of the acceptance counts
the clicks."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.dashboard.setup import SIXTEEN
from tests.support.demo.tutorials import Tutorial, TutorialDirector, served_hall

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]
MOST_CLICKS = 12


def test_statement_1_a_club_evening_is_set_up_played_and_read_in_the_browser_alone(browser: Browser, tmp_path: Path) -> None:
    tutorial = Tutorial("club-evening")
    with served_hall(tmp_path, tutorial.hall_options) as (address, link):
        page = browser.new_page()
        director = TutorialDirector(tutorial, page, address)
        director.enter(link)
        director.begin("Club evening 例会")
        director.describe(2, 1)
        director.paste(SIXTEEN, 16)
        director.save_seats()
        director.make_deals()
        director.choose_tables(4)
        director.start_session()
        assert director.clicks <= MOST_CLICKS
        _play(director, deal=1)
        director.go("/seats")
        assert page.locator("table.seat-list a").count() == 16
        page.locator("table.seat-list a").first.click()
        expect(page.locator("main")).to_contain_text("Rank")
        director.end_session()

        director.save_seats()
        director.start_session()
        _play(director, deal=2)
        director.correct_the_first_hand("A tile lay on the floor.")
        director.end_session()
        director.print("/print/seating/2.pdf", "/print/tables.pdf", "/print/standings.pdf")
        director.close_event()
        page.close()


def _play(director: TutorialDirector, deal: int) -> None:
    """Everybody sits down, and the hand is played at all tables."""
    director.sit_down()
    director.until(f"/deal/{deal}", "text=Verified")
