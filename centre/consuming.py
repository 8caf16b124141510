"""The process of a consumer: one connection to the broker for each venue, and a fresh start whenever the store has failed.

Each venue has its own session, and venues take turns, so that one that floods the centre does not delay the others.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from operator import attrgetter

from centre.consumer import CentreConsumer, heartbeats, subscriptions
from centre.deploy.venue_account import VenueAccount, fingerprint_digits
from centre.intake.venue_intake import IntakeMoment
from centre.intake.venue_trust import CentreVenue
from centre.store.centre_rows import CentreRows
from centre.venue_turns import VenueMessage, VenueTurns
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.event.store.programme import Programme
from twinwall.values import frozen
from twinwall.wire.line_traces import LineTraces
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink

MOST_TOGETHER = 256
"""The most messages stored in one transaction."""
MOST_OF_A_VENUE = 64
"""The most of one venue in it: one that floods or catches up does not make others wait for long transactions."""
MOST_LINES = 1024
"""A transaction with this many lines takes no further message: a single head can cover that many waiting lines."""
TICK_S = 1.0
CONNECT_S, KEEPALIVE_S = 15.0, 15
"""How long a broker may take to answer: after a failure all venues and consumers return to it together. The connection to one that falls
silent ends after twice as long."""
AGAIN_S = 1.0
"""Time from a failure until the store is opened again."""
PATIENCE_S = 10.0
"""How long an ending consumer may keep a venue."""
_LOG = logging.getLogger(__name__)


@frozen
class ConsumerSettings:
    """What a consumer needs.

    Attributes:
        brokers: those of the cluster; if one is away, the next is tried.
        credentials: of the consumer; the brokers keep a session for each of its venues. With a certificate no one else can name it.
    """

    venues: Sequence[CentreVenue]
    programme: Programme
    store: PostgresAddress
    brokers: Sequence[BrokerAddress]
    credentials: Credentials
    traces: LineTraces | None = None


class ConnectionLog:
    """Logs the links of all venues: a broker that is away appears once, not for each venue and attempt.

    A reason is logged again by a venue that was connected after it was logged, whatever the other venues' links do.
    """

    def __init__(self, venues: int) -> None:
        self._venues = venues
        self._up: set[str] = set()
        self._logged: dict[str, set[str]] = {}
        """Reasons, each with the venues that have been connected since it was logged."""
        self._lock = threading.Lock()

    def connected(self, venue: str) -> None:
        with self._lock:
            self._up.add(venue)
            for since in self._logged.values():
                since.update(self._up)
            if len(self._up) == self._venues:
                _LOG.info("connected to the centre's broker")

    def disconnected(self, venue: str, reason: str) -> None:
        with self._lock:
            self._up.discard(venue)
            if venue in self._logged.get(reason, {venue}):
                self._logged[reason] = set()
                _LOG.warning("venue %s: %s", venue, reason, extra={"venue": venue})


class _Connections:
    """The links of all venues."""

    def __init__(self, settings: ConsumerSettings, turns: VenueTurns) -> None:
        first, *others = settings.brokers
        shown = None if first.tls is None else first.tls.certificate
        ending = "" if shown is None else f"/{fingerprint_digits(shown.read_bytes())}"
        log = ConnectionLog(len(settings.venues))
        self._links: dict[str, MqttLink] = {}
        for venue in settings.venues:
            account = VenueAccount(venue.name)
            self._links[venue.name] = MqttLink(
                first,
                replace(settings.credentials, instance=f"{account.encoded}{ending}"),
                _VenueLog(venue.name, log),
                subscriptions=subscriptions(settings.programme.event, account),
                unqueued=[heartbeats(settings.programme.event, account)],
                unsettled=partial(turns.put, venue.name),
                others=others,
                keepalive_s=KEEPALIVE_S,
                connect_s=CONNECT_S,
            )

    def start(self) -> None:
        for link in self._links.values():
            link.start()

    def publish(self, venue: str, topic: str, payload: bytes) -> None:
        """Send an order to a venue if its link is up."""
        self._links[venue].publish(topic, payload)

    def settle(self, taken: Iterable[VenueMessage]) -> None:
        """Settle messages, so that the brokers need not send them again."""
        by_venue = attrgetter("venue")
        for venue, messages in groupby(sorted(taken, key=by_venue), by_venue):
            self._links[venue].settle([each.message for each in messages])

    def close(self) -> None:
        """End all links at the same time: each may be waiting for a broker that does not answer."""
        with ThreadPoolExecutor(len(self._links) or 1) as closing:
            list(closing.map(MqttLink.close, self._links.values()))


class _VenueLog:
    """Reports what happens to one venue's connection."""

    def __init__(self, venue: str, log: ConnectionLog) -> None:
        self._venue, self._log = venue, log

    def connected(self) -> None:
        self._log.connected(self._venue)

    def disconnected(self, reason: str) -> None:
        self._log.disconnected(self._venue, reason)

    def published(self, token: int) -> None:
        """Ignored: an order was sent."""

    def message(self, topic: str, payload: bytes) -> None:
        """Ignored: messages take another path."""

    def problem(self, sentence: str) -> None:
        _LOG.warning("venue %s: %s", self._venue, sentence, extra={"venue": self._venue})


def moment() -> IntakeMoment:
    """Now."""
    return IntakeMoment(datetime.now(UTC), time.monotonic())


def consume(settings: ConsumerSettings, ended: threading.Event, stored: Callable[[int], None] = lambda _: None) -> None:
    """Take messages until ``ended`` is set; calls ``stored`` from time to time with the number of lines stored.

    If the store fails it is opened again, and the broker sends again what was not settled.
    """
    total = 0
    while not ended.is_set():
        try:
            with closing(
                CentreRows(settings.store, settings.programme.event, [venue.name for venue in settings.venues], patience_s=PATIENCE_S)
            ) as rows:
                total = _live(settings, rows, ended, stored, total)
        except StoreError as error:
            _LOG.error("%s", error)
            ended.wait(AGAIN_S)


def _live(settings: ConsumerSettings, rows: CentreRows, ended: threading.Event, stored: Callable[[int], None], before: int) -> int:
    """Consume until the end, or until the store fails, which is raised; returns the number of lines stored so far."""
    turns = VenueTurns()
    with closing(_Connections(settings, turns)) as connections:
        consumer = CentreConsumer(rows, settings.venues, settings.programme, connections.publish, moment, traces=settings.traces)
        consumer.keep()
        connections.start()
        ticked_s = time.monotonic()
        while not ended.is_set():
            taken = take_together(turns, consumer)
            if time.monotonic() - ticked_s >= TICK_S:
                ticked_s = time.monotonic()
                consumer.tick()
                stored(before + consumer.stored)
            consumer.keep()
            connections.settle(taken)
    return before + consumer.stored


def take_together(turns: VenueTurns, consumer: CentreConsumer) -> list[VenueMessage]:
    """Let the consumer take waiting messages, up to what one transaction may hold, after a short wait for the first; returns them."""
    taken: list[VenueMessage] = []
    of_each, full = Counter[str](), set[str]()
    while len(taken) < MOST_TOGETHER and consumer.brought < MOST_LINES:
        came = turns.take(0.0 if taken else TICK_S / 4, full)
        if came is None:
            break
        consumer.take(came.message.topic, came.message.payload)
        taken.append(came)
        of_each[came.venue] += 1
        if of_each[came.venue] >= MOST_OF_A_VENUE:
            full.add(came.venue)
    return taken
