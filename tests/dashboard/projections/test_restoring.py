"""Restoring: a view made from stored lines equals the view that grew line by line."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.projections.fold import fold, restored
from dashboard.projections.store import Store
from dashboard.projections.table_view import TableView
from tests.support.dashboard.example import BY_DISCARD, BY_SELF_DRAW, ON_A_DISCARD, SELF_DRAWN, building, ending, play
from tests.support.wire.streams import Line, ledger_lines
from twinwall.wire.ledger import PublicEvent, parse

TROUBLE: list[Line] = [
    ("fault", {"code": "jam", "where": "tray 3", "sentence": "A tile is stuck."}),
    ("link-lost", {"what": "panel"}),
    ("referee-called", {"seat": "W"}),
    ("referee-called", {"about": "hand-overdue"}),
    ("violation", {"seat": "W", "what": "put-back", "sentence": "West put a drawn tile back."}),
]


def evening() -> list[PublicEvent]:
    """Three hands with trouble between, and a fourth wall."""
    script: list[Line] = [*building(1, 3), *play(SELF_DRAWN, 1), *ending(BY_SELF_DRAW), ("hand-closed", {"n": 1}), *TROUBLE]
    script += [*building(2, 3), *play(ON_A_DISCARD, 2), *ending(BY_DISCARD), ("hand-closed", {"n": 2}), TROUBLE[2]]
    script += [*building(3, 3), *play(SELF_DRAWN, 3), *ending(BY_SELF_DRAW), ("hand-closed", {"n": 3}), *building(4, 3)]
    return [parse(line) for line in ledger_lines(script)]


EVENING = evening()


def grown(events: list[PublicEvent]) -> TableView:
    view = TableView("1")
    for event in events:
        view = fold(view, event)
    return view


@given(st.integers(1, len(EVENING)))
def test_a_restored_view_is_the_one_that_grew(length: int) -> None:
    assert restored("1", EVENING[:length]) == grown(EVENING[:length])


def test_the_later_of_two_journals_is_shown() -> None:
    later = [parse(line) for line in ledger_lines([*building(2, 4)], journal="j2")]
    assert restored("1", [*EVENING, *later]) == grown(later)


def test_a_restored_table_is_shown_and_silent_until_it_is_heard() -> None:
    store = Store("boot", ["1", "2"])
    store.restore({"1": EVENING})
    status = store.table("1")
    assert status is not None
    assert (status.view, status.silent, status.heard) == (grown(EVENING), True, None)
    assert [table.name for table in store.tables()] == ["1", "2"]
