"""What only a store in a file of SQLite can meet: folders, other files, a disk that refuses."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.support.event.databases import run_beside
from tests.support.event.stored_event import open_desk, stream
from tests.support.full_disk import full_disk
from tests.support.wire.streams import START
from twinwall.event.store import store_writer
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.databases.schema import VERSION
from twinwall.event.store.databases.sqlite import SqliteDatabase
from twinwall.event.store.store_contents import Evidence, SignedHead, StoredAnnouncement
from twinwall.event.store.store_reading import read_store

FULL_BYTES = 4096
"""No file of a full disk grows beyond this: a store's log has more."""
REFUSES = pytest.raises(StoreError, match="the disk does not answer")


def forged(number: int = 0) -> Evidence:
    return Evidence("1", b"forged", "ab" * 32, b"head %d" % number, START)


def test_a_folder_that_is_not_there_a_newer_store_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is the folder there"):
        open_desk(tmp_path / "nowhere" / "event.sqlite")
    open_desk(tmp_path).close()
    run_beside(tmp_path / "event.sqlite", f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(StoreError, match="use the newer program"):
        open_desk(tmp_path)
    (tmp_path / "event.sqlite").write_bytes(b"not a database, but long enough to be read as one" * 40)
    with pytest.raises(StoreError, match="not a store, or it is damaged"):
        open_desk(tmp_path)


@pytest.mark.parametrize("ends", [False, True], ids=["goes on", "is stopped"])
def test_while_the_disk_refuses_the_hall_goes_on_and_all_is_stored_when_there_is_room(tmp_path: Path, *, ends: bool) -> None:
    opened, lines = open_desk(tmp_path), stream("1")
    head = SignedHead("1", lines[-1].journal, lines[-1].seq, b"head")
    announced = StoredAnnouncement(b"keys", bytes(32), START)
    with full_disk(FULL_BYTES):
        with REFUSES:
            opened.take(lines)
        for signature in (announced, head):
            with REFUSES:
                opened.keep_signature(signature)
        with REFUSES:
            opened.note(forged())
        with REFUSES:
            opened.store_waiting()
    assert len(opened.hall.hands(as_referee_of="1")) == 3
    if not ends:
        assert opened.store_waiting() == ()
    opened.close()
    contents = read_store(tmp_path / "event.sqlite")
    assert (len(contents.journals[0].lines), contents.heads) == (len(lines), (head,))
    assert (contents.announcements[-1:], contents.evidence) == ((announced,), (forged(),))


def test_forged_lines_crowd_out_no_signature_while_the_disk_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_writer, "MOST_UNKEPT", 2)
    opened, waits, lost = open_desk(tmp_path), r"tables keep their events$", "2 wait already, and this one is lost"
    heads = [SignedHead(table, "j", seq, b"head") for seq in (1, 2, 3) for table in ("1", "2")]
    with full_disk(FULL_BYTES):
        for number in range(3):
            with pytest.raises(StoreError, match=lost if number == 2 else waits):
                opened.note(forged(number))
        for head in heads:
            with pytest.raises(StoreError, match=waits):
                opened.keep_signature(head)
        with pytest.raises(StoreError, match=lost):
            opened.keep_signature(SignedHead("3", "j", 1, b"head"))
    opened.close()
    contents = read_store(tmp_path / "event.sqlite")
    assert (contents.heads, contents.evidence) == (tuple(heads[-2:]), (forged(0), forged(1)))


def test_the_first_signature_after_the_disk_is_back_is_stored_though_as_many_wait_as_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_writer, "MOST_UNKEPT", 1)
    opened, heads = open_desk(tmp_path), tuple(SignedHead(table, "j", 1, b"head") for table in ("1", "2"))
    with full_disk(FULL_BYTES), REFUSES:
        opened.keep_signature(heads[0])
    opened.keep_signature(heads[1])
    opened.close()
    assert read_store(tmp_path / "event.sqlite").heads == heads


def test_a_full_disk_and_a_locked_store_are_said_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "event.sqlite"
    first = SqliteDatabase.for_writing(path)
    first.rows(tuple[int], "PRAGMA max_page_count = 1")
    with pytest.raises(StoreError, match="the disk is full"), first.transaction():
        first.add("INSERT INTO slips VALUES (?, '', zeroblob(100000))", [(1,)])
    second = SqliteDatabase(sqlite3.connect(path, timeout=0, isolation_level=None), path)
    with first.transaction(), pytest.raises(StoreError, match="another program holds the store locked"), second.transaction():
        pass
    first.close()
    second.close()
