"""A table's journal at start: a new one, after a kill, after a power cut, and in a rehearsal."""

import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from cli.table.table_journal import OpenedJournal, open_journal
from config import write
from controller.adapters.journal_keys import JournalKeyRequest
from controller.ledger.journal import Journal, JournalError
from controller.ledger.public import table_ledger
from controller.settings import CustodySection, LedgerSection, TableSettings
from tests.support.commands import Twinwall
from tests.support.custody.hall import EVENT, Hall, PlayedTable, boot_of, play
from tests.support.narrowed import present
from tools.default_settings import TABLE
from twinwall.custody.release import AllowKey
from twinwall.wire.events.trouble_events import FaultCleared
from twinwall.wire.events.wall_events import ControllerStarted
from twinwall.wire.mqtt.topics import Channel, Topic, parse_topic

AT = "2026-11-20T10:00:00.000Z"


class Wire:
    """The link of a table that waits for its key: what it says arrives at the vault, what the vault says to it at the table."""

    def __init__(self, hall: Hall, request: JournalKeyRequest) -> None:
        self._hall, self._request = hall, request

    def start(self) -> None:
        self._request.connected()

    def publish(self, topic: str, payload: bytes) -> int | None:
        before = len(self._hall.sent)
        self._hall.arrive(topic, payload)
        for to, sent in self._hall.sent[before:]:
            if to in self._request.subscriptions:
                self._request.message(to, sent)
        return 1

    def close(self) -> None:
        self._request.disconnected("closed")


class JournalTable:
    """Table 1 with its disk and memory, and the vault of a hall."""

    def __init__(self, folder: Path) -> None:
        self.hall = Hall(folder / "hall")
        self.disk, self.memory = folder / "ledger", folder / "memory"
        self.memory.mkdir()
        custody, deals = CustodySection(Path("identity"), ("server " + "00" * 32,), None, self.memory), replace(TABLE.deals, folder=None)
        self.settings: TableSettings = replace(TABLE, ledger=LedgerSection(self.disk), custody=custody, deals=deals)
        self.boot = 0
        self.table = PlayedTable("1", folder / "played-0")
        self.hall.add(self.table)

    def open(self) -> OpenedJournal | None:
        opened = open_journal(self.settings, self.table.deals, lambda request: Wire(self.hall, request))
        self.hall.settle()
        return opened

    def write(self, *faults: str) -> None:
        opened = present(self.open())
        resumed = bool(opened.journal.entries)
        opened.journal.append(AT, (ControllerStarted("j1", "0.1.0", resumed, 1), *(FaultCleared(code) for code in faults)))
        opened.journal.close()

    def cut_power(self, *, allowed: bool = True) -> None:
        """Memory is gone. The table, with new boot keys, is known to the vault as far as it plays."""
        shutil.rmtree(self.memory)
        self.memory.mkdir()
        self.boot += 1
        self.table.close()
        self.hall.tables["1"] = self.table = PlayedTable("1", self.disk.parent / f"played-{self.boot}", boot=self.boot)
        if allowed:
            self.hall.order(AllowKey("1", boot_of("1", self.boot).public.fingerprint))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JournalTable]:
    monkeypatch.setattr("controller.adapters.journal_keys.ASKED_EVERY_S", 0.05)
    table = JournalTable(tmp_path)
    yield table
    table.hall.close()


def test_a_new_journal_is_encrypted_and_its_key_is_kept_for_the_vault(table: JournalTable) -> None:
    table.write("jammed-in-the-drum")
    assert b"jammed-in-the-drum" not in (table.disk / "table.journal").read_bytes()
    assert (table.memory / "journal.key").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in table.disk.iterdir()} == {"table.journal", "table.journal.heads", "table.journal.key"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (*table.disk.iterdir(), *table.memory.iterdir()))


def test_a_killed_table_goes_on_by_itself(table: JournalTable) -> None:
    table.write("jammed-in-the-drum")
    table.hall.cut("1")
    opened = present(open_journal(table.settings, table.table.deals, no_link))
    assert len(opened.journal.entries) == 2
    opened.journal.close()


def no_link(request: JournalKeyRequest) -> Wire:
    raise AssertionError("nobody is to be asked")


