"""Chart of the scores at each seat: no dot covers another, and no lane the one above it."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dashboard.pages.deals.charts import RADIUS, seat_chart
from twinwall.game.tiles import SEATS, Seat

tables = st.dictionaries(
    st.integers(1, 99).map(str), st.fixed_dictionaries({seat: st.integers(-99, 99) for seat in SEATS}), min_size=1, max_size=16
)


@given(tables)
def test_dots_of_a_seat_cover_neither_each_other_nor_those_of_another_seat(scores: dict[str, dict[Seat, int]]) -> None:
    chart = seat_chart(scores, dict.fromkeys(SEATS, Fraction(0)))
    dots = [dot for lane in chart.lanes for dot in lane.dots]
    assert len(dots) == 4 * len(scores)
    for index, one in enumerate(dots):
        assert RADIUS <= one.y <= chart.height - RADIUS
        for other in dots[index + 1 :]:
            assert abs(one.x - other.x) >= 2 * RADIUS - 0.2 or abs(one.y - other.y) >= 2 * RADIUS - 0.2, (one, other)
