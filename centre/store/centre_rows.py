"""The rows of the centre's store that one consumer writes: those of its venues in one event.

A consumer holds a lock for each of its venues while it is connected, so a venue has one writer, and another consumer can take the venue
over once this one has ended. Several consumers write to one schema.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from centre.store.schema import CENTRE, PARTITIONED
from centre.store.venue_contents import (
    ContradictingLine,
    JournalName,
    KnownVenue,
    ResultName,
    StoredHead,
    VenueBatch,
    VenueProgress,
    WaitingMessage,
)
from twinwall.event.store.databases.opening import postgres_adapter
from twinwall.event.store.databases.port import DatabaseForm, PostgresAddress, StoreDatabase, StoreError, Value
from twinwall.game.documents import digest, read_time, write_time
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.receiver import KnownJournal

MOST_EVIDENCE = 4096
"""The most contradicting lines kept of a venue: the first say what there is to say, and a flood fills no disk."""
_LAST_LINES = (
    "SELECT number, table_name, journal, seq, digest FROM journals JOIN lines USING (event_id, venue_id, number)"
    " WHERE event_id = ? AND venue_id = ? AND seq = (SELECT max(seq) FROM lines AS last WHERE last.event_id = journals.event_id"
    " AND last.venue_id = journals.venue_id AND last.number = journals.number) ORDER BY number"
)
_TELLING = "SELECT line FROM lines WHERE event_id = ? AND venue_id = ? AND tells = 1 ORDER BY number, seq"
_RESULTS = (
    "SELECT DISTINCT ON (table_name, n) table_name, n, result FROM results WHERE event_id = ? AND venue_id = ?"
    " ORDER BY table_name, n, change DESC"
)
_PROGRESS = (
    "INSERT INTO progress (event_id, venue_id, tables, stored, missing, at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT"
    " (event_id, venue_id) DO UPDATE SET tables = excluded.tables, stored = excluded.stored, missing = excluded.missing,"
    " at = excluded.at"
)


class _RowsTogether:
    """Rows of several venues by statement, so that each statement goes to the server once for all venues, in the order of ``put``."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[Value, ...]]] = {}

    def put(self, statement: str, rows: Sequence[tuple[Value, ...]]) -> None:
        """Add rows; none at all still fixes the statement's place in the order."""
        self._rows.setdefault(statement, []).extend(rows)

    def add_to(self, database: StoreDatabase) -> None:
        """Add all of them, and forget them."""
        for statement, rows in self._rows.items():
            database.add(statement, rows)
        self._rows.clear()


