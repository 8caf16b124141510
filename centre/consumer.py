"""A consumer of the centre: takes the messages of its venues, stores what they bring, and settles them with the broker.

A message is settled once the store has it, or once it has led to nothing; what was not settled comes again. When the store fails, the
consumer ends: whoever runs it opens it anew, and it goes on from what is stored. Threads and connections belong to the caller.
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
    """Writes for some venues; one thread uses it."""

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
        """Go on with the venues from what ``rows`` has of them; raises StoreError.

        ``programme`` is the centre's; ``publish`` sends a venue an order (name, topic, payload), and may lose it; ``traces`` are told of
        lines that are stored.
        """
        self._rows, self._publish, self._moment = rows, publish, moment
        self._accounts = {venue.name: VenueAccount(venue.name) for venue in venues}
        self._intakes = {venue.name: VenueIntake(venue, programme, rows.known(venue.name), moment()) for venue in venues}
        self._touched: set[str] = set(self._intakes)
        self._arrivals = LineArrivals(traces, TraceStep.CENTRE_RECEIVE, TraceStep.CENTRE_STORE)
        self.stored = 0
        """How many lines it has stored."""

    @property
    def brought(self) -> int:
        """How many lines what was taken has brought so far; ``keep`` stores them."""
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
        """Some time has gone by."""
        for name, intake in self._intakes.items():
            intake.tick(self._moment())
            self._touched.add(name)

    def keep(self) -> None:
        """Store what has come; every message that was taken may be settled afterwards. Raises StoreError, and then it is at its end."""
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
        """Tell a venue what its batch, which is stored now, leaves to say."""
        account = self._accounts[venue]
        for sentence in notices:
            _LOG.warning("venue %s: %s", venue, sentence, extra={"venue": venue})
            self._publish(venue, order_topic(account, CentreOrder.NOTICE), write_notice(sentence))
        for order in resends:
            self._publish(venue, order_topic(account, CentreOrder.RESEND), write_resend_order(order))


def subscriptions(event: str, account: VenueAccount) -> tuple[str, ...]:
    """What a consumer of a venue subscribes to beside its heartbeats."""
    in_venue = (*(all_tables(event, channel) for channel in _HEARD), keys_topic(event), venue_statement_topic(event))
    assert all(topic.startswith(f"{ROOT}/") for topic in in_venue)
    return tuple(f"{account.prefix}{topic}" for topic in in_venue)


def heartbeats(event: str, account: VenueAccount) -> str:
    """The subscription to a venue's heartbeats. They tell of the moment: none waits for a consumer that is away."""
    return f"{account.prefix}{all_tables(event, Channel.HEALTH)}"


def _sentence(contradicting: ContradictingLine) -> str:
    """What happened, for people; the line is not quoted, since it may be of a deal that is not released."""
    return f"table {contradicting.table}: a line came that contradicts the stored one of its number; the stored one stays, both are kept"
