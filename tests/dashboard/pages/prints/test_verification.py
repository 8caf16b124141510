"""The rows of the verification sheet that say where the tables' ledgers stood."""

from __future__ import annotations

from dashboard.prints.verification import ledger_marks
from tests.support.dashboard.example import closed_hand
from tests.support.wire.streams import START, public_events
from twinwall.event.hands import HandSummary


def hand(table: str, journal: str) -> HandSummary:
    events = tuple(public_events(list(closed_hand("1")), table, journal))
    return HandSummary(table, 1, 1, 1, "mcr-duplicate", {}, "", {}, {}, START, events=events)


def test_the_journals_of_a_table_are_told_apart_and_tables_stand_in_their_order() -> None:
    marks = ledger_marks([hand("10", "a0" * 16), hand("2", "c1" * 16), hand("2", "b2" * 16)])
    assert [(table, mark.journal) for table, mark in marks] == [("2", "c1" * 4), ("2", "b2" * 4), ("10", "a0" * 4)]


def test_a_mark_names_the_line_with_which_the_hand_was_closed() -> None:
    closed = [event for event in hand("2", "c1" * 16).events if event.type == "hand-closed"][-1].position
    ((_table, mark),) = ledger_marks([hand("2", "c1" * 16)])
    assert (mark.seq, mark.digest.replace(" ", "")) == (closed.seq, closed.digest)
