"""Reading of a store: its rows as what they say."""

from collections.abc import Iterator

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


def read_store(address: StoreAddress) -> Contents:
    """All that a store holds, read beside its writer; raises StoreError, and DocumentError."""
    database = open_for_reading(address)
    try:
        with database.snapshot():
            contents = stored_contents(database)
    finally:
        database.close()
    if not contents.programmes:
        raise StoreError(f"{address}: the store was never begun: start the dashboard with it, or rebuild it")
    return contents


def is_begun(address: StoreAddress) -> bool:
    """Whether there is a store that can be read."""
    try:
        open_for_reading(address).close()
    except StoreError:
        return False
    return True


def stored_contents(database: StoreDatabase) -> Contents:
    """All that is stored; the caller holds the database."""
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
    """Every version of the programme, the one in force last."""
    return tuple(
        Programme.from_document(document) for (document,) in database.rows(tuple[bytes], "SELECT document FROM programmes ORDER BY id")
    )


def stored_records(database: StoreDatabase) -> tuple[bytes, ...]:
    """The records in their order."""
    return tuple(record for (record,) in database.rows(tuple[bytes], "SELECT record FROM records ORDER BY seq"))


def notes_before_records(database: StoreDatabase) -> str:
    """The hash of all notes that are no records, so that none is added to them; their number never grows."""
    notes = [*_old_acknowledgements(database), *_old_looks(database)]
    return digest("\n".join(map(repr, notes)).encode())


def _journals(database: StoreDatabase) -> Iterator[StoredJournal]:
    for row, table, journal in database.rows(tuple[int, str, str], "SELECT id, table_name, journal FROM journals ORDER BY id"):
        found = database.rows(tuple[bytes, bytes], "SELECT line, digest FROM lines WHERE journal_id = ? ORDER BY seq", row)
        yield StoredJournal(table, journal, tuple((line, digest.hex()) for line, digest in found))


def _old_acknowledgements(database: StoreDatabase) -> Iterator[Acknowledgement]:
    """Those of a store that was begun before there were records."""
    statement = "SELECT table_name, journal, seq, by, at FROM acknowledgements ORDER BY id"
    for table, journal, seq, by, at in database.rows(tuple[str, str, int, str, str], statement):
        yield Acknowledgement(table, journal, seq, by, read_time(at))


def _old_looks(database: StoreDatabase) -> Iterator[RefereeLook]:
    statement = "SELECT table_name, n, by, at FROM looks ORDER BY id"
    return (RefereeLook(table, n, by, read_time(at)) for table, n, by, at in database.rows(tuple[str, int, str, str], statement))
