"""The receiver of a signed ledger: whatever is forged, lost or late, it hands on the table's own lines, each once and in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.wire.streams import START, ledger
from twinwall.game.documents import digest
from twinwall.wire.ledger import LedgerPosition, PublicEvent, envelope, parse
from twinwall.wire.messages.commands import Resend
from twinwall.wire.receiver import (
    ASK_AGAIN_S,
    MOST_ASKED,
    MOST_POOLED,
    UNCOVERED_AFTER_S,
    Ask,
    Contradicted,
    KnownJournal,
    LineRefused,
    NewJournal,
    Output,
    SignedReceiver,
)

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
    asked = Ask(Resend("j1", 1, 3))
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
    assert receiver.vouch(head(1), UNCOVERED_AFTER_S) == [Ask(Resend("j1", 1, 1))]
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
    assert receiver.ask_onward(1.0) == [Ask(Resend("j1", 4, 3 + MOST_ASKED))]
    assert receiver.vouch(head(5), 1.1) == []
    assert lines_of([each for line in TRUE[3:5] for each in receiver.feed(line, 1.2)]) == TRUE[3:5]


def test_a_line_in_another_tables_name_and_bytes_that_are_no_line_are_refused() -> None:
    receiver = SignedReceiver("12")
    assert isinstance(receiver.feed(ledger(1, table="3")[0], 0.0)[0], LineRefused)
    assert isinstance(receiver.feed(b"{}", 0.0)[0], LineRefused)
