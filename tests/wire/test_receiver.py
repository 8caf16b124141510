"""Receiver: a stream that loses, repeats and disorders lines still gives the exact ledger."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from tests.support.wire.streams import ledger
from twinwall.game.documents import digest
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import Health, Resend
from twinwall.wire.receiver import (
    ASK_AGAIN_S,
    MOST_ASKED,
    MOST_HELD,
    REFUSE_AGAIN_S,
    SILENT_AFTER_S,
    Ask,
    KnownJournal,
    LineRefused,
    NewJournal,
    Output,
    TableReceiver,
)

LINES = ledger(60)
NOW = datetime(2026, 11, 20, tzinfo=UTC)
WITHOUT_A_PAST = ledger(1, journal="invented")[0].replace(b'"prev":"0', b'"prev":"1')


@pytest.fixture
def receiver() -> TableReceiver:
    return TableReceiver("12")


def health(seq: int, journal: str = "j1") -> Health:
    return Health("12", journal, seq, NOW)


def feed(receiver: TableReceiver, lines: Iterable[bytes], now_s: float = 0.0) -> list[Output]:
    return [output for line in lines for output in receiver.feed(line, now_s)]


def accepted(outputs: list[Output]) -> list[bytes]:
    return [output.line for output in outputs if isinstance(output, PublicEvent)]


def asks(outputs: list[Output]) -> list[Resend]:
    return [output.resend for output in outputs if isinstance(output, Ask)]


def refusals(outputs: list[Output]) -> list[str]:
    return [output.reason for output in outputs if isinstance(output, LineRefused)]


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(st.randoms(use_true_random=False), st.floats(0, 0.9))
def test_a_lossy_repeating_disordering_line_gives_the_exact_stream(chance: random.Random, loss: float) -> None:
    receiver = TableReceiver("12")
    got: list[bytes] = []
    now_s = 0.0
    travelling = list(LINES)
    while len(got) < len(LINES):
        chance.shuffle(travelling)
        arriving = [line for line in travelling for _ in range(chance.choice((1, 1, 2))) if chance.random() >= loss]
        outputs = [output for line in arriving for output in receiver.feed(line, now_s)]
        now_s += 2 * ASK_AGAIN_S
        outputs += receiver.hear(health(len(LINES)), now_s)
        got += accepted(outputs)
        assert refusals(outputs) == []
        travelling = [line for ask in asks(outputs) for line in LINES[ask.first - 1 : ask.last]]
    assert got == LINES
    assert receiver.missing == 0


def test_a_gap_is_asked_for_once_and_again_when_no_answer_comes(receiver: TableReceiver) -> None:
    receiver.feed(LINES[0], 0.0)
    assert asks(receiver.feed(LINES[5], 0.0)) == [Resend("j1", 2, 5)]
    assert asks(receiver.feed(LINES[6], 0.1)) == []
    assert asks(receiver.tick(0.2)) == []
    assert asks(receiver.tick(ASK_AGAIN_S + 0.1)) == [Resend("j1", 2, 5)]


def test_after_a_part_of_the_answer_only_the_rest_is_asked_for(receiver: TableReceiver) -> None:
    feed(receiver, [LINES[9], *LINES[:4]])
    assert asks(receiver.tick(ASK_AGAIN_S + 0.2)) == [Resend("j1", 5, 9)]


def test_a_lost_last_line_is_noticed_by_the_heartbeat(receiver: TableReceiver) -> None:
    feed(receiver, LINES[:3])
    assert asks(receiver.hear(health(5), 1.0)) == [Resend("j1", 4, 5)]


def test_a_table_that_may_have_gone_on_unheard_is_asked_for_what_follows_and_not_asked_again_by_its_heartbeat(
    receiver: TableReceiver,
) -> None:
    assert receiver.ask_onward(0.0) == []
    feed(receiver, LINES[:3])
    assert asks(receiver.ask_onward(1.0)) == [Resend("j1", 4, 3 + MOST_ASKED)]
    assert asks(receiver.hear(health(5), 1.1)) == []
    assert accepted(feed(receiver, LINES[3:5], 1.2)) == LINES[3:5]
    assert asks(receiver.hear(health(6), 1.3)) == [Resend("j1", 6, 6)]


def test_a_receiver_that_begins_late_asks_from_the_first_line_and_for_a_long_gap_in_parts(receiver: TableReceiver) -> None:
    lines = ledger(2 * MOST_ASKED + 10)
    assert receiver.hear(health(len(lines)), 0.0) == [NewJournal("j1"), Ask(Resend("j1", 1, MOST_ASKED))]
    assert asks(feed(receiver, lines[:MOST_ASKED], 0.1)) == [Resend("j1", MOST_ASKED + 1, 2 * MOST_ASKED)]


def test_no_more_lines_are_held_beyond_a_gap_than_fit(receiver: TableReceiver) -> None:
    first, *later = ledger(MOST_HELD + 3)
    feed(receiver, later)
    assert len(receiver.waiting) == MOST_HELD
    assert accepted(receiver.feed(first, 0.1)) == [first, *later[:MOST_HELD]]


def test_a_replaced_controller_begins_a_new_stream_and_the_old_one_stays_closed(receiver: TableReceiver) -> None:
    receiver.feed(LINES[0], 0.0)
    newer = ledger(2, journal="j2")
    outputs = feed(receiver, newer, SILENT_AFTER_S)
    assert NewJournal("j2") in outputs
    assert accepted(outputs) == newer
    assert receiver.feed(LINES[0], SILENT_AFTER_S + 1) == receiver.hear(health(1), SILENT_AFTER_S + 1) == []
    assert receiver.position is not None
    assert receiver.position.journal == "j2"


@pytest.mark.parametrize("by_heartbeat", [False, True])
def test_a_former_journal_that_grows_is_named_and_again_while_it_lasts(receiver: TableReceiver, by_heartbeat: bool) -> None:
    receiver.feed(LINES[0], 0.0)
    receiver.feed(ledger(1, journal="j2")[0], SILENT_AFTER_S)

    def comes_back(now_s: float) -> list[Output]:
        return receiver.hear(health(9), now_s) if by_heartbeat else receiver.feed(LINES[1], now_s)

    (reason,) = refusals(comes_back(SILENT_AFTER_S + 1))
    assert "'j1'" in reason
    assert "'j2'" in reason
    assert comes_back(SILENT_AFTER_S + 2) == []
    assert refusals(comes_back(SILENT_AFTER_S + 2 + REFUSE_AGAIN_S)) == [reason]
    assert receiver.position is not None
    assert receiver.position.journal == "j2"


@pytest.mark.parametrize(
    "stray",
    [health(7, "invented"), health(0, "invented"), ledger(9, journal="invented")[8], WITHOUT_A_PAST],
    ids=["a heartbeat", "an empty heartbeat", "a late line", "a first line with a past"],
)
def test_an_invented_journal_does_not_silence_the_true_stream(receiver: TableReceiver, stray: Health | bytes) -> None:
    outputs = receiver.feed(LINES[0], 0.0)
    outputs += receiver.hear(stray, 0.1) if isinstance(stray, Health) else receiver.feed(stray, 0.1)
    outputs += feed(receiver, LINES[1:5], 0.2)
    assert accepted(outputs) == LINES[:5]
    assert outputs.count(NewJournal("j1")) == 1


def test_a_first_line_with_a_past_begins_no_journal_however_long_the_true_one_is_silent(receiver: TableReceiver) -> None:
    receiver.feed(LINES[0], 0.0)
    outputs = receiver.feed(WITHOUT_A_PAST, SILENT_AFTER_S + 1)
    assert NewJournal("invented") not in outputs
    assert len(refusals(outputs)) == 1
    assert accepted(receiver.feed(LINES[1], SILENT_AFTER_S + 2)) == [LINES[1]]


def test_a_new_journal_heard_of_in_its_middle_is_asked_for_and_followed_from_its_first_line(receiver: TableReceiver) -> None:
    receiver.feed(LINES[0], 0.0)
    newer, later_s = ledger(4, journal="j2"), SILENT_AFTER_S
    assert receiver.feed(newer[2], later_s) == [Ask(Resend("j2", 1, 3))]
    assert receiver.hear(health(4, "j2"), later_s + 0.1) == [], "the question is on its way"
    assert receiver.hear(health(4, "j2"), later_s + ASK_AGAIN_S) == [Ask(Resend("j2", 1, 4))]
    outputs = feed(receiver, newer, later_s + 2 * ASK_AGAIN_S)
    assert accepted(outputs) == newer
    assert outputs[0] == NewJournal("j2")


@pytest.mark.parametrize("restarted", [False, True], ids=["heard before", "known from before a restart"])
def test_a_second_controller_of_the_same_identity_takes_nothing_over_while_the_first_one_speaks(restarted: bool) -> None:
    receiver = TableReceiver("12", [KnownJournal("j1", (digest(LINES[0]),))] if restarted else ())
    outputs = [] if restarted else receiver.feed(LINES[0], 0.0)
    second = ledger(40, journal="j2")
    for beat, (line, other) in enumerate(zip(LINES[1:20], second, strict=False), 1):
        outputs += receiver.feed(other, 2.0 * beat)
        outputs += receiver.hear(health(40, "j2"), 2.0 * beat)
        outputs += receiver.feed(line, 2.0 * beat)
    assert accepted(outputs)[-19:] == LINES[1:20]
    assert asks(outputs) == []
    assert NewJournal("j2") not in outputs
    assert all("'j2'" in reason and "'j1'" in reason for reason in refusals(outputs))
    assert len(refusals(outputs)) == 2, "once, and again after a while"


def test_a_line_in_another_tables_name_is_refused_and_reported_once() -> None:
    receiver = TableReceiver("13")
    (reason,) = refusals(receiver.feed(LINES[0], 0.0))
    assert "table 13" in reason
    assert "'12'" in reason
    assert receiver.feed(LINES[0], 0.1) == []
    assert refusals(receiver.hear(health(4), 0.2)) != []


def test_a_line_that_does_not_chain_or_comes_in_a_second_version_is_refused_and_the_true_one_still_taken(receiver: TableReceiver) -> None:
    receiver.feed(LINES[0], 0.0)
    forged = LINES[1].replace(b'"prev":"', b'"prev":"0')[: len(LINES[1])]
    other_history = ledger(3, journal="j1")[1].replace(b'"placed":1', b'"placed":7')
    assert refusals(receiver.feed(forged, 0.1)) != []
    assert accepted(receiver.feed(other_history, 0.1)) == [other_history]
    assert "prev" in refusals(receiver.feed(LINES[2], 0.2))[0]
    (reason,) = refusals(receiver.feed(LINES[0].replace(b'"placed":0', b'"placed":9'), 0.3))
    assert "line 1 a second time with other content" in reason


def test_an_event_of_an_unknown_type_is_taken_in_its_place(receiver: TableReceiver) -> None:
    strange = LINES[0].replace(b'"building"', b'"singing"')
    assert accepted(receiver.feed(strange, 0.0)) == [strange]


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_any_bytes_are_refused_without_harm(noise: list[bytes]) -> None:
    receiver = TableReceiver("12")
    assert accepted(feed(receiver, noise)) == []
    assert accepted(receiver.feed(LINES[0], 0.0)) == [LINES[0]]
