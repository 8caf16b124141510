"""Rank points instead of IMP, on the worked example of Aono's "Duplicate-format mahjong"."""

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
from tests.support.event.example import csv_lines, player_results, team_results
from tests.support.tiers import law
from twinwall.event.comparison import compare
from twinwall.event.rank_points import PointsGroup, rank_points
from twinwall.event.results import Basis, DealResult, EntrantKind
from twinwall.event.scale import provisional_scale


def points(results: Sequence[DealResult], kind: EntrantKind) -> PointsGroup:
    return rank_points(compare(results, kind, provisional_scale(), zero_sum=False))[0]


def of_seat(group: PointsGroup, seat: str) -> list[str]:
    """The points of a seat at tables 1, 2, 3 …"""
    return [str(placed.points) for placed in group.deals[0].entries if placed.entry.entrant.endswith(seat)]


def test_four_teams_earn_4_3_2_1_by_their_sums() -> None:
    """The sums are +107, −33, −1 and −73."""
    ranking = points(team_results(), EntrantKind.TEAM).ranking
    assert [(standing.entrant, str(standing.total), standing.rank) for standing in ranking] == [
        ("A", "4", 1),
        ("C", "3", 2),
        ("B", "2", 3),
        ("D", "1", 4),
    ]


def test_players_of_a_seat_who_are_level_share_the_points_of_their_places() -> None:
    group = points(player_results(), EntrantKind.INDIVIDUAL)
    assert of_seat(group, "E") == ["4", "5/2", "1", "5/2"]
    assert of_seat(group, "S") == ["1", "7/2", "2", "7/2"]


def test_a_result_left_out_earns_the_mean_and_the_others_are_ranked_without_it() -> None:
    results = [replace(result, basis=Basis.AVERAGE) if result.table == "1" else result for result in player_results()]
    assert of_seat(points(results, EntrantKind.INDIVIDUAL), "E") == ["5/2", "3", "3/2", "3"]


@law
@given(st.lists(st.lists(st.integers(-400, 400), min_size=4, max_size=4), min_size=4, max_size=4))
def test_a_deal_gives_the_same_points_in_all_and_none_above_4_or_below_1(scores: list[list[int]]) -> None:
    for kind, results, entries in (
        (EntrantKind.TEAM, team_results(scores=scores), 4),
        (EntrantKind.INDIVIDUAL, player_results(scores=scores), 16),
    ):
        earned = [placed.points for placed in points(results, kind).deals[0].entries]
        assert sum(earned) == Fraction(5, 2) * entries
        assert all(1 <= each <= 4 for each in earned)


def test_points_of_several_deals_are_added() -> None:
    group = points([*team_results(1), *team_results(2, scores=[[0, 0, 0, 0]] * 4)], EntrantKind.TEAM)
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
