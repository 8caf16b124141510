"""The page of trust: what was promised, what is proved of each released deal, what is not, and the files to check it with."""

from dataclasses import replace

import pytest

from dashboard.verify_page.page import page
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import building, closed_hand, play
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.tables.tables_in_play import words_of
from tests.support.event.stored_event import PLAN, STARTED
from twinwall.wire.messages.boot_keys import SettledKeys


@pytest.fixture
def hall() -> Hall:
    """Deal 1 is released; deal 2 is played."""
    hall = Hall(settings=OPEN, desk=MemoryDesk(teams_of_four()))
    for table in "1234":
        hall.feed([*closed_hand(table), *building(2), *play("E2p", 2)], table)
    hall.release()
    return hall


def test_a_released_deal_is_listed_with_its_slip_and_the_tables_that_had_it(hall: Hall) -> None:
    page = hall.client.get("/trust").text
    assert '<a href="/deal/1/slip.json" download>slip-0001.json</a>' in page
    assert "this very deal at tables 1, 2, 3, 4" in words_of(page)
    assert "/deal/2/slip.json" not in page


def test_a_rehearsal_says_that_nothing_was_fixed_and_nothing_is_signed(hall: Hall) -> None:
    page = words_of(hall.client.get("/trust").text)
    assert "nothing is fixed before" in page
    assert "Nothing is signed here" in page


def test_an_event_shows_its_start_code_who_signs_and_how_many_deals_are_sealed() -> None:
    settings = replace(OPEN, vault_keys={"club": "ab" * 32}, keys=SettledKeys({}))
    hall = Hall(settings=settings)
    hall.desk.hall.programme = replace(hall.desk.hall.programme, event=PLAN.event, custody=STARTED)
    page = words_of(hall.client.get("/trust").text)
    assert STARTED.start.words in page
    assert STARTED.start.root.hex() in page
    assert f"{len(PLAN.deals)} deals are not released yet" in page
    assert "Key of the vault of club" in page
    assert "ab" * 32 in page


def test_the_verify_page_is_handed_out_as_a_file(hall: Hall) -> None:
    answer = hall.client.get("/verify.html")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="verify.html"'
    assert answer.text == page()