def test_a_table_that_lost_power_goes_on_with_the_key_that_the_vault_gives(table: JournalTable) -> None:
    table.write("jammed-in-the-drum")
    play(table.hall, "1")
    table.cut_power()
    opened = present(table.open())
    assert len(opened.journal.entries) == 2
    assert opened.known is not None
    assert [(vault, at.journal, at.seq > 0) for vault, at in opened.known.items()] == [("vault", "j1", True)], (
        "and it hears what the vault has of its ledger"
    )
    opened.journal.close()
    table.write("glare")


def test_staff_is_called_for_as_long_as_the_table_waits_for_its_journals_key(table: JournalTable) -> None:
    calls: list[str] = []

    @contextmanager
    def called(_request: JournalKeyRequest) -> Iterator[None]:
        calls.append("called")
        yield
        calls.append("over")

    def opened() -> OpenedJournal | None:
        return open_journal(table.settings, table.table.deals, connect, called)

    def connect(request: JournalKeyRequest) -> Wire:
        assert calls == ["called"], "before anybody is asked"
        return Wire(table.hall, request)

    table.write("jammed-in-the-drum")
    for waits in (False, True):
        if waits:
            table.cut_power()
        present(opened()).journal.close()
        assert calls == (["called", "over"] if waits else []), "a key that is in memory is waited for by nobody"


def test_an_older_disk_is_refused_before_a_line_is_written(table: JournalTable) -> None:
    table.write("jammed-in-the-drum")
    play(table.hall, "1")
    table.cut_power()
    opened = present(table.open())
    ledger = table_ledger(table.disk, "1", "j1", known=opened.known)
    with pytest.raises(JournalError, match="an older copy was put back"):
        ledger.catch_up(opened.journal.entries)
    opened.journal.close()


def test_a_table_that_is_told_to_stop_while_it_waits_stops(table: JournalTable) -> None:
    table.write("jammed-in-the-drum")
    table.cut_power(allowed=False)

    class Stopped(Wire):
        def publish(self, topic: str, payload: bytes) -> int | None:
            assert parse_topic(topic).channel is Channel.CUSTODY
            self._request.stop()
            return super().publish(topic, payload)

    assert open_journal(table.settings, table.table.deals, lambda request: Stopped(table.hall, request)) is None
    assert not [to for to, _ in table.hall.sent if to == str(Topic(EVENT, "1", Channel.JOURNAL_KEY))]


def test_a_disk_that_is_full_while_a_head_is_written_stops_the_table_before_anything_leaves(table: JournalTable) -> None:
    opened = present(table.open())
    (table.disk / "table.journal.heads").mkdir()
    opened.journal.append(AT, (ControllerStarted("j1", "0.1.0", False, 1),))
    with pytest.raises(OSError, match=r"table\.journal\.heads"):
        opened.journal.sync()
    (table.disk / "table.journal.heads").rmdir()
    opened.journal.close()


def test_a_journal_in_clear_is_refused_where_a_vault_gives_the_deals(table: JournalTable) -> None:
    table.write("jammed-in-the-drum")
    (table.disk / "table.journal").unlink()
    (table.disk / "table.journal.heads").unlink()
    rehearsed = Journal(table.disk / "table.journal")
    rehearsed.append(AT, (ControllerStarted("j1", "0.1.0", False, 1),))
    rehearsed.close()
    with pytest.raises(JournalError, match=r"line 1 is damaged \(it lies in clear in a journal that is encrypted"):
        table.open()


def test_a_rehearsal_says_that_its_journal_lies_in_clear(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = replace(TABLE, ledger=LedgerSection(tmp_path))
    with caplog.at_level(logging.WARNING):
        opened = open_journal(settings, None, no_link)
    present(opened).journal.close()
    assert "is written in clear and unsigned" in caplog.text


def test_reports_read_an_encrypted_journal_while_its_key_is_in_memory_and_say_so_when_not(
    table: JournalTable, tmp_path: Path, twinwall: Twinwall
) -> None:
    table.write("jammed-in-the-drum")
    write(tmp_path / "table.toml", table.settings)
    tiles = ["selftest", "tiles", "--settings", str(tmp_path / "table.toml"), "--json"]
    assert json.loads(twinwall(*tiles).out) == {"worn": []}
    (table.memory / "journal.key").unlink()
    assert "start the table (twinwall table run), which asks the vault for it" in twinwall(*tiles, code=2).err
    assert "the faults are left out" in twinwall("admin", "pack", "--settings", tmp_path / "table.toml", "--out", tmp_path / "pack.zip").err
