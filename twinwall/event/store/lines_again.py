"""Lines of one table's ledger as they are stored, with the signed head that covers them: for a reader that lacks them."""

from collections.abc import Sequence

from twinwall.event.store.databases.opening import open_for_reading
from twinwall.event.store.databases.port import StoreAddress, StoreDatabase
from twinwall.wire.receiver import MOST_ASKED

MOST_AGAIN = 3 * MOST_ASKED
"""At most this many lines are read, those that are asked for and on to the next that has a head: a receiver can hold them all."""
_LINES = (
    "SELECT line FROM lines JOIN journals ON journal_id = journals.id"
    " WHERE table_name = ? AND journal = ? AND seq BETWEEN ? AND ? ORDER BY seq"
)
_HEADS = "SELECT seq, head FROM heads WHERE table_name = ? AND journal = ? AND seq BETWEEN ? AND ? ORDER BY seq, id"

LinesAgain = tuple[Sequence[bytes], bytes | None]
"""Successive lines, and the head of the last of them; None where no head of theirs is stored."""


def lines_again(address: StoreAddress, table: str, journal: str, first: int, last: int) -> LinesAgain:
    """What is stored of lines ``first`` to ``last``, read beside the store's writer; none of a table or a journal that is not there.

    They go on to the next line of which a head is stored, or end at the last that has one. Raises StoreError.
    """
    last = min(last, first + MOST_ASKED - 1)
    database = open_for_reading(address)
    try:
        with database.snapshot():
            seq, head = _head(database, table, journal, first, last)
            lines = database.rows(tuple[bytes], _LINES, table, journal, first, seq)
    finally:
        database.close()
    return [line for (line,) in lines], head


def _head(database: StoreDatabase, table: str, journal: str, first: int, last: int) -> tuple[int, bytes | None]:
    """The line with which to end, and its head: the first at ``last`` or after it, otherwise the last before it."""
    heads = dict(database.rows(tuple[int, bytes], _HEADS, table, journal, first, first + MOST_AGAIN - 1))
    seq = min((seq for seq in heads if seq >= last), default=max(heads, default=last))
    return seq, heads.get(seq)
