"""Ranking of a demo's teams in IMP: the comparison of ``twinwall.event`` over the hand reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cli.demo.people import DemoGroup
from cli.demo.report import HandReport
from twinwall.event.comparison import compare
from twinwall.event.movements.teams import team_tables
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.scale import provisional_scale
from twinwall.game.session import seat_at


def ranking(groups: Sequence[DemoGroup], hands: Mapping[str, Sequence[HandReport]], zero_sum: bool) -> list[dict[str, object]]:
    """Team, IMP and rank, group after group, by the provisional scale; nothing for tables that no team plays at.

    Args:
        groups: as ``people.seat_people`` gives them.
        hands: the reports of each table, by its name.
        zero_sum: whether the scores of a hand must sum to zero, as the rules say.
    """
    results = [result for number, group in enumerate(groups, 1) if group.teams for result in _results(str(number), group, hands)]
    if not results:
        return []
    comparison = compare(results, EntrantKind.TEAM, provisional_scale(), zero_sum)
    return [
        {"team": standing.entrant, "imp": int(standing.total), "rank": standing.rank}
        for group in comparison.groups
        for standing in group.ranking
    ]


def _results(name: str, group: DemoGroup, hands: Mapping[str, Sequence[HandReport]]) -> Iterable[DealResult]:
    for table, seated in zip(group.tables, team_tables(group.teams), strict=True):
        for report in hands[table.name]:
            for place, team in enumerate(seated.places):
                seat = seat_at(place, report.hand)
                yield DealResult(report.hand, table.name, seat, report.scores[seat.value], team, name)
