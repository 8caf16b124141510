"""Receiver: a stream that loses, repeats and disorders lines still gives the exact ledger.

The receiver of a signed ledger: whatever is forged, lost or late, it hands on the table's own lines, each once and in order.
"""

import random
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.narrowed import present
from tests.support.tiers import examples
from tests.support.wire.streams import START, ledger
from twinwall.game.documents import digest
from twinwall.wire.ledger import LedgerPosition, PublicEvent, envelope, parse
from twinwall.wire.messages.commands import Health, Resend
from twinwall.wire.receiver import (
    ASK_AGAIN_S,
    MOST_ASKED,
    MOST_HELD,
    REFUSE_AGAIN_S,
    SILENT_AFTER_S,
    Contradicted,
    KnownJournal,
    LineRefused,
    NewJournal,
    Output,
    TableReceiver,
)
from twinwall.wire.signed_receiver import MOST_POOLED, UNCOVERED_AFTER_S, SignedReceiver

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
    return [output for output in outputs if isinstance(output, Resend)]


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
    assert receiver.hear(health(len(lines)), 0.0) == [NewJournal("j1"), Resend("j1", 1, MOST_ASKED)]
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
    assert present(receiver.position).journal == "j2"


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
    assert present(receiver.position).journal == "j2"


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
    assert receiver.feed(newer[2], later_s) == [Resend("j2", 1, 3)]
    assert receiver.hear(health(4, "j2"), later_s + 0.1) == [], "the question is on its way"
    assert receiver.hear(health(4, "j2"), later_s + ASK_AGAIN_S) == [Resend("j2", 1, 4)]
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


TRUE = ledger(12)
NEXT = ledger(3, journal="j2")


def head(seq: int, lines: list[bytes] = TRUE) -> LedgerPosition:
    return parse(lines[seq - 1]).position


def forged(seq: int, *, prev: str | None = None) -> bytes:
    """Another line of this number, on the true line before it unless told otherwise."""
    before = LedgerPosition("j1") if seq == 1 else head(seq - 1)
    return envelope("12", LedgerPosition("j1", seq - 1, prev or before.digest), START, "building", {"placed": 99, "of": 136})


def lines_of(received: list[Output]) -> list[bytes]:
    return [each.line for each in received if isinstance(each, PublicEvent)]


def test_lines_are_handed_on_when_a_head_covers_them_and_not_before() -> None:
    receiver = SignedReceiver("12")
    assert [receiver.feed(line, 0.0) for line in TRUE[:3]] == [[], [], []]
    received = receiver.vouch(head(3), 0.0)
    assert received[0] == NewJournal("j1")
    assert lines_of(received) == TRUE[:3]


def test_the_head_may_come_first_and_missing_lines_are_asked_for_until_they_come() -> None:
    receiver = SignedReceiver("12")
    asked = Resend("j1", 1, 3)
    assert receiver.vouch(head(3), 0.0) == [asked]
    assert receiver.tick(0.1) == []
    assert receiver.tick(ASK_AGAIN_S) == [asked]
    received = [each for line in TRUE[:3] for each in receiver.feed(line, ASK_AGAIN_S)]
    assert lines_of(received) == TRUE[:3]


def test_heads_under_a_key_that_counts_no_more_cover_nothing() -> None:
    receiver = SignedReceiver("12")
    receiver.vouch(head(3), 0.0)
    receiver.forget_heads()
    assert lines_of([each for line in TRUE[:3] for each in receiver.feed(line, 0.1)] + receiver.tick(ASK_AGAIN_S)) == []
    assert lines_of(receiver.vouch(head(3), ASK_AGAIN_S)) == TRUE[:3]


@given(
    st.lists(
        st.one_of(
            st.integers(1, 12).map(lambda seq: ("line", seq)),
            st.integers(1, 12).map(lambda seq: ("head", seq)),
            st.integers(1, 12).map(lambda seq: ("forged", seq)),
            st.integers(2, 12).map(lambda seq: ("loose", seq)),
        ),
        max_size=60,
    )
)
def test_whatever_comes_in_whatever_order_only_the_signed_lines_are_handed_on(steps: list[tuple[str, int]]) -> None:
    receiver = SignedReceiver("12")
    received: list[Output] = []
    for what, seq in steps:
        match what:
            case "line":
                received += receiver.feed(TRUE[seq - 1], 0.0)
            case "head":
                received += receiver.vouch(head(seq), 0.0)
            case "forged":
                received += receiver.feed(forged(seq), 0.0)
            case _:
                received += receiver.feed(forged(seq, prev="ab" * 32), 0.0)
        assert lines_of(received) == TRUE[: len(lines_of(received))]
    received += [each for line in TRUE for each in receiver.feed(line, 1.0)]
    received += receiver.vouch(head(12), 1.0)
    assert lines_of(received) == TRUE


