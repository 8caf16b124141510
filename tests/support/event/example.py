"""The worked example of Aono's "Duplicate-format mahjong": one deal, four tables, and the same results as a CSV file."""

from collections.abc import Sequence

from twinwall.event.movements.teams import team_tables
from twinwall.event.results import DealResult
from twinwall.game.tiles import SEATS

TEAMS = ("A", "B", "C", "D")
SCORES = ((75, -25, -25, -25), (-8, 48, -32, -8), (-16, -8, -8, 32), (-8, 48, -32, -8))
"""Tables 1 to 4, seats E S W N: a self-draw, South off West twice, North off East between them."""


def team_results(deal: int = 1, scores: Sequence[Sequence[int]] = SCORES, group: str = "1") -> list[DealResult]:
    """Four teams in the Latin square, named by their seats at table 1: A in the East."""
    return [
        DealResult(deal, str(table.number), seat, score, team, group)
        for table, of_table in zip(team_tables(TEAMS), scores, strict=True)
        for seat, score, team in zip(SEATS, of_table, table.places, strict=True)
    ]


def player_results(deal: int = 1, scores: Sequence[Sequence[int]] = SCORES) -> list[DealResult]:
    """A player of each seat of each table, named by both: ``2W`` at table 2 in the West."""
    return [
        DealResult(deal, str(table), seat, score, f"{table}{seat.value}")
        for table, of_table in enumerate(scores, 1)
        for seat, score in zip(SEATS, of_table, strict=True)
    ]


def csv_lines(results: Sequence[DealResult], entrant: str = "team") -> list[str]:
    """The header and a line for each result."""
    lines = [f"{result.deal},{result.table},{result.seat.value},{result.score},{result.entrant}" for result in results]
    return [f"deal,table,seat,score,{entrant}", *lines]
