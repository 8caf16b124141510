"""The key of a journal after a power cut: the vault gives it to the table whose new boot keys a person has allowed, and to nobody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.adapters.journal_keys import JournalKeyFiles, ledger_end
from controller.ledger.journal import JournalError
from tests.support.custody.hall import EVENT, VAULT, Hall, PlayedTable, boot_of
from tests.support.custody.keyed_table import KEY, KeyedTable, allow, keyed_tables
from twinwall.custody.table_rules import RevokeKey
from twinwall.game.documents import DocumentError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import vault_sealing_key
from twinwall.wire.messages.vaults.journal_key import GivenKeyPiece, open_stored_piece
from twinwall.wire.mqtt.topics import Channel, Topic


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path)
    yield hall
    hall.close()


@pytest.fixture
def tables(hall: Hall) -> dict[str, KeyedTable]:
    return keyed_tables(hall)


def test_a_table_that_lost_power_is_given_its_key_once_a_person_has_allowed_its_new_boot_keys(
    hall: Hall, tables: dict[str, KeyedTable]
) -> None:
    table = tables["1"]
    stood = table.table.head
    table.cut_power()
    assert table.files.held() is None
    table.hear_challenge()
    assert table.ask() == [], "a copy of the disk has other boot keys, and asks just so"
    assert any("shows new boot keys" in sentence for sentence in hall.sentences)
    allow(hall, "1", 1)
    (given,) = table.ask()
    assert table.table.deals.identity.journal_key(given) == GivenKeyPiece("vault", KEY, stood)


def test_what_is_given_opens_with_the_allowed_boot_keys_alone(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    table = tables["1"]
    table.cut_power()
    table.hear_challenge()
    allow(hall, "1", 1)
    (given,) = table.ask()
    table.boot += 1
    with pytest.raises(DocumentError, match="sealed to other boot keys"):
        table.start().deals.identity.journal_key(given)


def test_another_table_of_the_event_is_not_given_the_key_of_a_stolen_disk(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    """Its own boot keys are accepted; what it sends was kept by the other table."""
    thief = tables["2"]
    topic = str(Topic(EVENT, "2", Channel.CUSTODY))
    before = len(hall.sent)
    hall.arrive(topic, thief.table.deals.statement("vault", thief.table.head, tables["1"].files.kept()))
    assert not [to for to, _ in hall.sent[before:] if to.endswith("journal-key")]
    assert any("was not sealed to this vault for this table and event" in sentence for sentence in hall.sentences)


def test_revoked_boot_keys_are_given_no_key(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    table = tables["1"]
    table.cut_power()
    table.hear_challenge()
    allow(hall, "1", 1)
    hall.order(RevokeKey("1", boot_of("1", 1).public.fingerprint))
    assert table.ask() == []


def test_a_vault_that_was_killed_gives_the_key_too(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    table = tables["1"]
    table.cut_power()
    allow(hall, "1", 1)
    hall.kill_vault()
    hall.settle()
    table.hear_challenge()
    (given,) = table.ask()
    assert table.table.deals.identity.journal_key(given).piece == KEY


def test_nobody_but_the_vault_gives_a_key(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    table = tables["1"]
    with pytest.raises(DocumentError, match="is refused"):
        table.table.deals.identity.journal_key(b'{"format":"twinwall-journal-key-1"}\n')


def test_what_lies_beside_the_journal_opens_at_the_vault_alone(tables: dict[str, KeyedTable]) -> None:
    kept = tables["1"].files.kept()
    with pytest.raises(DocumentError, match="was not sealed to this vault"):
        open_stored_piece(kept, boot_of("1").sealing, EVENT, "1")


def test_a_deal_is_asked_for_only_when_the_key_is_kept(hall: Hall, tmp_path: Path) -> None:
    """A disk that is full: the challenge does not count, so the vault gives nothing."""
    table = PlayedTable("1", tmp_path / "1")

    def full(vault: str, sealing_key: bytes) -> None:
        raise OSError(28, "No space left on device")

    table.deals.vault_heard = full
    hall.add(table)
    hall.settle()
    assert not table.open_next()
    table.deals.vault_heard = lambda vault, sealing_key: None
    hall.settle()
    assert table.open_next()


def test_a_key_that_is_gone_before_the_vault_had_it_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"gone with the power, before the vault could hear of it; keep the folder for the referee"):
        JournalKeyFiles(tmp_path, tmp_path).kept()


def test_a_new_journal_forgets_what_was_kept_of_another(tmp_path: Path) -> None:
    files = JournalKeyFiles(tmp_path, tmp_path)
    files.hold([b"\x01" * 32])
    files.keep_for("vault", VAULT.public, EVENT, "1")
    assert files.begin(lambda size: b"\x02" * size) == files.held() == b"\x02" * 32
    with pytest.raises(JournalError):
        files.kept()


def test_a_table_without_a_public_ledger_asks_under_no_journals_name(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_bytes(b"half a li")
    assert ledger_end(tmp_path / "events.jsonl") == LedgerPosition("unknown")


def test_control_whoever_has_the_vaults_signing_key_opens_what_lies_beside_the_journal(tables: dict[str, KeyedTable]) -> None:
    """The same theft by somebody who has the vault's disk too."""
    assert open_stored_piece(tables["1"].files.kept(), vault_sealing_key(VAULT), EVENT, "1") == KEY
