"""A table that has joined a hall: it sends heartbeats, and takes assignments of the hall's server.

It listens on the hall's topics for the whole program, with a separate link for each event. The server repeats an assignment until a
heartbeat accepts it, so nothing depends on retained messages.

While it waits for its event, it takes the server's orders to read the tiles drawn for the event's public value. An order counts once, also
after a restart. Nothing is read while a hand may be at the table. Each reading or refusal is signed with the table's identity key; an order
that is old, or that the server has not signed for this table, is not answered. The reading runs in its own thread.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from typing import Protocol

from controller.adapters.service_manager import tell_alive
from controller.assigning import AssignmentStanding, assigned_deals, hall_stage, reading_hindrance, refusal
from controller.ledger.assignment_folder import AssignmentFolder
from controller.ledger.publisher import LastHeartbeat, Link
from controller.state.table_state import TableState
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.messages.assignment import Assignment, HallStage, JoinedTable, TableKind, open_assignment, write_joined_table
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, open_tile_order, write_tile_reading
from twinwall.wire.mqtt.link import LinkListener
from twinwall.wire.mqtt.topics import FROM_JOINED, TO_JOINED, HallTopic

ReadTiles = Callable[[TileOrder], TileReading]
"""Reads the tiles on the mat; the reading lists what the camera does not show."""

log = logging.getLogger(__name__)


def no_camera(order: TileOrder) -> TileReading:
    """The answer of a table without a camera above its mat."""
    return TileReading(order, refused="this table has no camera above its mat: type its tiles")


@frozen
class TileOrders:
    """One table's answers; any thread may call."""

    identity: Signer
    server_key: bytes
    kept: AssignmentFolder
    hindrance: Callable[[], str]
    """Returns why the table may read nothing now, or an empty text."""
    read: ReadTiles
    publish: Callable[[bytes], object]
    """Sends a reading to the server."""
    _at_work: threading.Lock = field(default_factory=threading.Lock)
    _taking: threading.Lock = field(default_factory=threading.Lock)

    def take(self, payload: bytes) -> None:
        try:
            order = open_tile_order(payload, self.identity.by, self.server_key)
        except DocumentError as error:
            log.warning("%s", error)
            return
        try:
            with self._taking:
                last = self.kept.last_tile_order()
                if is_new := order.number > last:
                    self.kept.take_tile_order(payload)
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
        self.publish(write_tile_reading(self.identity, reading))

    def _reading(self, order: TileOrder) -> TileReading:
        if not self._at_work.acquire(blocking=False):
            return TileReading(order, refused="this table reads its tiles for another order already: read again when that has ended")
        try:
            if before := self.hindrance():
                return TileReading(order, refused=before)
            reading = self.read(order)
            after = self.hindrance()
            return TileReading(order, refused=after) if after else reading
        except Exception as error:
            log.exception("the drawn tiles were not read")
            return TileReading(order, refused=f"the table's reader failed ({type(error).__name__}): see its log, type the tiles")
        finally:
            self._at_work.release()


BEAT_S = 2.0
PARTS = ("feeder", "gate-camera", "table-camera")
"""Parts that a heartbeat can report as missing, by their names in the table's events."""


class PlayingTable(Protocol):
    @property
    def state(self) -> TableState:
        """Its present state."""

    def leave_between_hands(self) -> None:
        """End once no hand is in play."""


