"""The rows of a store: lines, slips and notes are added and read, never changed; also lines again, with the signed head that covers them.

Lines are stored as received, each with its hash, and only if they continue what is stored; a contradicting line is refused and reported.
``hall`` computes the state from the rows; ``store_check`` checks them.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime

from twinwall.event.store.databases.opening import open_for_reading, open_for_writing
from twinwall.event.store.databases.port import StoreAddress, StoreDatabase, StoreError, next_row
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import (
    Acknowledgement,
    Complaint,
    Contents,
    Contradiction,
    Evidence,
    Note,
    Proof,
    RecordsGivenUp,
    RefereeLook,
    SignedHead,
    StoredAnnouncement,
    StoredJournal,
    StoredSlip,
    acts_of,
)
from twinwall.event.store.store_records import BEGUN, LINES, Record, RecordsCopy, RecordWriter, is_covered, read_records
from twinwall.game.documents import DocumentError, digest, read_time, write_time
from twinwall.game.typed_json import plain
from twinwall.wire.ledger import LedgerPosition, PublicEvent, follows
from twinwall.wire.messages.signing import Signer
from twinwall.wire.receiver import MOST_ASKED


def read_store(address: StoreAddress) -> Contents:
    """All contents of a store, also while it is written; raises StoreError, and DocumentError."""
    with closing(open_for_reading(address)) as database, database.snapshot():
        contents = stored_contents(database)
    if not contents.programmes:
        raise StoreError(f"{address}: the store was never begun: start the dashboard with it, or rebuild it")
    return contents


def is_begun(address: StoreAddress) -> bool:
    try:
        open_for_reading(address).close()
    except StoreError:
        return False
    return True


def stored_contents(database: StoreDatabase) -> Contents:
    """All contents; the caller holds the database."""
    rows, records = database.rows, stored_records(database)
    return Contents(
        records=records,
        notes_before_records=notes_before_records(database),
        programmes=stored_programmes(database),
        journals=tuple(_journals(database)),
        slips=tuple(
            StoredSlip(n, slip, read_time(at)) for n, slip, at in rows(tuple[int, bytes, str], "SELECT n, slip, at FROM slips ORDER BY n")
        ),
        acknowledgements=(*_old_acknowledgements(database), *acts_of(records, Acknowledgement)),
        looks=(*_old_looks(database), *acts_of(records, RefereeLook)),
        complaints=tuple(
            Complaint(table, reason, read_time(at))
            for table, reason, at in rows(tuple[str, str, str], "SELECT table_name, reason, at FROM complaints ORDER BY id")
        ),
        evidence=tuple(
            Evidence(table, line, signed.hex(), head, read_time(at))
            for table, line, signed, head, at in rows(
                tuple[str, bytes, bytes, bytes, str], "SELECT table_name, line, signed, head, at FROM evidence ORDER BY id"
            )
        ),
        heads=tuple(
            SignedHead(*row) for row in rows(tuple[str, str, int, bytes], "SELECT table_name, journal, seq, head FROM heads ORDER BY id")
        ),
        announcements=tuple(
            StoredAnnouncement(announcement, vault_key, read_time(at))
            for announcement, vault_key, at in rows(
                tuple[bytes, bytes, str], "SELECT announcement, vault_key, at FROM announcements ORDER BY id"
            )
        ),
    )


def stored_programmes(database: StoreDatabase) -> tuple[Programme, ...]:
    """Every version of the programme; the last is in force."""
    return tuple(
        Programme.from_document(document) for (document,) in database.rows(tuple[bytes], "SELECT document FROM programmes ORDER BY id")
    )


def stored_records(database: StoreDatabase) -> tuple[bytes, ...]:
    return tuple(record for (record,) in database.rows(tuple[bytes], "SELECT record FROM records ORDER BY seq"))


def notes_before_records(database: StoreDatabase) -> str:
    """The hash of all notes that are no records, which shows whether any was added; their number never grows."""
    notes = [*_old_acknowledgements(database), *_old_looks(database)]
    return digest("\n".join(map(repr, notes)).encode())


def _journals(database: StoreDatabase) -> Iterator[StoredJournal]:
    for row, table, journal in database.rows(tuple[int, str, str], "SELECT id, table_name, journal FROM journals ORDER BY id"):
        found = database.rows(tuple[bytes, bytes], "SELECT line, digest FROM lines WHERE journal_id = ? ORDER BY seq", row)
        yield StoredJournal(table, journal, tuple((line, digest.hex()) for line, digest in found))


def _old_acknowledgements(database: StoreDatabase) -> Iterator[Acknowledgement]:
    """Acknowledgements of a store that was begun before there were records."""
    statement = "SELECT table_name, journal, seq, by, at FROM acknowledgements ORDER BY id"
    for table, journal, seq, by, at in database.rows(tuple[str, str, int, str, str], statement):
        yield Acknowledgement(table, journal, seq, by, read_time(at))


def _old_looks(database: StoreDatabase) -> Iterator[RefereeLook]:
    statement = "SELECT table_name, n, by, at FROM looks ORDER BY id"
    return (RefereeLook(table, n, by, read_time(at)) for table, n, by, at in database.rows(tuple[str, int, str, str], statement))


MOST_AGAIN = 3 * MOST_ASKED
"""Most lines read, from the first asked for to the next with a head: a receiver can hold them all."""
_LINES = (
    "SELECT line FROM lines JOIN journals ON journal_id = journals.id"
    " WHERE table_name = ? AND journal = ? AND seq BETWEEN ? AND ? ORDER BY seq"
)
_HEADS_AGAIN = "SELECT seq, head FROM heads WHERE table_name = ? AND journal = ? AND seq BETWEEN ? AND ? ORDER BY seq, id"

LinesAgain = tuple[Sequence[bytes], bytes | None]
"""Consecutive lines, and the head of the last; None if no head of theirs is stored."""


def lines_again(address: StoreAddress, table: str, journal: str, first: int, last: int) -> LinesAgain:
    """The stored lines ``first`` to ``last``, also while the store is written; none for an unknown table or journal.

    They continue to the next line with a stored head, or end at the last line with one. Raises StoreError.
    """
    last = min(last, first + MOST_ASKED - 1)
    with closing(open_for_reading(address)) as database, database.snapshot():
        seq, head = _head(database, table, journal, first, last)
        lines = database.rows(tuple[bytes], _LINES, table, journal, first, seq)
    return [line for (line,) in lines], head


def _head(database: StoreDatabase, table: str, journal: str, first: int, last: int) -> tuple[int, bytes | None]:
    """The line to end with, and its head: the first at or after ``last``, otherwise the last before it."""
    heads = dict(database.rows(tuple[int, bytes], _HEADS_AGAIN, table, journal, first, first + MOST_AGAIN - 1))
    seq = min((seq for seq in heads if seq >= last), default=max(heads, default=last))
    return seq, heads.get(seq)


_HEADS = (
    "SELECT table_name, id, journal, seq, digest FROM journals JOIN lines ON journal_id = id"
    " WHERE seq = (SELECT max(seq) FROM lines WHERE journal_id = id) ORDER BY id"
)
_DECIDE = "a director decides on the page /event/store"
_LINE = "SELECT line FROM lines JOIN journals ON id = journal_id WHERE table_name = ? AND journal = ? AND seq = ?"
_LineRow = tuple[int, int, bytes, bytes]
"""A row of ``lines``: the journal's number, the line's, its bytes and its hash."""


class StoreRows:
    """The only writer of a store. Any thread may call every method, and has stored when it returns."""

    def __init__(
        self,
        address: StoreAddress,
        programme: Programme,
        at: datetime,
        *,
        patience_s: float = 0.0,
        signer: Signer | None = None,
        copy: RecordsCopy | None = None,
    ) -> None:
        """Open the store, or begin it; a process that is ending may hold it for ``patience_s`` more.

        ``signer`` signs what staff do; None in a rehearsal. ``copy`` shows whether records are missing, which are then in ``lost``.

        Raises StoreError when it cannot be opened, or another process writes to it; DocumentError when it is another event's.
        """
        self.address = address
        self._mutex = threading.RLock()
        self._signer, self._event = signer, programme.event
        self._copy = copy
        self._written: list[bytes] = []
        """The records of the transaction."""
        self.lost: tuple[Record, ...] = ()
        """Staff actions that the store lacks because it was put back to an earlier state. Until ``give_up_lost`` it stores no more of them.
        """
        self._heads: dict[str, tuple[int, LedgerPosition]] = {}
        self._database = open_for_writing(address, patience_s)
        try:
            self._read_ends()
            stored = stored_programmes(self._database)
            self.set_programme(programme.following(stored[-1]) if stored else programme, at)
            if copy is not None:
                self.lost = copy.lost(stored_records(self._database), at)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        with self._mutex:
            self._database.close()

    def contents(self) -> Contents:
        with self._mutex:
            return stored_contents(self._database)

    def add_lines(self, events: Iterable[PublicEvent]) -> tuple[Contradiction, ...]:
        """Store lines in one transaction, in the given order; those stored already change nothing. Returns each line that contradicts what
        is stored or does not follow it, and is left out."""
        with self._mutex:
            with self._transaction():
                heads, lines = dict(self._heads), list[_LineRow]()
                answers = [(event, self._add_line(heads, lines, event)) for event in events]
                self._write_lines(lines)
                covered = {(event.table, event.journal): event for event, refused in answers if refused is None and is_covered(event.line)}
                self._add_records((LINES, event.at, _covering(event.table, event.position)) for event in covered.values())
            self._heads = heads
        return tuple((event.table, sentence) for event, sentence in answers if sentence is not None)

    def add_slip(self, slip: StoredSlip) -> None:
        """Store a released slip, checked by the caller; the same one again changes nothing. Another slip of the deal raises StoreError."""
        with self._transaction():
            stored = self._database.rows(tuple[bytes], "SELECT slip FROM slips WHERE n = ?", slip.n)
            if not stored:
                self._database.add("INSERT INTO slips (n, at, slip) VALUES (?, ?, ?)", [(slip.n, write_time(slip.at), slip.slip)])
            elif stored != [(slip.slip,)]:
                raise StoreError(f"{self.address}: another slip of deal {slip.n} is stored already, and stays")

    def give_up_lost(self, by: str, at: datetime) -> None:
        """Note that a director continues without the lost records."""
        if self._copy is None or not self.lost:
            return
        lost, self.lost = self.lost, ()
        try:
            self.add_note(RecordsGivenUp(len(lost), self._copy.last(), by, at))
        except BaseException:
            self.lost = lost
            raise
        with self._mutex:
            self._copy.begin_again(stored_records(self._database), at)

    def add_note(self, *notes: Note) -> None:
        """Store actions as records, refusals and proofs: all of them or none."""
        if self.lost and not all(isinstance(note, Complaint | Proof) for note in notes):
            raise StoreError(f"{self.address}: it was put back to an earlier state and lacks {len(self.lost)} acts of the staff: {_DECIDE}")
        with self._transaction():
            for note in notes:
                match note:
                    case Complaint(table, reason):
                        self._database.add(next_row("complaints", "table_name", "reason", "at"), [(table, reason, write_time(note.at))])
                    case Evidence(table, line, signed, head):
                        into = next_row("evidence", "table_name", "line", "signed", "head", "at")
                        self._database.add(into, [(table, line, bytes.fromhex(signed), head, write_time(note.at))])
                    case SignedHead(table, journal, seq, head):
                        self._database.add(next_row("heads", "table_name", "journal", "seq", "head"), [(table, journal, seq, head)])
                    case StoredAnnouncement(announcement, vault_key, at):
                        into = next_row("announcements", "announcement", "vault_key", "at")
                        self._database.add(into, [(announcement, vault_key, write_time(at))])
                    case _:
                        fields = plain(note)
                        self._add_records([(str(fields["kind"]), note.at, fields)])

    def set_programme(self, programme: Programme, at: datetime) -> None:
        """Store a new version of the programme, which is followed from now on; raises DocumentError for another event's."""
        with self._transaction():
            stored = stored_programmes(self._database)
            for earlier in stored[-1:]:
                programme.check_continues(earlier)
                begins = programme.custody is not None and earlier.custody is None
                if begins and self._database.rows(tuple[int], "SELECT 1 FROM lines LIMIT 1"):  # no start vouches for them
                    event = programme.event
                    raise DocumentError(
                        f"tables have played in the store of {event!r} without a start, and get none now: begin another event"
                    )
            if not stored or stored[-1] != programme:
                self._database.add(next_row("programmes", "at", "document"), [(write_time(at), programme.document)])
            self._begin_records(programme, at)

    def _begin_records(self, programme: Programme, at: datetime) -> None:
        """Record the programme and key of further records, if they are new."""
        begun = [record for record in read_records(stored_records(self._database)) if record.kind == BEGUN]
        fields = {"programme": digest(programme.document), "key": self._records.key, "earlier": notes_before_records(self._database)}
        if not begun or any(begun[-1].fields.get(key) != value for key, value in fields.items()):
            self._add_records([(BEGUN, at, fields)])
        if not begun:
            self._add_records((LINES, at, _covering(table, position)) for table, (_row, position) in self._heads.items())

    def _add_records(self, records: Iterable[tuple[str, datetime, Mapping[str, object]]]) -> None:
        """Write the next records, within a transaction: kind, time and keys of each."""
        rows = [self._records.write(kind, at, fields) for kind, at, fields in records]
        self._written += (record for _seq, record in rows)
        if rows:
            self._database.add("INSERT INTO records (seq, record) VALUES (?, ?)", rows)

    def _read_ends(self) -> None:
        """Read the last record, and the end of each table's current journal with its row."""
        rows = self._database.rows(tuple[str, int, str, int, bytes], _HEADS)
        self._heads = {table: (row, LedgerPosition(journal, seq, digest.hex())) for table, row, journal, seq, digest in rows}
        self._records = RecordWriter(self._event, self._signer, stored_records(self._database))
        self._session = self._database.session

    def _add_line(self, heads: dict[str, tuple[int, LedgerPosition]], lines: list[_LineRow], event: PublicEvent) -> str | None:
        """Add a line to ``lines``, which are written together, and to ``heads``; return why it is refused, or None."""
        name = f"table {event.table}, journal {event.journal!r}, line {event.seq}"
        if "\0" in event.journal:
            return f"{name}: its journal has a name that cannot be stored"
        head = heads.get(event.table)
        row, after = head if head is not None and head[1].journal == event.journal else (None, LedgerPosition(event.journal))
        if row is None or event.seq <= after.seq:
            self._write_lines(lines)
            known = self._database.rows(tuple[bytes], _LINE, event.table, event.journal, event.seq)
            if known:
                return None if known == [(event.line,)] else f"{name} contradicts the line that is stored, which stays"
        sentence = follows(event, after)
        if sentence is not None:
            return f"{name} does not follow what is stored: {sentence}"
        if row is None:
            self._database.add(next_row("journals", "table_name", "journal"), [(event.table, event.journal)])
            ((row,),) = self._database.rows(tuple[int], "SELECT max(id) FROM journals")
        position = event.position
        lines.append((row, event.seq, event.line, bytes.fromhex(position.digest)))
        heads[event.table] = row, position
        return None

    def _write_lines(self, lines: list[_LineRow]) -> None:
        if lines:
            self._database.add("INSERT INTO lines (journal_id, seq, line, digest) VALUES (?, ?, ?, ?)", lines)
            lines.clear()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """When it ends, all of it is on disk; otherwise none is."""
        with self._mutex:
            after = self._records.after
            self._written = []
            try:
                with self._database.transaction():
                    if self._database.session != self._session:
                        self._read_ends()
                        if self._records.after[0] < after[0]:
                            raise StoreError(f"{self.address}: it was put back to an earlier state: start the dashboard again")
                        after = self._records.after
                    yield
            except BaseException:
                self._records.after = after
                raise
            if self._copy is not None:
                self._copy.add(self._written)


def _covering(table: str, position: LedgerPosition) -> dict[str, object]:
    return {"table": table, "journal": position.journal, "line": position.seq, "hash": position.digest}