class CentreRows:
    """Writes what one consumer's venues send; used by one thread.

    Read what is stored of a venue (``known``) before adding anything of it. After a StoreError close this and open another.
    """

    def __init__(
        self, address: PostgresAddress, event: str, venues: Sequence[str], *, patience_s: float = 0.0, form: DatabaseForm = CENTRE
    ) -> None:
        """Open the store, make or migrate it if needed, and begin the event there.

        Another consumer that is just ending may hold a venue for ``patience_s`` more. Raises StoreError if the store cannot be opened, or
        another consumer writes for one of the venues.
        """
        locks = tuple(f"{event}/{venue}" for venue in venues)
        self._database: StoreDatabase = postgres_adapter().for_writing(address, patience_s, form, locks)
        try:
            with self._database.transaction():
                self._event = begin_event(self._database, event)
                self._venues = {venue: _number(self._database, "venues", "venue", venue) for venue in venues}
        except BaseException:
            self._database.close()
            raise
        self._session = self._database.session
        self._journals: dict[str, dict[JournalName, int]] = {venue: {} for venue in venues}
        self._evidence: dict[str, set[bytes]] = {venue: set() for venue in venues}
        """Digests of the contradicting lines that are kept."""
        self._changes = dict.fromkeys(venues, 0)
        self._notices = dict.fromkeys(venues, 0)

    def close(self) -> None:
        """Release the store and the venues."""
        self._database.close()

    def known(self, venue: str) -> KnownVenue:
        """What is stored of a venue, for its consumer to continue from; raises StoreError."""
        rows, of = self._database.rows, (self._event, self._venues[venue])
        with self._database.snapshot():
            journals: dict[str, tuple[KnownJournal, ...]] = {}
            for number, table, journal, seq, line_digest in rows(tuple[int, str, str, int, bytes], _LAST_LINES, *of):
                self._journals[venue][table, journal] = number
                journals[table] = (*journals.get(table, ()), KnownJournal(journal, (line_digest.hex(),), seq - 1))
            waiting = rows(tuple[bytes, str, bytes], "SELECT digest, topic, payload FROM waiting WHERE event_id = ? AND venue_id = ?", *of)
            documents = rows(tuple[str, bytes], "SELECT kind, payload FROM statements WHERE event_id = ? AND venue_id = ?", *of)
            results: Mapping[ResultName, bytes] = {(table, n): result for table, n, result in rows(tuple[str, int, bytes], _RESULTS, *of)}
            evidence = rows(tuple[bytes], "SELECT digest FROM evidence WHERE event_id = ? AND venue_id = ?", *of)
            self._evidence[venue] = {hashed for (hashed,) in evidence}
            self._changes[venue] = self._highest("results", "change", *of)
            self._notices[venue] = self._highest("notices", "number", *of)
            telling = tuple(line for (line,) in rows(tuple[bytes], _TELLING, *of))
            stored = rows(
                tuple[int, int, str, str], "SELECT tables, stored, missing, at FROM progress WHERE event_id = ? AND venue_id = ?", *of
            )
        progress = read_progress(*stored[0]) if stored else None
        held = {hashed.hex(): WaitingMessage(topic, payload) for hashed, topic, payload in waiting}
        return KnownVenue(journals, telling, held, results, dict(documents), progress)

    def store(self, batches: Mapping[str, VenueBatch], at: datetime) -> dict[str, list[ContradictingLine]]:
        """Store what several venues have sent, in one transaction.

        Returns, for each venue, the lines that contradict stored ones, including the batch's, as far as they are kept as evidence.

        Raises StoreError if the database refuses it, or if the connection was made again meanwhile, so that another consumer may have
        written; nothing is stored then, and what is known must be read again.
        """
        found: dict[str, list[ContradictingLine]] = {}
        with self._database.transaction():
            if self._database.session != self._session:
                raise StoreError("the connection to the centre's store was lost: what is stored is read again")
            rows = _RowsTogether()
            for venue, batch in batches.items():
                self._put_lines(venue, batch, rows)
            rows.add_to(self._database)
            for venue, batch in batches.items():
                found[venue] = list(self._kept_evidence(venue, batch))
                self._put_beside(venue, batch, found[venue], write_time(at), rows)
            rows.add_to(self._database)
        return found

    def _put_lines(self, venue: str, batch: VenueBatch, rows: _RowsTogether) -> None:
        known, of, add = self._journals[venue], (self._event, self._venues[venue]), rows.put
        new = [name for name in dict.fromkeys((event.table, event.journal) for event in batch.lines) if name not in known]
        for table, journal in new:
            known[table, journal] = len(known) + 1
        named: list[tuple[Value, ...]] = [(*of, known[name], *name) for name in new]
        add("INSERT INTO journals (event_id, venue_id, number, table_name, journal) VALUES (?, ?, ?, ?, ?)", named)
        lines: list[tuple[Value, ...]] = []
        for event in batch.lines:
            tells = int((event.table, event.journal, event.seq) in batch.telling)
            number = known[event.table, event.journal]
            lines.append((*of, number, event.seq, tells, event.line, bytes.fromhex(digest(event.line))))
        add("INSERT INTO lines (event_id, venue_id, number, seq, tells, line, digest) VALUES (?, ?, ?, ?, ?, ?, ?)", lines)

    def _put_beside(self, venue: str, batch: VenueBatch, evidence: Sequence[ContradictingLine], at: str, rows: _RowsTogether) -> None:
        """Add everything but lines."""
        of, add = (self._event, self._venues[venue]), rows.put
        add(
            "INSERT INTO evidence (event_id, venue_id, table_name, line, digest, stored, at) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            [(*of, each.table, each.line, bytes.fromhex(digest(each.line)), bytes.fromhex(each.stored), at) for each in evidence],
        )
        add(
            "INSERT INTO waiting (event_id, venue_id, digest, topic, payload) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(*of, bytes.fromhex(hashed), message.topic, message.payload) for hashed, message in batch.waiting.items()],
        )
        used: list[tuple[Value, ...]] = [(*of, bytes.fromhex(hashed)) for hashed in batch.used]
        add("DELETE FROM waiting WHERE event_id = ? AND venue_id = ? AND digest = ?", used)
        add(
            "INSERT INTO heads (event_id, venue_id, number, seq, head) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (event_id, venue_id, number) DO UPDATE SET seq = excluded.seq, head = excluded.head",
            list(self._heads(venue, batch.heads)),
        )
        add(_PROGRESS, [] if batch.progress is None else [(*of, *_progress_row(batch.progress))])
        first, self._changes[venue] = self._changes[venue] + 1, self._changes[venue] + len(batch.results)
        add(
            "INSERT INTO results (event_id, venue_id, change, table_name, n, result) VALUES (?, ?, ?, ?, ?, ?)",
            [(*of, change, *result) for change, result in enumerate(batch.results, first)],
        )
        add(
            "INSERT INTO statements (event_id, venue_id, kind, payload) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (event_id, venue_id, kind) DO UPDATE SET payload = excluded.payload",
            [(*of, kind, payload) for kind, payload in batch.documents.items()],
        )
        first, self._notices[venue] = self._notices[venue] + 1, self._notices[venue] + len(batch.notices)
        add(
            "INSERT INTO notices (event_id, venue_id, number, sentence, at) VALUES (?, ?, ?, ?, ?)",
            [(*of, number, sentence, at) for number, sentence in enumerate(batch.notices, first)],
        )

    def _heads(self, venue: str, heads: Mapping[JournalName, StoredHead]) -> Iterator[tuple[Value, ...]]:
        for name, head in heads.items():
            if name in self._journals[venue]:
                yield self._event, self._venues[venue], self._journals[venue][name], head.seq, head.head

    def _kept_evidence(self, venue: str, batch: VenueBatch) -> Iterator[ContradictingLine]:
        """The contradicting lines of a batch for which there is room; one that is kept already needs none."""
        kept = self._evidence[venue]
        for each in chain(batch.evidence, self._contradictions(venue, batch.repeated)):
            hashed = bytes.fromhex(digest(each.line))
            if hashed in kept or len(kept) < MOST_EVIDENCE:
                kept.add(hashed)
                yield each

    def _contradictions(self, venue: str, events: Sequence[PublicEvent]) -> Iterator[ContradictingLine]:
        """Lines among these that differ from the stored ones of their numbers; none is looked up once there is no room for evidence."""
        for event in events:
            if len(self._evidence[venue]) >= MOST_EVIDENCE:
                return
            number = self._journals[venue].get((event.table, event.journal), 0)
            found = self._database.rows(
                tuple[bytes],
                "SELECT digest FROM lines WHERE event_id = ? AND venue_id = ? AND number = ? AND seq = ?",
                *(self._event, self._venues[venue], number, event.seq),
            )
            if found and found[0][0].hex() != digest(event.line):
                yield ContradictingLine(event.table, event.line, found[0][0].hex())

    def _highest(self, table: str, column: str, event: int, venue: int) -> int:
        statement = f"SELECT coalesce(max({column}), 0) FROM {table} WHERE event_id = ? AND venue_id = ?"  # noqa: S608 - names of ours
        return self._database.rows(tuple[int], statement, event, venue)[0][0]


