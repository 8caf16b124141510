"""Orders of the hall's server to read the tiles drawn for an event's public value, as a table that waits for its event takes them.

An order counts once, also after a restart. Nothing is read while a hand may lie at the table. Each reading, and each refusal of the table
itself, is signed under its identity key; an order that the server has not signed for this table, or an old one, is not answered. How the
tiles are read is told from outside, in a thread of its own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from controller.ledger.assignment_folder import AssignmentFolder
from twinwall.wire.messages.assignment import AssignmentError, HallStage
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, TileReadingError, open_tile_order, write_tile_reading

ReadTiles = Callable[[TileOrder], TileReading]
"""Reads the tiles on the mat; what a camera does not show is told in the reading."""

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
        stage: Callable[[], HallStage],
        read: ReadTiles,
        publish: Callable[[bytes], None],
    ) -> None:
        """``stage`` is what the table does now; ``publish`` brings a reading to the server."""
        self._identity, self._server_key, self._kept = identity, server_key, kept
        self._stage, self._read, self._publish = stage, read, publish
        self._at_work = threading.Lock()

    def take(self, payload: bytes) -> None:
        """An order has come; returns at once."""
        try:
            order = open_tile_order(payload, self._identity.by, self._server_key)
            last = self._kept.last_tile_order()
        except (TileReadingError, AssignmentError) as error:
            log.warning("%s", error)
            return
        if order.number <= last:
            log.warning(
                "an order to read tiles has no effect: its number %d is not above %d, so it is old or came twice", order.number, last
            )
            return
        try:
            self._kept.take_tile_order(payload)
        except OSError as error:
            self._answer(TileReading(order, refused=f"the table cannot keep the order, so it reads nothing ({error}): type its tiles"))
            return
        threading.Thread(target=lambda: self._answer(self._reading(order)), name="drawn tiles", daemon=True).start()

    def _answer(self, reading: TileReading) -> None:
        self._publish(write_tile_reading(self._identity, reading))

    def _reading(self, order: TileOrder) -> TileReading:
        if not self._at_work.acquire(blocking=False):
            return TileReading(order, refused="this table reads its tiles for another order already: read again when that has ended")
        try:
            if self._may_show_hands():
                return _in_play(order)
            reading = self._read(order)
            return _in_play(order) if self._may_show_hands() else reading
        finally:
            self._at_work.release()

    def _may_show_hands(self) -> bool:
        return self._stage() in (HallStage.STARTING, HallStage.PLAYING)


def _in_play(order: TileOrder) -> TileReading:
    return TileReading(order, refused="a hand may lie at this table: wait until its hands are over, or type its tiles")
