"""From the broker to the event's store and the pages: puts every table's stream in order, and asks for what is missing.

One thread owns the receivers and takes from one queue; the MQTT link only puts messages in. Lines
that have come together are stored together, and shown once that was tried. Whatever a message leads
to, the thread goes on: what fails is logged, and said on the table's page. Time and clocks come in
as functions, so that the owner of the process decides what time is.
"""

from __future__ import annotations

import logging
import queue
import threading
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
from twinwall.wire.messages.commands import Command, CommandError, CommandWriter, read_health
from twinwall.wire.messages.notice import read_notice
from twinwall.wire.mqtt.link import BrokerAddress, Credentials, MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic, TopicError, all_tables, parse_topic, slips_topic
from twinwall.wire.receiver import Accepted, Ask, LineRefused, NewJournal, Output, TableReceiver

TICK_S = 0.5
MOST_TOGETHER = 256
"""Lines stored in one go while more keep coming."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ListenerClock:
    """The two times that are needed: the wall's, and one that never jumps (seconds)."""

    now: Callable[[], datetime]
    monotonic_s: Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Message:
    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class _BrokerConnection:
    up: bool


class HallListener:
    """Hears all tables of one event and keeps a store up to date, from ``start`` to ``close``."""

    def __init__(
        self,
        store: Store,
        desk: StoreWriter,
        address: BrokerAddress,
        credentials: Credentials,
        clock: ListenerClock,
        *,
        commands: CommandWriter,
    ) -> None:
        """``desk`` keeps what is heard; tables are asked for what it lacks."""
        self._store = store
        self._desk = desk
        self._commands = commands
        self._sending = threading.Lock()
        self._event = event = desk.hall.programme.event
        self._slips_topic = slips_topic(event)
        self._accepted: list[PublicEvent] = []
        self._refused_slips: set[str] = set()
        self._clock = clock
        self._queue: queue.SimpleQueue[_Message | _BrokerConnection | None] = queue.SimpleQueue()
        self._receivers: dict[str, TableReceiver] = {}
        topics = [all_tables(event, channel) for channel in (Channel.EVENTS, Channel.HEALTH, Channel.NOTICE)] + [self._slips_topic]
        self._link = MqttLink(address, credentials, self, subscriptions=topics)
        self._thread = threading.Thread(target=self._run, name="hall listener", daemon=True)

    def start(self) -> None:
        """Begin to listen; returns at once."""
        self._thread.start()
        self._link.start()

    @property
    def is_alive(self) -> bool:
        """Whether both threads live: without either the pages would stand still."""
        return self._thread.is_alive() and self._link.is_running

    def close(self) -> None:
        """Stop listening."""
        self._link.close()
        self._queue.put(None)
        self._thread.join()

    def send(self, table: str, command: Command) -> bool:
        """Send a command to a table, from any thread; False when the broker does not take it now.

        Commands leave in the order of their counters: a table takes one that comes after a later one for a repeat.
        """
        with self._sending:
            return self._link.publish(str(Topic(self._event, table, Channel.COMMAND)), self._commands.write(table, command)) is not None

    def connected(self) -> None:
        """The broker was found (told by the link)."""
        self._queue.put(_BrokerConnection(up=True))

    def disconnected(self, reason: str) -> None:  # noqa: ARG002 - the page says only that it is so
        """The broker was lost (told by the link)."""
        self._queue.put(_BrokerConnection(up=False))

    def published(self, token: int) -> None:
        """A question has reached the broker; whether it is answered is seen by the answer."""

    def message(self, topic: str, payload: bytes) -> None:
        """Something arrived (told by the link)."""
        self._queue.put(_Message(topic, payload))

    def problem(self, sentence: str) -> None:
        """Something was not understood; it concerns no table that we could name, so the log alone is told."""
        _LOG.warning("%s", sentence)

    def _run(self) -> None:
        next_tick_s = self._clock.monotonic_s() + TICK_S
        while True:
            left_s = next_tick_s - self._clock.monotonic_s()
            if left_s <= 0:
                self._guard(None, self._tick)
                next_tick_s = self._clock.monotonic_s() + TICK_S
                continue
            try:
                taken = self._queue.get(timeout=left_s)
            except queue.Empty:
                continue
            match taken:
                case None:
                    self._keep_accepted()
                    return
                case _BrokerConnection(up):
                    self._guard(None, partial(self._store.connection, up))
                case _Message(topic, payload):
                    self._guard(_table_of(topic), partial(self._take, topic, payload))
            if self._queue.empty() or len(self._accepted) >= MOST_TOGETHER:
                self._keep_accepted()

    def _keep_accepted(self) -> None:
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
                self._keep_accepted()
                self._store.begin(table)
            case Ask(resend):
                self.send(table, resend)
            case LineRefused(reason):
                self._keep_accepted()  # a complaint is over with the next good line, not with one before it
                self._complain(table, reason)


def _table_of(topic: str) -> str | None:
    try:
        return parse_topic(topic).table
    except TopicError:
        return None
