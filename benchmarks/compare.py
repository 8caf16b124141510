"""Time to compare a session: ``.venv/bin/python -m benchmarks.compare [--hands 16] [--repeats 100] [--seed 1] [--json]``.

Four tables with random payments, as teams and as players: reading and checking the CSV file, then comparing and writing the document. Then
the same from the tables' ledgers, with as many lines as real hands have: opening a store, comparing all hands from their events, and the
time from a deal's last line to the standings. Milliseconds of processor time.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

from benchmarks.support.measuring import run_measure
from twinwall.event.comparison import compare
from twinwall.event.field import EventField, field_of, results_of
from twinwall.event.hands import summaries
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.movements.individuals import individual_schedule
from twinwall.event.movements.teams import team_tables
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.results_csv import read_results
from twinwall.event.store.hall import Hall, Released, open_slip
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import SEED_SIZE, Commitments, Plan, Seed, Start, StartedPlan, commit, make_slip, plan_sessions
from twinwall.game.documents import canonical_json
from twinwall.game.rules import DEFAULT_RULES
from twinwall.game.tiles import SEATS, place_of
from twinwall.wire.ledger import LedgerPosition, PublicEvent, envelope, next_position, parse, project

COLUMN = {EntrantKind.TEAM: "team", EntrantKind.INDIVIDUAL: "player"}
TEAMS = ("North", "South", "East", "West")
TABLES = ("1", "2", "3", "4")
BUILDING_LINES = 34
TURNS = 70
"""Lines that building a wall, and turns that a hand, leave in a table's ledger in the demo: together about 460 lines."""
START = datetime(2026, 11, 20, 10, tzinfo=UTC)


def payments(chance: random.Random) -> list[int]:
    """Return random payments to four seats, for a win or a drawn hand of duplicate MCR."""
    fan, winner, payer = chance.choice((8, 8, 9, 12, 17, 24, 32, 88)), chance.randrange(4), chance.randrange(5)
    if payer == 4:
        return [0, 0, 0, 0]
    if payer == winner:
        return [3 * (8 + fan) if seat == winner else -(8 + fan) for seat in range(4)]
    return [24 + fan if seat == winner else -(8 + fan) if seat == payer else -8 for seat in range(4)]


def session(kind: EntrantKind, hands: int, chance: random.Random) -> list[DealResult]:
    """Return the results of a session of four tables."""
    players = [f"player {number}" for number in range(16)]
    tables = team_tables(TEAMS) if kind is EntrantKind.TEAM else individual_schedule(players, 1)[0].tables
    return [
        DealResult(hand, str(table.number), seat, score, table.places[place_of(seat, hand)])
        for hand in range(1, hands + 1)
        for table in tables
        for seat, score in zip(SEATS, payments(chance), strict=True)
    ]


def as_csv(results: Sequence[DealResult], column: str) -> bytes:
    """Return the file that ``twinwall results compare`` reads."""
    lines = [f"{result.deal},{result.table},{result.seat.value},{result.score},{result.entrant}" for result in results]
    return "\n".join([f"deal,table,seat,score,{column}", *lines]).encode()


