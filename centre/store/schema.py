"""Schema of the centre's store in each version; later versions only add to it.

Every table but the list of events is partitioned by event, so that an event that is over can be detached or dropped as a whole. One
consumer writes each venue, and numbers its journals and changes itself. Lines, evidence and results are never changed.
"""

from twinwall.event.store.databases.port import DatabaseForm

APPLICATION = 0x54574E43
"""Marks a schema as a centre's store: "TWNC"."""

_FIRST = """
CREATE TABLE events (id INTEGER PRIMARY KEY, event TEXT NOT NULL UNIQUE);
CREATE TABLE venues (id INTEGER PRIMARY KEY, venue TEXT NOT NULL UNIQUE);
CREATE TABLE journals (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, number INTEGER NOT NULL, table_name TEXT NOT NULL, journal TEXT NOT NULL,
    PRIMARY KEY (event_id, venue_id, number), UNIQUE (event_id, venue_id, table_name, journal)
) PARTITION BY LIST (event_id);
CREATE TABLE lines (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, number INTEGER NOT NULL, seq INTEGER NOT NULL CHECK (seq > 0),
    tells INTEGER NOT NULL, line BYTEA NOT NULL, digest BYTEA NOT NULL, PRIMARY KEY (event_id, venue_id, number, seq)
) PARTITION BY LIST (event_id);
CREATE INDEX lines_that_tell ON lines (event_id, venue_id, number, seq) WHERE tells = 1;
CREATE TABLE evidence (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, table_name TEXT NOT NULL, line BYTEA NOT NULL, digest BYTEA NOT NULL,
    stored BYTEA NOT NULL, at TEXT NOT NULL, PRIMARY KEY (event_id, venue_id, table_name, digest)
) PARTITION BY LIST (event_id);
CREATE TABLE waiting (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, digest BYTEA NOT NULL, topic TEXT NOT NULL, payload BYTEA NOT NULL,
    PRIMARY KEY (event_id, venue_id, digest)
) PARTITION BY LIST (event_id);
CREATE TABLE heads (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, number INTEGER NOT NULL, seq INTEGER NOT NULL, head BYTEA NOT NULL,
    PRIMARY KEY (event_id, venue_id, number)
) PARTITION BY LIST (event_id);
CREATE TABLE results (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, change INTEGER NOT NULL CHECK (change > 0), table_name TEXT NOT NULL,
    n INTEGER NOT NULL, result BYTEA NOT NULL, PRIMARY KEY (event_id, venue_id, change)
) PARTITION BY LIST (event_id);
CREATE TABLE statements (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, kind TEXT NOT NULL, payload BYTEA NOT NULL,
    PRIMARY KEY (event_id, venue_id, kind)
) PARTITION BY LIST (event_id);
CREATE TABLE notices (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, number INTEGER NOT NULL, sentence TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (event_id, venue_id, number)
) PARTITION BY LIST (event_id);
"""
_SECOND = """
CREATE TABLE orders (
    event_id INTEGER NOT NULL, number INTEGER NOT NULL CHECK (number > 0), signed BYTEA NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (event_id, number)
) PARTITION BY LIST (event_id);
CREATE TABLE slips (
    event_id INTEGER NOT NULL, n INTEGER NOT NULL, slip BYTEA NOT NULL, at TEXT NOT NULL, PRIMARY KEY (event_id, n)
) PARTITION BY LIST (event_id);
"""
_THIRD = """
CREATE TABLE progress (
    event_id INTEGER NOT NULL, venue_id INTEGER NOT NULL, tables INTEGER NOT NULL, stored INTEGER NOT NULL, missing TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (event_id, venue_id)
) PARTITION BY LIST (event_id);
"""
PARTITIONED = ("journals", "lines", "evidence", "waiting", "heads", "results", "statements", "notices", "orders", "slips", "progress")
"""Tables with a partition for each event."""

CENTRE = DatabaseForm(
    APPLICATION,
    (
        _FIRST,
        _SECOND,
        _THIRD,
    ),
    "a consumer (twinwall centre consume)",
    additive=True,
    changing=frozenset({"waiting", "heads", "statements", "progress"}),
)
"""The centre's store; a consumer of an earlier version continues while another one adds the next version."""