class HallMember(LinkListener):
    """Listens on the hall's link and sends heartbeats; ``next`` gives the outer loop the assignment to play. Any thread may call."""

    def __init__(
        self,
        identity: Signer,
        server_key: bytes,
        version: str,
        lacks: Callable[[], tuple[str, ...]],
        kept: AssignmentFolder,
        *,
        now: Callable[[], datetime],
        deals_in_clear: bool = False,
        vault_keys: Mapping[str, str] | None = None,
        kind: TableKind = TableKind.FEEDER,
        read_tiles: ReadTiles = no_camera,
    ) -> None:
        """``lacks`` returns missing parts while nothing is played; ``deals_in_clear`` and ``vault_keys`` as in ``AssignmentStanding``;
        ``read_tiles`` reads the tiles drawn for an event's public value. Raises DocumentError for a damaged stored assignment."""
        self._identity, self._server_key, self._version, self._lacks, self._kept, self._now = (
            identity,
            server_key,
            version,
            lacks,
            kept,
            now,
        )
        self._deals_in_clear, self._vault_keys, self._kind = deals_in_clear, vault_keys or {}, kind
        self._table = identity.by
        self._topic, self._orders, self._heartbeats, self._tiles = (
            str(HallTopic(self._table, channel)) for channel in (*TO_JOINED, *FROM_JOINED)
        )
        self._changed = threading.Condition()
        self._stopped = False
        self._heartbeat = LastHeartbeat()
        self._current = kept.current()
        self._coming: tuple[bytes, Assignment] | None = None
        self._due = self._current is not None
        self._deals = frozenset[int]() if self._current is None else assigned_deals(self._current)
        self._at_work: PlayingTable | None = None
        self._stop_asking: Callable[[], None] | None = None
        self._refused = self._failed = ""
        self._link: Link | None = None
        self._tile_orders = TileOrders(
            identity,
            server_key,
            kept,
            hindrance=self._hindrance,
            read=read_tiles,
            publish=lambda payload: self._link and self._link.publish(self._tiles, payload),
        )
        self._beater = threading.Thread(target=self._beat_on, name="hall heartbeat", daemon=True)

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return self._topic, self._orders

    def start(self, link: Link) -> None:
        self._link = link
        self._beater.start()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def next(self) -> Assignment | None:
        """Wait for the assignment to play next: the stored one after a start, then each that comes. None when stopped."""
        with self._changed:
            self._at_work = None
            while not self._changed.wait_for(lambda: self._stopped or self._due or self._coming is not None, BEAT_S):
                tell_alive()
            if self._stopped:
                return None
            if self._coming is not None:
                payload, self._current = self._coming
                self._kept.take(payload, self._current)
                self._deals = assigned_deals(self._current)
                self._coming, self._failed = None, ""
            self._due = False
            self._changed.notify_all()
            return self._current

    def plays(self, table: PlayingTable) -> None:
        with self._changed:
            self._at_work = table
            if self._coming is not None:
                table.leave_between_hands()

    @contextmanager
    def asking_key(self, stop: Callable[[], None]) -> Iterator[None]:
        """Within, the table waits for its journal's key; ``stop`` is called if it is assigned another event, or was stopped before."""
        with self._changed:
            self._stop_asking = stop
            if self._stopped:
                stop()
        try:
            yield
        finally:
            with self._changed:
                self._stop_asking = None

    def cannot_play(self, sentence: str) -> None:
        """Report in heartbeats, until another assignment comes, why this one cannot be played here."""
        log.error("%s", sentence)
        with self._changed:
            self._failed = sentence

    def message(self, topic: str, payload: bytes) -> None:
        if topic == self._orders:
            self._tile_orders.take(payload)
        if topic != self._topic:
            return
        with self._changed:
            before = self._refused, self._coming
            self._refused = self._take(payload) or ""
            changed = (self._refused, self._coming) != before
            self._changed.notify_all()
        if changed:  # a beat for each repeated assignment would bring the next repetition
            log.log(logging.WARNING if self._refused else logging.INFO, "assignment: %s", self._refused or "accepted")
            self.beat()

    def _take(self, payload: bytes) -> str | None:
        """Accept an assignment; return why it is refused, or None."""
        try:
            new = open_assignment(payload, self._table, self._server_key)
            standing = self._standing()
        except DocumentError as error:
            return str(error)
        if new in (self._current, None if self._coming is None else self._coming[1]):
            return None
        if (sentence := refusal(standing, new)) is not None:
            return sentence
        self._coming = payload, new
        if self._stop_asking is not None and self._current is not None and new.event != self._current.event:
            self._stop_asking()
        if self._at_work is not None:
            self._at_work.leave_between_hands()
        return None

    def _standing(self) -> AssignmentStanding:
        work = self._at_work
        state = TableState() if self._failed else None  # where nothing could be played, nothing is known to be in play
        return AssignmentStanding(
            accepted=self._current if self._coming is None else self._coming[1],
            first=self._kept.first(),
            state=state if work is None else work.state,
            asks_key=self._stop_asking is not None,
            deals_in_clear=self._deals_in_clear,
            vault_keys=self._vault_keys,
        )

    def beat(self) -> None:
        if self._link is not None:
            self._heartbeat.sent(self._link.publish(self._heartbeats, write_joined_table(self._identity, self.heartbeat())))

    def beat_again(self) -> None:
        """Send another heartbeat, unless the broker has not yet taken the last one."""
        if not self._heartbeat.is_under_way:
            self.beat()

    def _stage(self) -> HallStage:
        with self._changed:
            if self._current is None:
                return HallStage.WAITING
            return hall_stage(self._deals, None if self._at_work is None else self._at_work.state)

    def _hindrance(self) -> str:
        """Why no drawn tiles can be read now, or empty."""
        with self._changed:
            if self._current is None or (self._failed and self._at_work is None):
                return ""
            return reading_hindrance(self._current, self._stage())

    def heartbeat(self) -> JoinedTable:
        with self._changed:
            current, coming, work, refused = self._current, self._coming, self._at_work, self._failed or self._refused
            stage = self._stage()
        state = None if work is None else work.state
        accepted = current if coming is None else coming[1]
        lacks = self._lacks() if state is None else tuple(part for part in PARTS if part in state.lost)
        return JoinedTable(
            self._table,
            self._now(),
            self._version,
            self._identity.public.hex(),
            stage,
            number=0 if accepted is None else accepted.number,
            event="" if current is None else current.event,
            session=0 if current is None else current.session,
            between_hands=current is not None and coming is not None,
            lacks=lacks,
            refused=refused,
            kind=self._kind,
        )

    def connected(self) -> None:
        self._heartbeat.void()
        self.beat()

    def disconnected(self, reason: str) -> None:
        """The broker is gone: the table continues with its assignment."""
        log.info("hall: %s", reason)

    def published(self, token: int) -> None:
        self._heartbeat.taken(token)

    def _beat_on(self) -> None:
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._stopped, BEAT_S):
                    return
            self.beat_again()
