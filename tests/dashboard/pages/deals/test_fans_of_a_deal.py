"""The fans of a released deal on its page and on its print: a line for each winner; its charts, and its overlay."""

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.i18n.words import Words
from dashboard.pages.deals.charts import RADIUS, seat_chart
from tests.dashboard.pages.deals.test_deal_page import TABLES, hall_of
from tests.support.dashboard import printed
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.tables.tables_in_play import hand_closed, hand_entered, text_of
from tests.support.game.random_hands import seigo
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.tiles import SEATS, Seat

DEALS: dict[str, tuple[Callable[[], list[Line]], list[str]]] = {
    "one winner": (
        lambda: closed_hand("3"),
        ["Mixed shifted chows 三色三步高 6 · Pung of terminals or honors 幺九刻 1 · Melded kong 明杠 1"],
    ),
    "seigo, two winners": (
        lambda: hand_closed(hand_entered(seigo(97))),
        [
            "West: Riichi 立直 1 · Identical runs 一盃口 1 · Ura dora 裏ドラ 1, 3 fan",
            "North: Riichi 立直 1 · Seat wind 役牌 自風 1 · Three concealed triplets 三暗刻 2 · Ura dora 裏ドラ ×2 2, 6 fan",
        ],
    ),
}


def released(script: list[Line]) -> Hall:
    """A hall whose one table has closed a deal, which is released; the director is inside."""
    hall = Hall()
    hall.log_in()
    hall.feed(script)
    hall.release()
    return hall


def fan_lines(page: str) -> list[str]:
    return [text_of(line) for line in re.findall(r'<p class="fan-line">(.*?)</p>', page, re.DOTALL)]


@pytest.mark.parametrize("name", DEALS)
def test_the_page_of_a_deal_lists_the_fans_of_each_winner(name: str) -> None:
    script, expected = DEALS[name]
    assert fan_lines(released(script()).client.get("/deal/1").text) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_names_its_winner_in_the_language_of_the_page(language: Language) -> None:
    words = Words(language)
    lines = fan_lines(released(DEALS["seigo, two winners"][0]()).client.get(f"/deal/1?lang={language}").text)
    assert [line.startswith(words(f"seat.{seat}")) for line, seat in zip(lines, "WN", strict=True)] == [True, True]


@pytest.mark.nightly
def test_the_print_of_a_deal_lists_the_fans_of_each_winner() -> None:
    script, expected = DEALS["seigo, two winners"]
    text = printed.text_of(released(script()).client.get("/print/deal/1.pdf").data)
    for line in expected:
        assert re.sub(r"\s", "", line) in re.sub(r"\s", "", text), text


tables = st.dictionaries(
    st.integers(1, 99).map(str), st.fixed_dictionaries({seat: st.integers(-99, 99) for seat in SEATS}), min_size=1, max_size=16
)


@given(tables)
def test_dots_of_a_seat_cover_neither_each_other_nor_those_of_another_seat(scores: dict[str, dict[Seat, int]]) -> None:
    chart = seat_chart(scores, dict.fromkeys(SEATS, Fraction(0)))
    dots = [dot[:2] for lane in chart.lanes for dot in lane.dots]
    assert len(dots) == 4 * len(scores)
    assert all(RADIUS <= y <= chart.height - RADIUS for _, y in dots)
    for (x, y), (other_x, other_y) in combinations(dots, 2):
        assert abs(x - other_x) >= 2 * RADIUS - 0.2 or abs(y - other_y) >= 2 * RADIUS - 0.2


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
