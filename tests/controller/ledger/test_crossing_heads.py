"""Heads that cross: what a table tells the others of its ledger, and what it notes of theirs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.ledger import crossing_heads
from controller.ledger.crossing_heads import AGAIN_EVERY_BEATS, MOST_JOURNALS, MOST_UNANNOUNCED, CrossingHeads
from controller.ledger.journal import JournalEntry
from controller.ledger.journal_events import JournalEvent
from controller.ledger.public import PublicLedger, table_ledger
from controller.state.messages import Message
from tests.support.wire.link import FakeLink
from twinwall.game.documents import digest
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import DealReleased, GateUnlocked, HandClosed, HeadsNoted
from twinwall.wire.messages.boot_keys import Announcement, Head, LedgerKind, TableKey, read_head
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.mqtt.access import Access, may_use_topic, rights, table_user
from twinwall.wire.mqtt.topics import Channel, Topic, all_tables, keys_topic

EVENT = "Autumn / Herbst"
VAULT = Signer("vault", b"\x03" * 32)
BOOT = {table: Signer(table, table.encode().ljust(32, b"b")) for table in "123"}
KEYS = sign_document(VAULT, Announcement(1, tuple(TableKey(table, signer.public.hex()) for table, signer in BOOT.items())), EVENT)


class Desk:
    """One table's end, with a ledger that grows."""

    def __init__(self, folder: Path) -> None:
        self.ledger: PublicLedger = table_ledger(folder, "1", "j")
        self.ledger.catch_up(())
        self.wire = FakeLink()
        self.posted: list[Message] = []
        self.crossing = CrossingHeads(EVENT, BOOT["1"], VAULT.public, self.ledger, self.posted.append)
        self.crossing.hear(keys_topic(EVENT), KEYS)

    def write(self, *events: JournalEvent) -> None:
        self.ledger.append([JournalEntry(1, "2026-11-20T10:00:00.000Z", event) for event in events])
        self.crossing.pump(self.wire)

    def hear(self, head: bytes, table: str = "2") -> None:
        assert self.crossing.hear(str(Topic(EVENT, table, Channel.CROSSING_HEAD)), head)

    def noted(self) -> list[str]:
        """What the next heartbeat hands on."""
        self.posted.clear()
        self.crossing.beat(self.wire)
        return [head for message in self.posted if isinstance(message, HeadsNoted) for head in message.heads]

    @property
    def told(self) -> list[Head]:
        assert {topic for topic, _ in self.wire.sent} <= {str(Topic(EVENT, "1", Channel.CROSSING_HEAD))}
        return [read_head(payload, EVENT, "1", BOOT["1"].public) for _, payload in self.wire.sent]


def head(seq: int, content: str = "ab", *, table: str = "2", event: str = EVENT, journal: str = "j2") -> bytes:
    return sign_document(BOOT[table], Head(journal, seq, content * 32, LedgerKind.EVENTS), event, table)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.ledger.close()


def test_a_head_is_told_once_its_deal_is_released_and_is_of_the_line_that_closed_the_hand(desk: Desk) -> None:
    desk.write(GateUnlocked(Seat.EAST), HandClosed(1), GateUnlocked(Seat.EAST))
    assert desk.told == [], "a number of lines would tell how far the play is"
    desk.write(DealReleased(1))
    assert desk.told == [Head("j", 2, digest(desk.ledger.lines[1]), LedgerKind.EVENTS)]
    desk.write(GateUnlocked(Seat.SOUTH), HandClosed(2))
    assert len(desk.told) == 1


def test_a_head_that_could_not_be_sent_is_sent_when_the_broker_is_there_and_again_from_time_to_time(desk: Desk) -> None:
    desk.wire.up = False
    desk.write(HandClosed(1), DealReleased(1))
    desk.wire.up = True
    for _ in range(AGAIN_EVERY_BEATS):
        desk.crossing.beat(desk.wire)
    assert [told.seq for told in desk.told] == [1, 1]


def test_heads_of_other_tables_are_handed_on_together_and_once(desk: Desk) -> None:
    for _ in range(2):
        desk.hear(head(5))
        desk.hear(head(7, table="3"), "3")
    assert desk.noted() == [head(5).decode(), head(7, table="3").decode()]
    desk.hear(head(5))
    assert desk.noted() == []


