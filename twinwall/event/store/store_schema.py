"""Schema of a store's file: its tables, its versions, and how it is opened.

SQLite in WAL mode with ``synchronous`` FULL: a stored row is on disk when the call returns, and readers never wait for the writer.
Rows are added and never changed; triggers enforce this even against another program.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

APPLICATION = 0x54574E45
"""``application_id`` of a store: "TWNE"."""
OLDEST_SQLITE = (3, 37, 0)
"""STRICT tables are from this version on."""
LOOK_AGAIN_S = 0.05
"""How often a lock that is waited for is tried."""
BUSY_S = 5.0
"""How long a reader waits where SQLite itself has to wait."""

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


def _growing(*tables: str) -> str:
    """Triggers that refuse every change of a row."""
    return "".join(
        f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table}"
        " BEGIN SELECT RAISE(ABORT, 'rows of a store are never changed'); END;\n"
        for table in tables
        for verb in ("UPDATE", "DELETE")
    )


MIGRATIONS = (
    _FIRST + _growing("programmes", "journals", "lines", "slips", "acknowledgements", "looks", "complaints"),
    _SECOND + _growing("evidence"),
    _THIRD + _growing("heads", "announcements"),
    _FOURTH + _growing("records"),
)
"""``MIGRATIONS[v]`` makes version v + 1 of version v."""
VERSION = len(MIGRATIONS)


class StoreError(RuntimeError):
    """A store that cannot be opened, read or written; the message names the file and what to do."""


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into a StoreError that a person can act upon."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {_sentence(error)}") from error


def _sentence(error: sqlite3.Error) -> str:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return "the disk is full, nothing more is stored: make room; tables keep their events and are asked for them again"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program holds the store locked: end it"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            return f"the store cannot be opened or written ({error}): is the folder there, and this user's?"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return f"this is not a store, or it is damaged ({error}): put it aside and rebuild it from the tables' ledgers"
        case sqlite3.SQLITE_IOERR:
            return f"the disk does not answer ({error}): look after the machine; tables keep their events"
        case _:
            return f"SQLite says: {error}"


class WriterLock:
    """The right to write to a store: one process has it, and loses it only by ending. The file beside the store stays."""

    def __init__(self, path: Path, patience_s: float = 0.0) -> None:
        """Take the lock; raises StoreError when another process still has it after ``patience_s``."""
        try:
            self._descriptor = os.open(path.with_name(f"{path.name}-writer"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{path}: the store cannot be written ({error.strerror}): is the folder there, and this user's?") from error
        until_s = time.monotonic() + patience_s
        while not self._taken():
            if time.monotonic() >= until_s:
                os.close(self._descriptor)
                raise StoreError(f"{path}: another process writes to this store: end it, or name another store")
            time.sleep(LOOK_AGAIN_S)

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Give it back."""
        with suppress(OSError):
            os.close(self._descriptor)


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open a store, make it where there is none, and bring an older one to the present version.

    Raises:
        StoreError: for a file that is something else or of a newer version, and for whatever SQLite cannot do.
    """
    if not path.exists():
        with suppress(OSError):  # what is wrong is said when SQLite opens it
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    with sentences(path):
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            is_new = not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            version = 0 if is_new else _version(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            for number in range(version, VERSION):
                steps = f"{MIGRATIONS[number]} PRAGMA user_version = {number + 1}; PRAGMA application_id = {APPLICATION};"
                connection.executescript(f"BEGIN IMMEDIATE; {steps} COMMIT;")
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open a store of the present version, which is not changed; raises StoreError."""
    if not path.is_file():
        raise StoreError(f"{path}: there is no such store")
    with sentences(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S, isolation_level=None)
        try:
            version = _version(connection, path)
        except BaseException:
            connection.close()
            raise
    if version != VERSION:
        connection.close()
        raise StoreError(
            f"{path}: the store is of version {version}, this program reads {VERSION}: open it once for writing, by the dashboard"
        )
    return connection


def back_up(path: Path, to: Path) -> None:
    """Copy a store as it stands into a new file, while another process may write to it; raises StoreError, and then there is no copy.

    SQLite's online backup copies pages between the writer's transactions, so the copy is a whole state of the store.
    """
    check_sqlite()
    source = open_for_reading(path)
    try:
        os.close(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        source.close()
        raise StoreError(f"{to} cannot be written ({error.strerror}): name a file that is not there, in a folder of this user's") from error
    try:
        with sentences(to):
            copy = sqlite3.connect(to, isolation_level=None)
            try:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
            finally:
                copy.close()
    except BaseException:
        to.unlink(missing_ok=True)
        raise
    finally:
        source.close()


def _version(connection: sqlite3.Connection, path: Path) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application != APPLICATION:
        raise StoreError(f"{path}: this is no store of events but another program's database: name another file")
    if version > VERSION:
        raise StoreError(f"{path}: the store is of version {version}, this program knows {VERSION} at most: use the newer program")
    return version


def check_sqlite() -> None:
    """Raise StoreError when the machine's SQLite is too old."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old for the store: {needed} or newer is needed")
