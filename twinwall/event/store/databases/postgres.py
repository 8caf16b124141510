"""A store in a schema of a PostgreSQL database.

One writer holds an advisory lock of its connection. A lost connection is made again before the next transaction. If it was lost during a
commit, the server is asked afterwards whether it committed, so nothing is stored twice or reported wrongly.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache

import msgspec
import psycopg
from psycopg import errors

from twinwall.event.store.databases.port import (
    ANOTHER_PROGRAM,
    BUSY_S,
    FULL_DISK,
    REFUSED_CHANGE,
    SECOND_WRITER,
    STORE,
    DatabaseForm,
    PostgresAddress,
    RowT,
    StoreError,
    Value,
    tables_made,
)

OLDEST_SERVER = 130000
"""From this version on ``pg_xact_status`` takes what ``pg_current_xact_id`` gives."""
CONNECT_S = 3
LOOK_AGAIN_S = 0.05
"""How often a held lock, or an unreachable server, is tried."""
LEAST_PATIENCE_S = 1.0
"""A process that has ended keeps its lock until the server notices."""
TRY_AGAIN_S = 1.0
"""How soon an unreachable server is tried again."""
SETTLE_S = 10.0
"""How long to wait for a server that was lost during a commit."""
_SETTINGS = {
    "synchronous_commit": "on",
    "standard_conforming_strings": "on",
    # A writer whose machine has lost its network loses the lock when the server has not heard from it for this time.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
_END_BACKEND = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND backend_start::text = %s"


class PostgresDatabase:
    """A schema with a store."""

    def __init__(
        self, address: PostgresAddress, *, locks: tuple[str, ...] = (), patience_s: float = 0.0, form: DatabaseForm = STORE
    ) -> None:
        """Connect; a writer takes its locks, which another process may hold for ``patience_s`` more. Raises StoreError."""
        self._address, self._locks, self._form = address, locks, form
        self._unsettled: str | None = None
        """A transaction that the server may or may not have committed."""
        self._refusal: tuple[float, StoreError] | None = None
        """Until when the server is not tried again, with its error: until then callers do not wait for the network."""
        self.session = 0
        """How often the connection was made again."""
        self._backend = (0, "")
        """The connection's server process, and when it began."""
        self._connection = self._connect(max(patience_s, LEAST_PATIENCE_S))

    @classmethod
    def for_writing(
        cls, address: PostgresAddress, patience_s: float = 0.0, form: DatabaseForm = STORE, locks: tuple[str, ...] | None = None
    ) -> "PostgresDatabase":
        """Open a store; create it if missing, and update an older version. Raises StoreError.

        A process that is ending may hold it for ``patience_s`` more. ``locks`` name what other processes must not write in the meantime;
        None for the whole schema.
        """
        database = cls(address, locks=(address.schema,) if locks is None else locks, patience_s=patience_s, form=form)
        try:
            database._migrate()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def for_reading(cls, address: PostgresAddress, form: DatabaseForm = STORE) -> "PostgresDatabase":
        """Open a store of the present version, without changes; raises StoreError."""
        database = cls(address, form=form)
        try:
            version = database._version()
            if version is None:
                raise StoreError(f"{address}: there is no such store")
            form.check_readable(str(address), version)
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def put_aside(cls, address: PostgresAddress, name: str) -> PostgresAddress | None:
        """Add ``name`` to the name of a store's schema; None if there is no store. Raises StoreError."""
        aside = replace(address, schema=f"{address.schema}_{name}")
        database = cls(address, locks=(address.schema,))
        try:
            if database._version() is None:
                return None
            with database.transaction(), database._sentences():
                database._connection.execute(f"ALTER SCHEMA {address.schema} RENAME TO {aside.schema}")
        finally:
            database.close()
        return aside

    def rows(self, form: type[RowT], statement: str, *values: Value) -> list[RowT]:
        with self._sentences():
            return [msgspec.convert(row, form) for row in self._connection.execute(_spelt(statement), values)]

    def add(self, statement: str, rows: Iterable[tuple[Value, ...]]) -> None:
        """Run a statement once for each row; without rows the server is not asked."""
        if not (given := list(rows)):
            return
        with self._sentences(), self._connection.cursor() as cursor:
            cursor.executemany(_spelt(statement), given)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """When it ends, all of it is on the server's disk; otherwise none is."""
        number = self._begin()
        try:
            yield
        except BaseException:
            self._roll_back()
            raise
        try:
            self._connection.execute("COMMIT")
        except psycopg.OperationalError as error:
            self._settle(number, error)
        except psycopg.Error as error:
            self._roll_back()
            raise StoreError(f"{self._address}: {_sentence(error)}") from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything read within is one state, also during writes."""
        with self._sentences():
            self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            self._roll_back()

    def close(self) -> None:
        """Close the connection, which releases the lock."""
        self._connection.close()

    def _begin(self) -> str:
        """Begin a transaction, reconnecting if needed; return the transaction's number on the server."""
        if not self._connection.closed:
            with suppress(psycopg.OperationalError):
                return self._begun()
        if self._refusal is not None and time.monotonic() < self._refusal[0]:
            raise StoreError(str(self._refusal[1])) from self._refusal[1]
        try:
            with self._sentences():
                self._connect_again()
                return self._begun()
        except StoreError as error:
            self._refusal = time.monotonic() + TRY_AGAIN_S, error
            raise

    def _begun(self) -> str:
        with self._sentences_but_lost():
            begun = self._connection.execute("BEGIN; SELECT pg_current_xact_id()::text")  # one way to the server and back
            begun.nextset()
            row = begun.fetchone()
        assert row is not None
        return str(row[0])

    def _roll_back(self) -> None:
        with suppress(psycopg.Error):
            self._connection.execute("ROLLBACK")

    def _connect_again(self) -> None:
        """Reconnect, and check whether the open transaction was committed."""
        self._connection.close()
        self._connection = self._connect(LEAST_PATIENCE_S)
        self.session += 1
        if self._unsettled is not None:
            status = _status(self._connection, self._unsettled)
            if status == "committed":
                self._connection.close()
                raise StoreError(f"{self._address}: the database took what was reported as not stored: start the dashboard again")
            self._unsettled = None

    def _settle(self, number: str, lost: psycopg.OperationalError) -> None:
        """Find out whether the server committed a transaction; raises StoreError if it did not, or if that stays unknown."""
        until_s = time.monotonic() + SETTLE_S
        while time.monotonic() < until_s:
            try:
                if self._connection.closed:
                    self._connect_again()
                status = _status(self._connection, number)
            except (StoreError, psycopg.OperationalError):
                status = "unknown"
            if status == "committed":
                return
            if status == "aborted":
                raise StoreError(f"{self._address}: {_sentence(lost)}") from lost
            time.sleep(LOOK_AGAIN_S)
        self._unsettled = number
        self._connection.close()
        raise StoreError(f"{self._address}: {_sentence(lost)}") from lost

    def _connect(self, patience_s: float) -> psycopg.Connection:
        with self._sentences():
            connection = psycopg.connect(
                self._address.url, autocommit=True, connect_timeout=CONNECT_S, password=self._address.password or None
            )
            try:
                if connection.info.server_version < OLDEST_SERVER:
                    raise StoreError(f"{self._address}: PostgreSQL 13 or newer is needed")
                settings = _SETTINGS | {"search_path": self._address.schema, "lock_timeout": f"{BUSY_S:.0f}s"}
                connection.execute(
                    "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS setting (name, value)",
                    (list(settings), list(settings.values())),
                )
                # After a broken network the server still has our last connection, its lock and a transaction that will never end.
                connection.execute(_END_BACKEND, self._backend)
                for name in self._locks:
                    if not _locked(connection, self._form.application, name, patience_s):
                        raise StoreError(f"{self._address}: {SECOND_WRITER}")
                row = connection.execute("SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()").fetchone()
                self._backend = (0, "") if row is None else (int(row[0]), str(row[1]))
            except BaseException:
                connection.close()
                raise
        return connection

    def _version(self) -> int | None:
        """The store's version; None if the schema is missing or empty. Raises StoreError for another program's schema."""
        with self._sentences():
            tables = self._connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (self._address.schema,)).fetchall()
            if not tables:
                return None
            if ("store_versions",) not in tables:
                raise StoreError(f"{self._address}: {ANOTHER_PROGRAM}")
            row = self._connection.execute("SELECT coalesce(max(version), 0) FROM store_versions").fetchone()
        version = 0 if row is None else int(row[0])
        self._form.check_version(str(self._address), version)
        return version

    def _migrate(self) -> None:
        """Update to the present version, in one transaction; of several writers that begin together, one does it."""
        if (self._version() or 0) >= self._form.version:
            return
        with self.transaction(), self._sentences():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (self._form.application, self._address.schema))
            version = self._version()
            if version is None:
                if self._connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (self._address.schema,)).fetchone() is None:
                    self._connection.execute(f"CREATE SCHEMA {self._address.schema}")
                self._connection.execute(versions(self._form) + _growing("store_versions"))
            for number in range(version or 0, self._form.version):
                self._connection.execute(migration(number, self._form))
                self._connection.execute("INSERT INTO store_versions VALUES (%s, %s)", (number + 1, self._form.application))

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn errors of server or connection into a StoreError that says what to do."""
        try:
            with self._sentences_but_lost():
                yield
        except psycopg.OperationalError as error:
            raise StoreError(f"{self._address}: {_sentence(error)}") from error

    @contextmanager
    def _sentences_but_lost(self) -> Iterator[None]:
        """As ``_sentences``, except for a lost connection, which is tried again."""
        try:
            yield
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError) and _is_lost(error):
                raise
            raise StoreError(f"{self._address}: {_sentence(error)}") from error
        except msgspec.ValidationError as error:
            raise StoreError(f"{self._address}: it is damaged ({error}): put it aside and rebuild it from the tables' ledgers") from error


def _is_lost(error: psycopg.OperationalError) -> bool:
    """Whether an error is the connection's, and not the server's refusal of one statement."""
    return error.sqlstate is None or error.sqlstate[:2] in ("08", "57")


def _status(connection: psycopg.Connection, number: str) -> str:
    row = connection.execute("SELECT pg_xact_status(%s::text::xid8)", (number,)).fetchone()
    return "aborted" if row is None or row[0] is None else str(row[0])


def _locked(connection: psycopg.Connection, application: int, name: str, patience_s: float) -> bool:
    """Take a lock, which another process may hold for ``patience_s`` more; return whether it was taken."""
    until_s = time.monotonic() + patience_s
    while True:
        row = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (application, name)).fetchone()
        if row is not None and row[0]:
            return True
        if time.monotonic() >= until_s:
            return False
        time.sleep(LOOK_AGAIN_S)


@cache
def _spelt(statement: str) -> str:
    return statement.replace("?", "%s")


def versions(form: DatabaseForm = STORE) -> str:
    """The statements for what every version has: its number, and the triggers' function."""
    application = f"application INTEGER NOT NULL CHECK (application = {form.application})"
    return (
        f"CREATE TABLE store_versions (version INTEGER PRIMARY KEY, {application});\n"
        f"CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{REFUSED_CHANGE}'; END $$;\n"
    )


def migration(number: int, form: DatabaseForm = STORE) -> str:
    """The statements that make version ``number`` + 1, with triggers that refuse changes of rows."""
    statements = form.migrations[number].replace(", WITHOUT ROWID", "").replace(" STRICT", "").replace(" BLOB", " BYTEA")
    return statements + "".join(_growing(table) for table in tables_made(statements) if table not in form.changing)


def _growing(table: str) -> str:
    """Triggers that refuse changes of rows."""
    return (
        f"CREATE TRIGGER {table}_change BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_change();\n"
        f"CREATE TRIGGER {table}_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();\n"
    )


def _sentence(error: psycopg.Error) -> str:
    message = str(error).strip().partition("\n")[0]
    match error:
        case errors.DiskFull():
            return FULL_DISK
        case errors.ReadOnlySqlTransaction():
            return "the database takes nothing new, since it is read-only: make it writable; tables keep their events"
        case errors.LockNotAvailable():
            return "another program holds the store locked: end it"
        case errors.InsufficientPrivilege():
            return f"this user may not do that in the database ({message}): grant CREATE on it, or name another user"
        case psycopg.OperationalError():
            return f"the database does not answer ({message}): look after its server; tables keep their events"
        case _:
            return f"PostgreSQL says: {message}"
