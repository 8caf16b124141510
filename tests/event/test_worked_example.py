"""The worked example whole: the records of four tables, replayed, compared and turned into IMP."""

from __future__ import annotations

from fractions import Fraction

from tests.support.event.example import TEAMS
from tests.support.game.worked_example import SCORES, record_of
from twinwall.event.comparison import TeamEntry, compare
from twinwall.event.movements.teams import team_tables
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.scale import provisional_scale
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS


def test_the_records_of_four_tables_replay_to_the_payments_means_and_imp_of_the_paper() -> None:
    scores = {table: replay(record_of(table)).scores for table in SCORES}
    assert [[scores[table][seat] for seat in SEATS] for table in SCORES] == [
        [75, -25, -25, -25],
        [-8, 48, -32, -8],
        [-16, -8, -8, 32],
        [-8, 48, -32, -8],
    ]
    results = [
        DealResult(1, str(table.number), seat, scores[str(table.number)][seat], team)
        for table in team_tables(TEAMS)
        for seat, team in zip(SEATS, table.places, strict=True)
    ]
    (deal,) = compare(results, EntrantKind.TEAM, provisional_scale(), zero_sum=True).groups[0].deals
    assert list(deal.datum.values()) == [Fraction(43, 4), Fraction(63, 4), Fraction(-97, 4), Fraction(-9, 4)]
    entries = [entry for entry in deal.entries if isinstance(entry, TeamEntry)]
    assert [(entry.sum, entry.imp) for entry in entries] == [(107, 16), (-33, -10), (-1, 0), (-73, -14)]
