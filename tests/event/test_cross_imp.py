"""Cross-IMP: the mean of a result's IMP against every other result of the field."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.event.example import SCORES, player_results, team_results
from tests.support.tiers import law
from twinwall.event.comparison import compare
from twinwall.event.points import Gain, Points, ranked
from twinwall.event.results import Basis, DealResult, EntrantKind
from twinwall.event.scale import provisional_scale
from twinwall.game.tiles import SEATS, Seat

IMP = provisional_scale().imp
TABLE = st.tuples(*[st.integers(-400, 400)] * 3).map(lambda scores: (*scores, -sum(scores)))
TABLES = st.lists(TABLE, min_size=4, max_size=4)


def gains(results: Sequence[DealResult], kind: EntrantKind) -> list[Gain]:
    compared = compare(results, kind, provisional_scale(), zero_sum=False)
    return [gain for group in ranked(compared, Points.CROSS) for _, of_deal in group.deals for gain in of_deal]


def in_group(results: Sequence[DealResult], group: str) -> list[DealResult]:
    return [
        DealResult(result.deal, group + result.table, result.seat, result.score, group + result.entrant, group, result.basis)
        for result in results
    ]


def test_a_player_is_compared_with_each_other_table_of_the_field_and_not_with_a_mean() -> None:
    east = {gain.entrant: gain.points for gain in gains(player_results(), EntrantKind.INDIVIDUAL) if gain.seat is Seat.EAST}
    assert east["1E"] == Fraction(IMP(Fraction(83)) + IMP(Fraction(91)) + IMP(Fraction(83)), 3)
    assert east["2E"] == Fraction(IMP(Fraction(-83)) + IMP(Fraction(8)), 3)


def test_a_team_is_compared_with_every_other_team_by_its_sum() -> None:
    sums = {"A": 107, "B": -33, "C": -1, "D": -73}
    for gain in gains(team_results(), EntrantKind.TEAM):
        others = [other for team, other in sums.items() if team != gain.entrant]
        assert gain.points == Fraction(sum(IMP(Fraction(sums[gain.entrant] - other)) for other in others), 3)


@law
@given(first=TABLES, second=TABLES)
def test_the_field_is_all_groups_and_its_cross_imp_sum_to_zero(first: list[tuple[int, ...]], second: list[tuple[int, ...]]) -> None:
    field = in_group(player_results(scores=first), "x") + in_group(player_results(scores=second), "y")
    for seat in SEATS:
        scores = {result.entrant: result.score for result in field if result.seat is seat}
        won = {gain.entrant: gain.points for gain in gains(field, EntrantKind.INDIVIDUAL) if gain.seat is seat}
        assert won == {
            own: Fraction(sum(IMP(Fraction(scores[own] - scores[other])) for other in scores if other != own), len(scores) - 1)
            for own in scores
        }
        assert sum(won.values()) == 0
    teams = in_group(team_results(scores=first), "x") + in_group(team_results(scores=second), "y")
    assert sum(gain.points for gain in gains(teams, EntrantKind.TEAM)) == 0


@pytest.mark.parametrize("kind", EntrantKind)
def test_a_table_that_a_referee_left_out_is_compared_with_nothing(kind: EntrantKind) -> None:
    results = team_results() if kind is EntrantKind.TEAM else player_results()
    fouled = [
        DealResult(result.deal, result.table, result.seat, 99, result.entrant, basis=Basis.AVERAGE) if result.table == "3" else result
        for result in results
    ]
    found = {gain.entrant: gain.points for gain in gains(fouled, kind)}
    assert sum(found.values()) == 0
    if kind is EntrantKind.INDIVIDUAL:
        assert [found[f"3{seat.value}"] for seat in SEATS] == [0, 0, 0, 0]
        others = [scores[0] for number, scores in enumerate(SCORES, 1) if number not in (1, 3)]
        assert found["1E"] == Fraction(sum(IMP(Fraction(75 - other)) for other in others), 2)
