"""The rows of the centre's store that belong to no venue: orders that persons have signed, and released slips.

Each writer holds a lock for it, so that orders of two persons at the same time get successive numbers.
"""

from collections.abc import Mapping
from datetime import datetime

from centre.store.centre_rows import begin_event
from centre.store.schema import CENTRE
from twinwall.event.store.databases.opening import postgres_adapter
from twinwall.event.store.databases.port import PostgresAddress, StoreDatabase
from twinwall.game.documents import write_time

PATIENCE_S = 5.0
"""How long another person's order may keep the lock."""


class OrderRows:
    """Adds orders; used by one thread. Each method raises StoreError."""

    def __init__(self, address: PostgresAddress, event: str) -> None:
        """Open the store, make or migrate it if needed, and begin the event there; raises StoreError."""
        self._database: StoreDatabase = postgres_adapter().for_writing(address, PATIENCE_S, CENTRE, (f"{event}/orders",))
        try:
            with self._database.transaction():
                self._event = begin_event(self._database, event)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Release the store."""
        self._database.close()

    def signed(self) -> list[bytes]:
        """All signed orders, in the order in which they arrived."""
        rows = self._database.rows(tuple[bytes], "SELECT signed FROM orders WHERE event_id = ? ORDER BY number", self._event)
        return [signed for (signed,) in rows]

    def add(self, signed: bytes, at: datetime) -> None:
        """Store what a person has signed."""
        with self._database.transaction():
            self._database.add(
                "INSERT INTO orders (event_id, number, signed, at)"
                " SELECT ?, coalesce(max(number), 0) + 1, ?, ? FROM orders WHERE event_id = ?",
                [(self._event, signed, write_time(at), self._event)],
            )

    def release(self, slips: Mapping[int, bytes], at: datetime) -> None:
        """Store released slips, which the caller has verified; one that is stored already stays."""
        with self._database.transaction():
            self._database.add(
                "INSERT INTO slips (event_id, n, slip, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [(self._event, n, slip, write_time(at)) for n, slip in slips.items()],
            )
