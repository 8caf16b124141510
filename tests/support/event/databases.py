"""Another program at a store's database: it writes past ours."""

import sqlite3
from pathlib import Path

import psycopg

from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.store_writer import StoreWriter


def run_beside(address: StoreAddress, *statements: str) -> None:
    """Run statements at the database of a store, whose schema is made where it is missing; raises what the database's library raises."""
    if isinstance(address, Path):
        connection = sqlite3.connect(address, isolation_level=None)
        try:
            for statement in statements:
                connection.execute(statement)
        finally:
            connection.close()
    else:
        with psycopg.connect(address.url, autocommit=True) as session:
            session.execute(f"CREATE SCHEMA IF NOT EXISTS {address.schema}")
            session.execute(f"SET search_path TO {address.schema}")
            for statement in statements:
                session.execute(statement)


def change_line(address: StoreAddress) -> None:
    """Put another tile into the stored lines of number 12, as whoever may drop the triggers can."""
    if isinstance(address, Path):
        replaced = "UPDATE lines SET line = CAST(replace(CAST(line AS TEXT), '1m', '2m') AS BLOB) WHERE seq = 12"
        run_beside(address, "DROP TRIGGER lines_update", replaced)
    else:
        text = "replace(convert_from(line, 'UTF8'), '1m', '2m')"
        replaced = f"UPDATE lines SET line = convert_to({text}, 'UTF8') WHERE seq = 12"
        run_beside(address, "DROP TRIGGER lines_change ON lines", replaced)


def make_read_only(desk: StoreWriter, *, on: bool) -> None:
    """As an administrator does to a database, or a file system that the machine has remounted."""
    word = "on" if on else "off"
    setting = f"set_config('default_transaction_read_only', '{word}', false)"
    desk._rows._database.rows(tuple[str], f"PRAGMA query_only = {word}" if isinstance(desk.address, Path) else f"SELECT {setting}")
