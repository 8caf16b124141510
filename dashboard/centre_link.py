"""The hall's end of a centre of many venues: answers the centre's order to send lines again from the event's store.

The gateway brings orders and takes answers; both travel over the hall's broker. An order is no more than a wish: one that is not
answered comes again, so it is dropped where the store or the broker fails. A centre that floods costs a bounded share of the time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.lines_again import LinesAgain
from twinwall.wire.canonical_json import FormError
from twinwall.wire.messages.resend_order import ResendOrder, read_resend_order
from twinwall.wire.mqtt.centre_topics import CentreOrder, again_topic, heard_order
from twinwall.wire.mqtt.topics import Channel, Topic

MOST_ORDERS = 256
"""Orders that wait at a time, one for each journal."""
ANSWERS_A_TICK = 4
"""So many orders are answered with each tick of the listener."""

_LOG = logging.getLogger(__name__)


class CentreLink:
    """What one event's server says to the centre and hears from it; the listener's thread uses it."""

    subscriptions = (heard_order(CentreOrder.RESEND),)

    def __init__(self, event: str, stored: Callable[[str, str, int, int], LinesAgain]) -> None:
        """``stored`` reads lines of a table and a journal, from the first to the last, and may raise StoreError."""
        self._event, self._stored = event, stored
        self._orders: dict[tuple[str, str], ResendOrder] = {}
        self.publish: Callable[[str, bytes], int | None] = _nowhere
        """Sends to the broker; None where it cannot now. The listener puts its own here."""

    def hear(self, topic: str, payload: bytes) -> None:
        """An order of the centre, or what claims to be one."""
        if topic == heard_order(CentreOrder.RESEND):
            self._resend(payload)

    def tick(self) -> None:
        """Answer the orders that have waited longest."""
        for name in list(self._orders)[:ANSWERS_A_TICK]:
            self._answer(self._orders.pop(name))

    def _resend(self, payload: bytes) -> None:
        """The last order for a journal counts: the centre asks from where it stands."""
        try:
            order = read_resend_order(payload)
        except FormError as error:
            _LOG.warning("an order of the centre is not understood: %s", error)
            return
        name = order.table, order.journal
        if order.event == self._event and (name in self._orders or len(self._orders) < MOST_ORDERS):
            self._orders[name] = order

    def _answer(self, order: ResendOrder) -> None:
        try:
            again = self._stored(order.table, order.journal, order.first, order.last)
        except StoreError as error:
            _LOG.error("the centre's order for lines of table %s is not answered: %s", order.table, error)
            return
        if not again.lines:
            return
        events, head = (again_topic(str(Topic(self._event, order.table, channel))) for channel in (Channel.EVENTS, Channel.HEAD))
        for line in again.lines:
            self.publish(events, line)
        if again.head is not None:
            self.publish(head, again.head)


def _nowhere(_topic: str, _payload: bytes) -> None:
    """Before a listener is there."""
