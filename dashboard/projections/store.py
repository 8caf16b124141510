"""The views of all tables in memory, and a gapless number of changes for each kind of viewer.

A change counts in the channels whose pages it could change, and in no other: a rising number must not tell that a tile was laid. After a
restart everything is rebuilt from the event's store. Time comes in as an argument; the access policy decides who reads which channel.
"""

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import Enum

from dashboard.projections.fold import answers_calls, fold, restored
from dashboard.projections.open_view import HeldView, OpenStep, OpenView, fold_open, open_calls, open_step
from dashboard.projections.table_view import TableView, fault_asked_about
from twinwall.values import frozen
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import FeederLinkQuality, Health
from twinwall.wire.messages.machine import MachineCondition
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.tile_question import Asked, AskedRecord, AskedTile, ShownCall, ShownViolation

UNHEARD_AFTER_S = 6.0
"""A table whose heartbeat has been missing for this long is shown as not heard."""
COMPLAINT_S = 60.0
"""How long a refused line stays on the page when no good one follows it."""


NOTICE_S = 600.0
"""How long a sentence of the centre stays on the staff's pages; the centre says it again as long as it holds."""
MOST_NOTICES = 5
"""This many of the centre's sentences are shown, the latest."""


class Level(Enum):
    """How much is known in a channel."""

    EVERYBODY = "everybody"
    """What everybody may know of the hall; a finished hand once its deal is released."""
    STAFF = "staff"
    """The same, and which hands are over."""
    TABLE = "table"
    """All that is known at one table."""


@frozen
class ViewerChannel:
    """What one kind of page depends on: the hall, one ``table``, or the ``results``, which change by whole hands and by rulings on them."""

    level: Level
    table: str = ""
    results: bool = False
    machines: bool = False
    """For the staff: how the tables' machines are, besides what the hall shows."""


MOST_RECORDS = 8
"""Of a table, the pictures of this many doubted events are shown."""
MOST_VIOLATIONS = 4
"""Of a table, the pictures of this many violations are shown."""
EVERYBODY, STAFF = ViewerChannel(Level.EVERYBODY), ViewerChannel(Level.STAFF)
MACHINES = ViewerChannel(Level.STAFF, machines=True)
RESULTS_TO_EVERYBODY, RESULTS_TO_STAFF = ViewerChannel(Level.EVERYBODY, results=True), ViewerChannel(Level.STAFF, results=True)


@frozen
class TableSnapshot:
    """One table as the store knows it now: as it is seen at the table, by the staff, and by everybody."""

    name: str
    view: TableView
    staff: OpenView
    public: HeldView
    heard: datetime | None = None
    silent: bool = True
    complaint: str | None = None
    """Why a line of this table was refused, when one was of late."""
    complained: datetime | None = None
    feeder_line: FeederLinkQuality | None = None
    """How good the line to the feeder is, for the table's own page."""
    machine: MachineCondition | None = None
    """The machine's condition, for the machine room."""
    asked: AskedTile | None = None
    """What the table asked last, in memory alone."""
    asked_records: tuple[AskedRecord, ...] = ()
    """The pictures of events whose record it doubts, in memory alone."""
    shown_violations: tuple[ShownViolation, ...] = ()
    """The pictures of violations that it has reported, in memory alone."""
    shown_calls: tuple[ShownCall, ...] = ()
    """The pictures of what it calls the referee about itself, in memory alone: one of each subject."""

    @property
    def question(self) -> AskedTile | None:
        """Which tile the table asks about now, with its pictures: of class T, as the play."""
        return None if self.asked is None or fault_asked_about(self.view, self.asked) is None else self.asked


@frozen
class HallWait:
    """Something beside the tables' calls that waits for a person: the key of its sentence, what the sentence names, and the page on which
    the person does it. ``until``: when it no longer waits, None where somebody ends it."""

    key: str
    path: str
    table: str | None = None
    names: tuple[tuple[str, str], ...] = ()
    until: datetime | None = None


