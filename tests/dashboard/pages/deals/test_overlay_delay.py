"""The overlay's delay by minutes: a broadcast shows a deal so long after its release, and an earlier one until then."""

from __future__ import annotations

import pytest

from tests.dashboard.pages.deals.test_deal_page import TABLES, hall_of
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import Hall

MINUTE_S = 60


@pytest.fixture
def hall() -> Hall:
    """Deal 1 was released at once, deal 2 ten minutes later, and a minute has gone since."""
    hall = hall_of(MemoryDesk(teams_of_four()))
    for table in TABLES:
        hall.feed([*closed_hand(table), *closed_hand(table, 2)], table)
    hall.release(1)
    hall.seconds = 10 * MINUTE_S
    hall.release(2)
    hall.seconds = 11 * MINUTE_S
    return hall


@pytest.mark.parametrize(("asked", "deal"), [("", 2), ("?minutes=1", 2), ("?minutes=2", 1), ("?minutes=1.5", 1), ("?minutes=11", 1)])
def test_a_deal_is_shown_so_many_minutes_after_its_release(hall: Hall, asked: str, deal: int) -> None:
    answer = hall.ask(f"/overlay/1.json{asked}")
    assert answer.json is not None
    assert answer.json["n"] == deal
    assert f'data-deal="{deal}"' in hall.client.get(f"/overlay/1{asked}").text


def test_without_a_delay_a_released_deal_is_shown_though_the_server_s_clock_was_set_back(hall: Hall) -> None:
    hall.seconds = -5 * MINUTE_S
    answer = hall.ask("/overlay/1.json")
    assert answer.json is not None
    assert answer.json["n"] == 2
    assert hall.ask("/overlay/1.json?minutes=0").status_code == 200


def test_before_its_minutes_are_over_a_deal_is_on_no_overlay(hall: Hall) -> None:
    assert hall.ask("/overlay/1.json?minutes=12").status_code == 404


def test_the_page_looks_for_the_next_deal_with_the_same_delay(hall: Hall) -> None:
    assert 'data-feed="/overlay/1.json?minutes=2"' in hall.client.get("/overlay/1?minutes=2").text


@pytest.mark.parametrize("minutes", ["soon", "-1", "nan", "1e9"])
def test_a_delay_that_is_none_is_refused_in_a_sentence(hall: Hall, minutes: str) -> None:
    answer = hall.ask(f"/overlay/1.json?minutes={minutes}")
    assert answer.status_code == 400
    assert "minutes" in answer.text
