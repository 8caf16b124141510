"""Forecast: the slowest table decides, and only released hands count."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.projections.forecast import LEAST_CYCLES, TablePace, forecast
from tests.support.wire.streams import START

HANDS = 16
CYCLES = (400.0, 420.0, 440.0)


def pace(table: str, hand: int, gone_s: float | None = 0.0) -> TablePace:
    return TablePace(table, hand, None if gone_s is None else START - timedelta(seconds=gone_s))


def test_nothing_is_forecast_from_too_few_hands_or_when_nothing_is_left() -> None:
    assert forecast([pace("1", 2)], CYCLES[: LEAST_CYCLES - 1], HANDS, START) is None
    assert forecast([pace("1", HANDS + 1, None)], CYCLES, HANDS, START) is None


def test_the_end_is_that_of_the_slowest_table_and_what_it_costs_is_said() -> None:
    found = forecast([pace("1", 4, 200), pace("3", 3, 350), pace("2", 4, 130)], CYCLES, HANDS, START)
    assert found is not None
    assert found.slowest == "3"
    assert found.end == START + timedelta(seconds=70 + 13 * 420)
    assert found.costs_s == pytest.approx((70 + 13 * 420) - (290 + 12 * 420))
    assert found.earliest < found.end < found.latest


def test_a_hand_that_takes_longer_than_usual_moves_the_end() -> None:
    ends = [forecast([pace("1", 16, gone_s)], CYCLES, HANDS, START + timedelta(seconds=0)) for gone_s in (0, 600)]
    assert [found.end - START for found in ends if found is not None] == [timedelta(seconds=420), timedelta(seconds=42)]


@given(st.lists(st.floats(60, 1200), min_size=LEAST_CYCLES, max_size=40), st.integers(1, HANDS), st.floats(0, 2000))
def test_the_end_lies_within_its_range_and_never_in_the_past(cycles: list[float], hand: int, gone_s: float) -> None:
    found = forecast([pace("1", hand, gone_s)], cycles, HANDS, START)
    assert found is not None
    assert START <= found.earliest <= found.end <= found.latest
