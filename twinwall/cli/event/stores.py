"""Access of commands to a store: recognise one, read it, and choose the deals that may leave it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from twinwall.cli.errors import UsageError
from twinwall.event.store.hall import Hall
from twinwall.event.store.programme import ProgrammeError
from twinwall.event.store.store_file import Contents, read_store
from twinwall.event.store.store_loading import DamagedStoreError, load
from twinwall.event.store.store_schema import StoreError

_SQLITE = b"SQLite format 3\0"


class UnreleasedError(Exception):
    """A deal that may not leave the store yet; the message says which, and what it waits for."""


def is_store(path: Path) -> bool:
    """Whether a file is a store rather than a text; raises OSError when there is none."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def contents_of(path: Path) -> Contents:
    """All that a store holds; raises UsageError when it cannot be read."""
    try:
        return read_store(path)
    except (StoreError, ProgrammeError) as error:
        raise UsageError(str(error)) from error


def hall_of(path: Path) -> Hall:
    """What a store amounts to; raises UsageError when it cannot be read, or is damaged."""
    try:
        return load(contents_of(path)).hall
    except DamagedStoreError as error:
        raise UsageError(f"{path}: {error}") from error


def released_deals(hall: Hall, asked: Sequence[int]) -> tuple[int, ...]:
    """The deals that may leave: those asked for, or all that are released.

    Raises:
        UnreleasedError: for one that may not.
        UsageError: for one that is none of the event's.
    """
    known = hall.deals()
    for n in asked:
        if n not in known:
            raise UsageError(f"deal {n} is not of this event")
        if hall.released(n) is None:
            raise UnreleasedError(
                f"deal {n} is not released: until every table has finished it, what was played is those tables' secret; "
                "the vault releases it by itself then"
            )
    return tuple(asked) or tuple(n for n in known if hall.released(n) is not None)
