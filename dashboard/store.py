"""What the dashboard has heard, in memory: one stream a table, one gapless sequence over all of them.

Every change that a page could show takes the next number of the *store sequence*; pages name the
number they have, and are sent what came after it. Nothing here is the only copy of anything: after
a restart it is made anew from the event's store. Time comes in as an argument.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dashboard.fold import TableView, fold
from dashboard.gate import Viewer, may_see
from dashboard.restoring import restored
from twinwall.wire.commands import Health
from twinwall.wire.ledger import PublicEvent

UNHEARD_AFTER_S = 6.0
"""A table whose heartbeat has been missing for this long is shown as not heard."""
COMPLAINT_S = 60.0
"""How long a refused line stays on the page when no good one follows it."""


@dataclass(frozen=True, slots=True)
class TableStatus:
    """One table as the store knows it now. ``changed`` is the store sequence of its last change."""

    name: str
    view: TableView
    changed: int = 0
    heard: datetime | None = None
    silent: bool = True
    complaint: str | None = None
    """Why a line of this table was refused, when one was of late."""
    complained: datetime | None = None


class Store:
    """The streams of all tables; every method may be called from any thread."""

    def __init__(self, boot: str, tables: Sequence[str] = (), viewer: Viewer = Viewer.REFEREE) -> None:
        """``boot`` names this run (numbers of another run mean nothing here); ``tables`` are shown, in order, before they are heard."""
        self.boot = boot
        self._viewer = viewer
        self._sequence = 0
        self._change = threading.Condition()
        self._tables: dict[str, TableStatus] = {name: TableStatus(name, TableView(name)) for name in tables}
        self._connected = False

    @property
    def sequence(self) -> int:
        """The number of the last change."""
        return self._sequence

    @property
    def connected(self) -> bool:
        """Whether the broker is connected."""
        return self._connected

    def tables(self) -> tuple[TableStatus, ...]:
        """All tables, in the order of the hall."""
        with self._change:
            return tuple(self._tables.values())

    def table(self, name: str) -> TableStatus | None:
        """One table; None when there is none of that name."""
        with self._change:
            return self._tables.get(name)

    def restore(self, found: Mapping[str, Sequence[PublicEvent]]) -> None:
        """Show what is stored of each table; whether it still speaks is not known before it is heard."""
        with self._change:
            for table, events in found.items():
                seen = [event for event in events if may_see(self._viewer, event)]
                if seen:
                    self._put(replace(self._status(table), view=restored(table, seen)))

    def touch(self) -> None:
        """Something beside the tables has changed, a release or who took up a call: pages look again."""
        with self._change:
            self._count()

    def begin(self, table: str) -> None:
        """A table's ledger begins (again): what was known of it is set aside."""
        with self._change:
            old = self._status(table)
            self._put(replace(old, view=TableView(table), complaint=None, complained=None))

    def add(self, event: PublicEvent, heard: datetime) -> None:
        """Take the next event of a table, if the gate lets it through."""
        if not may_see(self._viewer, event):
            return
        with self._change:
            old = self._status(event.table)
            self._put(replace(old, view=fold(old.view, event), heard=heard, silent=False))

    def hear(self, health: Health, heard: datetime) -> None:
        """Take a heartbeat; only a table that was silent changes by it."""
        with self._change:
            old = self._status(health.table)
            fresh = replace(old, heard=heard, silent=False)
            if old.silent:
                self._put(fresh)
            else:
                self._tables[health.table] = fresh

    def complain(self, table: str, reason: str, at: datetime) -> None:
        """Something of the table was refused; its page says so for ``COMPLAINT_S``. Good lines that come meanwhile do not end it:
        a second table of the same name sends them too."""
        with self._change:
            self._put(replace(self._status(table), complaint=reason, complained=at))

    def connection(self, connected: bool) -> None:
        """The broker was found or lost."""
        with self._change:
            if self._connected != connected:
                self._connected = connected
                self._count()

    def tick(self, now: datetime) -> None:
        """Notice the tables that have fallen silent, and the complaints that are old."""
        with self._change:
            for status in list(self._tables.values()):
                fresh = status
                if not status.silent and _is_over(status.heard, now, UNHEARD_AFTER_S):
                    fresh = replace(fresh, silent=True)
                if _is_over(status.complained, now, COMPLAINT_S):
                    fresh = replace(fresh, complaint=None, complained=None)
                if fresh is not status:
                    self._put(fresh)

    def wait_beyond(self, sequence: int, timeout_s: float) -> int:
        """Wait until there is a change after ``sequence`` or the time is over; the number of the last change."""
        with self._change:
            self._change.wait_for(lambda: self._sequence != sequence, timeout_s)
            return self._sequence

    def _status(self, table: str) -> TableStatus:
        return self._tables.get(table) or TableStatus(table, TableView(table))

    def _put(self, status: TableStatus) -> None:
        self._tables[status.name] = replace(status, changed=self._sequence + 1)
        self._count()

    def _count(self) -> None:
        self._sequence += 1
        self._change.notify_all()


def _is_over(since: datetime | None, now: datetime, seconds: float) -> bool:
    return since is not None and (now - since).total_seconds() > seconds
