"""The views of all tables in memory, and a gapless number of changes for each kind of viewer. A change counts only in channels with pages
that it can change: a rising number must not reveal a discard. After a restart everything is rebuilt from the event's store. Time is an
argument; the access policy decides who reads which channel."""

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum

from dashboard.projections.fold import answers_calls, fold, restored
from dashboard.projections.open_view import HeldView, OpenStep, OpenView, fold_open, open_calls, open_step
from dashboard.projections.table_view import TableView, fault_asked_about
from twinwall.values import frozen
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import FeederLinkQuality, Health, MachineCondition
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.tile_question import Asked, AskedRecord, AskedTile, ShownCall, ShownViolation

UNHEARD_AFTER_S = 6.0
"""After this time without heartbeat a table is shown as not heard."""
CLOCK_STEP = timedelta(seconds=10)
"""A table's clock is shown as wrong from this difference on."""
COMPLAINT_S = 60.0
"""How long a refused line is shown if no good one follows."""


NOTICE_S = 600.0
"""How long the staff's pages show a message of the centre, which repeats it while it is valid."""
MOST_NOTICES = 5
"""Most messages of the centre shown, the latest."""


class Level(Enum):
    """How much a channel reveals."""

    EVERYBODY = "everybody"
    """What everybody may know of the hall; a finished hand once its deal is released."""
    STAFF = "staff"
    """The same, and which hands are over."""
    TABLE = "table"
    """Everything about one table."""


@frozen
class ViewerChannel:
    """What a page depends on: the hall, one ``table``, or the ``results``, which change by whole hands and by rulings."""

    level: Level
    table: str = ""
    results: bool = False
    machines: bool = False
    """For staff: the state of the tables' machines too."""


MOST_RECORDS = 8
"""Most doubted events per table with pictures."""
MOST_VIOLATIONS = 4
"""Most violations per table with pictures."""
EVERYBODY, STAFF = ViewerChannel(Level.EVERYBODY), ViewerChannel(Level.STAFF)
MACHINES = ViewerChannel(Level.STAFF, machines=True)
RESULTS_TO_EVERYBODY, RESULTS_TO_STAFF = ViewerChannel(Level.EVERYBODY, results=True), ViewerChannel(Level.STAFF, results=True)
_OF_HALL = (EVERYBODY, STAFF, MACHINES, RESULTS_TO_EVERYBODY, RESULTS_TO_STAFF)


@frozen
class TableSnapshot:
    """One table's present state, in the views of the table, the staff and everybody."""

    name: str
    view: TableView
    staff: OpenView
    public: HeldView
    heard: datetime | None = None
    silent: bool = True
    complaint: str | None = None
    """Why a line of this table was refused recently."""
    complained: datetime | None = None
    feeder_line: FeederLinkQuality | None = None
    """The quality of the line to the feeder, for the table's own page."""
    machine: MachineCondition | None = None
    """The machine's condition, for the machine room."""
    clock_off: timedelta = timedelta()
    """How far the table's clock is ahead of the hall's."""
    asked: AskedTile | None = None
    """The table's last question, only in memory."""
    asked_records: tuple[AskedRecord, ...] = ()
    """Pictures of events in a doubted record, only in memory."""
    shown_violations: tuple[ShownViolation, ...] = ()
    """Pictures of reported violations, only in memory."""
    shown_calls: tuple[ShownCall, ...] = ()
    """Pictures of the table's own calls, one for each subject, only in memory."""

    @property
    def question(self) -> AskedTile | None:
        """The tile that the table asks about now, with pictures: class T, like the play."""
        return None if self.asked is None or fault_asked_about(self.view, self.asked) is None else self.asked


@frozen
class HallWait:
    """Something besides the tables' calls that waits for a person: its message key and names, and the page for it. ``until`` is when it
    expires; None if somebody must end it."""

    key: str
    path: str
    table: str | None = None
    names: tuple[tuple[str, str], ...] = ()
    until: datetime | None = None


