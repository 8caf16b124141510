"""Ledgers of tables that play several deals: short hands with the scores that a test asks for; and the scores of a worked example."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from tests.support.wire.streams import START, Line, hand_started, public_events
from twinwall.event.movements.teams import team_tables
from twinwall.event.results import DealResult
from twinwall.game.tiles import SEATS, place_of
from twinwall.wire.ledger import PublicEvent

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


TABLES = ("1", "2", "3", "4")


def check_of(n: int) -> str:
    """A check value of deal ``n``, for tests that make no deal."""
    return f"{n:064x}"


def preparing(n: int, check: str | None = None) -> Iterator[Line]:
    """A wall from the opened deal until it is ready."""
    yield "deal-opened", {"n": n, "session": 1, "hand": n, "rules": "mcr-duplicate", "check": check or check_of(n)}
    for placed in (68, 136):
        yield "building", {"placed": placed, "of": 136}
    yield "wall-ready", {"n": n, "check": check or check_of(n)}


def starting(n: int, table: str = "1") -> Iterator[Line]:
    """From the raised wall to the first gate."""
    yield "wall-raised", {"n": n}
    yield "hands-taken", {"n": n}
    by_seat = {seat.value: place_of(seat, n) for seat in SEATS}
    yield hand_started(n, {seat: f"{table}-{place}" for seat, place in by_seat.items()}, by_seat)


def playing(turns: int = 2) -> Iterator[Line]:
    """Some draws and discards, East to North."""
    for turn in range(turns):
        seat = SEATS[turn % 4].value
        yield "gate-unlocked", {"seat": seat}
        yield "tile-drawn", {"seat": seat}
        yield "tile-discarded", {"seat": seat, "tile": "1m"}
        yield "claims-opened", {"seat": seat, "tile": "1m", "window_s": 3.0}
        yield "claims-closed", {}
        yield "passed", {}


def closing(n: int, scores: Sequence[int]) -> Iterator[Line]:
    """From the declared win, or from the last tile, to the closed hand."""
    by_seat = dict(zip("ESWN", scores, strict=True))
    if any(scores):
        winner = max(by_seat, key=lambda seat: by_seat[seat])
        losers = [seat for seat in by_seat if seat != winner]
        source = None if len({by_seat[seat] for seat in losers}) == 1 else min(losers, key=lambda seat: by_seat[seat])
        fan = max(0, by_seat[winner] // 3 - 8 if source is None else by_seat[winner] - 24)
        yield "win-declared", {"seat": winner, "from": source, "tile": None if source is None else "1m"}
        yield "hand-shown", {"seat": winner, "concealed": "2m 3m", "winning": "1m"}
        fans = [{"id": "some", "name": "一", "value": fan, "count": 1}]
        yield "payments-proposed", {"seat": winner, "fans": fans, "total": fan, "payments": by_seat}
        yield "payments-confirmed", {"seat": losers[0]}
        yield "settled", {"payments": by_seat}
    yield "hand-ended", {"reason": "won" if any(scores) else "drawn", "scores": by_seat}
    yield "hand-closed", {"n": n}


def session(scores: Mapping[int, Sequence[int]], table: str = "1", turns: int = 2, check: Callable[[int], str] = check_of) -> list[Line]:
    """A table that plays these deals with these scores; the wall of the next is built while the present one is played."""
    script: list[Line] = [("controller-started", {"version": "0.1.0", "resumed": False})]
    deals = list(scores)
    script += preparing(deals[0], check(deals[0]))
    for index, n in enumerate(deals):
        script += [*starting(n, table), *playing(turns)]
        if n != deals[-1]:
            script += preparing(deals[index + 1], check(deals[index + 1]))
        script += closing(n, scores[n])
    return script


def events(script: Sequence[Line], table: str = "1", journal: str = "j", start: datetime = START) -> list[PublicEvent]:
    return public_events(script, table, journal, start)


def worked_example() -> dict[str, list[Line]]:
    """Each table's script of the worked example, the same scores in every deal."""
    return {table: session(dict.fromkeys((1, 2), of_table), table) for table, of_table in zip(TABLES, SCORES, strict=True)}
