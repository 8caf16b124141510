"""How long a session takes to compare: ``.venv/bin/python -m benchmarks.compare [--hands 16] [--repeats 100] [--seed 1]``.

Four tables of random payments, once as teams and once as players: reading and checking the CSV file,
then comparing and writing the document. One JSON object on standard output, in milliseconds of processor time; docs quote it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from twinwall.event.comparison import compare
from twinwall.event.movement import individual_sessions, team_tables
from twinwall.event.results import Kind, Result
from twinwall.event.results_csv import read_results
from twinwall.event.scale import provisional_scale
from twinwall.game.session import place_of
from twinwall.game.tiles import SEATS

COLUMN = {Kind.TEAM: "team", Kind.INDIVIDUAL: "player"}


def payments(chance: random.Random) -> list[int]:
    """What four seats get for a win or a drawn hand of duplicate MCR."""
    fan, winner, payer = chance.choice((8, 8, 9, 12, 17, 24, 32, 88)), chance.randrange(4), chance.randrange(5)
    if payer == 4:
        return [0, 0, 0, 0]
    if payer == winner:
        return [3 * (8 + fan) if seat == winner else -(8 + fan) for seat in range(4)]
    return [24 + fan if seat == winner else -(8 + fan) if seat == payer else -8 for seat in range(4)]


def session(kind: Kind, hands: int, chance: random.Random) -> list[Result]:
    """Results of a session of four tables."""
    players = [f"player {number}" for number in range(16)]
    tables = team_tables(["North", "South", "East", "West"]) if kind is Kind.TEAM else individual_sessions(players)[0].tables
    return [
        Result(hand, str(table.number), seat, score, table.places[place_of(seat, hand)])
        for hand in range(1, hands + 1)
        for table in tables
        for seat, score in zip(SEATS, payments(chance), strict=True)
    ]


def as_csv(results: Sequence[Result], column: str) -> bytes:
    """The file that ``twinwall compare`` reads."""
    lines = [f"{result.deal},{result.table},{result.seat.value},{result.score},{result.entrant}" for result in results]
    return "\n".join([f"deal,table,seat,score,{column}", *lines]).encode()


def timed(work: Callable[[], object], repeats: int) -> dict[str, float]:
    """Median and worst of some repeats."""
    times_ms = []
    for _ in range(repeats):
        began_ns = time.process_time_ns()
        work()
        times_ms.append((time.process_time_ns() - began_ns) / 1e6)
    return {"median_ms": round(statistics.median(times_ms), 2), "max_ms": round(max(times_ms), 2)}


def measure(kind: Kind, hands: int, repeats: int, chance: random.Random) -> dict[str, dict[str, float]]:
    """Reading a session's file, and comparing what it holds up to the finished document."""
    scale, results = provisional_scale(), session(kind, hands, chance)
    content = as_csv(results, COLUMN[kind])
    return {
        "read": timed(lambda: read_results(content, kind, zero_sum=True), repeats),
        "compare": timed(lambda: json.dumps(compare(results, kind, scale, zero_sum=True).to_json()), repeats),
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time to compare a session of four tables, as JSON.")
    parser.add_argument("--hands", type=int, default=16, choices=range(1, 17), metavar="1…16")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    figures: dict[str, object] = {"hands": options.hands, "tables": 4, "repeats": options.repeats}
    for kind in Kind:
        figures[kind.value] = measure(kind, options.hands, options.repeats, random.Random(options.seed))
    json.dump(figures, sys.stdout, indent=2)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
