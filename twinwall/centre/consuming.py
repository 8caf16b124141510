"""The process of a consumer: its connection to the broker, its queue, and a new beginning whenever the store has failed."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from twinwall.centre.consumer import CentreConsumer, subscriptions
from twinwall.centre.intake.venue_intake import IntakeMoment
from twinwall.centre.intake.venue_trust import CentreVenue
from twinwall.centre.store.centre_rows import CentreRows
from twinwall.event.store.databases.addresses import PostgresAddress
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.programme import Programme
from twinwall.wire.line_traces import LineTraces
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink, Unsettled

MOST_TOGETHER = 256
"""Messages whose lines are stored in one transaction."""
TICK_S = 1.0
AGAIN_S = 1.0
"""So long after a failure the store is opened again."""
PATIENCE_S = 10.0
"""So long a consumer that is ending may keep a venue."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """What a consumer is told.

    Attributes:
        brokers: those of the cluster; where one is away, the next is tried.
        credentials: with an ``instance`` that is the same after a restart, since the brokers keep messages for it.
    """

    venues: Sequence[CentreVenue]
    programme: Programme
    store: PostgresAddress
    brokers: Sequence[BrokerAddress]
    credentials: Credentials
    traces: LineTraces | None = None


class _Told:
    """Logs what becomes of the connection."""

    def connected(self) -> None:
        _LOG.info("connected to the centre's broker")

    def disconnected(self, reason: str) -> None:
        _LOG.warning("%s", reason)

    def published(self, token: int) -> None:
        """An order has left."""

    def message(self, topic: str, payload: bytes) -> None:
        """Messages go another way."""

    def problem(self, sentence: str) -> None:
        _LOG.warning("%s", sentence)


def moment() -> IntakeMoment:
    """Now."""
    return IntakeMoment(datetime.now(UTC), time.monotonic())


def consume(settings: ConsumerSettings, ended: threading.Event, stored: Callable[[int], None] = lambda _: None) -> None:
    """Take messages until ``ended`` is set; ``stored`` is told how many lines are stored, from time to time.

    A store that fails is opened again, and then the broker gives again what was not settled.
    """
    total = 0
    while not ended.is_set():
        try:
            rows = CentreRows(settings.store, settings.programme.event, [venue.name for venue in settings.venues], patience_s=PATIENCE_S)
            try:
                total = _live(settings, rows, ended, stored, total)
            finally:
                rows.close()
        except StoreError as error:
            _LOG.error("%s", error)
            ended.wait(AGAIN_S)


def _live(settings: ConsumerSettings, rows: CentreRows, ended: threading.Event, stored: Callable[[int], None], before: int) -> int:
    """Consume until the end, or until the store fails, which is raised; how many lines were stored so far."""
    came: queue.SimpleQueue[Unsettled] = queue.SimpleQueue()
    heard = subscriptions(settings.programme.event, settings.venues)
    first, *others = settings.brokers
    link = MqttLink(first, settings.credentials, _Told(), subscriptions=heard, unsettled=came.put, others=others)
    consumer = CentreConsumer(rows, settings.venues, settings.programme, link.publish, moment, traces=settings.traces)
    consumer.keep()
    link.start()
    ticked_s = time.monotonic()
    try:
        while not ended.is_set():
            taken = _together(came)
            for message in taken:
                consumer.take(message.topic, message.payload)
            if time.monotonic() - ticked_s >= TICK_S:
                ticked_s = time.monotonic()
                consumer.tick()
                stored(before + consumer.stored)
            consumer.keep()
            link.settle(taken)
    finally:
        link.close()
    return before + consumer.stored


def _together(came: queue.SimpleQueue[Unsettled]) -> list[Unsettled]:
    """The messages that are there, waiting for the first a while."""
    taken: list[Unsettled] = []
    with suppress(queue.Empty):
        taken.append(came.get(timeout=TICK_S / 4))
        while len(taken) < MOST_TOGETHER:
            taken.append(came.get_nowait())
    return taken
