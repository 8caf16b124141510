"""docs/tutorial/championship.md, done as it says: sixteen teams at sixteen tables in three sessions, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cli.demo.people import person_name, team_name
from tests.support.demo.tutorials import Tutorial, TutorialDirector, served_hall

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(5400)]
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