class Store:
    """The streams of all tables; every method may be called from any thread."""

    def __init__(self, boot: str, tables: Sequence[str] = ()) -> None:
        """``boot`` names this run (numbers of another run mean nothing here); ``tables`` are shown, in order, before they are heard."""
        self.boot = boot
        self._lock = threading.RLock()
        self._changes: dict[ViewerChannel, threading.Condition] = {}
        """Who waits for a change of a channel is not woken by those of others."""
        self._numbers: Counter[ViewerChannel] = Counter()
        self._tables: dict[str, TableSnapshot] = {name: _unheard(name) for name in tables}
        self._released: frozenset[int] = frozenset()
        self.connected = False
        """Whether the broker is connected."""
        self.notices: Mapping[str, datetime] = {}
        """The sentences that the centre of many venues tells the staff, each with when it said so last."""
        self._waits: dict[str, tuple[HallWait, ...]] = {}

    def sequence(self, channel: ViewerChannel) -> int:
        """The number of the channel's last change."""
        with self._lock:
            return self._numbers[channel]

    @property
    def waits(self) -> tuple[HallWait, ...]:
        """What waits for a person beside the tables' calls."""
        with self._lock:
            return tuple(wait for waits in self._waits.values() for wait in waits)

    def wait(self, source: str, waits: tuple[HallWait, ...]) -> None:
        """All that waits for a person at one source, such as the vaults; the staff's pages look again where it has changed."""
        with self._lock:
            if self._waits.get(source, ()) != waits:
                self._waits[source] = waits
                self._count(*(channel for channel in self._channels() if channel.level is not Level.EVERYBODY))

    def tables(self) -> tuple[TableSnapshot, ...]:
        """All tables, in the order of the hall."""
        with self._lock:
            return tuple(self._tables.values())

    def table(self, name: str) -> TableSnapshot | None:
        """One table; None when there is none of that name."""
        with self._lock:
            return self._tables.get(name)

    def restore(self, found: Mapping[str, Sequence[PublicEvent]], released: Collection[int] = ()) -> None:
        """Show what is stored of each table; whether it still speaks is not known before it is heard."""
        with self._lock:
            self._released |= frozenset(released)
            for table, events in found.items():
                if events:
                    self._put(_restored(self._status(table), events, self._released))

    def begin(self, table: str) -> None:
        """A table's ledger begins (again): what was known of it is set aside."""
        with self._lock:
            old = self._status(table)
            self._put(replace(_unheard(table), heard=old.heard, silent=old.silent))

    def add(self, event: PublicEvent, heard: datetime) -> None:
        """Take the next event of a table."""
        with self._lock:
            old = self._status(event.table)
            fresh = replace(old, view=fold(old.view, event), heard=heard, silent=False)
            if old.question is not None and fresh.question is None:
                fresh = replace(fresh, asked=None)
            if answers_calls(old.view, event):
                fresh = replace(fresh, shown_violations=(), shown_calls=())
            elif isinstance(event.body, Violation) and event.body.n is None:
                again = _seat_and_word(event.body)
                others = (each for each in old.shown_violations if (each.seat, each.what) != again)
                fresh = replace(fresh, shown_violations=tuple(others))
            step = open_step(event)
            self._put(fresh if step is None else _with_step(fresh, step, self._released))
            if isinstance(event.body, Ruling) and event.body.n in self._released:
                self._count(RESULTS_TO_EVERYBODY, RESULTS_TO_STAFF)

    def hear(self, health: Health, heard: datetime) -> None:
        """Take a heartbeat; a table that was silent changes by it, and what its page says of the feeder's line."""
        with self._lock:
            old = self._status(health.table)
            line, machine = health.feeder_line or old.feeder_line, health.machine or old.machine
            self._put(replace(old, heard=heard, silent=False, feeder_line=line, machine=machine))

    def ask(self, table: str, asked: Asked) -> None:
        """A table asks which tile lies in a slot, or shows an event that it asks about, a violation, or what it calls about; again as long
        as nothing has settled it. Pictures of unreported violations, or on which a ruling was made, are discarded."""
        with self._lock:
            old = self._status(table)
            if isinstance(asked, AskedRecord):
                of = asked.n, asked.number, asked.seat
                others = (each for each in old.asked_records if (each.n, each.number, each.seat) != of)
                self._put(replace(old, asked_records=(*others, asked)[-MOST_RECORDS:]))
            elif isinstance(asked, ShownViolation):
                reported = (asked.seat, asked.what) in map(_seat_and_word, old.view.violated)
                if reported and asked.n == old.view.deal_at_table and asked not in old.shown_violations:
                    same = (asked.n, asked.seat, asked.what)
                    left = (each for each in old.shown_violations if (each.n, each.seat, each.what) != same)
                    self._put(replace(old, shown_violations=(*left, asked)[-MOST_VIOLATIONS:]))
            elif isinstance(asked, ShownCall):
                if asked.n == old.view.deal_at_table and asked.about in old.view.called_by_table:
                    calls = (each for each in old.shown_calls if each.about != asked.about)
                    self._put(replace(old, shown_calls=(*calls, asked)))
            elif old.asked != asked:
                self._put(replace(old, asked=asked))

    def release(self, n: int) -> None:
        """Every table has finished this deal: what was held back of it may be published, and all pages look again."""
        with self._lock:
            self._released |= {n}
            for status in list(self._tables.values()):
                self._put(replace(status, public=status.public.reopen(self._released)))
            self._count(*self._channels())

    def touch(self) -> None:
        """Something beside the tables has changed, such as who took up a call: pages look again."""
        with self._lock:
            self._count(*self._channels())

    def complain(self, table: str, reason: str, at: datetime) -> None:
        """Something of the table was refused; its page says so for ``COMPLAINT_S``. Good lines that come meanwhile do not end it:
        a second table of the same name sends them too."""
        with self._lock:
            self._put(replace(self._status(table), complaint=reason, complained=at))

    def tell_staff(self, sentence: str, at: datetime) -> None:
        """The centre tells this hall's staff something; the staff's pages say so for ``NOTICE_S``."""
        with self._lock:
            others = [(said, when) for said, when in self.notices.items() if said != sentence]
            self.notices = dict([*others, (sentence, at)][-MOST_NOTICES:])
            self._count(STAFF)

    def connection(self, connected: bool) -> None:
        """The broker was found or lost."""
        with self._lock:
            if self.connected != connected:
                self.connected = connected
                self._count(*self._channels())

    def tick(self, now: datetime) -> None:
        """Notice the tables that have fallen silent, and the complaints, waits and sentences of the centre that are old."""
        with self._lock:
            fresh_notices = {sentence: at for sentence, at in self.notices.items() if not _is_over(at, now, NOTICE_S)}
            if fresh_notices != self.notices:
                self.notices = fresh_notices
                self._count(STAFF)
            for source, waits in self._waits.items():
                self.wait(source, tuple(each for each in waits if each.until is None or each.until >= now))
            for status in list(self._tables.values()):
                fresh = status
                if not status.silent and _is_over(status.heard, now, UNHEARD_AFTER_S):
                    fresh = replace(fresh, silent=True)
                if _is_over(status.complained, now, COMPLAINT_S):
                    fresh = replace(fresh, complaint=None, complained=None)
                if fresh is not status:
                    self._put(fresh)

    def wait_beyond(self, channel: ViewerChannel, sequence: int, timeout_s: float) -> int:
        """Wait until the channel has a change after ``sequence`` or the time is over; the number of its last change."""
        with self._lock:
            change = self._changes.setdefault(channel, threading.Condition(self._lock))
            change.wait_for(lambda: self._numbers[channel] != sequence, timeout_s)
            return self._numbers[channel]

    def _status(self, table: str) -> TableSnapshot:
        return self._tables.get(table) or _unheard(table)

    def _put(self, fresh: TableSnapshot) -> None:
        """Keep a table's new status, and count it in the channels that can tell the difference."""
        old = self._tables.get(fresh.name)
        self._tables[fresh.name] = fresh
        here = ViewerChannel(Level.TABLE, fresh.name)
        if old is None:
            self._count(EVERYBODY, STAFF, MACHINES, RESULTS_TO_EVERYBODY, RESULTS_TO_STAFF, here)
            return
        common = (old.heard is None) != (fresh.heard is None) or old.silent != fresh.silent
        complained = old.complaint != fresh.complaint
        shown = (old.shown_violations, old.shown_calls) != (fresh.shown_violations, fresh.shown_calls)
        asked = old.question is not fresh.question or shown
        measured = old.machine != fresh.machine or old.feeder_line != fresh.feeder_line
        changed = {
            EVERYBODY: common or old.public.view is not fresh.public.view,
            STAFF: common or complained or old.staff is not fresh.staff,
            MACHINES: common or measured or _parts(old.staff) != _parts(fresh.staff),
            RESULTS_TO_EVERYBODY: _deals(old.public.view) != _deals(fresh.public.view),
            RESULTS_TO_STAFF: _deals(old.staff) != _deals(fresh.staff),
            here: common or complained or old.view is not fresh.view or old.feeder_line != fresh.feeder_line or asked,
        }
        self._count(*(channel for channel, differs in changed.items() if differs))
        if open_calls(old.staff) != open_calls(fresh.staff):
            self._count(*(channel for channel in self._channels() if channel.level is not Level.EVERYBODY and not changed.get(channel)))

    def _channels(self) -> Iterable[ViewerChannel]:
        return (
            EVERYBODY,
            STAFF,
            MACHINES,
            RESULTS_TO_EVERYBODY,
            RESULTS_TO_STAFF,
            *(ViewerChannel(Level.TABLE, name) for name in self._tables),
        )

    def _count(self, *channels: ViewerChannel) -> None:
        self._numbers.update(channels)
        for channel in channels:
            if (change := self._changes.get(channel)) is not None:
                change.notify_all()


