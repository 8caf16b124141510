"""Orders of the hall's server to read the tiles drawn for an event's public value, as a table that waits for its event takes them.

An order counts once, also after a restart. Nothing is read while a hand may lie at the table. Each reading, and each refusal of the table
itself, is signed under its identity key; an order that the server has not signed for this table, or an old one, is not answered. How the
tiles are read, and what hinders it, comes from outside; they are read in a thread of its own.
"""

import logging
import threading
from collections.abc import Callable

from controller.ledger.assignment_folder import AssignmentFolder
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, open_tile_order, write_tile_reading

ReadTiles = Callable[[TileOrder], TileReading]
"""Reads the tiles on the mat; what a camera does not show is in the reading."""

log = logging.getLogger(__name__)


def no_camera(order: TileOrder) -> TileReading:
    """The answer of a table that has no camera above its mat."""
    return TileReading(order, refused="this table has no camera above its mat: type its tiles")


class TileOrders:
    """One table's answers; may be called from any thread."""

    def __init__(
        self,
        identity: Signer,
        server_key: bytes,
        kept: AssignmentFolder,
        *,
        hindrance: Callable[[], str],
        read: ReadTiles,
        publish: Callable[[bytes], object],
    ) -> None:
        """``hindrance`` is why the table may read nothing now, a sentence or nothing; ``publish`` brings a reading to the server."""
        self._identity, self._server_key, self._kept = identity, server_key, kept
        self._hindrance, self._read, self._publish = hindrance, read, publish
        self._at_work, self._taking = threading.Lock(), threading.Lock()

    def take(self, payload: bytes) -> None:
        """An order has come; returns at once."""
        try:
            order = open_tile_order(payload, self._identity.by, self._server_key)
        except DocumentError as error:
            log.warning("%s", error)
            return
        try:
            with self._taking:
                last = self._kept.last_tile_order()
                if is_new := order.number > last:
                    self._kept.take_tile_order(payload)
        except (DocumentError, OSError) as error:
            log.warning("%s", error)
            self._answer(TileReading(order, refused=f"the table cannot keep the order, so it reads nothing: {error}"))
        else:
            if is_new:
                threading.Thread(target=lambda: self._answer(self._reading(order)), name="drawn tiles", daemon=True).start()
            else:
                words = "an order to read tiles has no effect: its number %d is not above %d, so it is old or came twice"
                log.warning(words, order.number, last)

    def _answer(self, reading: TileReading) -> None:
        self._publish(write_tile_reading(self._identity, reading))

    def _reading(self, order: TileOrder) -> TileReading:
        if not self._at_work.acquire(blocking=False):
            return TileReading(order, refused="this table reads its tiles for another order already: read again when that has ended")
        try:
            if before := self._hindrance():
                return TileReading(order, refused=before)
            reading = self._read(order)
            after = self._hindrance()
            return TileReading(order, refused=after) if after else reading
        except Exception as error:
            log.exception("the drawn tiles were not read")
            return TileReading(order, refused=f"the table's reader failed ({type(error).__name__}): see its log, type the tiles")
        finally:
            self._at_work.release()
