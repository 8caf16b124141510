"""Where a store is: a file of SQLite, or a schema of a PostgreSQL database."""

import re
from dataclasses import field
from pathlib import Path
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
