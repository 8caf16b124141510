"""Handles each message of a hall: stores and shows lines, asks tables for missing ones, takes the keys that the vault announces. Lines that
arrive together are stored in one transaction, then shown. If the event has a vault, only lines covered by a signed head of their table are
accepted; a line that contradicts a signed one is stored as evidence. A message that fails is logged and shown on its table's page, and the
next one is handled. ``dashboard.listening`` has thread and connection."""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

from dashboard.intake_reports import ACTED_UPON, HeadsToKeep, IntakeReports
from dashboard.projections.hall_views import COMPLAINT_S, HallViews
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_contents import Evidence, StoredAnnouncement
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.journal_start import CountedJournals
from twinwall.wire.ledger import LedgerPosition, PublicEvent
from twinwall.wire.line_traces import LineArrivals, LineTraces, TraceStep
from twinwall.wire.messages.boot_keys import AnnouncedKeys, TableKeys, read_head
from twinwall.wire.messages.commands import Command, Resend, read_health
from twinwall.wire.messages.tile_question import read_question
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, keys_topic, parse_topic, slips_topic
from twinwall.wire.receiver import Contradicted, LineRefused, NewJournal, Output, TableReceiver
from twinwall.wire.signed_receiver import SignedReceiver

MOST_TOGETHER = 256
"""Most lines stored at once while more arrive."""

_LOG = logging.getLogger(__name__)


@frozen
class ListenerClock:
    """Two clocks: the wall's, and one that never jumps (seconds)."""

    now: Callable[[], datetime]
    monotonic_s: Callable[[], float]


