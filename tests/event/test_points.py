"""Points: IMP and rank points of one comparison, deal by deal."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.support.event.example import player_results, team_results
from twinwall.event.comparison import Comparison, compare
from twinwall.event.points import Points, ranked
from twinwall.event.results import EntrantKind
from twinwall.event.scale import provisional_scale


@pytest.fixture
def comparison() -> Comparison:
    return compare(team_results(), EntrantKind.TEAM, provisional_scale(), zero_sum=False)


@pytest.mark.parametrize("points", Points)
def test_what_deals_brought_adds_up_to_the_ranking(comparison: Comparison, points: Points) -> None:
    for group in ranked(comparison, points):
        totals = dict.fromkeys((standing.entrant for standing in group.ranking), Fraction(0))
        for _, gains in group.deals:
            for gain in gains:
                totals[gain.entrant] += gain.points
        assert totals == {standing.entrant: standing.total for standing in group.ranking}


def test_a_swing_is_the_imp_themselves_or_what_lies_above_the_mean_of_rank_points(comparison: Comparison) -> None:
    for group in ranked(comparison, Points.IMP):
        assert all(gain.swing == gain.points for _, gains in group.deals for gain in gains)
    for group in ranked(comparison, Points.RANK):
        for _, gains in group.deals:
            assert sum(gain.swing for gain in gains) == 0
            assert {gain.points - gain.swing for gain in gains} == {Fraction(5, 2)}


@pytest.mark.parametrize("points", [Points.IMP, Points.CROSS])
def test_penalties_are_taken_off_and_told(points: Points) -> None:
    results, scale = player_results(), provisional_scale()
    fined = [replace(result, penalty=4) if result.entrant == "2W" else result for result in results]
    groups = (ranked(compare(of, EntrantKind.INDIVIDUAL, scale, zero_sum=True), points)[0] for of in (results, fined))
    before, after = ({gain.entrant: gain for gain in group.deals[0][1]} for group in groups)
    assert after == {**before, "2W": replace(before["2W"], points=before["2W"].points - 4, swing=before["2W"].points - 4, penalty=4)}


def test_who_is_unranked_is_compared_and_stands_in_no_ranking(comparison: Comparison) -> None:
    whole, without = (ranked(comparison, Points.IMP, unranked=unranked)[0] for unranked in ((), ("B",)))
    assert without.deals == whole.deals
    assert [(each.entrant, each.total) for each in without.ranking] == [
        (each.entrant, each.total) for each in whole.ranking if each.entrant != "B"
    ]
