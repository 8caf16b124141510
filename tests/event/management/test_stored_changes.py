"""Changes of an event in its store: they outlive a restart, are signed, and decide what is compared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.event.managed import INDIVIDUAL, PREPARED, rows
from twinwall.event.field import EventField
from twinwall.event.management.change_checks import ChangeRefusedError, Why
from twinwall.event.management.changes import Announced, EventChange
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import ManagementStep
from twinwall.event.store.store_loading import DamagedStoreError, load
from twinwall.event.store.store_reading import read_store
from twinwall.event.store.store_records import bad_records
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.messages.signing import Signer

START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
NEW = Programme("Club evening", EventField(EntrantKind.INDIVIDUAL, ()))
SERVER = Signer("server", bytes(range(32)))


def step(change: EventChange) -> ManagementStep:
    return ManagementStep(change, "Li Na", START)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "event.sqlite"


def prepared(path: Path) -> None:
    desk = StoreWriter(path, NEW, START, SERVER)
    for version, change in enumerate(PREPARED):
        desk.manage(step(change), seen=version)
    desk.close()


def test_an_event_is_as_it_was_left_after_a_restart(path: Path) -> None:
    prepared(path)
    again = StoreWriter(path, read_store(path).programme, START, SERVER)
    assert again.event.seats(1)["2"] == ("5", "6", "7", "8")
    assert again.hall.programme.field.tables == ("1", "2", "3", "4")
    again.close()


def test_a_change_that_was_stored_decides_what_is_compared_though_the_power_failed_before_the_programme_was_written(path: Path) -> None:
    desk = StoreWriter(path, NEW, START, SERVER)
    for change in PREPARED:
        desk._rows.add_note(step(change))
    desk.close()
    again = StoreWriter(path, NEW, START, SERVER)
    assert again.hall.programme.field.tables == ("1", "2", "3", "4")
    again.close()


def test_a_change_counts_though_the_programme_that_follows_cannot_be_stored_and_that_is_stored_with_the_next(path: Path) -> None:
    desk = StoreWriter(path, NEW, START, SERVER)
    for change in PREPARED[:-1]:
        desk.manage(step(change), None)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON programmes BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    assert desk.manage(step(PREPARED[-1]), None).seats(1)["2"] == ("5", "6", "7", "8")
    assert desk.hall.programme.field.tables == ("1", "2", "3", "4"), "the director's pages go on"
    assert read_store(path).programme.field.tables == (), "the disk took the change alone"
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DROP TRIGGER full")
    desk.manage(step(Announced({"en": "Lunch at one"})), None)
    assert read_store(path).programme.field.tables == ("1", "2", "3", "4")
    desk.close()


def test_a_refused_change_is_not_stored(path: Path) -> None:
    prepared(path)
    desk = StoreWriter(path, read_store(path).programme, START, SERVER)
    with pytest.raises(ChangeRefusedError) as refused:
        desk.manage(step(rows(5)), seen=1)
    assert refused.value.refusal.why is Why.CHANGED
    assert desk.event.version == len(PREPARED)
    desk.close()
    assert len(load(read_store(path)).steps) == len(PREPARED)


def test_changes_are_records_under_the_account_s_name_that_the_server_signed(path: Path) -> None:
    prepared(path)
    records = read_store(path).records
    assert not list(bad_records(records, "Club evening", {SERVER.public.hex()}))
    assert sum(b'"kind":"management"' in record and b'"staff":"Li Na"' in record for record in records) == len(PREPARED)


def test_a_change_that_was_edited_in_the_store_is_named(path: Path) -> None:
    prepared(path)
    raw = sqlite3.connect(path)
    raw.execute("DROP TRIGGER records_update")
    kept = raw.execute("SELECT seq, record FROM records").fetchall()
    edited = [(seq, record.replace(b'["5","6","7","8"]', b'["6","5","7","8"]')) for seq, record in kept if b"session-seated" in record]
    raw.executemany("UPDATE records SET record = ?2 WHERE seq = ?1", edited)
    raw.commit()
    raw.close()
    with pytest.raises(DamagedStoreError, match="management"):
        load(read_store(path))


def test_two_directors_at_once_the_second_is_told_and_overwrites_nothing(path: Path) -> None:
    desk = StoreWriter(path, NEW, START)
    desk.manage(step(INDIVIDUAL), seen=0)
    desk.manage(step(Announced({"en": "first"})), seen=1)
    with pytest.raises(ChangeRefusedError):
        desk.manage(step(Announced({"en": "second"})), seen=1)
    assert desk.event.announcement == {"en": "first"}
    desk.close()
