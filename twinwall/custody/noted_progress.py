"""Comparison of what an earlier run of the vault has noted of the tables with what the tables sign now.

A writer into the vault's folder could let it release deals that are being played. So a restarted vault follows its own
ledger only where a table's head is at the noted line or after it; a statement that ends before it, or is of another journal,
contradicts it.
"""

from __future__ import annotations

from collections.abc import Mapping

from twinwall.wire.ledger import LedgerPosition


class NotedProgress:
    """The last line that was noted of each table, from the start of this run."""

    def __init__(self, noted: Mapping[str, LedgerPosition]) -> None:
        """``noted`` is what the vault's ledger names."""
        self._noted = dict(noted)

    @property
    def tables(self) -> frozenset[str]:
        """The tables of which something was noted."""
        return frozenset(self._noted)

    def is_at(self, table: str, head: LedgerPosition) -> bool:
        """Whether a head of the table is the noted line."""
        return self._noted.get(table) == head

    def goes_on(self, table: str, line: LedgerPosition) -> bool:
        """Whether a line that the table's receiver confirmed stands after the noted one: the receiver began there."""
        noted = self._noted.get(table)
        return noted is not None and noted.journal == line.journal

    def is_replaced(self, table: str, head: LedgerPosition) -> bool:
        """Whether the table has begun another journal."""
        return table in self._noted and not self.goes_on(table, head)

    def contradiction(self, table: str, head: LedgerPosition) -> str | None:
        """Why a statement of this moment cannot be of the table whose line was noted, for people; None when it can."""
        noted = self._noted.get(table)
        if noted is None or (head.journal == noted.journal and head.seq >= noted.seq):
            return None
        return (
            f"the vault's ledger names line {noted.seq} of table {table!r} (journal {noted.journal!r}), whose own ledger ends at line "
            f"{head.seq} (journal {head.journal!r}): nothing follows from what it notes of this table. If the table's disk was replaced, "
            f"say twinwall vault revoke {table} and allow its next keys; if not, somebody has written into the vault's folder"
        )
