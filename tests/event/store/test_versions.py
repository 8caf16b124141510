"""Stores of every version are brought to the present one with all that they hold, in each database.

``versions/version-N.sql`` is a dump of a store of version N, with one table's hand, a call that was taken up, and one row of each
kind that the version knows. It is never written again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.support.event.databases import run_beside
from tests.support.event.stored_event import PROGRAMME, open_desk, slip_bytes, until_closed
from tests.support.wire.streams import START
from twinwall.event.store.databases import postgres
from twinwall.event.store.databases.addresses import PostgresAddress, StoreAddress
from twinwall.event.store.databases.opening import copy_store
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.databases.schema import APPLICATION, VERSION
from twinwall.event.store.store_contents import RefereeLook, StoredSlip
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_reading import read_store

DUMPS = Path(__file__).parent / "versions"
KEPT = range(1, VERSION + 1)
EARLIER = KEPT[:-1]
"""Version 4 is that of the program's versions 0.1.0 and 0.9.0."""


def put_older_store(address: StoreAddress, version: int) -> None:
    """A store as that version of the program left it."""
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
