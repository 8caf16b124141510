"""The address of a store, the operations on its database (add rows in transactions, read them, refuse a second writer), and its tables.

Both adapters take the same statements, with ``?`` for a value. Rows are added and never changed; triggers of the schema also stop other
programs from that. A store is a file of SQLite, or a schema of a PostgreSQL database. The tables' text is SQLite's; the adapter for
PostgreSQL adapts it.
"""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import field
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from twinwall.values import frozen

POSTGRESQL = ("postgresql", "postgres")
SCHEMA = "twinwall"
"""The schema if an address names none."""
_SCHEMA_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


class StoreAddressError(ValueError):
    """A malformed address; the message says why."""


@frozen
class PostgresAddress:
    """A schema of a PostgreSQL database; its text form has no password."""

    url: str
    """A connection URI of libpq."""
    schema: str = SCHEMA
    password: str = field(default="", repr=False)
    """Empty if the URI, a password file of libpq or the server's rules provide it."""

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, _, host = parts.netloc.rpartition("@")
        shown = f"{user.partition(':')[0]}@{host}" if user else host
        return urlunsplit((parts.scheme, shown, parts.path, urlencode({"schema": self.schema}), ""))


StoreAddress = Path | PostgresAddress


def read_address(text: str) -> StoreAddress:
    """Read a path, ``sqlite:///path`` or ``postgresql://…``, with ``?schema=NAME`` for another schema; raises StoreAddressError."""
    scheme, separator, _rest = text.partition("://")
    if not separator:
        return Path(text)
    parts = urlsplit(text)
    if scheme == "sqlite":
        if parts.netloc or len(parts.path) < 2:
            raise StoreAddressError(f"{text!r} names no file: write sqlite:/// and its absolute path")
        return Path(unquote(parts.path))
    if scheme not in POSTGRESQL:
        raise StoreAddressError(f"{scheme!r} is no database that a store can lie in: write a path, or postgresql://…")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    schema = options.pop("schema", SCHEMA)
    if not _SCHEMA_NAME.fullmatch(schema):
        raise StoreAddressError(f"{schema!r} is no schema of a store: write small letters, digits and _, beginning with a letter")
    return PostgresAddress(urlunsplit((POSTGRESQL[0], parts.netloc, parts.path, urlencode(options), "")), schema)


Value = int | str | bytes
"""The value of a column."""
RowT = TypeVar("RowT")

BUSY_S = 5.0
"""How long a reader waits for a locked database."""
FULL_DISK = "the disk is full, nothing more is stored: make room; tables keep their events and are asked for them again"
SECOND_WRITER = "another process writes to this store: end it, or name another store"
ANOTHER_PROGRAM = "this is no store of events but another program's database: name another one"


class StoreError(RuntimeError):
    """A store that cannot be opened, read or written; the message names it and says what to do."""


class StoreDatabase(Protocol):
    """A connection to a store's database, for one thread at a time. Each method raises StoreError."""

    session: int
    """Increases with each reconnection; data read under another number must be read again."""

    def rows(self, form: type[RowT], statement: str, *values: Value) -> list[RowT]:
        """A statement's rows, each a tuple of this form."""

    def add(self, statement: str, rows: Iterable[tuple[Value, ...]]) -> None:
        """Run a statement that adds a row, once for each row."""

    def transaction(self) -> AbstractContextManager[None]:
        """When it ends, all additions are durable; otherwise none is, and an exception says so."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Everything read within is one state of the store, also during writes."""

    def close(self) -> None:
        """Close the connection."""


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
    """The tables of one kind of database. ``application`` marks a database as of this kind; ``migrations[v]`` update version v to v + 1;
    ``opened_by``: what updates an older one. ``additive``: later versions only add to it, so older programs can use newer databases.
    ``changing``: tables with rows that may change."""

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
