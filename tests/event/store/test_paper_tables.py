"""An event with tables without cameras: the comparison is that of the same scores from ledgers with their play."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

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


def mixed_hall(folder: Path) -> Hall:
    """Two tables with their play on record, two without."""
    played = [until_closed(table, DEAL) for table in TABLES if table not in PAPER]
    return hall_of(folder / "mixed", [*played, *(on_paper(folder, table, SCORES[TABLES.index(table)]) for table in PAPER)])


def test_the_comparison_is_the_same_as_with_the_play_of_all_tables_on_record(tmp_path: Path) -> None:
    recorded = hall_of(tmp_path / "recorded", [until_closed(table, DEAL) for table in TABLES])
    mixed = mixed_hall(tmp_path)
    assert mixed.comparison() == recorded.comparison()
    assert mixed.comparison().left_out == ()
    assert mixed.standings() == recorded.standings()
    assert [ranked.entrant for ranked in mixed.comparison().comparison.groups[0].ranking] == ["A", "C", "B", "D"]


def test_a_paper_table_counts_as_finished_with_its_confirmed_score(tmp_path: Path) -> None:
    state = mixed_hall(tmp_path).deal(DEAL)
    assert {at.table: at.progress.value for at in state.tables} == dict.fromkeys(TABLES, "finished")
    assert state.differing == (), "it has no check of its own that could differ"


def test_the_record_of_the_hand_says_that_it_was_entered_and_replays_to_its_scores(tmp_path: Path) -> None:
    hall = mixed_hall(tmp_path)
    released = hall.released(DEAL)
    assert released is not None
    for hand in (hand for hand in hall.hands(DEAL) if hand.table in PAPER):
        assert hand_problem(hand, released) is None
        record = record_of(hand, released.deal)
        assert HandRecord.from_json(json.dumps(record.to_json())) == record
        assert record.events == (HandEnded(EndReason.ENTERED, record.scores),)
        assert dict(replay(record).scores) == dict(record.scores)


def test_scores_that_do_not_sum_to_zero_are_found_when_the_store_is_checked(tmp_path: Path) -> None:
    hall = mixed_hall(tmp_path)
    released, hand = hall.released(DEAL), next(hand for hand in hall.hands(DEAL) if hand.table in PAPER)
    assert released is not None
    scores = dict.fromkeys(SEATS, 0) | {Seat.EAST: 1}
    altered = tuple(
        replace(event, body=replace(event.body, scores=scores)) if isinstance(event.body, HandEnded) else event for event in hand.events
    )
    assert "sum to +1" in str(hand_problem(replace(hand, events=altered), released))


def test_entered_scores_count_as_played(tmp_path: Path) -> None:
    hall = mixed_hall(tmp_path)
    verdicts = [verdict(hand) for hand in hall.hands(DEAL) if hand.table in PAPER]
    assert [each.basis for each in verdicts if each is not None] == [Basis.PLAYED] * len(PAPER)
