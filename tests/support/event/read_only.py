"""A store that takes nothing any more while it is open."""

from pathlib import Path

from twinwall.event.store.store_writer import StoreWriter


def make_read_only(desk: StoreWriter, *, on: bool) -> None:
    """As an administrator does to a database, or a file system that the machine has remounted."""
    word = "on" if on else "off"
    setting = f"set_config('default_transaction_read_only', '{word}', false)"
    desk._rows._database.rows(tuple[str], f"PRAGMA query_only = {word}" if isinstance(desk.address, Path) else f"SELECT {setting}")
