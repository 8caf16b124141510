"""Tables that have joined the hall, their assignments, and the drawn tiles that they read. Stores each table's last heartbeat and
assignment. An assignment is on disk before it is sent, and is repeated at each heartbeat until the table accepts it, so a crash of
dashboard or broker loses none. A table's heartbeat has a sentence about what it refuses. An order to read tiles is sent once, and is valid
while a caller waits for the answer, under the identity key with which the table joined first; the key is stored beside the assignments."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import field
from datetime import datetime
from pathlib import Path

import msgspec

from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably
from twinwall.wire.messages.assignment import Assignment, JoinedTable, TableKind, open_assignment, read_joined_table
from twinwall.wire.messages.signing import Counter, Signer, sign_document
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, open_tile_reading
from twinwall.wire.mqtt.access import table_user
from twinwall.wire.mqtt.topics import HallChannel, HallTopic, TopicError, parse_hall_topic

Publish = Callable[[str, bytes], int | None]

SILENT_S = 10.0
"""After this silence a table counts as absent; its heartbeat is every two seconds."""

READING_S = 30.0
"""How long to wait for a table's reading of its tiles."""

_LOG = logging.getLogger(__name__)


class TilesUnreadError(Exception):
    """A table's tiles were not read; the message says why, and what to do."""


@frozen
class SignedTiles:
    """A table's reading of its tiles, as received (``signed``), and the identity key that signed it, in hex."""

    reading: TileReading
    signed: str
    key: str


@frozen
class _AwaitedTiles:
    """An order to read tiles, the identity key (hex) of the table that must answer, and the waiting caller's future."""

    order: TileOrder
    key: str
    answer: Future[SignedTiles] = field(default_factory=Future)


@frozen
class HallTable:
    """A table of the hall: its last heartbeat, when it came, and its assignment. ``silent`` after ``SILENT_S``."""

    name: str
    heartbeat: JoinedTable
    heard: datetime
    assigned: Assignment | None = None
    silent: bool = False