def _unheard(name: str) -> TableSnapshot:
    return TableSnapshot(name, TableView(name), OpenView(name), HeldView(OpenView(name)))


def _deals(view: OpenView) -> tuple[int | None, int | None, bool]:
    """The deals that a table is at, and whether the hand is over: what pages about deals and standings depend on."""
    return None if view.wall is None else view.wall.n, None if view.hand is None else view.hand.n, view.playing


def _parts(view: OpenView) -> tuple[object, ...]:
    """Which parts of a table fail."""
    return view.faults, view.links_lost, view.troubles


def _with_step(status: TableSnapshot, step: OpenStep, released: frozenset[int]) -> TableSnapshot:
    """The status after a step that everybody may know in the end."""
    public = status.public if step.staff else status.public.take(step, released)
    return replace(status, staff=fold_open(status.staff, step), public=public)


def _seat_and_word(violation: Violation) -> tuple[str, str]:
    return violation.seat.value, violation.what


def _restored(status: TableSnapshot, events: Sequence[PublicEvent], released: frozenset[int]) -> TableSnapshot:
    """The status after all stored events of a table; a journal that was left says nothing any more."""
    fresh = replace(status, view=restored(status.name, events))
    for event in events:
        if event.journal == events[-1].journal and (step := open_step(event)) is not None:
            fresh = _with_step(fresh, step, released)
    return fresh


def _is_over(since: datetime | None, now: datetime, seconds: float) -> bool:
    return since is not None and (now - since).total_seconds() > seconds
