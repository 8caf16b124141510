"""Attack 7: whoever can write to the store drops its triggers, changes what was played or who did what, and restores them."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from cli import main
from tests.support.event.ledgers import TABLES, events
from tests.support.event.stored_event import EVENT, open_desk, stream
from tests.support.wire.streams import START
from twinwall.event.store.store_check import problems
from twinwall.event.store.store_contents import Acknowledgement, RefereeLook, RulingGiven
from twinwall.event.store.store_loading import DamagedStoreError
from twinwall.event.store.store_records import BEGUN, RECORD, RecordWriter, read_records
from twinwall.event.store.store_rows import read_store
from twinwall.game.documents import canonical_json, digest
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.signing import open_signed as open_document

SERVER = Signer("server", b"\x0a" * 32)
ATTACKER = Signer("server", b"\x0b" * 32)
KEY = SERVER.public.hex()
CALL = events([("referee-called", {"seat": "W"})], "1", "another")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three deals at four tables; two looks, a call that was taken up, and a ruling."""
    desk = open_desk(tmp_path, signer=SERVER)
    for table in TABLES:
        desk.take(stream(table))
    desk.note(RefereeLook("1", 1, "Ota", START))
    desk.note(RefereeLook("2", 1, "Abe", START))
    desk.note(RulingGiven("3", "Ota", START, {"ruling": "r1", "n": 1}))
    desk.take(CALL)
    assert desk.acknowledge(Acknowledgement("1", CALL[0].journal, CALL[0].seq, "Abe", START + timedelta(seconds=9)))
    desk.close()
    assert found(tmp_path / "event.sqlite") == ()
    return tmp_path / "event.sqlite"


def found(path: Path, key: str | None = KEY) -> tuple[str, ...]:
    return problems(read_store(path), None if key is None else [key])


@contextmanager
def without_triggers(path: Path) -> Iterator[sqlite3.Connection]:
    """The store as somebody has it who may write to the file; its triggers are there again afterwards."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _sql in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    yield connection
    for _name, sql in triggers:
        connection.execute(sql)
    connection.close()


def seq_of(path: Path, kind: str, staff: str = "") -> int:
    return next(each.seq for each in read_records(read_store(path).records) if each.kind == kind and each.text("staff") == staff)


def edit(connection: sqlite3.Connection, seq: int, old: bytes, new: bytes) -> None:
    (record,) = connection.execute("SELECT record FROM records WHERE seq = ?", (seq,)).fetchone()
    assert old in record
    connection.execute("UPDATE records SET record = ? WHERE seq = ?", (record.replace(old, new), seq))


def cut(connection: sqlite3.Connection, seq: int) -> None:
    """Take a record out, and move the later ones up."""
    connection.execute("DELETE FROM records WHERE seq = ?", (seq,))
    for (later,) in connection.execute("SELECT seq FROM records WHERE seq > ? ORDER BY seq", (seq,)).fetchall():
        connection.execute("UPDATE records SET seq = ? WHERE seq = ?", (later - 1, later))


def swap(connection: sqlite3.Connection, one: int, other: int) -> None:
    for moved, to in ((one, 999), (other, one), (999, other)):
        connection.execute("UPDATE records SET seq = ? WHERE seq = ?", (to, moved))


def test_an_edited_record_is_named(store: Path) -> None:
    seq = seq_of(store, "look", "Ota")
    with without_triggers(store) as connection:
        edit(connection, seq, b"Ota", b"Abe")
    assert f"record {seq} (look of Abe at table 1) was changed: the server's signature does not fit it" in found(store)


def test_records_that_were_cut_out_or_swapped_are_named(store: Path) -> None:
    one, other, ruling = seq_of(store, "look", "Ota"), seq_of(store, "look", "Abe"), seq_of(store, "ruling", "Ota")
    with without_triggers(store) as connection:
        cut(connection, ruling)
        swap(connection, one, other)
    named = found(store)
    for seq, there in ((ruling, ruling + 1), (one, other)):
        assert f"record {seq}: record {there} stands in its place: records were cut out or swapped" in named


def test_records_that_were_cut_off_at_the_end_leave_lines_uncovered(store: Path) -> None:
    with without_triggers(store) as connection:
        connection.execute("DELETE FROM records WHERE seq > 2")
    assert any("no record covers it: records were cut off" in sentence for sentence in found(store))


def test_a_dashboard_does_not_start_on_a_store_whose_records_were_changed(store: Path) -> None:
    with without_triggers(store) as connection:
        edit(connection, seq_of(store, "look", "Ota"), b"Ota", b"Abe")
    with pytest.raises(DamagedStoreError, match="look of Abe at table 1"):
        open_desk(store.parent, signer=SERVER)


def swap_players(connection: sqlite3.Connection, table: str = "2") -> None:
    """Swap East and South of the first hand, and compute the table's chain again: each line and hash is as if it were so."""
    (journal,) = connection.execute("SELECT id FROM journals WHERE table_name = ?", (table,)).fetchone()
    previous: str | None = None
    for seq, line in connection.execute("SELECT seq, line FROM lines WHERE journal_id = ? ORDER BY seq", (journal,)).fetchall():
        document = json.loads(line)
        if document["type"] == "hand-started" and document["n"] == 1:
            seats = document["seats"]
            seats["E"], seats["S"] = seats["S"], seats["E"]
        if previous is not None:
            document["prev"] = previous
        changed = canonical_json(document)
        previous = digest(changed)
        values = (changed, bytes.fromhex(previous), journal, seq)
        connection.execute("UPDATE lines SET line = ?, digest = ? WHERE journal_id = ? AND seq = ?", values)


