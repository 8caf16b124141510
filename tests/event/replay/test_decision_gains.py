"""Decision gains against brute force: tables are compared by the beginnings of what a seat did."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.event.replay.test_parting import PLAYS, records_of
from tests.support.game.worked_example import E, record_of
from twinwall.event.replay.decision_gains import decision_gains
from twinwall.event.replay.parting import partings


def mean(values: list[int]) -> Fraction:
    return Fraction(sum(values), len(values))


def brute_force(plays: list[list[str]], scores: list[int], table: int) -> Fraction:
    """The largest gain or loss over all beginnings of a table's play, the earliest among equals."""
    best, mine = Fraction(0), tuple(plays[table])
    for length in range(len(mine)):
        together = [at for at, play in enumerate(plays) if tuple(play[:length]) == mine[:length]]
        same = [scores[at] for at in together if plays[at][length : length + 1] == [mine[length]]]
        otherwise = [scores[at] for at in together if plays[at][length : length + 1] != [mine[length]]]
        if otherwise and abs(mean(same) - mean(otherwise)) > abs(best):
            best = mean(same) - mean(otherwise)
    return best


@given(PLAYS, st.lists(st.integers(-50, 50), min_size=5, max_size=5))
def test_a_tables_gain_is_that_of_comparing_all_beginnings(plays: list[list[str]], scores: list[int]) -> None:
    by_table = {str(number): {E: score} for number, score in enumerate(scores[: len(plays)], 1)}
    found = decision_gains(partings(records_of(plays)), by_table)
    for at in range(len(plays)):
        gains = [abs(each.gain) for each in found if str(at + 1) in each.way.tables]
        assert max(gains, default=Fraction(0)) == abs(brute_force(plays, scores, at))


def test_a_table_without_a_score_counts_on_neither_side() -> None:
    plays = [["1m"], ["2m"], ["3m"]]
    found = decision_gains(partings(records_of(plays)), {"1": {E: 8}, "2": {E: -2}})
    assert sorted((each.gain, each.others) for each in found) == [(Fraction(-10), ("1",)), (Fraction(10), ("2",))]


def test_equal_results_and_equal_decisions_are_no_decisions_that_cost() -> None:
    assert decision_gains(partings(records_of([["1m"], ["2m"]])), {"1": {E: 3}, "2": {E: 3}}) == []
    assert decision_gains(partings([record_of("1")]), {"1": record_of("1").scores}) == []
