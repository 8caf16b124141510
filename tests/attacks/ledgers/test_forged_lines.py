"""Attack 2: whoever has a table's broker password publishes lines in its name, before the table does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.custody.hall import EVENT, VAULT, Hall
from tests.support.dashboard.intake import TableIntake
from tests.support.event.ledgers import closing, preparing, starting
from tests.support.event.ledgers import events as events_of
from tests.support.wire.streams import START
from twinwall.event.store.store_rows import read_store
from twinwall.wire.ledger import LedgerPosition, PublicEvent, envelope, next_position
from twinwall.wire.messages.boot_keys import AnnouncedKeys, Announcement, BootSecrets, Head, LedgerKind, SettledKeys, TableKey
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.venue_messages import read_notice
from twinwall.wire.mqtt.topics import Channel, Topic, keys_topic
from twinwall.wire.signed_receiver import UNCOVERED_AFTER_S

BOOT = BootSecrets.from_bytes("1", b"\x07" * 64)
TRUE = events_of([*preparing(1), *starting(1), *closing(1, (8, -8, 0, 0))], "1")


def topic(channel: Channel, table: str = "1") -> str:
    return str(Topic(EVENT, table, channel))


def forged_end(after: LedgerPosition, table: str = "1") -> bytes:
    """A line that says that the hand of deal 1 is closed."""
    return envelope(table, after, START, "hand-closed", {"n": 1})


class Server(TableIntake):
    """The hall's server, which the true table reaches too."""

    def hear_true(self, events: list[PublicEvent], signer: Signer = BOOT.signer) -> None:
        self.hear_table([event.line for event in events], signer)

    @property
    def lines(self) -> list[bytes]:
        return [line for journal in self.stored.journals for line, _ in journal.lines]


def announce(counter: int, *keys: bytes) -> bytes:
    return sign_document(VAULT, Announcement(counter, tuple(TableKey("1", key.hex()) for key in keys)), EVENT)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, AnnouncedKeys(EVENT, VAULT.public))
    server.hear(keys_topic(EVENT), announce(1, BOOT.public.signing))
    yield server
    server.desk.close()


def test_a_head_that_a_stolen_key_has_signed_ahead_covers_nothing_once_the_key_is_replaced(server: Server) -> None:
    server.hear_true(TRUE[:4])
    forged = forged_end(TRUE[3].position)
    ahead = next_position(TRUE[3].position, forged)
    head = Head(ahead.journal, ahead.seq, ahead.digest, LedgerKind.EVENTS)
    server.hear(topic(Channel.HEAD), sign_document(BOOT.signer, head, EVENT, "1"))
    after = BootSecrets.from_bytes("1", b"\x08" * 64)
    server.hear(keys_topic(EVENT), announce(2, after.public.signing))
    server.hear(topic(Channel.EVENTS), forged)
    assert server.lines == [event.line for event in TRUE[:4]]
    server.hear_true(TRUE[4:], after.signer)
    assert server.lines == [event.line for event in TRUE]


def test_a_forged_end_of_a_hand_is_not_stored_and_the_true_table_goes_on(server: Server) -> None:
    server.hear_true(TRUE[:4])
    forged = forged_end(TRUE[3].position)
    server.hear(topic(Channel.EVENTS), forged)
    assert server.lines == [event.line for event in TRUE[:4]]
    server.hear_true(TRUE[4:])
    assert server.lines == [event.line for event in TRUE]
    assert [(each.line, each.signed) for each in server.stored.evidence] == [(forged, TRUE[4].position.digest)]
    assert server.stored.evidence[0].head, "the signed head lies beside the forged line"
    assert "somebody published another line 5" in server.complaint


def test_a_line_forged_after_the_true_one_is_evidence_too(server: Server) -> None:
    server.hear_true(TRUE)
    forged = forged_end(TRUE[3].position)
    server.hear(topic(Channel.EVENTS), forged)
    assert server.lines == [event.line for event in TRUE]
    assert [each.line for each in server.stored.evidence] == [forged]


def test_forged_lines_that_nothing_covers_are_dropped_and_said(server: Server) -> None:
    server.hear_true(TRUE[:4])
    server.hear(topic(Channel.EVENTS), forged_end(LedgerPosition("j9", 100, "ab" * 32)))
    server.now_s += UNCOVERED_AFTER_S
    server.intake.tick()
    assert "lines that no signed head of the table covers were dropped" in server.complaint


def test_a_head_under_another_key_covers_nothing(server: Server) -> None:
    server.hear_true(TRUE, Signer("1", b"\x66" * 32))
    assert server.lines == []
    assert "a head of table '1' is refused" in server.complaint


