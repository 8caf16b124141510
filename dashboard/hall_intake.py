"""What each message of a hall leads to: lines are stored and shown, and tables are asked for missing lines.

Lines that arrive together are stored in one transaction, then shown. A message that fails is logged and
told on its table's page; the next one is taken. Thread and connection belong to ``dashboard.listening``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from dashboard.projections.store import Store
from twinwall.event.store.released_slips import SlipRefusedError
from twinwall.event.store.store_file import Complaint
from twinwall.event.store.store_schema import StoreError
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.documents import DocumentError
from twinwall.wire.canonical_json import digest
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import Command, CommandError, read_health
from twinwall.wire.messages.notice import read_notice
from twinwall.wire.mqtt.topics import Channel, TopicError, parse_topic, slips_topic
from twinwall.wire.receiver import Accepted, Ask, LineRefused, NewJournal, Output, TableReceiver

MOST_TOGETHER = 256
"""Lines stored in one go while more keep coming."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ListenerClock:
    """The two times that are needed: the wall's, and one that never jumps (seconds)."""

    now: Callable[[], datetime]
    monotonic_s: Callable[[], float]


class HallIntake:
    """Takes every table's messages, one after the other, for one store writer and the pages' store."""

    def __init__(self, store: Store, desk: StoreWriter, clock: ListenerClock, send: Callable[[str, Command], bool]) -> None:
        """``desk`` keeps what is heard; ``send`` asks tables for what it lacks."""
        self._store = store
        self._desk = desk
        self._clock = clock
        self._send = send
        self._slips_topic = slips_topic(desk.hall.programme.event)
        self._accepted: list[PublicEvent] = []
        self._refused_slips: set[str] = set()
        self._receivers: dict[str, TableReceiver] = {}

    def connection(self, *, up: bool) -> None:
        """The broker was found or lost."""
        self._guard(None, partial(self._store.connection, up))

    def tick(self) -> None:
        """Some time has gone by."""
        self._guard(None, self._tick)

    def take(self, topic: str, payload: bytes) -> None:
        """Take a message."""
        self._guard(_table_of(topic), partial(self._take, topic, payload))

    @property
    def has_many(self) -> bool:
        """Whether lines are to be stored though more messages wait."""
        return len(self._accepted) >= MOST_TOGETHER

    def keep_accepted(self) -> None:
        """Store the lines that have come, then show them."""
        events, self._accepted = self._accepted, []
        if not events:
            return
        try:
            for contradiction in self._desk.take(events):
                self._complain(contradiction.table, contradiction.sentence)
        except StoreError as error:
            for table in dict.fromkeys(event.table for event in events):
                self._store.complain(table, f"table {table}: not stored yet: {error}", self._clock.now())
            _LOG.error("%s", error)
        for event in events:
            self._guard(event.table, partial(self._store.add, event, self._clock.now()))

    def _guard(self, table: str | None, act: Callable[[], None]) -> None:
        """Do one thing; a defect in it is logged and told on the table's page, and ends nothing."""
        try:
            act()
        except Exception as problem:
            _LOG.exception("table %s: something failed", table)
            if table is not None:
                self._complain(table, f"table {table}: this program failed at a message ({problem!r}); its log says more")

    def _complain(self, table: str, reason: str) -> None:
        _LOG.warning("%s", reason)
        self._store.complain(table, reason, self._clock.now())
        try:
            self._desk.note(Complaint(table, reason, self._clock.now()))
        except StoreError as error:
            _LOG.error("%s", error)

    def _tick(self) -> None:
        self._store.tick(self._clock.now())
        try:
            for contradiction in self._desk.store_waiting():
                self._complain(contradiction.table, contradiction.sentence)
        except StoreError as error:
            _LOG.error("%s", error)
        for receiver in self._receivers.values():
            self._guard(receiver.table, partial(self._tick_one, receiver))

    def _tick_one(self, receiver: TableReceiver) -> None:
        self._act(receiver.table, receiver.tick(self._clock.monotonic_s()))

    def _take_slip(self, payload: bytes) -> None:
        """A released slip, or what claims to be one; the vault tells them again and again."""
        try:
            released = self._desk.slip(payload, self._clock.now())
        except SlipRefusedError as error:
            if digest(payload) not in self._refused_slips:
                self._refused_slips.add(digest(payload))
                _LOG.warning("%s", error)
        except StoreError as error:
            _LOG.error("%s", error)
        else:
            if released is not None:
                _LOG.info("deal %d is released", released.n)
                self._store.release(released.n)

    def _take(self, topic: str, payload: bytes) -> None:
        if topic == self._slips_topic:
            self._take_slip(payload)
            return
        try:
            name = parse_topic(topic)
        except TopicError:
            return
        if name.channel is Channel.NOTICE:
            self._notice(name.table, payload)
            return
        receiver = self._receivers.get(name.table)
        if receiver is None:
            receiver = self._receivers[name.table] = TableReceiver(name.table, self._desk.known.get(name.table, ()))
        if name.channel is Channel.EVENTS:
            self._act(name.table, receiver.feed(payload, self._clock.monotonic_s()))
        elif name.channel is Channel.HEALTH:
            try:
                health = read_health(payload)
            except CommandError as problem:
                self._complain(name.table, f"table {name.table} sent a heartbeat that is not understood: {problem}")
                return
            outputs = receiver.hear(health, self._clock.monotonic_s())
            if health.table == name.table:
                self._store.hear(health, self._clock.now())
            self._act(name.table, outputs)

    def _notice(self, table: str, payload: bytes) -> None:
        """The vault says what is wrong with a table."""
        try:
            self._complain(table, f"the vault: {read_notice(payload)}")
        except DocumentError as problem:
            self._complain(table, f"the vault's notice is not understood: {problem}")

    def _act(self, table: str, outputs: list[Output]) -> None:
        for output in outputs:
            self._guard(table, partial(self._act_on, table, output))

    def _act_on(self, table: str, output: Output) -> None:
        match output:
            case Accepted(event):
                self._accepted.append(event)
            case NewJournal():
                self.keep_accepted()
                self._store.begin(table)
            case Ask(resend):
                self._send(table, resend)
            case LineRefused(reason):
                self.keep_accepted()  # a complaint is over with the next good line, not with one before it
                self._complain(table, reason)


def _table_of(topic: str) -> str | None:
    try:
        return parse_topic(topic).table
    except TopicError:
        return None
