"""Tables that have joined the hall, and what is assigned to each of them.

Keeps the last heartbeat of each table and its last assignment. An assignment is on the disk before it is sent, and is sent again at
each heartbeat until the table says that it has accepted it; so a dashboard or a broker that was killed loses none. What a table refuses
stands in its heartbeat, in a sentence. Pages and connection are elsewhere.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from twinwall.wire.durable_file import write_durably
from twinwall.wire.messages.assignment import (
    Assignment,
    AssignmentError,
    JoinedTable,
    open_assignment,
    read_joined_table,
    write_assignment,
)
from twinwall.wire.messages.signing import Counter, Signer
from twinwall.wire.messages.table_kind import TableKind
from twinwall.wire.mqtt.access import table_user
from twinwall.wire.mqtt.topics import HallChannel, HallTopic, TopicError, parse_hall_topic

Publish = Callable[[str, bytes], int | None]

SILENT_S = 10.0
"""A table that has said nothing for so long is not there: it beats every two seconds."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HallTable:
    """A table of the hall: its last heartbeat with the moment it came, and what is assigned to it.

    ``silent``: nothing has been heard of it for ``SILENT_S``.
    """

    name: str
    heartbeat: JoinedTable
    heard: datetime
    assigned: Assignment | None = None
    silent: bool = False


class HallTables:
    """The tables of one hall; may be called from any thread."""

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
        """``signer`` is the server's; ``counter`` rises across restarts; ``folder`` keeps the assignments; ``monotonic_s`` is any clock
        that nobody sets. Simulated tables join in a ``rehearsal`` alone."""
        self._rehearsal = rehearsal
        self._signer, self._counter, self._folder, self._now, self._monotonic_s = signer, counter, folder, now, monotonic_s
        self._lock = threading.Lock()
        self._heard: dict[str, tuple[JoinedTable, datetime, float]] = {}
        self._sent: dict[str, tuple[bytes, Assignment] | None] = {}
        self.publish: Publish = lambda _topic, _payload: None
        """Sends to the broker; None while there is none."""
        self.heard: Callable[[str], None] = lambda _table: None
        """Called with a table's name after each of its heartbeats."""

    def all_tables(self) -> tuple[HallTable, ...]:
        """Every table that has been heard, in the order of their names."""
        with self._lock:
            return tuple(self._table(name) for name in sorted(self._heard))

    def assign(self, table: str, assignment: Assignment) -> Assignment:
        """Assign this to a table, now or as soon as it is heard; what is returned has its number. Raises OSError when it cannot be kept."""
        with self._lock:
            numbered = msgspec.structs.replace(assignment, number=self._counter.next())
            payload = write_assignment(self._signer, table, numbered)
            self._folder.mkdir(parents=True, exist_ok=True)
            write_durably(self._file(table), payload)
            self._sent[table] = payload, numbered
        self._send(table, payload)
        return numbered

    def hear(self, topic: str, payload: bytes) -> None:
        """A heartbeat has come; one that is not the table's is logged and has no effect."""
        try:
            table = parse_hall_topic(topic).table
            heartbeat = read_joined_table(payload, table)
        except (TopicError, AssignmentError) as error:
            _LOG.warning("%s", error)
            return
        if heartbeat.kind is TableKind.SIMULATED and not self._rehearsal:
            _LOG.warning("table %s is simulated, and this is an event: it does not join; end its program", table)
            return
        with self._lock:
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
        """What was assigned last, from the disk after a restart."""
        if table not in self._sent:
            self._sent[table] = self._kept(table)
        return self._sent[table]

    def _kept(self, table: str) -> tuple[bytes, Assignment] | None:
        try:
            payload = self._file(table).read_bytes()
            return payload, open_assignment(payload, table, self._signer.public)
        except FileNotFoundError:
            return None
        except (OSError, AssignmentError) as error:
            _LOG.error("%s cannot be used, so table %s is assigned nothing until you assign it anew: %s", self._file(table), table, error)
            return None

    def _file(self, table: str) -> Path:
        return self._folder / f"{table_user(table)}.json"