class HallIntake:
    """Handles all tables' messages, one by one, for one store writer and the pages' views."""

    def __init__(
        self,
        views: HallViews,
        desk: StoreWriter,
        clock: ListenerClock,
        send: Callable[[str, Command], bool],
        keys: TableKeys | None = None,
        *,
        server: bytes | None = None,
        traces: LineTraces | None = None,
    ) -> None:
        """``desk`` stores what is received; ``send`` asks tables for missing lines; ``keys`` check the tables' heads, None in a rehearsal
        without signed lines; ``server`` checks the staff's signed orders; ``traces`` receive the stored lines."""
        self._views = views
        self._desk = desk
        self._clock = clock
        self._send = send
        self._keys = keys
        self._reports = IntakeReports(desk, views.complain, views.release, clock.now, clock.monotonic_s)
        if isinstance(keys, AnnouncedKeys) and desk.announced is not None:  # so that a repeated older announcement changes nothing
            with suppress(DocumentError):  # of another vault's key: the settings have changed
                keys.hear(desk.announced)
        self._event = desk.hall.programme.event
        self._from_vault = {slips_topic(self._event): self._reports.hear_slip, keys_topic(self._event): self._take_keys}
        self._heads: dict[str, bytes] = {}
        """Each table's last head, checked or not: one that came before its key was announced is checked again then."""
        self._signed_heads: dict[str, bytes] = {}
        self._to_keep = HeadsToKeep()
        self._accepted: list[PublicEvent] = []
        self._arrivals = LineArrivals(traces, TraceStep.HALL_RECEIVE, TraceStep.HALL_STORE, TraceStep.HALL_SHOW)
        self._journals = CountedJournals(self._event, server)
        self._reported_unstored_s = -COMPLAINT_S
        self._receivers: dict[str, TableReceiver | SignedReceiver] = {}

    def connection(self, *, up: bool) -> None:
        """The broker was found or lost; tables that have continued are asked at once, not at their next heartbeat."""
        self._reports.guard(None, partial(self._views.connection, up))
        if up:
            for table in dict.fromkeys((*self._desk.known, *self._receivers)):
                self._act(table, self._receiver(table).ask_onward(self._clock.monotonic_s()))

    def tick(self) -> None:
        """Do what is due by time."""
        self._reports.guard(None, self._tick)

    def take(self, topic: str, payload: bytes) -> None:
        """Handle a message."""
        if (take := self._from_vault.get(topic)) is not None:
            self._reports.guard(None, partial(take, payload))
            return
        with suppress(TopicError):
            name = parse_topic(topic)
            self._reports.guard(name.table, partial(self._take, name, payload))

    @property
    def has_many(self) -> bool:
        """Whether lines must be stored although more messages wait."""
        return len(self._accepted) >= MOST_TOGETHER

    def keep_accepted(self) -> None:
        """Store the lines that have come, then show them, also if the disk refuses them."""
        events, self._accepted = self._accepted, []
        if not events:
            return
        began_ns = self._arrivals.now_ns()
        stored = events
        try:
            for table, sentence in self._desk.take(events):
                self._reports.complain(table, sentence)
        except StoreError as error:
            stored = []
            self._tell_unstored(error, dict.fromkeys(event.table for event in events))
        stored_ns = self._arrivals.now_ns()
        for table in dict.fromkeys(event.table for event in events):
            self._reports.guard(table, partial(self._keep_head, table, [event.type for event in events if event.table == table]))
        for event in events:
            self._reports.guard(event.table, partial(self._views.add, event, self._clock.now()))
        self._reports.guard(None, partial(self._arrivals.stored, stored, began_ns, stored_ns))

    def finish(self) -> None:
        """At the program's end, store the lines that have come, and the signatures over them."""
        self.keep_accepted()
        for table in self._receivers:
            self._reports.guard(table, partial(self._keep_head, table, tuple(ACTED_UPON)))

    def _tick(self) -> None:
        self._views.tick(self._clock.now())
        try:
            for table, sentence in self._desk.store_waiting():
                self._reports.complain(table, sentence)
        except StoreError as error:
            if self._clock.monotonic_s() - self._reported_unstored_s >= COMPLAINT_S / 2:
                self._tell_unstored(error, self._desk.waiting_tables)
        for receiver in self._receivers.values():
            self._reports.guard(receiver.table, partial(self._tick_one, receiver))

    def _tell_unstored(self, error: StoreError, tables: Iterable[str]) -> None:
        """Show on these tables' pages that their lines wait to be stored; repeated while they do."""
        self._reported_unstored_s = self._clock.monotonic_s()
        for table in tables:
            self._views.complain(table, f"table {table}: not stored yet: {error}", self._clock.now())
        _LOG.error("%s", error)

    def _tick_one(self, receiver: TableReceiver | SignedReceiver) -> None:
        self._act(receiver.table, receiver.tick(self._clock.monotonic_s()))
        self._keep_head(receiver.table, ())

    def _keep_head(self, table: str, event_types: Sequence[str]) -> None:
        """Store the signature over the accepted lines, if it is due."""
        due = self._to_keep.due(table, self._receiver(table).position, event_types, self._clock.monotonic_s())
        if due is not None:
            self._reports.note(due)

    def _take(self, name: Topic, payload: bytes) -> None:
        match name.channel:
            case Channel.NOTICE:
                self._reports.tell_notice(name.table, payload)
            case Channel.EVENTS:
                self._arrivals.came(payload)
                self._act(name.table, self._receiver(name.table).feed(payload, self._clock.monotonic_s()))
            case Channel.HEAD:
                self._head(name.table, payload)
            case Channel.HEALTH:
                self._health(name.table, payload)
            case Channel.QUESTION:
                self._question(name.table, payload)

    def _receiver(self, table: str) -> TableReceiver | SignedReceiver:
        if table not in self._receivers:
            known = self._desk.known.get(table, ())
            self._receivers[table] = TableReceiver(table, known) if self._keys is None else SignedReceiver(table, known)
        return self._receivers[table]

    def _health(self, table: str, payload: bytes) -> None:
        try:
            health = read_health(payload)
        except DocumentError as problem:
            self._reports.complain_of_heartbeat(table, f"table {table} sent a heartbeat that is not understood: {problem}")
            return
        receiver = self._receiver(table)
        if health.table != table:
            self._reports.complain_of_heartbeat(table, f"table {table} sent a heartbeat in the name of table {health.table!r}")
            return
        outputs = receiver.hear(health, self._clock.monotonic_s()) if isinstance(receiver, TableReceiver) else []
        self._views.hear(health, self._clock.now())
        self._reports.compare_clock(table, health.at)
        self._act(table, outputs)

    def _question(self, table: str, payload: bytes) -> None:
        """A table asks which tile is in a slot; a question before the table's key is announced will be repeated."""
        key = None if self._keys is None else self._keys.of(table)
        if self._keys is not None and key is None:
            return
        try:
            self._views.ask(table, read_question(payload, self._event, table, key))
        except DocumentError as problem:
            self._reports.refuse(table, str(problem))

    def _head(self, table: str, payload: bytes) -> None:
        """A message on a table's head topic: it must have the key that the vault has announced."""
        receiver = self._receiver(table)
        if self._keys is None or isinstance(receiver, TableReceiver) or self._heads.get(table) == payload:
            return
        self._heads[table] = payload
        key, now_s = self._keys.of(table), self._clock.monotonic_s()
        if key is None:
            return
        try:
            head = read_head(payload, self._event, table, key)
        except DocumentError as problem:
            self._reports.refuse(table, f"{problem}; the vault has announced another key for this table")
            return
        self._signed_heads[table] = payload
        self._to_keep.hear(table, head, payload)
        self._act(table, receiver.vouch(head.position, now_s))

    def _take_keys(self, payload: bytes) -> None:
        """Take the keys that the vault announces; each change is stored once."""
        keys = self._keys
        if not isinstance(keys, AnnouncedKeys):
            return
        before = keys.known
        try:
            if not keys.hear(payload):
                return
        except DocumentError as error:
            _LOG.warning("an announcement of keys is refused: %s", error)
            return
        if keys.known != before:
            self._reports.note(StoredAnnouncement(payload, keys.vault_key, self._clock.now()))
        for table, receiver in self._receivers.items():
            if isinstance(receiver, SignedReceiver) and before.get(table) not in (None, keys.of(table)):
                receiver.forget_heads()
        waiting, self._heads = self._heads, {}
        for table, head in waiting.items():
            self._reports.guard(table, partial(self._head, table, head))

    def _act(self, table: str, outputs: Sequence[Output]) -> None:
        for output in outputs:
            self._reports.guard(table, partial(self._act_on, table, output))

    def _act_on(self, table: str, output: Output) -> None:
        match output:
            case PublicEvent() as event:
                self._accept(event)
            case NewJournal():
                self.keep_accepted()
                self._views.begin(table)
            case Resend() as resend:
                self._send(table, resend)
            case LineRefused(reason):
                self.keep_accepted()  # a complaint is over with the next good line, not with one before it
                self._reports.complain(table, reason)
            case Contradicted():
                self.keep_accepted()
                self._reports.complain(table, output.sentence)
                self._reports.note(Evidence(table, output.event.line, output.signed, self._signed_heads.get(table, b""), self._clock.now()))

    def _accept(self, event: PublicEvent) -> None:
        """Accept a line, unless its journal belongs to another start, or continues another one without the staff's order."""
        custody = self._desk.hall.programme.custody
        if custody is not None and (problem := self._journals.problem(event, custody.start, _former(self._desk.hall, event))) is not None:
            self._reports.complain(event.table, problem)
        if self._journals.count(event):
            self._accepted.append(event)


def _former(hall: Hall, event: PublicEvent) -> LedgerPosition | None:
    """The end of another journal of the table with begun hands, or None."""
    reached = hall.reached(event.table)
    played = reached is not None and (reached.finished or reached.n)
    return reached.position if reached is not None and played and reached.position.journal != event.journal else None