def hand_lines(n: int, check: str, scores: Sequence[int]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the events of one hand, with its wall, as many as a real hand has."""
    by_seat = dict(zip("ESWN", scores, strict=True))
    yield "deal-opened", {"n": n, "session": 1, "hand": n, "rules": DEFAULT_RULES, "check": check}
    for placed in range(1, BUILDING_LINES + 1):
        yield "building", {"placed": placed * 136 // BUILDING_LINES, "of": 136}
    yield "wall-ready", {"n": n, "check": check}
    yield "wall-raised", {"n": n}
    yield "hands-taken", {"n": n}
    places = {seat.value: place_of(seat, n) for seat in SEATS}
    seats = {seat: f"{seat} of table" for seat in places}
    start = {"n": n, "session": 1, "hand": n, "rules": DEFAULT_RULES, "round": "E", "seats": seats, "places": places}
    yield "hand-started", {**start, "draws": dict.fromkeys(places, 21)}
    for turn in range(TURNS):
        seat = "ESWN"[turn % 4]
        yield "gate-unlocked", {"seat": seat}
        yield "tile-drawn", {"seat": seat}
        yield "tile-discarded", {"seat": seat, "tile": "1m"}
        yield "claims-opened", {"seat": seat, "tile": "1m", "window_s": 3.0}
        yield "claims-closed", {}
        yield "passed", {}
    yield "hand-ended", {"reason": "won" if any(scores) else "drawn", "scores": by_seat}
    yield "hand-closed", {"n": n}


def ledger(table: str, checks: Sequence[str], chance: random.Random) -> list[bytes]:
    """Return the ledger of a table that plays these deals."""
    lines: list[bytes] = []
    position = LedgerPosition("journal")
    for n, check in enumerate(checks, 1):
        for event_type, fields in hand_lines(n, check, payments(chance)):
            at = START + timedelta(seconds=len(lines))
            lines.append(envelope(table, position, at, event_type, project(event_type, fields) or {}))
            position = next_position(position, lines[-1])
    return lines


def timed(work: Callable[[], object], repeats: int) -> dict[str, float]:
    """Return median and worst of some repeats."""
    times_ms = []
    for _ in range(repeats):
        began_ns = time.process_time_ns()
        work()
        times_ms.append((time.process_time_ns() - began_ns) / 1e6)
    return {"median_ms": round(statistics.median(times_ms), 2), "max_ms": round(max(times_ms), 2)}


def measure_file(kind: EntrantKind, hands: int, repeats: int, chance: random.Random) -> dict[str, dict[str, float]]:
    """Measure reading a session's file, and comparing it up to the finished document."""
    scale, results = provisional_scale(), session(kind, hands, chance)
    content = as_csv(results, COLUMN[kind])
    return {
        "read": timed(lambda: read_results(content, kind, zero_sum=True), repeats),
        "compare": timed(lambda: json.dumps(compare(results, kind, scale, zero_sum=True).to_json()), repeats),
    }


def measure_ledgers(hands: int, repeats: int, chance: random.Random) -> dict[str, object]:
    """Measure the same session from ledgers: opening a store, comparing events, and from a last line to the standings."""
    plan = plan_sessions("benchmark", DEFAULT_RULES, sessions=1, hands=hands, holders=["server"], public="none")
    seeds = {"server": Seed(bytes(SEED_SIZE))}
    commitments = commit(plan, seeds)
    started = StartedPlan(plan, Start(plan.digest, commitments.root, "none"))
    programme = Programme(plan.event, field_of(EntrantKind.TEAM, TABLES, TEAMS), started)
    slips = [slip_of(plan, seeds, n, commitments) for n in range(1, hands + 1)]
    released = [open_slip(slip, programme.custody, START) for slip in slips]
    events = [parse(line) for table in TABLES for line in ledger(table, [deal.deal.check.hex() for deal in released], chance)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.sqlite"
        desk = StoreWriter(path, programme, START)
        desk.take(events)
        for slip in slips:
            desk.slip(slip, START)
        desk.close()
        opened = timed(lambda: StoreWriter(path, programme, START).close(), max(1, repeats // 20))
    return {
        "lines": len(events),
        "open_store": opened,
        "compare_events": timed(lambda: compared(events, programme.field), max(1, repeats // 5)),
        "last_line_to_standings": last_line(programme, events, released, max(1, repeats // 20)),
    }


def slip_of(plan: Plan, seeds: dict[str, Seed], n: int, commitments: Commitments) -> bytes:
    return canonical_json(make_slip(plan, seeds, n, "none", commitments).to_json())


def compared(events: Sequence[PublicEvent], event_field: EventField) -> str:
    """Compare the events of all tables up to the finished document."""
    results = results_of(summaries(events), event_field)
    return json.dumps(compare(results, event_field.kind, provisional_scale(), zero_sum=True).to_json())


def last_line(programme: Programme, events: Sequence[PublicEvent], released: Sequence[Released], repeats: int) -> dict[str, float]:
    """Time the hall's work from the last closed hand and its slip to the standings."""
    times_ms = []
    for _ in range(repeats):
        hall = Hall(programme)
        for event in events[:-1]:
            hall.take(event)
        for deal in released[:-1]:
            hall.release(deal)
        hall.standings()
        began_ns = time.process_time_ns()
        hall.take(events[-1])
        hall.release(released[-1])
        hall.standings()
        times_ms.append((time.process_time_ns() - began_ns) / 1e6)
    return {"median_ms": round(statistics.median(times_ms), 2), "max_ms": round(max(times_ms), 2)}


def measure(hands: Annotated[int, range(1, 17)] = 16, repeats: int = 100, seed: int = 1) -> dict[str, object]:
    """Measure a session of four tables from its file, for teams and for players, and from ledgers."""
    figures: dict[str, object] = {"hands": hands, "tables": 4, "repeats": repeats}
    for kind in EntrantKind:
        figures[kind.value] = measure_file(kind, hands, repeats, random.Random(seed))
    figures["ledgers"] = measure_ledgers(hands, repeats, random.Random(seed))
    return figures


if __name__ == "__main__":
    run_measure(measure)
