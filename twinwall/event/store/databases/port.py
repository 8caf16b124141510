"""The address of a store, and the operations on its database: add rows in transactions, read them, and refuse a second writer.

Both adapters take the same statements, with ``?`` for a value. Rows are added and never changed; triggers of the schema also stop other
programs from that. A store is a file of SQLite, or a schema of a PostgreSQL database.
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
