"""Comparison of a large hall: 1,000 tables of 16 hands, and a correction of the first hand.

The ledgers hold only the three lines a hand that say who sat where and what was scored; lines of play change no result. The garbage
collector is set as in the served dashboard. Times are processor seconds of one thread, for players in groups of four tables and for teams:
reading the lines and folding them into hands; comparing all deals up to the standings; and, after a ruling about the released hand 1, until
standings and corrections are there, and until the group's page is served.
"""

import random
from collections.abc import Iterator, Sequence

from benchmarks.support.measuring import drawn_scores, timed
from dashboard.serving import collect_seldom
from tests.support.dashboard.desks import MemoryDesk, released
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.event.sessions import Play, hand_lines, left_out
from tests.support.wire.streams import Line, ledger_lines
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.wire.ledger import parse

TABLES = 1000
HANDS = 16


def measure() -> dict[str, object]:
    """Measure both kinds of event."""
    collect_seldom()
    return {"tables": TABLES, "hands": HANDS, **{kind.value: _measured(kind) for kind in EntrantKind}}


def _measured(kind: EntrantKind) -> dict[str, float]:
    names = [str(number) for number in range(1, TABLES + 1)]
    teams = [f"team {number}" for number in range(1, TABLES + 1)] if kind is EntrantKind.TEAM else ()
    ledgers = {table: ledger_lines(script, table) for table, script in zip(names, _scripts(names, random.Random(1)), strict=True)}
    hall = Hall(desk=MemoryDesk(field_of(kind, names, teams)), settings=OPEN)
    results = hall.desk.hall
    figures: dict[str, float] = {}

    def read() -> None:
        for lines in ledgers.values():
            for line in lines[: 3 * HANDS]:
                results.take(parse(line))

    figures["read_lines_s"] = timed(read)[0]
    for n in range(1, HANDS + 1):
        results.release(released(n))
    figures["compare_s"], standings = timed(results.standings)
    ruling = parse(ledgers["1"][3 * HANDS])

    def correct() -> int:
        results.take(ruling)
        results.standings()
        return len(results.corrections())

    figures["correct_s"], corrections = timed(correct)
    if corrections != 1 or not standings.groups:
        raise RuntimeError(f"the ruling about hand 1 made {corrections} corrections instead of 1")
    hall.views.release(1)
    figures["page_after_correction_s"], size = timed(lambda: len(hall.client.get("/standings?session=1&group=1").data))
    return {name: round(seconds, 3) for name, seconds in figures.items()} | {"page_bytes": size}


def _scripts(tables: Sequence[str], chance: random.Random) -> Iterator[list[Line]]:
    """Yield each table's hands with random payments; the last line is a ruling about the first hand."""
    for table in tables:
        players = [f"{table}-{place}" for place in range(4)]
        script: list[Line] = []
        for n in range(1, HANDS + 1):
            script += hand_lines(Play(n, 1, n, table, players, drawn_scores(chance)))
        yield [*script, left_out("r1", 1)]
