"""Receives all tables of an event over MQTT, in one thread, and sends them commands. The MQTT link queues messages; the thread gives them
to ``dashboard.hall_intake``. Clocks are functions."""

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from functools import partial

from dashboard.assignments import HallTables
from dashboard.centre_link import CentreLink
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.key_slips import KeySlips
from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.projections.hall_views import HallViews
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.line_traces import LineTraces
from twinwall.wire.messages.boot_keys import TableKeys
from twinwall.wire.messages.commands import Command, CommandWriter
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.centre_topics import is_centre_order
from twinwall.wire.mqtt.link import LinkListener, MqttLink
from twinwall.wire.mqtt.topics import (
    ALL_VAULTS,
    FROM_JOINED,
    HALL_ROOT,
    Channel,
    Topic,
    all_joined,
    all_tables,
    is_vault_answer,
    keys_topic,
    slips_topic,
    vault_answers_topic,
)

TICK_S = 0.5
_OF_TABLES = (Channel.EVENTS, Channel.HEAD, Channel.HEALTH, Channel.QUESTION, Channel.NOTICE)

_LOG = logging.getLogger(__name__)


class HallListener(LinkListener):
    """Hears all tables of one event and keeps its views up to date, from ``start`` to ``close``."""

    def __init__(
        self,
        views: HallViews,
        desk: StoreWriter,
        address: BrokerAddress,
        credentials: Credentials,
        clock: ListenerClock,
        *,
        commands: CommandWriter,
        keys: TableKeys | None = None,
        hall_tables: HallTables | None = None,
        deals: DealMaking | None = None,
        key_slips: KeySlips | None = None,
        centre: CentreLink | None = None,
        traces: LineTraces | None = None,
    ) -> None:
        """``desk`` stores what is received, and tables are asked for what it lacks; ``keys`` and ``traces`` as in ``HallIntake``. Optional:

        - hall_tables: hears tables that wait for an assignment; None if the server signs nothing.
        - deals: hears the vaults; None if none takes orders.
        - key_slips: hears what vaults give to tables.
        - centre: hears the centre of many venues; None at a hall alone.
        """
        self._intake = HallIntake(views, desk, clock, self.send, keys, server=commands.public, traces=traces)
        self._views = views
        self._commands, self._sending = commands, threading.Lock()
        self._event = event = desk.hall.programme.event
        self._clock = clock
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._hall_tables, self._deals, self._key_slips, self._centre = hall_tables, deals, key_slips, centre
        self._link = MqttLink(address, credentials, self, subscriptions=tuple(self._topics(event)))
        for sender in (hall_tables, deals, key_slips, centre):
            if sender is not None:
                sender.publish = self._link.publish
        if centre is not None:
            centre.ask = self.send
        self._thread = threading.Thread(target=self._run, name="hall listener", daemon=True)

    def _topics(self, event: str) -> Iterator[str]:
        """Yield the topics of the tables and of the optional parts."""
        yield from (all_tables(event, channel) for channel in _OF_TABLES)
        yield from (slips_topic(event), keys_topic(event))
        if self._hall_tables is not None:
            yield from map(all_joined, FROM_JOINED)
        if self._deals is not None:
            yield vault_answers_topic(ALL_VAULTS)
        if self._key_slips is not None:
            yield all_tables(event, Channel.JOURNAL_KEY)
        if self._centre is not None:
            yield from self._centre.subscriptions

    def start(self) -> None:
        self._thread.start()
        self._link.start()

    @property
    def is_alive(self) -> bool:
        """Whether both threads live: without either the pages would no longer change."""
        return self._thread.is_alive() and self._link.is_running

    def close(self) -> None:
        self._link.close()
        self._queue.put(None)
        self._thread.join()

    def send(self, table: str, command: Command) -> bool:
        """Send a command to a table, from any thread; False if the broker does not take it. Commands leave in the order of their counters:
        a table takes one after a later one for a repeat."""
        with self._sending:
            return self._link.publish(str(Topic(self._event, table, Channel.COMMAND)), self._commands.write(table, command)) is not None

    def connected(self) -> None:
        """The broker was found (called by the link)."""
        self._queue.put(partial(self._intake.connection, up=True))

    def disconnected(self, reason: str) -> None:  # noqa: ARG002 - the page says only that it is so
        """The broker was lost (called by the link)."""
        self._queue.put(partial(self._intake.connection, up=False))

    def message(self, topic: str, payload: bytes) -> None:
        """Something arrived (called by the link)."""
        if self._hall_tables is not None and topic.startswith(f"{HALL_ROOT}/"):
            self._queue.put(partial(self._hall_tables.hear, topic, payload))
            return
        if self._deals is not None and is_vault_answer(topic):
            self._queue.put(partial(self._deals.hear, payload))
            return
        if self._key_slips is not None and topic.endswith(f"/{Channel.JOURNAL_KEY}"):
            self._key_slips.hear(topic, payload)
            return
        if self._centre is not None and is_centre_order(topic):
            self._queue.put(partial(self._centre.hear, topic, payload))
            return
        self._queue.put(partial(self._intake.take, topic, payload))

    def _run(self) -> None:
        next_tick_s = self._clock.monotonic_s() + TICK_S
        while True:
            left_s = next_tick_s - self._clock.monotonic_s()
            if left_s <= 0:
                self._intake.tick()
                if self._deals is not None:
                    self._deals.tick()
                    self._views.wait("vaults", self._deals.waits)
                if self._centre is not None:
                    self._centre.tick()
                next_tick_s = self._clock.monotonic_s() + TICK_S
                continue
            try:
                taken = self._queue.get(timeout=left_s)
            except queue.Empty:
                continue
            if taken is None:
                self._intake.finish()
                return
            taken()
            if self._queue.empty() or self._intake.has_many:
                self._intake.keep_accepted()
