"""The file of a store: lines, slips and notes are added and read, never changed.

Lines are kept exactly as received, each with its hash, and only where they continue what is stored; a line that contradicts a
stored one is refused and named. ``hall`` computes what the rows amount to; ``store_check`` asks whether they hold.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias, assert_never

from twinwall.event.custody.deal_state import DealStep, step_document
from twinwall.event.management.changes import EventChange, change_document
from twinwall.event.store.programme import Programme, ProgrammeError
from twinwall.event.store.store_records import (
    ACKNOWLEDGEMENT,
    BEGUN,
    COVERED_TYPES,
    DEALS,
    LINES,
    LOOK,
    MANAGEMENT,
    RULING,
    STAFF,
    WITHDRAWAL,
    RecordWriter,
    read_records,
)
from twinwall.event.store.store_schema import StoreError, WriterLock, check_sqlite, open_for_reading, open_for_writing, sentences
from twinwall.event.store.store_signatures import SignedHead, StoredAnnouncement, read_announcements, read_heads, write_signature
from twinwall.wire.canonical_json import digest, read_time, write_time
from twinwall.wire.ledger import LedgerPosition, PublicEvent, follows
from twinwall.wire.messages.signing import Signer


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line with the hash (hex) that was noted when it was stored."""

    line: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class StoredJournal:
    """One journal of a table, its lines from the first; a table's journals are in the order in which they were followed."""

    table: str
    journal: str
    lines: tuple[StoredLine, ...]

    @property
    def position(self) -> LedgerPosition:
        """Where it stands."""
        return LedgerPosition(self.journal, len(self.lines), self.lines[-1].digest) if self.lines else LedgerPosition(self.journal)


@dataclass(frozen=True, slots=True)
class StoredSlip:
    """A slip's exact bytes, and when it was first received."""

    n: int
    slip: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Somebody has taken up the call that a line of a ledger is."""

    table: str
    journal: str
    seq: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RefereeLook:
    """Somebody opened the page of a table whose deal was not released."""

    table: str
    n: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulingGiven:
    """Somebody ruled: the ruling as it was sent to the table."""

    table: str
    by: str
    at: datetime
    ruling: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class WithdrawalStep:
    """Somebody ordered that a table is withdrawn while it plays deal ``n``, or confirmed what another, ``ordered``, had ordered."""

    table: str
    n: int
    by: str
    at: datetime
    ordered: str = ""


@dataclass(frozen=True, slots=True)
class StaffChange:
    """An account of the staff was changed: ``change`` says how, ``roles`` is what it has afterwards.

    ``by`` is the account that did it, empty for the command; ``number`` tells the changes of one staff file apart; ``token`` is the
    label of an API token that was made or withdrawn.
    """

    account: str
    change: str
    roles: tuple[str, ...]
    by: str
    at: datetime
    number: int
    token: str = ""


@dataclass(frozen=True, slots=True)
class ManagementStep:
    """A director changed the event."""

    change: EventChange
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DealStepTaken:
    """A step towards the event's deals; nobody's name where it follows from the vaults' answers."""

    step: DealStep
    at: datetime
    by: str = ""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something of a table was refused, and why."""

    table: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that contradicts a stored one: its bytes, the hash of the line that the table has signed, and the table's last signed
    head, which with the stored lines proves that."""

    table: str
    line: bytes
    signed: str
    head: bytes
    at: datetime