class HallTables:
    """The tables of one hall; any thread may call."""

    def __init__(
        self,
        signer: Signer,
        counter: Counter,
        folder: Path,
        now: Callable[[], datetime],
        monotonic_s: Callable[[], float],
        *,
        rehearsal: bool = True,
    ) -> None:
        """``signer`` is the server's; ``counter`` rises across restarts; ``folder`` has the assignments; ``monotonic_s`` is a clock that is
        never set. Simulated tables join only in a ``rehearsal``."""
        self._rehearsal = rehearsal
        self._signer, self._counter, self._folder, self._now, self._monotonic_s = signer, counter, folder, now, monotonic_s
        self._lock = threading.Lock()
        self._heard: dict[str, tuple[JoinedTable, datetime, float]] = {}
        self._sent: dict[str, tuple[bytes, Assignment] | None] = {}
        self._awaited: dict[str, _AwaitedTiles] = {}
        self.publish: Publish = lambda _topic, _payload: None
        """Sends to the broker; None without a connection."""
        self.heard: Callable[[str], None] = lambda _table: None
        """Called with a table's name after each of its heartbeats."""

    def all_tables(self) -> tuple[HallTable, ...]:
        """Every table heard so far, by name."""
        with self._lock:
            return tuple(self._table(name) for name in sorted(self._heard))

    def assign(self, table: str, assignment: Assignment) -> Assignment:
        """Give a table an assignment, now or when it is heard; return it with its number. Raises OSError if it cannot be stored."""
        with self._lock:
            numbered = msgspec.structs.replace(assignment, number=self._counter.next())
            payload = sign_document(self._signer, numbered, table=table)
            self._folder.mkdir(parents=True, exist_ok=True)
            write_durably(self._file(table), payload)
            self._sent[table] = payload, numbered
        self._send(table, payload)
        return numbered

    def read_tiles(self, table: str, event: str, root: str) -> SignedTiles:
        """Let a table read the tiles drawn for an event's public value after these commitments; raises TilesUnreadError."""
        with self._lock:
            if table in self._awaited:
                raise TilesUnreadError(f"table {table} reads its tiles for somebody else: read again when that has ended")
            try:
                key = self._own_key(table)
                awaited = self._awaited[table] = _AwaitedTiles(TileOrder(event, root, self._counter.next()), key)
            except OSError as error:
                raise TilesUnreadError(f"table {table} is not ordered to read, the disk does not allow it ({error}): mend that") from None
        try:
            sent = self.publish(str(HallTopic(table, HallChannel.TILE_ORDER)), sign_document(self._signer, awaited.order, table=table))
            if sent is None:
                raise TilesUnreadError(f"the broker does not take the order to table {table}: read again when the server has it back")
            return awaited.answer.result(READING_S)
        except TimeoutError:
            raise TilesUnreadError(
                f"table {table} has not answered within {READING_S:.0f} s: look at it, at the broker's rights for tile-order and tiles, "
                "and at its version (an older one knows no such order); then read again, or type its tiles"
            ) from None
        finally:
            with self._lock:
                del self._awaited[table]

    def hear(self, topic: str, payload: bytes) -> None:
        """Receive a heartbeat or a reading of tiles; one that is not the table's is logged and ignored."""
        try:
            heard = parse_hall_topic(topic)
            if heard.channel is HallChannel.TILES:
                self._hear_tiles(heard.table, payload)
            else:
                self._hear_beat(heard.table, read_joined_table(payload, heard.table))
        except (TopicError, DocumentError) as error:
            _LOG.warning("%s", error)

    def _hear_tiles(self, table: str, payload: bytes) -> None:
        """Give a table's reading to the waiting caller; raises DocumentError for any other."""
        with self._lock:
            awaited = self._awaited.get(table)
        if awaited is None:
            raise DocumentError(f"a reading of the tiles on table {table} has no effect: it is old, or came too late")
        reading, wanted = open_tile_reading(payload, table, bytes.fromhex(awaited.key)), awaited.order
        if reading.order != wanted:
            raise DocumentError(
                f"a reading of the tiles on table {table} has no effect: it answers order {reading.order.number} of "
                f"{reading.order.event!r}, and order {wanted.number} of {wanted.event!r} is waited for"
            )
        if not awaited.answer.done():
            awaited.answer.set_result(SignedTiles(reading, payload.decode(), awaited.key))

    def _own_key(self, table: str) -> str:
        """The identity key with which a table joined first; raises OSError, and TilesUnreadError if it now uses another."""
        if table not in self._heard:
            raise TilesUnreadError(f"table {table} has not been heard: start its program")
        file, heard = self._key_file(table), self._heard[table][0].identity_key
        key = self._bound_key(table, heard)
        if key != heard:
            raise TilesUnreadError(
                f"table {table} is heard under the identity key {heard}, and joined first under {key}: either somebody else has its broker "
                f"account, or its key is new; then write the key that twinwall vault key prints at the table into {file}, and read again"
            )
        return key

    def _bind(self, table: str, heard: str) -> None:
        """Store the key with which a table joins, and warn if it differs from the first."""
        try:
            if (key := self._bound_key(table, heard)) != heard:
                _LOG.warning(
                    "table %s joins under the identity key %s, and joined first under %s: it reads no tiles",
                    table,
                    heard,
                    key,
                    extra={"table": table},
                )
        except OSError as error:
            _LOG.error("the identity key of table %s cannot be kept: %s", table, error, extra={"table": table})

    def _bound_key(self, table: str, heard: str) -> str:
        """The stored key of a table; without one, ``heard`` is stored. Raises OSError."""
        file = self._key_file(table)
        try:
            return file.read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_durably(file, f"{heard}\n".encode())
            return heard

    def _hear_beat(self, table: str, heartbeat: JoinedTable) -> None:
        if heartbeat.kind is TableKind.SIMULATED and not self._rehearsal:
            _LOG.warning("table %s is simulated, and this is an event: it does not join; end its program", table, extra={"table": table})
            return
        with self._lock:
            if table not in self._heard and heartbeat.kind is not TableKind.SIMULATED:
                self._bind(table, heartbeat.identity_key)
            self._heard[table] = heartbeat, self._now(), self._monotonic_s()
            kept = self._assigned(table)
        if kept is not None and kept[1].number > heartbeat.number:
            self._send(table, kept[0])
        self.heard(table)

    def _send(self, table: str, payload: bytes) -> None:
        self.publish(str(HallTopic(table, HallChannel.ASSIGNMENT)), payload)

    def _table(self, name: str) -> HallTable:
        heartbeat, heard, heard_s = self._heard[name]
        kept = self._assigned(name)
        return HallTable(name, heartbeat, heard, None if kept is None else kept[1], self._monotonic_s() - heard_s > SILENT_S)

    def _assigned(self, table: str) -> tuple[bytes, Assignment] | None:
        """The last assignment, from disk after a restart."""
        if table not in self._sent:
            self._sent[table] = self._kept(table)
        return self._sent[table]

    def _kept(self, table: str) -> tuple[bytes, Assignment] | None:
        try:
            payload = self._file(table).read_bytes()
            return payload, open_assignment(payload, table, self._signer.public)
        except FileNotFoundError:
            return None
        except (OSError, DocumentError) as error:
            _LOG.error(
                "%s cannot be used, so table %s is assigned nothing until you assign it again: %s",
                self._file(table),
                table,
                error,
                extra={"table": table},
            )
            return None

    def _key_file(self, table: str) -> Path:
        return self._folder / f"{table_user(table)}.key"

    def _file(self, table: str) -> Path:
        return self._folder / f"{table_user(table)}.json"