def test_a_forged_line_is_evidence_once_the_true_one_is_covered() -> None:
    receiver = SignedReceiver("12")
    for line in (forged(1), TRUE[0]):
        receiver.feed(line, 0.0)
    assert receiver.vouch(head(1), 0.0)[-1] == Contradicted(parse(forged(1)), digest(TRUE[0]))
    assert receiver.feed(forged(1), 0.0) == [], "each is told once in a while"


def test_a_flood_of_forged_lines_keeps_the_pool_small_and_hides_no_true_line() -> None:
    receiver = SignedReceiver("12")
    for number in range(3 * MOST_POOLED):
        receiver.feed(forged(5, prev=f"{number:064x}"), 0.0)
    received = [each for line in TRUE for each in receiver.feed(line, 0.0)] + receiver.vouch(head(12), 0.0)
    assert lines_of(received) == TRUE
    assert len([each for each in received if isinstance(each, Contradicted)]) < 100


def test_a_line_that_no_head_covers_is_dropped_after_a_while() -> None:
    receiver = SignedReceiver("12")
    receiver.feed(TRUE[0], 0.0)
    (refused,) = receiver.tick(UNCOVERED_AFTER_S)
    assert refused == LineRefused(
        "table 12: its boot keys do not count yet, so lines were dropped; they are asked for once the keys count"
    ), "nobody has signed anything so far"
    assert receiver.vouch(head(1), UNCOVERED_AFTER_S) == [Resend("j1", 1, 1)]
    receiver.feed(TRUE[0], UNCOVERED_AFTER_S)
    receiver.feed(forged(2), UNCOVERED_AFTER_S)
    assert receiver.tick(2 * UNCOVERED_AFTER_S) == [LineRefused("table 12: lines that no signed head of the table covers were dropped")]


def test_a_head_that_contradicts_what_was_signed_before_is_refused_and_the_first_stays() -> None:
    receiver = SignedReceiver("12", (KnownJournal("j1", (head(4).digest,), 3),))
    other = [*ledger(6)[:4], envelope("12", LedgerPosition("j1", 4, "cd" * 32), START, "building", {"placed": 5, "of": 136})]
    receiver.feed(other[4], 0.0)
    (refused,) = receiver.vouch(parse(other[4]).position, 0.0)
    assert isinstance(refused, LineRefused)
    assert "does not follow line 4" in refused.reason
    (refused,) = receiver.vouch(LedgerPosition("j1", 4, "cd" * 32), 0.0)
    assert isinstance(refused, LineRefused)
    assert "has signed two lines 4" in refused.reason


def test_a_new_journal_is_followed_from_its_first_line_and_the_former_is_not_returned_to() -> None:
    receiver = SignedReceiver("12")
    for line in TRUE[:2]:
        receiver.feed(line, 0.0)
    receiver.vouch(head(2), 0.0)
    received = [each for line in NEXT for each in receiver.feed(line, 0.0)] + receiver.vouch(head(3, NEXT), 0.0)
    assert received[0] == NewJournal("j2")
    assert lines_of(received) == NEXT
    assert receiver.vouch(head(2), 0.0) == []
    (refused,) = receiver.vouch(head(5), 0.0)
    assert isinstance(refused, LineRefused)
    assert "its former journal 'j1' (line 5)" in refused.reason


def test_a_receiver_goes_on_after_what_it_knew() -> None:
    receiver = SignedReceiver("12", (KnownJournal("j1", tuple(head(seq).digest for seq in (1, 2, 3))),))
    received = [each for line in TRUE[3:5] for each in receiver.feed(line, 0.0)] + receiver.vouch(head(5), 0.0)
    assert received == [parse(TRUE[3]), parse(TRUE[4])]


def test_a_table_that_may_have_gone_on_unheard_is_asked_for_what_follows_and_not_asked_again_by_its_head() -> None:
    assert SignedReceiver("12").ask_onward(0.0) == []
    receiver = SignedReceiver("12", (KnownJournal("j1", tuple(head(seq).digest for seq in (1, 2, 3))),))
    assert receiver.ask_onward(1.0) == [Resend("j1", 4, 3 + MOST_ASKED)]
    assert receiver.vouch(head(5), 1.1) == []
    assert lines_of([each for line in TRUE[3:5] for each in receiver.feed(line, 1.2)]) == TRUE[3:5]


def test_a_line_in_another_tables_name_and_bytes_that_are_no_line_are_refused() -> None:
    receiver = SignedReceiver("12")
    assert isinstance(receiver.feed(ledger(1, table="3")[0], 0.0)[0], LineRefused)
    assert isinstance(receiver.feed(b"{}", 0.0)[0], LineRefused)
