"""Schema of a store: its tables in each version. The text is SQLite's; the adapter for PostgreSQL adapts it."""

import re

from twinwall.event.store.databases.port import StoreError
from twinwall.values import frozen

APPLICATION = 0x54574E45
"""Marks a database as a store: "TWNE"."""
REFUSED_CHANGE = "rows of a store are never changed"

_FIRST = """
CREATE TABLE programmes (id INTEGER PRIMARY KEY, at TEXT NOT NULL, document BLOB NOT NULL) STRICT;
CREATE TABLE journals (
    id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, journal TEXT NOT NULL, UNIQUE (table_name, journal)
) STRICT;
CREATE TABLE lines (
    journal_id INTEGER NOT NULL REFERENCES journals (id), seq INTEGER NOT NULL CHECK (seq > 0), line BLOB NOT NULL,
    digest BLOB NOT NULL, PRIMARY KEY (journal_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE slips (n INTEGER PRIMARY KEY, at TEXT NOT NULL, slip BLOB NOT NULL) STRICT;
CREATE TABLE acknowledgements (
    id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, journal TEXT NOT NULL, seq INTEGER NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE TABLE looks (
    id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, n INTEGER NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE TABLE complaints (id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, reason TEXT NOT NULL, at TEXT NOT NULL) STRICT;
"""
_SECOND = """
CREATE TABLE evidence (
    id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, line BLOB NOT NULL, signed BLOB NOT NULL, head BLOB NOT NULL, at TEXT NOT NULL
) STRICT;
"""
_THIRD = """
CREATE TABLE heads (
    id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, journal TEXT NOT NULL, seq INTEGER NOT NULL, head BLOB NOT NULL
) STRICT;
CREATE TABLE announcements (id INTEGER PRIMARY KEY, announcement BLOB NOT NULL, vault_key BLOB NOT NULL, at TEXT NOT NULL) STRICT;
"""
_FOURTH = "CREATE TABLE records (seq INTEGER PRIMARY KEY CHECK (seq > 0), record BLOB NOT NULL) STRICT;\n"

MIGRATIONS = (_FIRST, _SECOND, _THIRD, _FOURTH)
"""``MIGRATIONS[v]`` update version v to v + 1."""
VERSION = len(MIGRATIONS)


@frozen
class DatabaseForm:
    """The tables of one kind of database.

    Attributes:
        application: marks a database as of this kind.
        migrations: ``migrations[v]`` update version v to v + 1.
        opened_by: what updates an older one.
        additive: later versions only add to it, so older programs can use newer databases.
        changing: tables with rows that may change.
    """

    application: int
    migrations: tuple[str, ...]
    opened_by: str
    additive: bool = False
    changing: frozenset[str] = frozenset()

    @property
    def version(self) -> int:
        return len(self.migrations)

    def check_version(self, name: str, version: int) -> None:
        """Raise StoreError for a version that this program cannot use."""
        if version > self.version and not self.additive:
            known = f"this program knows {self.version} at most"
            raise StoreError(f"{name}: the store is of version {version}, {known}: use the newer program")

    def check_readable(self, name: str, version: int) -> None:
        """Raise StoreError for a store that cannot be read without an update."""
        self.check_version(name, version)
        if version < self.version:
            raise StoreError(
                f"{name}: the store is of version {version}, this program reads {self.version}: open it once for writing, "
                f"by {self.opened_by}"
            )


def tables_made(statements: str) -> list[str]:
    return re.findall(r"CREATE TABLE (\w+)", statements)


STORE = DatabaseForm(APPLICATION, MIGRATIONS, "the dashboard")
"""The store of an event in its hall."""


def next_row(table: str, *columns: str) -> str:
    """The statement that adds a row with the next ``id``; there is one writer, so the number is free."""
    places = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} (id, {', '.join(columns)}) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM {table}), {places})"  # noqa: S608
