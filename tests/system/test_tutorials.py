"""The tutorials of a club evening and a championship, done as they say: a real browser, a real hall, simulated tables."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cli.demo.people import person_name, team_name
from tests.support.dashboard.setup import SIXTEEN
from tests.support.demo.tutorials import Tutorial, TutorialDirector, served_hall

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(5400)]


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


TABLES, SESSIONS = 16, 3
ENTRANTS = ["name,team", *(f"{person_name(index)},{team_name(index // 4)}" for index in range(4 * TABLES))]


def test_a_championship_is_set_up_played_and_closed_as_its_tutorial_says(browser: Browser, tmp_path: Path) -> None:
    tutorial = Tutorial("championship")
    with served_hall(tmp_path, tutorial.hall_options) as (address, link):
        page = browser.new_page()
        director = TutorialDirector(tutorial, page, address)
        director.enter(link)
        director.begin("Championship")
        page.get_by_label("Teams of four").check()
        page.get_by_label("By the standing before each session").check()
        page.get_by_label("Wait until the four players have said who they are").uncheck()
        director.describe(SESSIONS, 1)
        director.paste(ENTRANTS, 4 * TABLES)
        for session in range(1, SESSIONS + 1):
            director.save_seats()
            if session == 1:
                director.make_deals()
                director.choose_tables(TABLES)
            director.start_session()
            director.until(f"/deal/{session}", "text=Verified")
            director.end_session()
        director.go("/standings")
        expect(page.locator("table.whole tbody tr")).to_have_count(TABLES)
        director.correct_the_first_hand("A tile lay on the floor.")
        director.print("/print/seating/3.pdf", "/print/standings.pdf")
        director.close_event()
        page.close()
