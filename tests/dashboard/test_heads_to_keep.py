"""Which heads of tables are stored."""

from dashboard.intake_reports import KEEP_EVERY_S, HeadsToKeep
from tests.support.event.ledgers import closing, preparing, starting
from tests.support.event.ledgers import events as events_of
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.boot_keys import Head, LedgerKind

LINES = events_of([*preparing(1), *starting(1), *closing(1, (8, -8, 0, 0))], "1")


def heard(event: PublicEvent, heads: HeadsToKeep) -> None:
    place = event.position
    heads.hear("1", Head(place.journal, place.seq, place.digest, LedgerKind.EVENTS), f"head {place.seq}".encode())


def test_a_head_that_covers_the_end_of_a_hand_is_stored_at_once_and_once() -> None:
    heads = HeadsToKeep()
    for event in LINES:
        heard(event, heads)
    first = heads.due("1", LINES[0].position, ["deal-opened"], 0.0)
    assert first is not None
    assert heads.due("1", LINES[2].position, ["building"], 1.0) is None, "the next one waits"
    last = heads.due("1", LINES[-1].position, ["hand-ended", "hand-closed"], 2.0)
    assert last is not None
    assert (last.seq, last.head) == (len(LINES), f"head {len(LINES)}".encode())
    assert heads.due("1", LINES[-1].position, ["hand-closed"], 60.0) is None


def test_other_lines_are_covered_when_ten_seconds_have_gone_by() -> None:
    heads = HeadsToKeep()
    for event in LINES[:3]:
        heard(event, heads)
    assert heads.due("1", LINES[0].position, (), 0.0) is not None
    assert heads.due("1", LINES[2].position, (), KEEP_EVERY_S - 0.1) is None
    late = heads.due("1", LINES[2].position, (), KEEP_EVERY_S)
    assert late is not None
    assert late.seq == 3


def test_a_table_whose_lines_no_head_ends_at_stores_none() -> None:
    heads = HeadsToKeep()
    heard(LINES[0], heads)
    assert heads.due("1", LINES[1].position, ["hand-closed"], 0.0) is None
    assert heads.due("2", LINES[0].position, ["hand-closed"], 0.0) is None
    assert heads.due("1", None, (), 0.0) is None
