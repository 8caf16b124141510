"""Points of one comparison, deal by deal: IMP, rank points, and cross-IMP against every other result of the field."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import main
from tests.support.event.example import SCORES, csv_lines, player_results, team_results
from tests.support.tiers import law
from twinwall.event.comparison import Comparison, compare
from twinwall.event.points import Gain, Points, ranked
from twinwall.event.rank_points import PointsGroup, rank_points
from twinwall.event.results import Basis, DealResult, EntrantKind
from twinwall.event.scale import provisional_scale
from twinwall.game.tiles import SEATS, Seat


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


def rank_group(results: Sequence[DealResult], kind: EntrantKind) -> PointsGroup:
    return rank_points(compare(results, kind, provisional_scale(), zero_sum=False))[0]


def of_seat(group: PointsGroup, seat: str) -> list[str]:
    """The points of a seat at tables 1, 2, 3 …"""
    return [str(points) for entry, points in group.deals[0][1] if entry.entrant.endswith(seat)]


def test_four_teams_earn_4_3_2_1_by_their_sums() -> None:
    """The sums are +107, −33, −1 and −73."""
    ranking = rank_group(team_results(), EntrantKind.TEAM).ranking
    assert [(standing.entrant, str(standing.total), standing.rank) for standing in ranking] == [
        ("A", "4", 1),
        ("C", "3", 2),
        ("B", "2", 3),
        ("D", "1", 4),
    ]


def test_players_of_a_seat_who_are_level_share_the_points_of_their_places() -> None:
    group = rank_group(player_results(), EntrantKind.INDIVIDUAL)
    assert of_seat(group, "E") == ["4", "5/2", "1", "5/2"]
    assert of_seat(group, "S") == ["1", "7/2", "2", "7/2"]


def test_a_result_left_out_earns_the_mean_and_the_others_are_ranked_without_it() -> None:
    results = [replace(result, basis=Basis.AVERAGE) if result.table == "1" else result for result in player_results()]
    assert of_seat(rank_group(results, EntrantKind.INDIVIDUAL), "E") == ["5/2", "3", "3/2", "3"]


@law
@given(st.lists(st.lists(st.integers(-400, 400), min_size=4, max_size=4), min_size=4, max_size=4))
def test_a_deal_gives_the_same_points_in_all_and_none_above_4_or_below_1(scores: list[list[int]]) -> None:
    for kind, results, entries in (
        (EntrantKind.TEAM, team_results(scores=scores), 4),
        (EntrantKind.INDIVIDUAL, player_results(scores=scores), 16),
    ):
        earned = [points for _, points in rank_group(results, kind).deals[0][1]]
        assert sum(earned) == Fraction(5, 2) * entries
        assert all(1 <= each <= 4 for each in earned)


def test_points_of_several_deals_are_added() -> None:
    group = rank_group([*team_results(1), *team_results(2, scores=[[0, 0, 0, 0]] * 4)], EntrantKind.TEAM)
    assert [standing.total for standing in group.ranking] == [Fraction(13, 2), Fraction(11, 2), Fraction(9, 2), Fraction(7, 2)]


@pytest.mark.parametrize("words", [["--points", "rank"], ["--points", "rank", "--json"]])
def test_the_command_ranks_by_them(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.csv"
    path.write_text("\n".join(csv_lines(player_results(), "player")))
    assert main(["compare", str(path), "--individual", *words]) == 0
    out = capsys.readouterr().out
    if "--json" in words:
        document = json.loads(out)
        assert document["points"] == "rank"
        assert document["groups"][0]["deals"][0]["entries"][4] == {"entrant": "2E", "table": "2", "seat": "E", "score": -8, "points": "5/2"}
        assert document["groups"][0]["ranking"][0] == {"entrant": "1E", "points": "4", "rank": 1}
    else:
        assert "table 2 E    -8  points  2.5  2E" in out
        assert "IMP" not in out


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
