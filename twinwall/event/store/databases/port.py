"""What a store needs of a database: add rows in transactions, read them, and refuse every second writer.

Statements are written once, with ``?`` for a value, and both adapters take them. Rows are added and never changed; the schema's
triggers hold that even against another program.

Where a store is: a file of SQLite, or a schema of a PostgreSQL database.

Schema of a store: its tables in each version. The text is SQLite's; the adapter for PostgreSQL changes what is spelt otherwise.
"""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import field
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from twinwall.values import frozen

Value = int | str | bytes
"""What a column holds."""
RowT = TypeVar("RowT")

BUSY_S = 5.0
"""How long a reader waits where the database itself has to wait."""
FULL_DISK = "the disk is full, nothing more is stored: make room; tables keep their events and are asked for them again"
SECOND_WRITER = "another process writes to this store: end it, or name another store"
ANOTHER_PROGRAM = "this is no store of events but another program's database: name another one"


class StoreError(RuntimeError):
    """A store that cannot be opened, read or written; the message names it and what to do."""


class StoreDatabase(Protocol):
    """A connection to the database of one store; one thread at a time uses it. Each method raises StoreError."""

    session: int
    """Grows with each connection that had to be made again: what was read under another number is read again."""

    def rows(self, form: type[RowT], statement: str, *values: Value) -> list[RowT]:
        """The rows that a statement gives, each a tuple of this form."""

    def add(self, statement: str, rows: Iterable[tuple[Value, ...]]) -> None:
        """Run a statement that adds a row, once for each."""

    def transaction(self) -> AbstractContextManager[None]:
        """What is added within is kept for good when it ends, or nothing of it is and an exception says so."""

    def snapshot(self) -> AbstractContextManager[None]:
        """What is read within is one state of the store, whatever is written meanwhile."""

    def close(self) -> None:
        """Let go of the store."""


POSTGRESQL = ("postgresql", "postgres")
SCHEMA = "twinwall"
"""The schema where an address names none."""
_SCHEMA_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


class StoreAddressError(ValueError):
    """An address that is none; the message says why."""


@frozen
class PostgresAddress:
    """A schema of a PostgreSQL database. Written out, it has no password."""

    url: str
    """A connection URI of libpq."""
    schema: str = SCHEMA
    password: str = field(default="", repr=False)
    """Empty where the URI, a password file of libpq or the server's rules settle that."""

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, _, host = parts.netloc.rpartition("@")
        shown = f"{user.partition(':')[0]}@{host}" if user else host
        return urlunsplit((parts.scheme, shown, parts.path, urlencode({"schema": self.schema}), ""))


StoreAddress = Path | PostgresAddress


def read_address(text: str) -> StoreAddress:
    """A path, ``sqlite:///path`` or ``postgresql://…``, with ``?schema=NAME`` for another schema; raises StoreAddressError."""
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
"""``MIGRATIONS[v]`` are the statements that make version v + 1 of version v."""
VERSION = len(MIGRATIONS)


@frozen
class DatabaseForm:
    """The tables of one kind of database.

    Attributes:
        application: marks a database as of this kind.
        migrations: ``migrations[v]`` makes version v + 1 of version v.
        opened_by: who brings an older one to the present version.
        additive: later versions only add to it, so a program that knows fewer versions goes on beside one that knows more.
        changing: its tables whose rows may be changed.
    """

    application: int
    migrations: tuple[str, ...]
    opened_by: str
    additive: bool = False
    changing: frozenset[str] = frozenset()

    @property
    def version(self) -> int:
        """The present version."""
        return len(self.migrations)

    def check_version(self, name: str, version: int) -> None:
        """Raise StoreError for a store of a version that this program cannot use."""
        if version > self.version and not self.additive:
            known = f"this program knows {self.version} at most"
            raise StoreError(f"{name}: the store is of version {version}, {known}: use the newer program")

    def check_readable(self, name: str, version: int) -> None:
        """Raise StoreError for a store that cannot be read without bringing it to the present version."""
        self.check_version(name, version)
        if version < self.version:
            raise StoreError(
                f"{name}: the store is of version {version}, this program reads {self.version}: open it once for writing, "
                f"by {self.opened_by}"
            )


def tables_made(statements: str) -> list[str]:
    """The tables that these statements make."""
    return re.findall(r"CREATE TABLE (\w+)", statements)


STORE = DatabaseForm(APPLICATION, MIGRATIONS, "the dashboard")
"""The store of an event in its hall."""


def next_row(table: str, *columns: str) -> str:
    """The statement that adds a row with the next ``id``; one process writes, so no other takes that number."""
    places = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} (id, {', '.join(columns)}) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM {table}), {places})"  # noqa: S608
