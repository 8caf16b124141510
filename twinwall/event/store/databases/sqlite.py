"""A store in a file of SQLite.

WAL mode with ``synchronous`` FULL: a stored row is on disk when the transaction has ended, and readers never wait for the writer.
"""

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from twinwall.event.store.databases.port import (
    ANOTHER_PROGRAM,
    APPLICATION,
    BUSY_S,
    FULL_DISK,
    MIGRATIONS,
    REFUSED_CHANGE,
    SECOND_WRITER,
    STORE,
    VERSION,
    RowT,
    StoreError,
    Value,
    tables_made,
)

OLDEST_SQLITE = (3, 37, 0)
"""STRICT tables need this version."""
LARGEST_VALUE = 64 * 2**20
"""Most bytes of a value in a row; larger ones are not read."""
LOOK_AGAIN_S = 0.05
"""How often a held lock is tried."""


class SqliteDatabase:
    """A file with a store."""

    session = 0
    """A file is never reconnected."""

    def __init__(self, connection: sqlite3.Connection, path: Path, lock: "WriterLock | None" = None) -> None:
        """``lock`` is released when the file is closed; None for a reader."""
        self._connection, self._path, self._lock = connection, path, lock

    @classmethod
    def for_writing(cls, path: Path, patience_s: float = 0.0) -> "SqliteDatabase":
        """Open a store; create it if missing, and update an older version. Raises StoreError.

        A process that is ending may hold it for ``patience_s`` more.
        """
        check_sqlite()
        lock = WriterLock(path, patience_s)
        try:
            refuse_empty(path)
            return cls(_writing(path), path, lock)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def for_reading(cls, path: Path) -> "SqliteDatabase":
        """Open a store of the present version, without changes; raises StoreError."""
        if not path.is_file():
            raise StoreError(f"{path}: there is no such store")
        refuse_empty(path)
        with sentences(path):
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S, isolation_level=None)
            try:
                _hold_to_tables(connection, path)
                STORE.check_readable(str(path), _version(connection, path))
            except BaseException:
                connection.close()
                raise
        return cls(connection, path)

    @classmethod
    def new(cls, path: Path) -> "SqliteDatabase":
        """Make a store in a new file; raises StoreError."""
        check_sqlite()
        try:
            path.touch(mode=0o600, exist_ok=False)
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written ({error.strerror}): name a file that is not there, in a folder of this user's"
            ) from error
        try:
            return cls(_writing(path), path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def rows(self, form: type[RowT], statement: str, *values: Value) -> list[RowT]:
        with sentences(self._path):
            return [msgspec.convert(row, form) for row in self._connection.execute(statement, values)]

    def add(self, statement: str, rows: Iterable[tuple[Value, ...]]) -> None:
        with sentences(self._path):
            self._connection.executemany(statement, rows)

    def transaction(self) -> AbstractContextManager[None]:
        """When it ends, all of it is on disk; otherwise none is."""
        return self._within("BEGIN IMMEDIATE")

    def snapshot(self) -> AbstractContextManager[None]:
        """The first read decides which state is read."""
        return self._within("BEGIN")

    def close(self) -> None:
        """Close the file, so that another process can write to it; repeated calls do nothing."""
        self._connection.close()
        lock, self._lock = self._lock, None
        if lock:
            lock.close()

    def leave_one_file(self) -> None:
        """Close the store so that it is one file, without a second one for the newest rows."""
        with sentences(self._path):
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self.close()

    @contextmanager
    def _within(self, begin: str) -> Iterator[None]:
        with sentences(self._path), transaction(self._connection, begin):
            yield


class WriterLock:
    """The right to write to a store. One process has it and loses it only by ending; the file beside the store stays."""

    def __init__(self, path: Path, patience_s: float = 0.0) -> None:
        """Take the lock; raises StoreError if another process still has it after ``patience_s``."""
        try:
            self._descriptor = os.open(f"{path.resolve()}-writer", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{path}: the store cannot be written ({error.strerror}): is the folder there, and this user's?") from error
        until_s = time.monotonic() + patience_s
        while not self._taken():
            if time.monotonic() >= until_s:
                os.close(self._descriptor)
                raise StoreError(f"{path}: {SECOND_WRITER}")
            time.sleep(LOOK_AGAIN_S)

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Release it once: afterwards the descriptor's number may be another file's."""
        os.close(self._descriptor)
        self._descriptor = -1


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a StoreError that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {_sentence(error)}") from error
    except (msgspec.ValidationError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: {_damaged(error)}") from error


def _sentence(error: sqlite3.Error) -> str:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return FULL_DISK
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program holds the store locked: end it"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            return f"the store cannot be opened or written ({error}): is the folder there, and this user's?"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_TOOBIG:
            return _damaged(error)
        case sqlite3.SQLITE_IOERR:
            return f"the disk does not answer ({error}): look after the machine; tables keep their events"
        case _:
            return f"SQLite says: {error}"


def _damaged(error: Exception) -> str:
    return f"this is not a store, or it is damaged ({error}): put it aside and rebuild it from the tables' ledgers"


def _writing(path: Path) -> sqlite3.Connection:
    """A connection to a store, created or updated to the present version."""
    with sentences(path):
        return open_file(path, partial(_update, path))


def _update(path: Path, connection: sqlite3.Connection) -> None:
    _hold_to_tables(connection, path)
    version = _version(connection, path)
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    for number in range(version, VERSION):
        steps = f"{migration(number)} PRAGMA user_version = {number + 1}; PRAGMA application_id = {APPLICATION};"
        connection.executescript(f"BEGIN IMMEDIATE; {steps} COMMIT;")


def open_file(path: Path | str, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Open a file for all threads, after ``prepare``; a new one is this user's alone. Raises sqlite3.Error and what ``prepare`` raises."""
    if isinstance(path, Path) and not path.exists():
        with suppress(OSError):  # what is wrong is said when SQLite opens it
            path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def version_of(connection: sqlite3.Connection, application: int) -> int | None:
    """The version of a program's tables, 0 where there are none; None for another program's file."""
    found, version, tables = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    return None if tables and found != application else int(tables and version)


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """Either all within is on disk at the end, or none."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def migration(number: int) -> str:
    """The statements that make version ``number`` + 1, with triggers that refuse changes of rows."""
    growing = "".join(
        f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table} BEGIN SELECT RAISE(ABORT, '{REFUSED_CHANGE}'); END;\n"
        for table in tables_made(MIGRATIONS[number])
        for verb in ("UPDATE", "DELETE")
    )
    return MIGRATIONS[number] + growing


def refuse_empty(path: Path) -> None:
    """Raise StoreError for an empty file, as a full disk or a broken copy leaves it: an event must not begin again in it."""
    if path.is_file() and not path.stat().st_size:
        raise StoreError(f"{path}: the file is empty: put a good copy back, or take it away where nothing was in it")


def _hold_to_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse values that would fill the memory, and views in place of tables, which can give endless rows."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    if connection.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'view'").fetchone()[0]:
        raise StoreError(f"{path}: {ANOTHER_PROGRAM}")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    version = version_of(connection, APPLICATION)
    if version is None:
        raise StoreError(f"{path}: {ANOTHER_PROGRAM}")
    STORE.check_version(str(path), version)
    return version


def check_sqlite() -> None:
    """Raise StoreError if the machine's SQLite is too old."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old for the store: {needed} or newer is needed")
