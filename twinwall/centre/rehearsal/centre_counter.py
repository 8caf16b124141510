"""A consumer of a rehearsal that keeps no store: takes what the venues send with the centre's own intake, and counts the lines."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import unquote

from twinwall.centre.deployment.gateway_conf import CentreOrder, order_topic
from twinwall.centre.deployment.venue_account import VENUE_ROOT, VenueAccount
from twinwall.centre.intake.venue_intake import IntakeMoment, VenueIntake
from twinwall.centre.intake.venue_trust import CentreVenue
from twinwall.centre.store.venue_contents import KnownVenue
from twinwall.event.store.programme import Programme
from twinwall.wire.messages.resend_order import write_resend_order
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import ROOT

LineName = tuple[str, str, str, int]
"""Venue, table, journal and number of a line."""


class CentreCounter:
    """Listens to its own link; ``tick`` is called from time to time."""

    def __init__(self, venues: Sequence[CentreVenue], programme: Programme, broker: BrokerAddress, user: str) -> None:
        moment = _moment()
        self.counted: Counter[LineName] = Counter()
        self.notices: list[str] = []
        self.received = 0
        self._accounts = {each.name: VenueAccount(each.name) for each in venues}
        self._intakes = {each.name: VenueIntake(each, programme, KnownVenue(), moment) for each in venues}
        self._touched: set[str] = set()
        self._lock = threading.Lock()
        self.link = MqttLink(broker, Credentials(user, ""), self, subscriptions=[f"{VENUE_ROOT}/+/{ROOT}/#"])

    def tick(self) -> None:
        """Store what has come, and ask for what is missing."""
        moment = _moment()
        with self._lock:
            for name, intake in self._intakes.items():
                intake.tick(moment)
                self._take_batch(name, intake)

    def connected(self) -> None:
        """The broker is there."""

    def disconnected(self, reason: str) -> None:
        """The link tries again by itself."""

    def published(self, token: int) -> None:
        """An order has left."""

    def message(self, topic: str, payload: bytes) -> None:
        """Something of a venue."""
        _, venue, in_venue = topic.split("/", 2)
        with self._lock:
            self.received += 1
            intake = self._intakes.get(unquote(venue))
            if intake is None:
                self.notices.append(f"nobody knows a venue {venue!r}")
                return
            intake.take(in_venue, payload, _moment())

    def problem(self, sentence: str) -> None:
        """Something was not understood."""
        self.notices.append(sentence)

    def _take_batch(self, name: str, intake: VenueIntake) -> None:
        batch, orders = intake.batch()
        self.counted.update((name, event.table, event.journal, event.seq) for event in batch.lines)
        self.notices += batch.notices
        for order in orders:
            self.link.publish(order_topic(self._accounts[name], CentreOrder.RESEND), write_resend_order(order))


def _moment() -> IntakeMoment:
    return IntakeMoment(datetime.now(UTC), time.monotonic())