Note: TypeAlias = (
    Acknowledgement | RefereeLook | RulingGiven | WithdrawalStep | StaffChange | ManagementStep | DealStepTaken | Complaint | Evidence
)
"""What somebody did, or what was refused."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something of a table that cannot stand beside what is stored, and why."""

    table: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a store holds; the last programme is the one in force."""

    programmes: tuple[Programme, ...]
    journals: tuple[StoredJournal, ...]
    slips: tuple[StoredSlip, ...]
    acknowledgements: tuple[Acknowledgement, ...]
    looks: tuple[RefereeLook, ...]
    complaints: tuple[Complaint, ...]
    evidence: tuple[Evidence, ...]
    heads: tuple[SignedHead, ...] = ()
    announcements: tuple[StoredAnnouncement, ...] = ()
    records: tuple[bytes, ...] = ()
    """Signed and chained, in their order."""
    notes_before_records: str = ""
    """Hash of the acknowledgements and looks that are older than records."""

    @property
    def programme(self) -> Programme:
        """The programme in force."""
        return self.programmes[-1]


class StoreFile:
    """The one writer of a store; every method may be called from any thread, and has stored when it returns."""

    def __init__(self, path: Path, programme: Programme, at: datetime, *, patience_s: float = 0.0, signer: Signer | None = None) -> None:
        """Open the store, or begin it; a process that is just ending may hold it for ``patience_s`` more.

        ``signer`` signs what staff do; None in a rehearsal.

        Raises:
            StoreError: when it cannot be opened, or another process writes to it.
            ProgrammeError: when it is another event's.
        """
        check_sqlite()
        self.path = path
        self._mutex = threading.RLock()
        self._writer = WriterLock(path, patience_s)
        try:
            self._connection = open_for_writing(path)
            try:
                self._heads = self._read_heads()
                with sentences(path):
                    stored = _records(self._connection)
                self._records = RecordWriter(programme.event, signer, stored)
                self._begin(programme, at)
            except BaseException:
                self._connection.close()
                raise
        except BaseException:
            self._writer.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        with self._mutex:
            self._connection.close()
            self._writer.close()

    def contents(self) -> Contents:
        """All that is stored."""
        with self._mutex, sentences(self.path):
            return _contents(self._connection)

    def add_lines(self, events: Iterable[PublicEvent]) -> tuple[Contradiction, ...]:
        """Store lines in one transaction, in the order given; those stored already change nothing.

        Returns:
            Each line that contradicts what is stored, or does not follow it; it is left out.
        """
        with self._mutex:
            heads = dict(self._heads)
            with self._transaction():
                answers = [(event, self._add_line(heads, event)) for event in events]
                covered = {
                    (event.table, event.journal): event for event, refused in answers if refused is None and event.type in COVERED_TYPES
                }
                for event in covered.values():
                    self._add_record(LINES, event.at, _covering(event.table, event.position))
            self._heads = heads
        return tuple(Contradiction(event.table, sentence) for event, sentence in answers if sentence is not None)

    def add_slip(self, slip: StoredSlip) -> None:
        """Store a released slip, checked by the caller; the same one again changes nothing. Another one of the deal is a StoreError."""
        with self._transaction():
            stored = self._connection.execute("SELECT slip FROM slips WHERE n = ?", (slip.n,)).fetchone()
            if stored is None:
                self._connection.execute("INSERT INTO slips (n, at, slip) VALUES (?, ?, ?)", (slip.n, write_time(slip.at), slip.slip))
            elif stored[0] != slip.slip:
                raise StoreError(f"{self.path}: another slip of deal {slip.n} is stored already, and stays")

    def add_note(self, note: Note) -> None:
        """Store what somebody did, as a record, or what was refused."""
        at = write_time(note.at)
        with self._transaction():
            match note:
                case Acknowledgement(table, journal, seq, by):
                    self._add_record(ACKNOWLEDGEMENT, note.at, {"table": table, "journal": journal, "line": seq, "staff": by})
                case RefereeLook(table, n, by):
                    self._add_record(LOOK, note.at, {"table": table, "n": n, "staff": by})
                case RulingGiven(table, by, ruling=ruling):
                    self._add_record(RULING, note.at, {"table": table, "staff": by, "ruling": ruling})
                case WithdrawalStep(table, n, by, ordered=ordered):
                    confirmed = {"ordered": ordered} if ordered else {}
                    self._add_record(WITHDRAWAL, note.at, {"table": table, "n": n, "staff": by, **confirmed})
                case StaffChange(account, change, roles, by, number=number, token=token):
                    doer = ({"staff": by} if by else {}) | ({"token": token} if token else {})
                    fields = {"account": account, "change": change, "roles": list(roles), "number": number}
                    self._add_record(STAFF, note.at, fields | doer)
                case ManagementStep(change, by):
                    self._add_record(MANAGEMENT, note.at, {"change": change_document(change), "staff": by})
                case DealStepTaken(step, by=by):
                    doer = {"staff": by} if by else {}
                    self._add_record(DEALS, note.at, {"step": step_document(step), **doer})
                case Complaint(table, reason):
                    self._connection.execute("INSERT INTO complaints (table_name, reason, at) VALUES (?, ?, ?)", (table, reason, at))
                case Evidence(table, line, signed, head):
                    into = "INSERT INTO evidence (table_name, line, signed, head, at) VALUES (?, ?, ?, ?, ?)"
                    self._connection.execute(into, (table, line, bytes.fromhex(signed), head, at))
                case _:
                    assert_never(note)

    def follow(self, programme: Programme, at: datetime) -> None:
        """Store a version of the programme that is followed from now on, where it is new; raises ProgrammeError for another event's."""
        with self._transaction():
            stored = _programmes(self._connection)
            for earlier in stored[-1:]:
                programme.check_continues(earlier)
                if programme.custody is not None and earlier.custody is None:
                    self._check_not_played(programme.event)
            if not stored or stored[-1] != programme:
                self._connection.execute("INSERT INTO programmes (at, document) VALUES (?, ?)", (write_time(at), programme.document))
            self._begin_records(programme, at)

    def _begin(self, programme: Programme, at: datetime) -> None:
        with self._mutex, sentences(self.path):
            stored = _programmes(self._connection)
        self.follow(programme.following(stored[-1]) if stored else programme, at)

    def _check_not_played(self, event: str) -> None:
        """Raise ProgrammeError where lines of tables are stored already, which no start vouches for."""
        if self._connection.execute("SELECT 1 FROM lines LIMIT 1").fetchone() is not None:
            raise ProgrammeError(f"tables have played in the store of {event!r} without a start, and get none now: begin another event")

    def _begin_records(self, programme: Programme, at: datetime) -> None:
        """Say under which programme and key records are written from now on, where that is new."""
        begun = [record for record in read_records(_records(self._connection)) if record.kind == BEGUN]
        fields = {"programme": digest(programme.document), "key": self._records.key, "earlier": _notes_before_records(self._connection)}
        if not begun or any(begun[-1].fields.get(key) != value for key, value in fields.items()):
            self._add_record(BEGUN, at, fields)
        if not begun:
            for table, (_row, position) in self._heads.items():
                self._add_record(LINES, at, _covering(table, position))

    def _add_record(self, kind: str, at: datetime, fields: Mapping[str, object]) -> None:
        """Write the next record, within a transaction."""
        seq, record = self._records.write(kind, at, fields)
        self._connection.execute("INSERT INTO records (seq, record) VALUES (?, ?)", (seq, record))

    def _read_heads(self) -> dict[str, tuple[int, LedgerPosition]]:
        """Each table's current journal, by its row, and where it stands."""
        with sentences(self.path):
            rows = self._connection.execute(
                "SELECT table_name, id, journal, seq, digest FROM journals JOIN lines ON journal_id = id"
                " WHERE seq = (SELECT max(seq) FROM lines WHERE journal_id = id) ORDER BY id"
            )
            return {table: (row, LedgerPosition(journal, seq, digest.hex())) for table, row, journal, seq, digest in rows}

    def _add_line(self, heads: dict[str, tuple[int, LedgerPosition]], event: PublicEvent) -> str | None:
        name = f"table {event.table}, journal {event.journal!r}, line {event.seq}"
        known = self._connection.execute(
            "SELECT line FROM lines JOIN journals ON id = journal_id WHERE table_name = ? AND journal = ? AND seq = ?",
            (event.table, event.journal, event.seq),
        ).fetchone()
        if known is not None:
            return None if known[0] == event.line else f"{name} contradicts the line that is stored, which stays"
        head = heads.get(event.table)
        row, after = head if head is not None and head[1].journal == event.journal else (None, LedgerPosition(event.journal))
        sentence = follows(event, after)
        if sentence is not None:
            return f"{name} does not follow what is stored: {sentence}"
        if row is None:
            row = self._connection.execute(
                "INSERT INTO journals (table_name, journal) VALUES (?, ?)", (event.table, event.journal)
            ).lastrowid
            assert row is not None
        position = event.position
        self._connection.execute(
            "INSERT INTO lines (journal_id, seq, line, digest) VALUES (?, ?, ?, ?)",
            (row, event.seq, event.line, bytes.fromhex(position.digest)),
        )
        heads[event.table] = row, position
        return None

    def add_signature(self, signature: SignedHead | StoredAnnouncement) -> None:
        """Store a head of a table's ledger, or which keys the vault has announced."""
        with self._transaction():
            write_signature(self._connection, signature)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it is on disk at the end, or nothing of it."""
        with self._mutex, sentences(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            after = self._records.after
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._records.after = after
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def read_store(path: Path) -> Contents:
    """All that a store holds, read beside its writer; raises StoreError, and ProgrammeError."""
    connection = open_for_reading(path)
    try:
        with sentences(path):
            connection.execute("BEGIN")
            contents = _contents(connection)
    finally:
        connection.close()
    if not contents.programmes:
        raise StoreError(f"{path}: the store was never begun: start the dashboard with it, or rebuild it")
    return contents


def _contents(connection: sqlite3.Connection) -> Contents:
    execute, records = connection.execute, _records(connection)
    return Contents(
        records=records,
        notes_before_records=_notes_before_records(connection),
        programmes=_programmes(connection),
        journals=tuple(_journals(connection)),
        slips=tuple(StoredSlip(n, slip, read_time(at)) for n, slip, at in execute("SELECT n, slip, at FROM slips ORDER BY n")),
        acknowledgements=(*_old_acknowledgements(connection), *_acknowledgements(records)),
        looks=(*_old_looks(connection), *_looks(records)),
        complaints=tuple(
            Complaint(table, reason, read_time(at))
            for table, reason, at in execute("SELECT table_name, reason, at FROM complaints ORDER BY id")
        ),
        evidence=tuple(
            Evidence(table, line, signed.hex(), head, read_time(at))
            for table, line, signed, head, at in execute("SELECT table_name, line, signed, head, at FROM evidence ORDER BY id")
        ),
        heads=read_heads(connection),
        announcements=read_announcements(connection),
    )


def _programmes(connection: sqlite3.Connection) -> tuple[Programme, ...]:
    return tuple(Programme.from_document(document) for (document,) in connection.execute("SELECT document FROM programmes ORDER BY id"))


def _journals(connection: sqlite3.Connection) -> Iterator[StoredJournal]:
    rows: Sequence[tuple[int, str, str]] = connection.execute("SELECT id, table_name, journal FROM journals ORDER BY id").fetchall()
    for row, table, journal in rows:
        found = connection.execute("SELECT line, digest FROM lines WHERE journal_id = ? ORDER BY seq", (row,))
        yield StoredJournal(table, journal, tuple(StoredLine(line, digest.hex()) for line, digest in found))


def _records(connection: sqlite3.Connection) -> tuple[bytes, ...]:
    return tuple(record for (record,) in connection.execute("SELECT record FROM records ORDER BY seq"))


def _covering(table: str, position: LedgerPosition) -> dict[str, object]:
    return {"table": table, "journal": position.journal, "line": position.seq, "hash": position.digest}


def _acknowledgements(records: Sequence[bytes]) -> Iterator[Acknowledgement]:
    for record in read_records(records):
        if record.kind == ACKNOWLEDGEMENT:
            at = read_time(record.text("at"))
            yield Acknowledgement(record.text("table"), record.text("journal"), record.number("line"), record.text("staff"), at)


def _looks(records: Sequence[bytes]) -> Iterator[RefereeLook]:
    for record in read_records(records):
        if record.kind == LOOK:
            yield RefereeLook(record.text("table"), record.number("n"), record.text("staff"), read_time(record.text("at")))


def _old_acknowledgements(connection: sqlite3.Connection) -> Iterator[Acknowledgement]:
    """Those of a store that was begun before there were records."""
    rows = connection.execute("SELECT table_name, journal, seq, by, at FROM acknowledgements ORDER BY id")
    return (Acknowledgement(table, journal, seq, by, read_time(at)) for table, journal, seq, by, at in rows)


def _old_looks(connection: sqlite3.Connection) -> Iterator[RefereeLook]:
    rows = connection.execute("SELECT table_name, n, by, at FROM looks ORDER BY id")
    return (RefereeLook(table, n, by, read_time(at)) for table, n, by, at in rows)


def _notes_before_records(connection: sqlite3.Connection) -> str:
    """The hash of all notes that are no records, so that none is added to them; their number never grows."""
    notes = [*_old_acknowledgements(connection), *_old_looks(connection)]
    return digest("\n".join(map(repr, notes)).encode())
