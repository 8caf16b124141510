"""Reads a store: all its rows, or lines of one table's ledger with the signed head that covers them."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from twinwall.event.store.databases.opening import open_for_reading
from twinwall.event.store.databases.port import StoreAddress, StoreDatabase, StoreError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import (
    Acknowledgement,
    Complaint,
    Contents,
    Evidence,
    RefereeLook,
    SignedHead,
    StoredAnnouncement,
    StoredJournal,
    StoredSlip,
    acts_of,
)
from twinwall.game.documents import digest, read_time
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
_HEADS = "SELECT seq, head FROM heads WHERE table_name = ? AND journal = ? AND seq BETWEEN ? AND ? ORDER BY seq, id"

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
    heads = dict(database.rows(tuple[int, bytes], _HEADS, table, journal, first, first + MOST_AGAIN - 1))
    seq = min((seq for seq in heads if seq >= last), default=max(heads, default=last))
    return seq, heads.get(seq)
