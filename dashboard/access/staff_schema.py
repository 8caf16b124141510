"""The form of a staff file: its tables and roles, the update of older files, and the errors when SQLite fails."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from twinwall.event.store.databases.sqlite import transaction, version_of

APPLICATION = 0x54574E53
"""``application_id`` of a staff file: "TWNS"."""
VERSION = 3
_FIRST = """
CREATE TABLE accounts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL UNIQUE, roles TEXT NOT NULL, password TEXT, revoked INTEGER
) STRICT;
CREATE TABLE invitations (digest BLOB PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts (id), until INTEGER NOT NULL) STRICT;
CREATE TABLE sessions (
    digest BLOB PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts (id), began INTEGER NOT NULL, seen INTEGER NOT NULL
) STRICT
"""
_SECOND = """
ALTER TABLE accounts ADD COLUMN since INTEGER;
ALTER TABLE accounts ADD COLUMN entered INTEGER;
CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES accounts (id), at INTEGER NOT NULL,
    kind TEXT NOT NULL, roles TEXT NOT NULL, by TEXT NOT NULL, recorded INTEGER NOT NULL DEFAULT 0
) STRICT
"""
_THIRD = """
CREATE TABLE api_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE, account INTEGER NOT NULL REFERENCES accounts (id),
    event TEXT NOT NULL, label TEXT NOT NULL, scope TEXT NOT NULL, since INTEGER NOT NULL, used INTEGER, UNIQUE (event, label)
) STRICT;
CREATE TABLE api_answers (
    token INTEGER NOT NULL REFERENCES api_tokens (id) ON DELETE CASCADE, key TEXT NOT NULL, request BLOB NOT NULL, at INTEGER NOT NULL,
    boot TEXT NOT NULL, version INTEGER, answer BLOB, PRIMARY KEY (token, key)
) STRICT;
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, address TEXT NOT NULL, secret TEXT NOT NULL, by TEXT NOT NULL,
    since INTEGER NOT NULL
) STRICT;
CREATE TABLE news (event TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (event, key)) STRICT;
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, webhook INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE, kind TEXT NOT NULL,
    body BLOB NOT NULL, at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, due INTEGER, done INTEGER, problem TEXT NOT NULL DEFAULT ''
) STRICT;
ALTER TABLE changes ADD COLUMN token TEXT NOT NULL DEFAULT ''
"""
_STEPS = (_FIRST, _SECOND, _THIRD)
"""The statements from each version to the next, beginning with an empty file."""


class Role(Enum):
    """A staff member's role at this event; all see what is for staff, and referees may open tables and rule."""

    DIRECTOR = "director"
    REFEREE = "referee"
    SCORER = "scorer"


class StaffFileError(RuntimeError):
    """An unusable staff file, or an order that it cannot carry out; the message says what to do."""


@contextmanager
def staff_sentences(path: Path | str) -> Iterator[None]:
    """Turn SQLite's errors into a StaffFileError that names the file."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a message of SQLite quotes what is damaged
        raise StaffFileError(
            f"{path}: the staff file cannot be read or written ({error}): is the folder there, and this user's?"
        ) from error


def prepare_staff_file(path: Path | str, connection: sqlite3.Connection) -> None:
    """Create missing tables; raises StaffFileError for another program's file or a newer version."""
    execute = connection.execute
    if (damage := execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise StaffFileError(f"{path}: the staff file is damaged ({' '.join(damage.split())}): put a good copy back")
    with transaction(connection):
        version = version_of(connection, APPLICATION)
        if version is None:
            raise StaffFileError(f"{path}: this is no staff file but another program's database: name another file")
        if version > VERSION:
            raise StaffFileError(f"{path}: the staff file is of version {version}, this program knows {VERSION}: use the newer program")
        for statement in ";".join(_STEPS[version:]).split(";"):
            execute(statement)
        execute(f"PRAGMA user_version = {VERSION}")
        execute(f"PRAGMA application_id = {APPLICATION}")
    execute("PRAGMA foreign_keys = ON")
    execute("PRAGMA secure_delete = ON")
