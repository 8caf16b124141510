"""Ranking of a demo in IMP: the worked example of the field, and a demo without teams."""

from pathlib import Path

from cli.demo.people import seat_people
from cli.demo.report import HandReport, ranking

WORKED_EXAMPLE = {
    "1": {"E": 75, "S": -25, "W": -25, "N": -25},
    "2": {"E": -8, "S": 48, "W": -32, "N": -8},
    "3": {"E": -16, "S": -8, "W": -8, "N": 32},
    "4": {"E": -8, "S": 48, "W": -32, "N": -8},
}
"""Aono, "Duplicate-format mahjong", 2015: one deal at four tables."""


def report(scores: dict[str, int], hand: int = 1) -> HandReport:
    return HandReport(hand, "", scores, True, Path("record.json"), True, 0)


def test_the_worked_example_gives_each_team_its_imp() -> None:
    hands = {table: [report(scores)] for table, scores in WORKED_EXAMPLE.items()}
    ranked = ranking(seat_people(4), hands, zero_sum=True)
    assert [entry["imp"] for entry in ranked] == [16, 0, -10, -14]
    assert [entry["rank"] for entry in ranked] == [1, 2, 3, 4]


def test_the_team_moves_with_the_winds_from_hand_to_hand() -> None:
    """East of hand 2 is the person who was South of hand 1: the same scores by seat go to other teams."""
    first = ranking(seat_people(4), {table: [report(scores)] for table, scores in WORKED_EXAMPLE.items()}, zero_sum=True)
    second = ranking(seat_people(4), {table: [report(scores, 2)] for table, scores in WORKED_EXAMPLE.items()}, zero_sum=True)
    assert first[0]["imp"] == second[0]["imp"]
    assert first[0]["team"] != second[0]["team"]


def test_tables_without_teams_have_no_imp() -> None:
    assert ranking(seat_people(1), {"1": [report(WORKED_EXAMPLE["1"])]}, zero_sum=True) == []
