"""What a store needs of a database: add rows in transactions, read them, and refuse every second writer.

Statements are written once, with ``?`` for a value, and both adapters take them. Rows are added and never changed; the schema's
triggers hold that even against another program.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

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
