"""An event with tables without cameras: the comparison is that of the same scores from ledgers with their play."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.controller.paper_rig import PaperRig
from tests.support.event.example import SCORES
from tests.support.event.ledgers import TABLES
from tests.support.event.stored_event import open_desk, slip_bytes, until_closed
from tests.support.wire.streams import START
from twinwall.event.hand_records import record_of
from twinwall.event.result_rulings import verdict
from twinwall.event.results import Basis
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_check import hand_problem
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.ledger import PublicEvent, parse

DEAL = 1
PAPER = TABLES[2:]


def on_paper(folder: Path, table: str, scores: Sequence[int]) -> list[PublicEvent]:
    """The ledger of a table without cameras at which the deal had these scores."""
    rig = PaperRig(folder / table, table)
    rig.play(DEAL, scores)
    return [parse(line) for line in (folder / table / "events.jsonl").read_bytes().splitlines(keepends=True)]


def hall_of(folder: Path, ledgers: Iterable[Sequence[PublicEvent]]) -> Hall:
    """What a store makes of these ledgers and the released slip."""
    folder.mkdir()
    desk = open_desk(folder)
    try:
        for ledger in ledgers:
            assert not desk.take(ledger)
        desk.slip(slip_bytes(DEAL), START)
        return desk.hall
    finally:
        desk.close()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    """Two tables with their play on record, two without."""
    folder = tmp_path_factory.mktemp("paper")
    played = [until_closed(table, DEAL) for table in TABLES if table not in PAPER]
    return hall_of(folder / "mixed", [*played, *(on_paper(folder, table, SCORES[TABLES.index(table)]) for table in PAPER)])


def test_the_comparison_is_the_same_as_with_the_play_of_all_tables_on_record(mixed: Hall, tmp_path: Path) -> None:
    recorded = hall_of(tmp_path / "recorded", [until_closed(table, DEAL) for table in TABLES])
    assert (mixed.comparison(), mixed.standings()) == (recorded.comparison(), recorded.standings())
    assert mixed.comparison().left_out == ()
    state = mixed.deal(DEAL)
    assert {at.table: at.progress.value for at in state.tables} == dict.fromkeys(TABLES, "finished")
    assert state.differing == (), "it has no check of its own that could differ"


def test_a_hand_that_was_entered_counts_as_played_and_its_record_says_so_and_replays_to_scores_that_sum_to_zero(mixed: Hall) -> None:
    released = mixed.released(DEAL)
    assert released is not None
    for hand in (hand for hand in mixed.hands(DEAL) if hand.table in PAPER):
        counted, record = verdict(hand), record_of(hand, released.deal)
        assert counted is not None
        assert (hand_problem(hand, released), counted.basis) == (None, Basis.PLAYED)
        assert HandRecord.from_json(json.dumps(record.to_json())) == record
        assert record.events == (HandEnded(EndReason.ENTERED, record.scores),)
        assert dict(replay(record).scores) == dict(record.scores)
        scores = dict.fromkeys(SEATS, 0) | {Seat.EAST: 1}
        ends = {
            event.seq: replace(event, body=replace(event.body, scores=scores)) for event in hand.events if isinstance(event.body, HandEnded)
        }
        altered = tuple(ends.get(event.seq, event) for event in hand.events)
        assert "sum to +1" in str(hand_problem(replace(hand, events=altered), released))
