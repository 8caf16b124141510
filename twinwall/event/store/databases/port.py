"""Where a store is, and what it needs of a database: add rows in transactions, read them, and refuse every second writer.

Statements are written once, with ``?`` for a value, and both adapters take them. Rows are added and never changed; the schema's
triggers hold that even against another program. A store is a file of SQLite, or a schema of a PostgreSQL database.
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