def test_a_head_that_came_before_its_key_was_announced_is_noted_afterwards(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.crossing = CrossingHeads(EVENT, BOOT["1"], VAULT.public, desk.ledger, desk.posted.append)
    desk.hear(head(5))
    assert desk.noted() == []
    desk.crossing.hear(keys_topic(EVENT), KEYS)
    assert desk.noted() == [head(5).decode()]
    desk.ledger.close()


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (head(4), "table 2 sent a head of line 4, older than the one of line 5 noted before: it is not noted"),
        (head(6, event="another"), "not signed by '2' for table '2' of 'Autumn / Herbst': altered, or meant for another: it is not noted"),
        (head(6, table="3"), "a head of table '2' is refused: signed by '3', who is not trusted here"),
        (b"no head", "a head of table '2' is refused"),
    ],
    ids=["older", "of another event", "of another table", "not a head"],
)
def test_a_head_that_does_not_count_is_said_and_not_noted(
    desk: Desk, payload: bytes, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk.hear(head(5))
    desk.noted()
    desk.hear(payload)
    assert desk.noted() == []
    assert sentence in caplog.text


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (head(5, "cd"), "table 2 has signed two lines 5 of journal 'j2': both heads are noted; tell the referee"),
        (head(2, journal="j3"), "table 2 goes on with journal 'j3'; its head of 'j2', line 5, stays noted"),
    ],
    ids=["a fork", "a new journal"],
)
def test_both_heads_of_a_fork_are_noted_once_and_said(desk: Desk, other: bytes, sentence: str, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        desk.hear(head(5))
        desk.hear(other)
    assert desk.noted() == [head(5).decode(), other.decode()]
    assert caplog.text.count(sentence) == 1


def test_a_head_older_than_the_highest_of_its_journal_is_not_noted_after_one_of_another_journal(desk: Desk) -> None:
    for heard in (head(5), head(2, journal="j3"), head(4), head(1, journal="j3")):
        desk.hear(heard)
    assert desk.noted() == [head(5).decode(), head(2, journal="j3").decode()]


def test_a_table_that_names_ever_more_journals_is_noted_up_to_a_number(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(MOST_JOURNALS + 3):
        desk.hear(head(1, journal=f"made-up-{number}"))
    assert len(desk.noted()) == MOST_JOURNALS
    assert caplog.text.count(f"table 2 has named {MOST_JOURNALS} journals: heads of further ones are not noted") == 1


def test_heads_of_a_table_are_noted_up_to_a_number(desk: Desk, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing_heads, "MOST_HEADS", 3)
    for number in range(1, 6):
        desk.hear(head(number))
    assert len(desk.noted()) == 3
    assert caplog.text.count("table 2 has sent 3 heads: further ones are not noted; tell the referee") == 1


def test_a_head_without_room_is_noted_at_its_repeat(desk: Desk, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing_heads, "MOST_WAITING", 1)
    desk.hear(head(5, table="3"), "3")
    desk.hear(head(5))
    assert desk.noted() == [head(5, table="3").decode()]
    assert "1 heads wait to be noted: a head of table 2 is left out until its table sends it again" in caplog.text
    desk.hear(head(5))
    assert desk.noted() == [head(5).decode()]


def test_made_up_tables_and_events_do_not_keep_a_table_of_the_event_from_being_noted(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(MOST_UNANNOUNCED + 1):
        desk.hear(b"no head", f"made-up-{number}")
    assert desk.crossing.hear(str(Topic("another", "2", Channel.CROSSING_HEAD)), head(5))
    assert desk.noted() == []
    desk.hear(head(5))
    assert desk.noted() == [head(5).decode()]
    assert not caplog.records


def test_an_announcement_that_is_not_the_vaults_changes_no_key(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    stranger = Signer("vault", b"\x66" * 32)
    desk.crossing.hear(keys_topic(EVENT), sign_document(stranger, Announcement(9, ()), EVENT))
    desk.hear(head(5))
    assert desk.noted() == [head(5).decode()]
    assert "an announcement of keys is refused" in caplog.text


def test_other_topics_are_left_to_others(desk: Desk) -> None:
    assert not desk.crossing.hear(str(Topic(EVENT, "1", Channel.COMMAND)), b"")
    assert not desk.crossing.hear("something", b"")


def test_the_broker_lets_each_table_hear_these_heads_and_speak_for_itself_alone() -> None:
    granted = rights(EVENT, ["1", "2"])
    assert may_use_topic(granted, table_user("1"), Access.READ, all_tables(EVENT, Channel.CROSSING_HEAD))
    assert may_use_topic(granted, table_user("1"), Access.READ, keys_topic(EVENT))
    assert may_use_topic(granted, table_user("1"), Access.WRITE, str(Topic(EVENT, "1", Channel.CROSSING_HEAD)))
    assert not may_use_topic(granted, table_user("1"), Access.WRITE, str(Topic(EVENT, "2", Channel.CROSSING_HEAD)))
    assert not may_use_topic(granted, table_user("1"), Access.READ, all_tables(EVENT, Channel.HEAD))
