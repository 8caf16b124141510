"""Opens a store wherever it is, and copies it between databases."""

from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinwall.event.store.databases.port import MIGRATIONS, StoreAddress, StoreDatabase, StoreError, tables_made
from twinwall.event.store.databases.sqlite import SqliteDatabase, WriterLock

if TYPE_CHECKING:
    from twinwall.event.store.databases.postgres import PostgresDatabase


def open_for_writing(address: StoreAddress, patience_s: float = 0.0) -> StoreDatabase:
    """Open a store; create it if missing, and update an older version. Raises StoreError for a database that is no store or too new, for
    another writer after ``patience_s``, and for any error of the database."""
    if isinstance(address, Path):
        return SqliteDatabase.for_writing(address, patience_s)
    return postgres_adapter().for_writing(address, patience_s)


def open_for_reading(address: StoreAddress) -> StoreDatabase:
    """Open a store of the present version, without changes; raises StoreError."""
    return SqliteDatabase.for_reading(address) if isinstance(address, Path) else postgres_adapter().for_reading(address)


def copy_store(source: StoreAddress, target: StoreAddress) -> None:
    """Copy a store to a new place, while another process may write to it.

    All rows are read in one snapshot and copied byte for byte, damaged ones too. Raises StoreError when it cannot be copied; then there is
    no copy.
    """
    with closing(open_for_reading(source)) as read:
        if isinstance(target, Path):
            written = SqliteDatabase.new(target)
            try:
                _copy_rows(read, written)
                written.leave_one_file()
            except BaseException:
                written.close()
                target.unlink(missing_ok=True)
                raise
        else:
            with closing(postgres_adapter().for_writing(target)) as into:
                if into.rows(tuple[int], "SELECT 1 FROM programmes LIMIT 1"):
                    raise StoreError(f"{target}: there is a store already: name a schema that is not there")
                _copy_rows(read, into)


def restore_store(backup: StoreAddress, address: StoreAddress, at: datetime) -> StoreAddress | None:
    """Replace a store with a backup; return where the former store is kept, or None if there was none.

    A file stays in its place until all of the backup is beside it. Raises StoreError while another process writes to the store, and when
    the backup cannot be copied; if a schema was then already put aside, the message says where it is.
    """
    open_for_reading(backup).close()
    name = f"{at:%Y%m%dt%H%M%Sz}"
    if isinstance(address, Path):
        return _restore_file(backup, address.resolve(), name)
    aside = postgres_adapter().put_aside(address, name)
    try:
        copy_store(backup, address)
    except StoreError as error:
        raise StoreError(f"{error}; the former store is {aside}" if aside is not None else str(error)) from error
    return aside


def _restore_file(backup: StoreAddress, path: Path, name: str) -> Path | None:
    """Copy a backup, then rename a store's files, including the one with its newest rows, and the copy."""
    lock = WriterLock(path)
    try:
        copied, aside = Path(f"{path}.copied"), Path(f"{path}.{name}")
        if aside.exists():
            raise StoreError(f"{aside} is there already: try again in a second")
        copied.unlink(missing_ok=True)  # an interrupted restoring leaves it
        copy_store(backup, copied)
        for ending in ("-wal", "-shm", ""):
            if (part := Path(f"{path}{ending}")).exists():
                part.rename(f"{aside}{ending}")
        copied.rename(path)
        return aside if aside.exists() else None
    except OSError as error:
        raise StoreError(f"{path} cannot be put aside ({error.strerror}): is the folder this user's?") from error
    finally:
        lock.close()


def _copy_rows(source: StoreDatabase, target: StoreDatabase) -> None:
    with source.snapshot(), target.transaction():
        for table in tables_made("".join(MIGRATIONS)):  # a table after those that it refers to
            if rows := source.rows(tuple[Any, ...], f"SELECT * FROM {table} ORDER BY 1, 2"):  # noqa: S608
                target.add(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608


def postgres_adapter() -> "type[PostgresDatabase]":
    """The adapter for PostgreSQL, an optional extra."""
    try:
        from twinwall.event.store.databases.postgres import PostgresDatabase  # noqa: PLC0415 - psycopg is an extra
    except ImportError as error:
        raise StoreError(
            f"the store is in PostgreSQL, and psycopg cannot be loaded ({error}): install Twinwall with its extra, "
            "pip install 'twinwall[postgresql]'"
        ) from error
    return PostgresDatabase
