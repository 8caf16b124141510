"""A consumer of the centre: reads the messages of its venues, stores what they contain, and settles them with the broker.

A message is settled once it is stored, or once it has led to nothing; the broker sends an unsettled one again. If the store fails, the
consumer ends: its caller opens another, which continues from what is stored. Threads and connections belong to the caller.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import unquote

from centre.deploy.gateway_conf import order_topic
from centre.deploy.venue_account import VENUE_ROOT, VenueAccount
from centre.intake.venue_intake import IntakeMoment, VenueIntake
from centre.intake.venue_trust import CentreVenue
from centre.store.centre_rows import CentreRows
from centre.store.venue_contents import ContradictingLine, VenueBatch
from twinwall.event.store.programme import Programme
from twinwall.wire.line_traces import LineArrivals, LineTraces, TraceStep
from twinwall.wire.messages.venue_messages import ResendOrder, write_notice, write_resend_order
from twinwall.wire.mqtt.centre_topics import CentreOrder
from twinwall.wire.mqtt.topics import ROOT, Channel, all_tables, keys_topic, venue_statement_topic

_LOG = logging.getLogger(__name__)
_HEARD = (Channel.EVENTS, Channel.HEAD)


class CentreConsumer:
    """Writes for some venues; used by one thread."""

    def __init__(
        self,
        rows: CentreRows,
        venues: Sequence[CentreVenue],
        programme: Programme,
        publish: Callable[[str, str, bytes], object],
        moment: Callable[[], IntakeMoment],
        *,
        traces: LineTraces | None = None,
    ) -> None:
        """Continue from what ``rows`` has stored of the venues; raises StoreError.

        ``programme`` is the centre's. ``publish`` sends an order to a venue (name, topic, payload) and may lose it. ``traces`` get the
        lines that are stored.
        """
        self._rows, self._publish, self._moment = rows, publish, moment
        self._accounts = {venue.name: VenueAccount(venue.name) for venue in venues}
        self._intakes = {venue.name: VenueIntake(venue, programme, rows.known(venue.name), moment()) for venue in venues}
        self._touched: set[str] = set(self._intakes)
        self._arrivals = LineArrivals(traces, TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE)
        self.stored = 0
        """Number of lines stored."""

    @property
    def brought(self) -> int:
        """Number of lines in the messages taken since the last ``keep``, which stores them."""
        return sum(self._intakes[name].brought for name in self._touched)

    def take(self, topic: str, payload: bytes) -> None:
        """Take a message by its topic at the centre."""
        root, _, rest = topic.partition("/")
        venue, _, in_venue = rest.partition("/")
        name = unquote(venue)
        if root == VENUE_ROOT and name in self._intakes:
            self._touched.add(name)
            self._arrivals.came(payload)
            self._intakes[name].take(in_venue, payload, self._moment())

    def tick(self) -> None:
        """Note that time has passed."""
        for name, intake in self._intakes.items():
            intake.tick(self._moment())
            self._touched.add(name)

    def keep(self) -> None:
        """Store what was taken; afterwards every message taken may be settled. Raises StoreError, after which the consumer is of no more
        use."""
        came = {name: self._intakes[name].batch() for name in sorted(self._touched)}
        self._touched.clear()
        batches = {name: batch for name, (batch, _) in came.items() if batch != VenueBatch()}
        found: Mapping[str, Sequence[ContradictingLine]] = {}
        if batches:
            began_ns = self._arrivals.now_ns()
            found = self._rows.store(batches, self._moment().now)
            self.stored += sum(len(batch.lines) for batch in batches.values())
            for name, batch in batches.items():
                self._arrivals.stored(batch.lines, began_ns, venue=name)
        for name, (batch, orders) in came.items():
            self._tell(name, orders, dict.fromkeys([*batch.notices, *map(_sentence, found.get(name, ()))]))

    def _tell(self, venue: str, resends: Sequence[ResendOrder], notices: Iterable[str]) -> None:
        """Send a venue what its batch, which is stored now, asks for."""
        account = self._accounts[venue]
        for sentence in notices:
            _LOG.warning("venue %s: %s", venue, sentence, extra={"venue": venue})
            self._publish(venue, order_topic(account, CentreOrder.NOTICE), write_notice(sentence))
        for order in resends:
            self._publish(venue, order_topic(account, CentreOrder.RESEND), write_resend_order(order))


def subscriptions(event: str, account: VenueAccount) -> tuple[str, ...]:
    """Subscriptions of a venue's consumer besides heartbeats."""
    in_venue = (*(all_tables(event, channel) for channel in _HEARD), keys_topic(event), venue_statement_topic(event))
    assert all(topic.startswith(f"{ROOT}/") for topic in in_venue)
    return tuple(f"{account.prefix}{topic}" for topic in in_venue)


def heartbeats(event: str, account: VenueAccount) -> str:
    """The subscription to a venue's heartbeats. They describe the moment, so the broker keeps none for a consumer that is away."""
    return f"{account.prefix}{all_tables(event, Channel.HEALTH)}"


def _sentence(contradicting: ContradictingLine) -> str:
    """What happened, for people; the line is not quoted, since its deal may not be released yet."""
    return f"table {contradicting.table}: a line came that contradicts the stored one of its number; the stored one stays, both are kept"
