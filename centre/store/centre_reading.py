"""Reads the centre's store beside its consumers: changes of results, what venues have said, and the lines themselves."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

from centre.store.centre_rows import read_progress
from centre.store.schema import CENTRE
from centre.store.venue_contents import ContradictingLine, VenueProgress
from twinwall.event.store.databases.opening import postgres_adapter
from twinwall.event.store.databases.port import PostgresAddress, StoreDatabase
from twinwall.event.store.store_contents import StoredJournal
from twinwall.game.documents import read_time
from twinwall.values import frozen

_OF_VENUE = "event_id = (SELECT id FROM events WHERE event = ?) AND venue_id = (SELECT id FROM venues WHERE venue = ?)"
_CHANGES = (
    "SELECT venue, change, table_name, n, result FROM venues CROSS JOIN LATERAL (SELECT * FROM results WHERE venue_id = venues.id"
    " AND event_id = (SELECT id FROM events WHERE event = ?) AND change > coalesce((?::jsonb ->> venue)::int, 0)) AS changed"
    " ORDER BY venue, change"
)


@frozen
class ResultChange:
    """The result of a table in a deal from this change of its venue on; the next change of the same result replaces it."""

    venue: str
    change: int
    table: str
    n: int
    result: bytes


class CentreReader:
    """One connection that reads, used by one thread at a time. Each method raises StoreError."""

    def __init__(self, address: PostgresAddress, event: str) -> None:
        """Connect to a store that a consumer has made; raises StoreError."""
        self.event = event
        self._database: StoreDatabase = postgres_adapter().for_reading(address, CENTRE)

    def close(self) -> None:
        """End the connection."""
        self._database.close()

    def changes(self, after: Mapping[str, int]) -> list[ResultChange]:
        """The changes of results of every venue after those already known, by number."""
        return [
            ResultChange(*row) for row in self._database.rows(tuple[str, int, str, int, bytes], _CHANGES, self.event, json.dumps(after))
        ]

    def last_journal(self, venue: str, table: str) -> str:
        """The journal that a table writes; empty before its first line."""
        statement = f"SELECT journal FROM journals WHERE {_OF_VENUE} AND table_name = ? ORDER BY number DESC LIMIT 1"  # noqa: S608
        found = self._database.rows(tuple[str], statement, self.event, venue, table)
        return found[0][0] if found else ""

    def documents(self, kind: str) -> dict[str, bytes]:
        """The last document of this kind that each venue has sent."""
        statement = (
            "SELECT venue, payload FROM statements JOIN venues ON venues.id = venue_id"
            " WHERE event_id = (SELECT id FROM events WHERE event = ?) AND kind = ? ORDER BY venue"
        )
        return dict(self._database.rows(tuple[str, bytes], statement, self.event, kind))

    def progress(self) -> dict[str, VenueProgress]:
        """How far the store is with each venue, as its consumer last recorded."""
        statement = (
            "SELECT venue, tables, stored, missing, at FROM progress JOIN venues ON venues.id = venue_id"
            " WHERE event_id = (SELECT id FROM events WHERE event = ?)"
        )
        found = self._database.rows(tuple[str, int, int, str, str], statement, self.event)
        return {venue: read_progress(tables, stored, missing, at) for venue, tables, stored, missing, at in found}

    def orders(self) -> list[bytes]:
        """All signed orders, in the order in which they arrived."""
        statement = "SELECT signed FROM orders WHERE event_id = (SELECT id FROM events WHERE event = ?) ORDER BY number"
        return [signed for (signed,) in self._database.rows(tuple[bytes], statement, self.event)]

    def released(self) -> list[int]:
        """The deals whose slips are stored."""
        statement = "SELECT n FROM slips WHERE event_id = (SELECT id FROM events WHERE event = ?) ORDER BY n"
        return [n for (n,) in self._database.rows(tuple[int], statement, self.event)]

    def line_counts(self) -> dict[str, int]:
        """The number of stored lines of each venue that has any."""
        statement = (
            "SELECT venue, count(*) FROM lines JOIN venues ON venues.id = venue_id"
            " WHERE event_id = (SELECT id FROM events WHERE event = ?) GROUP BY venue"
        )
        return dict(self._database.rows(tuple[str, int], statement, self.event))

    def journals(self, venue: str) -> Iterator[StoredJournal]:
        """A venue's journals with all their lines."""
        rows = self._database.rows
        named = f"SELECT number, table_name, journal FROM journals WHERE {_OF_VENUE} ORDER BY number"  # noqa: S608 - words of ours
        lines = f"SELECT line, digest FROM lines WHERE {_OF_VENUE} AND number = ? ORDER BY seq"  # noqa: S608
        for number, table, journal in rows(tuple[int, str, str], named, self.event, venue):
            found = rows(tuple[bytes, bytes], lines, self.event, venue, number)
            yield StoredJournal(table, journal, tuple((line, digest.hex()) for line, digest in found))

    def evidence(self, venue: str) -> list[ContradictingLine]:
        """Lines that contradict stored ones."""
        statement = f"SELECT table_name, line, stored FROM evidence WHERE {_OF_VENUE} ORDER BY at, digest"  # noqa: S608
        rows = self._database.rows(tuple[str, bytes, bytes], statement, self.event, venue)
        return [ContradictingLine(table, line, stored.hex()) for table, line, stored in rows]

    def notices(self, venue: str) -> list[tuple[datetime, str]]:
        """The notices sent to a venue, and when."""
        statement = f"SELECT at, sentence FROM notices WHERE {_OF_VENUE} ORDER BY number"  # noqa: S608
        return [(read_time(at), sentence) for at, sentence in self._database.rows(tuple[str, str], statement, self.event, venue)]
