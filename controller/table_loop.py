"""The table's one thread: takes messages from a queue, decides, writes the journal, and lets the adapters follow.

Events are in the journal before lamps, gates or the network learn of them, and synced to disk first if players could rely on them.
"""

import logging
import queue
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from controller.adapters.clock import Clock
from controller.adapters.follower import STATUS_DUE, Follower
from controller.adapters.hand_record import RecordFolder
from controller.adapters.service_manager import tell_alive
from controller.assigning import is_between_hands
from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.core.outputs import Outputs, outputs_of
from controller.core.waits import over_times
from controller.discard_times import DiscardTimes
from controller.ledger.first_lines import LostJournal, first_lines
from controller.ledger.journal import Journal, JournalEntry
from controller.ledger.journal_events import (
    Events,
    FeederEventTaken,
    JournalEvent,
    OperationDone,
    OperationIssued,
    PauseOver,
    TileArrived,
    TileRead,
)
from controller.ledger.public import PublicLedger
from controller.ledger.publisher import Publisher
from controller.state.messages import Message, Refused, WearSeen
from controller.state.sides import OpenDeal, WallStage
from controller.state.table_state import Setup, TableState
from controller.state.waits import WAITS, Wait, Waiting
from controller.wall.wear import ReadingHistory
from firmware_bridge.link import events as feeder
from firmware_bridge.messages import Raise, Renew, Unlock
from twinwall.game.deals import Start
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.documents import write_time
from twinwall.values import frozen
from twinwall.wire.events.hand_events import DealReleased, HandClosed, HandStarted, RecordQuestioned
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, DealRefused

BATCHED = (FeederEventTaken, TileArrived, TileRead, OperationIssued, OperationDone, PauseOver)
"""Events of a build that the sensors would report again after a power cut, so they need not wait for the disk. None is public."""
OPERATIONS_SKIPPED = 1000
"""Operation numbers skipped at each start: a power cut may have taken the journal lines of operations already sent."""
ACKNOWLEDGED_TOGETHER = 8
"""During a build, this many of the feeder's events may wait for the disk together; the feeder keeps them until then."""
BEAT_S = 2.0

log = logging.getLogger(__name__)


def _may_wait(event: JournalEvent) -> bool:
    """Whether a power cut may lose this event: never one that opens a gate to players."""
    if isinstance(event, OperationIssued):
        return not isinstance(event.command, Unlock | Renew | Raise)
    return isinstance(event, BATCHED)


@frozen
class Books:
    """A table's files: private journal, public ledgers and hand records."""

    journal: Journal
    ledgers: tuple[PublicLedger, ...]
    recorder: RecordFolder
    lost: LostJournal | None = None
    """The lost journal that a new one continues; a begun journal names it itself."""


class Deals(Protocol):
    @property
    def start(self) -> Start:
        """The start of the event to which the deals belong."""

    def after(self, done: tuple[int, ...]) -> OpenDeal | PlannedDeal | DealRefused | None:
        """Return the next deal after those in ``done`` (played or in play); None if there is none, or none yet."""

    @property
    def awaited(self) -> int | None:
        """The deal that was asked for and has not come."""


