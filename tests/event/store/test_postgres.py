"""What only a store in PostgreSQL can meet: a server that goes, a connection cut at a bad moment, a database that takes nothing."""

import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from tests.support.event.databases import run_beside
from tests.support.event.postgres import PostgresServer, binaries
from tests.support.event.stored_event import PROGRAMME, open_desk, stream
from tests.support.wire.streams import START
from twinwall.event.store.databases import postgres
from twinwall.event.store.databases.port import VERSION, PostgresAddress, StoreError
from twinwall.event.store.store_contents import Complaint
from twinwall.event.store.store_rows import StoreRows, read_store

pytestmark = pytest.mark.slow

SOCKET = ".s.PGSQL.5432"


class Cutter:
    """A line to the server that can be cut around a COMMIT: before the server gets it, or after it and before its answer."""

    def __init__(self, server: str) -> None:
        self._server = server
        self.folder = Path(tempfile.mkdtemp(prefix="twinwall-cutter-"))
        self.cut: str | None = None
        self.connections = 0
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.folder / SOCKET))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        shutil.rmtree(self.folder)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self.connections += 1
                if self.cut == "always":
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                server.connect(f"{self._server}/{SOCKET}")
                threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
                threading.Thread(target=self._copy, args=(server, client), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError), client, server:
            while content := client.recv(65536):
                cut = self.cut if b"COMMIT" in content else None
                if cut == "before":
                    self.cut = None
                    return
                if cut == "after":
                    self.cut = "at the answer"
                server.sendall(content)

    def _copy(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while content := server.recv(65536):
                if self.cut == "at the answer":
                    self.cut = None
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(content)


@pytest.fixture
def cutter(postgres_store: PostgresAddress) -> Iterator[Cutter]:
    opened = Cutter(postgres_store.url.partition("host=")[2])
    yield opened
    opened.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_connection_cut_while_a_transaction_ends_neither_loses_nor_doubles_what_was_said(
    postgres_store: PostgresAddress, cutter: Cutter, moment: str
) -> None:
    rows = StoreRows(replace(postgres_store, url=f"{postgres_store.url.partition('?')[0]}?host={cutter.folder}"), PROGRAMME, START)
    cutter.cut = moment
    note = Complaint("1", "the only one", START)
    if moment == "before":
        with pytest.raises(StoreError, match="does not answer"):
            rows.add_note(note)
        rows.add_note(note)
    else:
        rows.add_note(note)
    assert cutter.cut is None
    assert rows.add_lines(stream("1")[:4]) == ()
    rows.close()
    contents = read_store(postgres_store)
    assert (contents.complaints, len(contents.journals[0].lines)) == ((note,), 4)


def test_a_connection_that_was_cut_between_two_transactions_is_made_again_unseen(postgres_store: PostgresAddress) -> None:
    rows = StoreRows(postgres_store, PROGRAMME, START)
    rows.add_lines(stream("1")[:2])
    run_beside(
        postgres_store,
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = "
        f"(hashtext('{postgres_store.schema}')::bigint & 4294967295)::oid",
    )
    assert rows.add_lines(stream("1")[2:4]) == ()
    with pytest.raises(StoreError, match="another process writes"):
        StoreRows(postgres_store, PROGRAMME, START)
    rows.close()
    assert len(read_store(postgres_store).journals[0].lines) == 4


def test_a_server_that_cannot_be_reached_is_not_tried_for_everybody_who_asks(
    postgres_store: PostgresAddress, cutter: Cutter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "TRY_AGAIN_S", 3600.0)
    rows = StoreRows(replace(postgres_store, url=f"{postgres_store.url.partition('?')[0]}?host={cutter.folder}"), PROGRAMME, START)
    before, cutter.cut = cutter.connections, "always"
    rows._database.close()
    for _ in range(3):
        with pytest.raises(StoreError, match="does not answer"):
            rows.add_note(Complaint("1", "said", START))
    assert cutter.connections == before + 1
    rows.close()


def test_while_the_database_is_read_only_lines_wait_and_the_hall_goes_on(postgres_store: PostgresAddress) -> None:
    opened = open_desk(postgres_store)
    opened.take(stream("1")[:1])
    opened._rows._database.rows(tuple[str], "SELECT set_config('default_transaction_read_only', 'on', false)")
    with pytest.raises(StoreError, match="it is read-only: make it writable"):
        opened.take(stream("1")[1:])
    assert len(opened.hall.hands(as_referee_of="1")) == 3
    opened._rows._database.rows(tuple[str], "SELECT set_config('default_transaction_read_only', 'off', false)")
    assert opened.store_waiting() == ()
    opened.close()
    assert len(read_store(postgres_store).journals[0].lines) == len(stream("1"))


def test_a_newer_store_and_a_server_that_is_not_there_are_refused(postgres_store: PostgresAddress, tmp_path: Path) -> None:
    open_desk(postgres_store).close()
    run_beside(postgres_store, f"INSERT INTO store_versions SELECT {VERSION + 1}, max(application) FROM store_versions")
    with pytest.raises(StoreError, match="use the newer program"):
        open_desk(postgres_store)
    with pytest.raises(StoreError, match="the database does not answer"):
        open_desk(PostgresAddress(f"postgresql://twinwall@/postgres?host={tmp_path}"))


def test_no_rows_are_cut_off_a_table_as_a_whole(postgres_store: PostgresAddress) -> None:
    open_desk(postgres_store).close()
    with pytest.raises(psycopg.errors.RaiseException, match="never changed"):
        run_beside(postgres_store, "TRUNCATE records")


def test_without_its_library_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "twinwall.event.store.databases.postgres", None)
    with pytest.raises(StoreError, match=r"pip install 'twinwall\[postgresql\]'"):
        read_store(PostgresAddress("postgresql://127.0.0.1/twinwall"))


def test_a_server_killed_outright_keeps_all_that_was_stored_and_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "TRY_AGAIN_S", 0.0)
    if binaries() is None:
        pytest.skip("postgresql is not installed (apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="twinwall-postgres-"))
    server = PostgresServer(folder, durable=True)
    server.start()
    try:
        address = PostgresAddress(server.url)
        with closing(open_desk(address)) as opened:
            opened.take(stream("1")[:5])
            server.kill()
            with pytest.raises(StoreError, match="does not answer"):
                opened.take(stream("1")[5:8])
            server.start()
            assert opened.take(stream("1")[8:10]) == ()
        assert [line for line, _ in read_store(address).journals[0].lines] == [event.line for event in stream("1")[:10]]
    finally:
        server.stop()
        shutil.rmtree(folder)