def _progress_row(progress: VenueProgress) -> tuple[Value, ...]:
    """The columns that ``read_progress`` reads."""
    return progress.tables, progress.stored, json.dumps(progress.missing), "" if progress.at is None else write_time(progress.at)


def read_progress(tables: int, stored: int, missing: str, at: str) -> VenueProgress:
    """How far the store is with a venue, from the columns of its row."""
    return VenueProgress(tables, stored, json.loads(missing), read_time(at) if at else None)


def begin_event(database: StoreDatabase, event: str) -> int:
    """The number of an event, which is begun if the store does not have it yet; a transaction is open. Raises StoreError."""
    database.add("LOCK TABLE events IN EXCLUSIVE MODE", [()])
    number = _number(database, "events", "event", event)
    for table in PARTITIONED:
        database.add(f"CREATE TABLE IF NOT EXISTS {table}_of_{number} PARTITION OF {table} FOR VALUES IN ({number})", [()])
    return number


def _number(database: StoreDatabase, table: str, column: str, name: str) -> int:
    """The number of an event or venue, which gets the next one if it has none; the caller holds the table of events."""
    found = database.rows(tuple[int], f"SELECT id FROM {table} WHERE {column} = ?", name)  # noqa: S608 - names of ours
    if found:
        return found[0][0]
    into = f"INSERT INTO {table} (id, {column}) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM {table}), ?)"  # noqa: S608
    database.add(into, [(name,)])
    return _number(database, table, column, name)