class Table:
    """One table, beginning with its journal; ``run`` returns after ``stop``."""

    def __init__(self, setup: Setup, books: Books, deals: Deals, clock: Clock, version: str) -> None:
        """Fold the journal into the state, complete the public ledgers, and journal the controller's start.

        Raises JournalError if the journal is of another start than ``deals``.
        """
        self._setup, self._books, self._deals, self._clock = setup, books, deals, clock
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._asked_after: tuple[int, ...] | None = None
        self._over_s: dict[Waiting, float] = {}
        self._beat_due_s = 0.0
        self._unsynced = self._unsafe = self._leaving = False
        self._unpublished: list[JournalEntry] = []
        self._opened: dict[int, DealOpened] = {}
        self.looks = ReadingHistory()
        """Every look at the gate, for advice on worn tiles."""
        self._discard_times = DiscardTimes()
        self._acknowledged = 0
        self._settled: TableState | None = None
        """The state after which nothing more happened by itself."""
        self._outputs: tuple[TableState, Outputs] | None = None
        self.state = TableState()
        entries = books.journal.entries
        first = first_lines(books.journal, deals.start, books.lost)
        for entry in entries:
            self.state = apply(setup, self.state, entry.event)
            self._note_deal(entry.event)
        for ledger in books.ledgers:
            ledger.catch_up(entries)
        self._keep_record()
        self._complete_records(self.state.released)
        first_operation = self.state.next_operation + OPERATIONS_SKIPPED
        log.info("the start of the event is %s", deals.start.words)
        self._record((*first, ControllerStarted(books.ledgers[0].journal, version, bool(entries), first_operation, setup.custody)))

    def post(self, message: Message) -> None:
        """Put a message into the table's queue; safe from any thread."""
        self._queue.put(message)

    def stop(self) -> None:
        self._queue.put(None)

    def leave_between_hands(self) -> None:
        """Let ``run`` return as soon as no hand is in play; safe from any thread."""
        self._leaving = True

    def run(self, follower: Follower, publisher: Publisher, acknowledge: Callable[[int], None]) -> None:
        """Serve the table. ``acknowledge`` sends the feeder the number of its last event in the journal."""
        while self.step(follower, publisher, acknowledge, BEAT_S):
            tell_alive()

    def step(self, follower: Follower, publisher: Publisher, acknowledge: Callable[[int], None], patience_s: float) -> bool:
        """Serve the table once, then take the next message, if one comes within ``patience_s``; heartbeats go out whatever comes.

        False when the table has to stop, or to leave and no hand is in play.
        """
        self._settle()
        if self._call_about(self._wanted().waits):
            self._settle()
        if self._leaving and is_between_hands(self.state):
            return False
        outputs = self._wanted()
        follower.carry_out(outputs)
        publisher.pump()
        self._acknowledge(acknowledge)
        if outputs.next_deal:
            self._ask_for_deal()
        now_s = time.monotonic()
        if now_s >= self._beat_due_s:
            publisher.beat(tuple(sorted(self.state.lost)))
            self._beat_due_s = now_s + BEAT_S
        try:
            message = self._queue.get(timeout=min(patience_s, self._beat_due_s - now_s))
        except queue.Empty:
            return True
        if message is None:
            return False
        if message == STATUS_DUE:
            follower.status_due()
            return True
        if isinstance(message, feeder.FeederStatus | feeder.LinkDown):
            follower.status_came()
        self.handle(message)
        return True

    def _call_about(self, waits: tuple[Waiting, ...]) -> bool:
        """Call staff about what has been waited for as long as it may be; whether anything was."""
        standing = [each for each in waits if each.wait is not Wait.DEAL or self._deals.awaited]
        now_s = self._clock.monotonic_s()
        self._over_s = over_times(self._setup, self._over_s, standing, now_s)
        over = [each for each, over_s in self._over_s.items() if now_s >= over_s]
        for each in over:
            log.warning("%s: %s", each.mark, WAITS[each.wait].sentence)
            self.handle(each)
        return bool(over)

    def _wanted(self) -> Outputs:
        """What should be going on now; it is worked out once for each state."""
        known = self._outputs
        if known is None or known[0] is not self.state:
            known = self._outputs = self.state, outputs_of(self._setup, self.state)
        return known[1]

    def handle(self, message: Message) -> None:
        decision = decide(self._setup, self.state, message)
        self._discard_times.decided(message, decision)
        if isinstance(decision, Refused):
            log.debug("%s", decision.sentence)
            return
        if isinstance(message, feeder.LinkDown | feeder.NotAFeeder):
            log.warning("feeder: %s", message.reason)
        self._record(decision)

    def _settle(self) -> None:
        """Let everything happen that follows by itself; sync the journal if players could rely on it, and only then publish."""
        if self._settled is not self.state:
            while events := due_events(self._setup, self.state):
                self._record(events)
            self._settled = self.state
        if self._unsynced:
            self._sync()
            self._publish()

    def _sync(self) -> None:
        self._books.journal.sync()
        self._unsynced = self._unsafe = False

    def _acknowledge(self, acknowledge: Callable[[int], None]) -> None:
        """Acknowledge the feeder's events that no power cut can take from the journal any more."""
        last = self.state.last_event
        if last == self._acknowledged:
            return
        if self._unsafe:
            if self.state.making.stage is WallStage.BUILDING and 0 < last - self._acknowledged < ACKNOWLEDGED_TOGETHER:
                return
            self._sync()
        self._acknowledged = last
        acknowledge(last)

    def _record(self, events: Events) -> None:
        if not events:
            return
        state = self.state
        for event in events:  # before anything is written: what cannot happen must not stand in the journal
            state = apply(self._setup, state, event)
        entries = self._books.journal.append(write_time(self._clock.now()), events)
        self._unsafe = True
        self._unsynced = self._unsynced or not all(_may_wait(event) for event in events)
        self.state = state
        for event in events:
            self._note_deal(event)
        self._unpublished.extend(entries)

    def _publish(self) -> None:
        """Append what is on disk to the ledgers, from which the publisher's threads send."""
        for ledger in self._books.ledgers:
            ledger.append(self._unpublished)
        self._discard_times.published(entry.event for entry in self._unpublished)
        closed = any(isinstance(entry.event, HandClosed) for entry in self._unpublished)
        if closed:
            self._keep_record()
        self._complete_records(entry.event.n for entry in self._unpublished if isinstance(entry.event, DealReleased))
        for entry in self._unpublished:
            if isinstance(asked := entry.event, RecordQuestioned):  # the log does not name the seat that may have broken a rule
                of = "about event" if asked.seat is None else "whether a rule was broken before event"
                log.info("deal %d: the referee is asked %s %d of its record (margin %.1f)", asked.n, of, asked.number, asked.margin)
        if any(isinstance(entry.event, HandStarted | HandClosed) for entry in self._unpublished):
            self._beat_due_s = 0.0  # the hall and the vault wait for nothing more than for this
        self._unpublished.clear()
        if closed:
            played = self.state.closed
            over = self.state.released.intersection(played) if self._setup.custody else frozenset(played)
            self.handle(WearSeen(tuple(self.looks.worn(of=over))))

    def _keep_record(self) -> None:
        path = self._books.recorder.keep(self._setup, self.state)
        if path is not None:
            log.info("hand recorded in %s", path)

    def _note_deal(self, event: JournalEvent) -> None:
        self.looks.note(event)
        if isinstance(event, DealOpened):
            self._opened[event.n] = event

    def _complete_records(self, released: Iterable[int]) -> None:
        """Add the walls of released deals to the records of their hands."""
        for opened in (self._opened[n] for n in released if n in self._opened):
            n, path = opened.n, self._books.recorder.complete(opened)
            if path is not None:
                log.info("deal %d is released: its walls are in %s", n, path)

    def _ask_for_deal(self) -> None:
        """Look for the next deal once the trays are free."""
        done = self.state.done
        if self._asked_after == done:
            return
        self._asked_after = done
        found = self._deals.after(done)
        if found is not None:
            self.post(found)
