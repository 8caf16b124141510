"""Report of a demo: its hands, and whether anything was read wrong, from the ledgers and the simulated world's truth. The ranking of its
teams in IMP is the comparison of ``twinwall.event`` over the hand reports."""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from cli.demo.people import DemoGroup
from cli.demo.setup import DemoTableSite
from controller.discard_times import DiscardTime, logged, spread
from controller.ledger.journal_lines import readable_contents
from simulator.world.history import PlayedHand
from twinwall.event.comparison import compare
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.movements.teams import team_tables
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.store_rows import read_store
from twinwall.game.deals import Deal
from twinwall.game.documents import parse_object
from twinwall.game.play_events import EndReason, SharedTileTurned, TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS, format_tiles, place_of, seat_at
from twinwall.values import frozen
from twinwall.wire.events.definitions import type_name
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.ledger import parse
from twinwall.wire.line_cipher import LineCipher


def ranking(groups: Sequence[DemoGroup], hands: "Mapping[str, Sequence[HandReport]]", zero_sum: bool) -> list[dict[str, object]]:
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


def _results(name: str, group: DemoGroup, hands: "Mapping[str, Sequence[HandReport]]") -> Iterable[DealResult]:
    for table, seated in zip(group.tables, team_tables(group.teams), strict=True):
        for report in hands[table]:
            for place, team in enumerate(seated.places):
                seat = seat_at(place, report.hand)
                yield DealResult(report.hand, table, seat, report.scores[seat.value], team, name)


@frozen
class HandReport:
    """One hand of one table."""

    hand: int
    digest: str
    scores: Mapping[str, int]
    won: bool
    record: Path
    replays: bool
    wrong_discards: int

    def to_json(self) -> dict[str, object]:
        """The form of the contracts."""
        return {"hand": self.hand, "digest": self.digest, "scores": dict(self.scores), "won": self.won, "record": str(self.record)}


Truth = Mapping[int, PlayedHand]
"""What really happened in the hands of a table, by their numbers: only the simulated world knows."""


def truth_of(document: bytes) -> Truth:
    """What the simulated world answers to ``GET /truth``."""
    return {hand.hand: hand for hand in msgspec.json.decode(document, type=dict[str, tuple[PlayedHand, ...]])["hands"]}


def is_whole(record_file: Path) -> bool:
    """Whether a table has recorded a hand, and put the walls in because its deal was released, or imported."""
    return record_file.exists() and HandRecord.from_json(record_file.read_text(encoding="utf-8")).walls is not None


def is_stored(store: Path, tables: int, hands: int, slips: int) -> bool:
    """Whether the event's store has the end of each hand at each table and this many slips: a dashboard that was started again just
    before has still to hear them."""
    try:
        stored = read_store(store)
    except StoreError:
        return False
    ends = sum(parse(line).type == type_name(HandClosed) for journal in stored.journals for line, _ in journal.lines)
    return ends >= tables * hands and len(stored.slips) >= slips


def hand_report(table: DemoTableSite, deal: Deal, built: str, truth: Truth) -> HandReport:
    """Replay a hand's record, compare its walls with the released ``deal``, and every discard and shared tile with what was really laid.
    Raises KeyError for a hand that the world has not seen."""
    hand = deal.hand
    file = table.record(deal.session, hand)
    record = HandRecord.from_json(file.read_text(encoding="utf-8"))
    played = replay(record)
    wrong = 0
    for seat in SEATS:
        seen = [event.tile.text for event in record.events if isinstance(event, TileDiscarded) and event.seat is seat]
        laid = truth[hand].laid[place_of(seat, hand)]
        wrong += abs(len(seen) - len(laid)) + sum(a != b for a, b in zip(seen, laid, strict=False))
    turned = [(event.place, event.tile.text) for event in record.events if isinstance(event, SharedTileTurned)]
    wrong += turned != truth[hand].turned
    ended = record.events[-1]
    as_dealt = (record.walls, record.rest or ()) == (deal.walls, deal.rest)
    return HandReport(
        hand=hand,
        digest=built,
        scores={seat.value: record.scores[seat] for seat in SEATS},
        won=getattr(ended, "reason", None) is EndReason.WON,
        record=file,
        replays=played.legal and dict(played.scores) == dict(record.scores) and as_dealt,
        wrong_discards=wrong,
    )


def wrong_walls(deal: Deal, truth: Truth) -> int:
    """How many tiles that players took differ from the deal: the wall as it really stood, place by place."""
    wrong = 0
    for seat in SEATS:
        due = format_tiles(deal.walls[seat].tiles).split()
        wrong += sum(a != b for a, b in zip(truth[deal.hand].taken[place_of(seat, deal.hand)], due, strict=False))
    return wrong


def discard_to_event_ms(logs: Iterable[Path], speed: float) -> dict[str, object]:
    """How long discards took from the first frame that shows them to their events, in milliseconds of the wall clock, by the tables'
    ``logs``: all, and those in their slots and off them apart. Machine and people move ``speed`` times as fast as that clock; cameras and
    what reads their frames do not."""
    times = [took for log in logs for took in logged(log.read_text(errors="replace").splitlines())]
    groups = {name: [took for took in times if took[0] is in_slot] for name, in_slot in (("in_slots", True), ("off_slots", False))}
    return {"clock": "wall", "speed": speed} | _spread_of(times) | {name: _spread_of(group) for name, group in groups.items()}


def _spread_of(times: Sequence[DiscardTime]) -> dict[str, int]:
    found = spread([ms for _, ms in times])
    return {"count": 0} if found is None else {"count": found.count, "p50": found.p50_ms, "p95": found.p95_ms}


def read_journal(file: Path, key: bytes | None) -> list[dict[str, object]]:
    """The lines of a table's journal, which ``key`` opens."""
    cipher = None if key is None else LineCipher(key, secrets.token_bytes)
    return [parse_object(content) for content in readable_contents(file.read_bytes(), cipher)]


def journal_counts(journal: Iterable[Mapping[str, object]]) -> Counter[str]:
    """What a table read at its gate, what of that was refused, its discards and its faults."""
    counts: Counter[str] = Counter()
    for line in journal:
        kind = line["type"]
        counts["gate"] += kind == "tile-read"
        counts["refused"] += kind == "tile-read" and line["tile"] is None
        counts["discard"] += kind == "tile-discarded"
        counts["faults"] += kind in ("fault", "violation", "deal-fouled", "deal-refused")
    return counts