def write_records_anew(connection: sqlite3.Connection, signer: Signer | None, hashes: Callable[[str, int], str]) -> None:
    """Write all records once more, as the server would have, with whatever key there is."""
    writer = RecordWriter(EVENT, signer, ())
    for seq, record in connection.execute("SELECT seq, record FROM records ORDER BY seq").fetchall():
        document = open_document(RECORD, EVENT, "", record, {"server": SERVER.public})
        kind, fields = str(document["kind"]), {key: document[key] for key in document if key not in ("kind", "seq", "at", "previous", "by")}
        if kind == BEGUN:
            fields["key"] = writer.key
        if kind == "lines":
            fields["hash"] = hashes(str(fields["table"]), int(str(fields["line"])))
        _number, changed = writer.write(kind, START, fields)
        connection.execute("UPDATE records SET record = ? WHERE seq = ?", (changed, seq))


def hash_in(connection: sqlite3.Connection) -> Callable[[str, int], str]:
    def of(table: str, seq: int) -> str:
        found = connection.execute(
            "SELECT digest FROM lines JOIN journals ON id = journal_id WHERE table_name = ? AND seq = ? ORDER BY id", (table, seq)
        )
        return str(found.fetchone()[0].hex())

    return of


def test_players_swapped_in_a_hand_are_found_though_the_chain_was_computed_again(store: Path) -> None:
    with without_triggers(store) as connection:
        swap_players(connection)
    named = [sentence for sentence in found(store) if "(lines at table 2): line" in sentence]
    assert named
    assert all("the stored ledger was changed" in sentence for sentence in named)


@pytest.mark.parametrize("signer", [ATTACKER, None], ids=["another key", "no key"])
def test_records_written_anew_do_not_bear_the_servers_signature(
    store: Path, signer: Signer | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with without_triggers(store) as connection:
        swap_players(connection)
        write_records_anew(connection, signer, hash_in(connection))
    assert found(store, None) == (), "the control: whoever does not know the server's key is told that all holds"
    why = "is not signed" if signer is None else "is signed by another key than the server's"
    assert found(store)[0] == f"record 1 (begun) {why}"
    assert main(["results", "check", str(store)]) == 0
    assert "--key says which is the server's" in capsys.readouterr().err
    assert main(["results", "check", str(store), "--key", KEY]) == 1


def test_a_store_that_is_older_than_records_covers_what_it_has_when_it_is_opened(tmp_path: Path) -> None:
    desk = open_desk(tmp_path, signer=SERVER)
    desk.take(stream("1"))
    desk.close()
    with without_triggers(tmp_path / "event.sqlite") as connection:
        connection.execute("DELETE FROM records")
        connection.execute("INSERT INTO looks (table_name, n, by, at) VALUES ('1', 1, 'as typed', '2026-11-20T10:02:03.123Z')")
    open_desk(tmp_path, signer=SERVER).close()
    assert found(tmp_path / "event.sqlite") == ()
    assert [look.by for look in read_store(tmp_path / "event.sqlite").looks] == ["as typed"]
    with without_triggers(tmp_path / "event.sqlite") as connection:
        connection.execute("INSERT INTO looks (table_name, n, by, at) VALUES ('1', 1, 'forged', '2026-11-20T10:02:03.123Z')")
    assert "notes older than the records were changed or added" in found(tmp_path / "event.sqlite")


def test_another_key_of_the_server_begins_records_anew(tmp_path: Path) -> None:
    open_desk(tmp_path, signer=SERVER).close()
    open_desk(tmp_path, signer=SERVER).close()
    assert len(read_store(tmp_path / "event.sqlite").records) == 1, "nothing is new"
    open_desk(tmp_path, signer=ATTACKER).close()
    assert found(tmp_path / "event.sqlite", None) == ()
    assert found(tmp_path / "event.sqlite") == ("record 2 (begun) is signed by another key than the server's",)
    assert problems(read_store(tmp_path / "event.sqlite"), [KEY, ATTACKER.public.hex()]) == ()


def test_control_whoever_does_not_know_the_servers_key_is_told_that_all_holds(store: Path) -> None:
    with without_triggers(store) as connection:
        swap_players(connection)
        write_records_anew(connection, ATTACKER, hash_in(connection))
    assert found(store, None) == ()
