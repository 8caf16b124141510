"""Which of the heads that tables send are stored: enough that each stored line is covered by a signature, few enough to be cheap.

A head covers every line before it. It is stored at once where its lines hold an event that others act on, otherwise with the
next tick after ``KEEP_EVERY_S``.
"""

from __future__ import annotations

from collections.abc import Iterable

from twinwall.event.store.store_contents import SignedHead
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.head import Head
from twinwall.wire.signed_receiver import MOST_HEADS

ACTED_UPON = frozenset({"hand-ended", "hand-closed", "ruling", "deal-fouled", "deal-refused"})
KEEP_EVERY_S = 10.0


class HeadsToKeep:
    """The latest heads of each table, and where the last stored one stands."""

    def __init__(self) -> None:
        self._heads: dict[str, dict[str, bytes]] = {}
        self._kept: dict[str, str] = {}
        self._kept_at_s: dict[str, float] = {}

    def hear(self, table: str, head: Head, payload: bytes) -> None:
        """A head of the table, its signature checked."""
        heads = self._heads.setdefault(table, {})
        heads.pop(head.digest, None)
        heads[head.digest] = payload
        if len(heads) > MOST_HEADS:
            del heads[next(iter(heads))]

    def due(self, table: str, position: LedgerPosition | None, event_types: Iterable[str], now_s: float) -> SignedHead | None:
        """The head to store when the table's lines are taken up to ``position``, the last of them being of these types."""
        payload = None if position is None else self._heads.get(table, {}).get(position.digest)
        if position is None or payload is None or self._kept.get(table) == position.digest:
            return None
        if ACTED_UPON.isdisjoint(event_types) and now_s - self._kept_at_s.get(table, -KEEP_EVERY_S) < KEEP_EVERY_S:
            return None
        self._kept[table], self._kept_at_s[table] = position.digest, now_s
        return SignedHead(table, position.journal, position.seq, payload)
