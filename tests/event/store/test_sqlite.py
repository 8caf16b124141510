"""What only a store in a file of SQLite can meet: folders, other files, a disk that refuses.

Stores of every version are brought to the present one with all that they hold, in each database.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.support.disks import full_disk
from tests.support.event.databases import run_beside
from tests.support.event.stored_event import PROGRAMME, open_desk, slip_bytes, stream, until_closed
from tests.support.wire.streams import START
from twinwall.event.store import store_writer
from twinwall.event.store.databases import postgres
from twinwall.event.store.databases.opening import copy_store
from twinwall.event.store.databases.port import APPLICATION, VERSION, PostgresAddress, StoreAddress, StoreError
from twinwall.event.store.databases.sqlite import SqliteDatabase
from twinwall.event.store.store_contents import Evidence, RefereeLook, SignedHead, StoredAnnouncement, StoredSlip
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_rows import read_store

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


def test_a_file_without_tables_is_a_new_store_whatever_version_it_names(tmp_path: Path) -> None:
    run_beside(tmp_path / "event.sqlite", f"PRAGMA user_version = {VERSION}")
    open_desk(tmp_path).close()
    assert read_store(tmp_path / "event.sqlite").records


def test_a_store_that_is_closed_again_closes_no_file_of_another_part_of_the_program(tmp_path: Path) -> None:
    store = SqliteDatabase.for_writing(tmp_path / "event.sqlite")
    store.close()
    others = [os.open(tmp_path, os.O_RDONLY) for _ in range(8)]
    store.close()
    for other in others:
        os.close(other)


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
                opened.note(signature)
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
                opened.note(head)
        with pytest.raises(StoreError, match=lost):
            opened.note(SignedHead("3", "j", 1, b"head"))
    opened.close()
    contents = read_store(tmp_path / "event.sqlite")
    assert (contents.heads, contents.evidence) == (tuple(heads[-2:]), (forged(0), forged(1)))


def test_the_first_signature_after_the_disk_is_back_is_stored_though_as_many_wait_as_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_writer, "MOST_UNKEPT", 1)
    opened, heads = open_desk(tmp_path), tuple(SignedHead(table, "j", 1, b"head") for table in ("1", "2"))
    with full_disk(FULL_BYTES), REFUSES:
        opened.note(heads[0])
    opened.note(heads[1])
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


DUMPS = Path(__file__).parent / "versions"
KEPT = range(1, VERSION + 1)
EARLIER = KEPT[:-1]
"""Version 4 is that of the program's versions 0.1.0 and 0.9.0."""


def put_older_store(address: StoreAddress, version: int) -> None:
    dump = (DUMPS / f"version-{version}.sql").read_text(encoding="utf-8")
    if isinstance(address, PostgresAddress):
        statements = [postgres.versions(), *(postgres.migration(number) for number in range(version))]
        numbered = [f"INSERT INTO store_versions VALUES ({number + 1}, {APPLICATION})" for number in range(version)]
        run_beside(address, *statements, *numbered, "SET session_replication_role = replica", *inserts(dump))
    else:
        with closing(sqlite3.connect(address)) as connection:
            connection.executescript(dump)


def inserts(dump: str) -> Iterator[str]:
    """The rows of a dump, as PostgreSQL spells them."""
    for line in dump.splitlines():
        if line.startswith("INSERT"):
            into, _, values = line.partition(" VALUES")
            yield f"{into} VALUES" + values.replace(",X'", ",'\\x")


@pytest.mark.parametrize("version", EARLIER)
def test_a_store_of_an_earlier_version_is_not_read_before_it_was_opened_for_writing(tmp_path: Path, version: int) -> None:
    put_older_store(tmp_path / "event.sqlite", version)
    with pytest.raises(StoreError, match=f"of version {version}, this program reads {VERSION}: open it once for writing"):
        read_store(tmp_path / "event.sqlite")


@pytest.mark.parametrize("version", KEPT)
def test_a_store_of_every_version_is_brought_to_the_present_one_with_all_that_it_holds(store_address: StoreAddress, version: int) -> None:
    put_older_store(store_address, version)
    opened = open_desk(store_address)
    assert [call.acknowledged is not None for call in opened.hall.calls()] == [True]
    opened.close()
    contents = read_store(store_address)
    assert contents.programme == PROGRAMME
    first, second = contents.journals
    assert [line for line, _ in first.lines] == [event.line for event in until_closed("1", 1)]
    assert (second.table, second.journal, len(second.lines)) == ("2", "another", 1)
    assert contents.slips == (StoredSlip(1, slip_bytes(1), START),)
    assert contents.looks == (RefereeLook("1", 1, "as typed", START),)
    assert [complaint.reason for complaint in contents.complaints] == ["a line was refused"]
    assert len(contents.evidence) == (version >= 2)
    assert (len(contents.heads), len(contents.announcements)) == ((1, 1) if version >= 3 else (0, 0))
    assert contents.records, "the store notes that it was opened"
    load(contents)


@pytest.mark.parametrize("version", EARLIER)
def test_the_tables_of_every_version_refuse_changes_after_the_migration(store_address: StoreAddress, version: int) -> None:
    put_older_store(store_address, version)
    open_desk(store_address).close()
    for statement in ("DELETE FROM lines", "UPDATE records SET seq = 9", "DELETE FROM complaints"):
        with pytest.raises((sqlite3.IntegrityError, psycopg.errors.RaiseException), match="never changed"):
            run_beside(store_address, statement)


def test_a_store_of_each_version_has_its_dump() -> None:
    assert sorted(path.name for path in DUMPS.iterdir()) == [f"version-{version}.sql" for version in KEPT]


@pytest.mark.slow
def test_a_store_that_goes_to_the_other_database_and_back_has_the_same_rows(postgres_store: PostgresAddress, tmp_path: Path) -> None:
    path, back = tmp_path / "event.sqlite", tmp_path / "back.sqlite"
    put_older_store(path, 3)
    opened = open_desk(path)
    opened.take(until_closed("3", 2))
    opened.close()
    copy_store(path, postgres_store)
    assert read_store(postgres_store) == read_store(path)
    moved = open_desk(postgres_store)
    moved.take(until_closed("4", 1))
    moved.close()
    with pytest.raises(StoreError, match="there is a store already"):
        copy_store(path, postgres_store)
    copy_store(postgres_store, back)
    assert read_store(back) == read_store(postgres_store)
    load(read_store(back))
    assert sorted(each.name for each in tmp_path.glob("back*")) == ["back.sqlite"]