def test_a_head_that_came_before_its_key_was_announced_counts_afterwards(tmp_path: Path) -> None:
    server = Server(tmp_path, AnnouncedKeys(EVENT, VAULT.public))
    server.hear_true(TRUE)
    assert server.lines == []
    server.hear(keys_topic(EVENT), announce(1, BOOT.public.signing))
    assert server.lines == [event.line for event in TRUE]
    server.desk.close()


def test_stored_lines_are_covered_by_a_stored_head_and_the_announced_key(server: Server) -> None:
    server.hear_true(TRUE[:2])
    server.hear_true(TRUE[:4])
    server.hear(keys_topic(EVENT), announce(2, BOOT.public.signing))
    assert [(head.table, head.seq) for head in read_store(server.desk.address).heads] == [("1", 2)], "the next one waits ten seconds"
    server.intake.finish()
    contents = read_store(server.desk.address)
    assert [(head.table, head.seq) for head in contents.heads] == [("1", 2), ("1", 4)]
    assert [each.announcement for each in contents.announcements] == [announce(1, BOOT.public.signing)], "the second names the same key"
    assert contents.announcements[0].vault_key == VAULT.public


@pytest.mark.parametrize(
    "forged",
    [
        sign_document(Signer("vault", b"\x66" * 32), Announcement(9, (TableKey("1", "66" * 32),)), EVENT),
        sign_document(VAULT, Announcement(9, (TableKey("1", "66" * 32),)), "another event"),
        announce(1, b"\x66" * 32),
        b"no announcement",
    ],
)
def test_an_announcement_that_is_forged_or_old_changes_no_key(server: Server, forged: bytes) -> None:
    server.hear(keys_topic(EVENT), forged)
    server.hear_true(TRUE)
    assert len(server.lines) == len(TRUE)


def test_an_old_announcement_played_to_a_server_that_starts_again_brings_no_revoked_key_back(server: Server, tmp_path: Path) -> None:
    server.hear(keys_topic(EVENT), announce(2, b"\x55" * 32))
    server.desk.close()
    again = Server(tmp_path, AnnouncedKeys(EVENT, VAULT.public))
    again.hear(keys_topic(EVENT), announce(1, BOOT.public.signing))
    again.hear_true(TRUE)
    assert again.lines == []
    again.desk.close()


def test_in_a_rehearsal_without_a_vault_the_identity_keys_of_the_settings_count(tmp_path: Path) -> None:
    identity = Signer("1", b"\x44" * 32)
    server = Server(tmp_path, SettledKeys({"1": identity.public}))
    server.hear(keys_topic(EVENT), announce(1, BOOT.public.signing))
    server.hear_true(TRUE[:4], identity)
    server.hear(topic(Channel.EVENTS), forged_end(TRUE[3].position))
    server.hear_true(TRUE[4:], identity)
    assert server.lines == [event.line for event in TRUE]
    server.desk.close()


def test_control_without_signed_heads_the_forged_line_is_stored_and_the_true_ones_are_refused(tmp_path: Path) -> None:
    server = Server(tmp_path, None)
    server.hear_true(TRUE[:4])
    forged = forged_end(TRUE[3].position)
    server.hear(topic(Channel.EVENTS), forged)
    server.hear_true(TRUE[4:])
    assert server.lines == [*(event.line for event in TRUE[:4]), forged]
    server.desk.close()


@pytest.mark.parametrize("restarted", [False, True])
def test_the_vault_takes_no_forged_line_and_releases_when_the_true_table_has_finished(hall: Hall, *, restarted: bool) -> None:
    hall.arrive(topic(Channel.EVENTS, "2"), forged_end(hall.tables["2"].head, "2"))
    hall.settle()
    assert hall.slips == {}
    if restarted:
        hall.kill_vault()
        hall.arrive(topic(Channel.EVENTS, "2"), forged_end(hall.tables["2"].head, "2"))
    hall.tables["2"].finish()
    hall.settle()
    assert list(hall.slips) == [1], "no withdrawal was needed"
    notices = [read_notice(payload) for to, payload in hall.sent if to == topic(Channel.NOTICE, "2")]
    assert any("somebody published another line" in notice for notice in notices)


def test_control_a_head_under_the_tables_boot_key_makes_the_vault_take_the_forged_line(hall: Hall) -> None:
    table = hall.tables["2"]
    forged = forged_end(table.head, "2")
    after = next_position(table.head, forged)
    hall.arrive(topic(Channel.EVENTS, "2"), forged)
    head = Head(after.journal, after.seq, after.digest, LedgerKind.EVENTS)
    hall.arrive(topic(Channel.HEAD, "2"), sign_document(table.boot_secrets.signer, head, EVENT, "2"))
    assert list(hall.slips) == [1]