class HallViews:
    """The views of all tables; any thread may call every method."""

    def __init__(self, boot: str, tables: Sequence[str] = ()) -> None:
        """``boot`` names this run, for which numbers are valid; ``tables`` are shown, in order, before they are heard."""
        self.boot = boot
        self._lock = threading.RLock()
        self._changes: dict[ViewerChannel, threading.Condition] = {}
        """By channel, so that a change wakes only its own waiters."""
        self._numbers: Counter[ViewerChannel] = Counter()
        self._tables: dict[str, TableSnapshot] = {name: _unheard(name) for name in tables}
        self._released: frozenset[int] = frozenset()
        self.connected = False
        """Whether the broker is connected."""
        self.notices: Mapping[str, datetime] = {}
        """The centre's messages to the staff, each with its last time."""
        self._waits: dict[str, tuple[HallWait, ...]] = {}

    def sequence(self, channel: ViewerChannel) -> int:
        """The number of the channel's last change."""
        with self._lock:
            return self._numbers[channel]

    @property
    def waits(self) -> tuple[HallWait, ...]:
        """What waits for a person, besides the tables' calls."""
        with self._lock:
            return tuple(wait for waits in self._waits.values() for wait in waits)

    def wait(self, source: str, waits: tuple[HallWait, ...]) -> None:
        """Set everything from one source, such as the vaults, that waits for a person; staff's pages update after a change."""
        with self._lock:
            if self._waits.get(source, ()) != waits:
                self._waits[source] = waits
                self._count(*(channel for channel in self._channels() if channel.level is not Level.EVERYBODY))

    def tables(self) -> tuple[TableSnapshot, ...]:
        with self._lock:
            return tuple(self._tables.values())

    def table(self, name: str) -> TableSnapshot | None:
        """One table; None for an unknown name."""
        with self._lock:
            return self._tables.get(name)

    def restore(self, found: Mapping[str, Sequence[PublicEvent]], released: Collection[int] = ()) -> None:
        """Show what is stored of each table; they count as silent until they are heard."""
        with self._lock:
            self._released |= frozenset(released)
            for table, events in found.items():
                if events:
                    self._put(_restored(self._status(table), events, self._released))

    def begin(self, table: str) -> None:
        """A table's ledger begins (again): forget what was known of it."""
        with self._lock:
            old = self._status(table)
            self._put(replace(_unheard(table), heard=old.heard, silent=old.silent))

    def add(self, event: PublicEvent, heard: datetime) -> None:
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
        """Add a heartbeat: a silent table is heard again, and the feeder's line and machine are updated."""
        with self._lock:
            old = self._status(health.table)
            line, machine = health.feeder_line or old.feeder_line, health.machine or old.machine
            off = CLOCK_STEP * int((health.at - heard) / CLOCK_STEP)  # not beyond `at`, which may be the last second of all
            self._put(replace(old, heard=heard, silent=False, feeder_line=line, machine=machine, clock_off=off))

    def ask(self, table: str, asked: Asked) -> None:
        """Store a table's question about a slot, or its picture of a doubted event, a violation, or its own call; repeated until it is
        settled. Pictures of unreported or already ruled violations are discarded."""
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
        """Every table has finished this deal: publish what was held back, and update all pages."""
        with self._lock:
            self._released |= {n}
            for status in list(self._tables.values()):
                self._put(replace(status, public=status.public.reopen(self._released)))
            self.touch()

    def touch(self) -> None:
        """Update all pages after another change, such as an answered call."""
        with self._lock:
            self._count(*self._channels())

    def complain(self, table: str, reason: str, at: datetime) -> None:
        """Show for ``COMPLAINT_S`` that something of the table was refused. Good lines do not end it: they may come from a second table of
        the same name."""
        with self._lock:
            self._put(replace(self._status(table), complaint=reason, complained=at))

    def tell_staff(self, sentence: str, at: datetime) -> None:
        """Show a message of the centre on the staff's pages for ``NOTICE_S``."""
        with self._lock:
            others = [(known, when) for known, when in self.notices.items() if known != sentence]
            self.notices = dict([*others, (sentence, at)][-MOST_NOTICES:])
            self._count(STAFF)

    def connection(self, connected: bool) -> None:
        """The broker was found or lost."""
        with self._lock:
            if self.connected != connected:
                self.connected = connected
                self.touch()

    def tick(self, now: datetime) -> None:
        """Notice silent tables, and remove expired complaints, waits and messages of the centre."""
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
        """Wait until the channel has a change after ``sequence``, or for the timeout; return the number of its last change."""
        with self._lock:
            change = self._changes.setdefault(channel, threading.Condition(self._lock))
            change.wait_for(lambda: self._numbers[channel] != sequence, timeout_s)
            return self._numbers[channel]

    def _status(self, table: str) -> TableSnapshot:
        return self._tables.get(table) or _unheard(table)

    def _put(self, fresh: TableSnapshot) -> None:
        """Store a table's new status, and count it in the channels that can see the difference."""
        old = self._tables.get(fresh.name)
        self._tables[fresh.name] = fresh
        here = ViewerChannel(Level.TABLE, fresh.name)
        if old is None:
            self._count(*_OF_HALL, here)
            return
        common = (old.heard is None) != (fresh.heard is None) or old.silent != fresh.silent
        complained = old.complaint != fresh.complaint
        shown = (old.shown_violations, old.shown_calls) != (fresh.shown_violations, fresh.shown_calls)
        asked = old.question is not fresh.question or shown
        measured = (old.machine, old.feeder_line, old.clock_off) != (fresh.machine, fresh.feeder_line, fresh.clock_off)
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
        return *_OF_HALL, *(ViewerChannel(Level.TABLE, name) for name in self._tables)

    def _count(self, *channels: ViewerChannel) -> None:
        self._numbers.update(channels)
        for channel in channels:
            if (change := self._changes.get(channel)) is not None:
                change.notify_all()


def _unheard(name: str) -> TableSnapshot:
    return TableSnapshot(name, TableView(name), OpenView(name), HeldView(OpenView(name)))


def _deals(view: OpenView) -> tuple[int | None, int | None, bool]:
    """A table's deals, and whether its hand is over: what pages about deals and standings depend on."""
    return None if view.wall is None else view.wall.n, None if view.hand is None else view.hand.n, view.playing


def _parts(view: OpenView) -> tuple[object, ...]:
    return view.faults, view.links_lost, view.troubles


def _with_step(status: TableSnapshot, step: OpenStep, released: frozenset[int]) -> TableSnapshot:
    """The status after a step that everybody may know in the end."""
    public = status.public if step.staff else status.public.take(step, released)
    return replace(status, staff=fold_open(status.staff, step), public=public)


def _seat_and_word(violation: Violation) -> tuple[str, str]:
    return violation.seat.value, violation.what


def _restored(status: TableSnapshot, events: Sequence[PublicEvent], released: frozenset[int]) -> TableSnapshot:
    """The status after all stored events of a table; only the last journal counts."""
    fresh = replace(status, view=restored(status.name, events))
    for event in events:
        if event.journal == events[-1].journal and (step := open_step(event)) is not None:
            fresh = _with_step(fresh, step, released)
    return fresh


def _is_over(since: datetime | None, now: datetime, seconds: float) -> bool:
    return since is not None and (now - since).total_seconds() > seconds
