"""Follows the centre's store: computes the comparison of an event from nothing at the start, then change by change."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress

from centre.comparison.centre_comparison import CentreComparison
from centre.custody.field_orders import FieldOrders, WithdrawVenueOrder, read_field_orders
from centre.intake.venue_results import read_result
from centre.intake.venue_trust import CentreVenue, VenueTrust
from centre.store.centre_reading import CentreReader, ResultChange
from centre.store.venue_contents import STATEMENT
from twinwall.event.store.programme import Programme
from twinwall.game.documents import DocumentError

_LOG = logging.getLogger(__name__)


class FollowedComparison:
    """A comparison that reads what is new in the store at each ``look``; it can be recomputed at any time."""

    def __init__(
        self, reader: CentreReader, programme: Programme, venues: Sequence[CentreVenue], persons: Mapping[str, bytes] | None = None
    ) -> None:
        """``programme`` is the centre's; ``persons`` maps those whose signed orders count to their public keys."""
        self._reader, self._programme, self._persons = reader, programme, persons or {}
        self._venues = {venue.name: venue for venue in venues}
        self.compared = CentreComparison(programme, {venue.name: venue.region for venue in venues})
        self.orders = FieldOrders()
        """The orders of two persons."""
        self.taken: list[ResultChange] = []
        """The changes that the last ``look`` read."""
        self._seen: dict[str, int] = {}
        self._statements: dict[str, bytes] = {}
        self._signed: list[bytes] = []
        self._released: set[int] = set()

    def look(self) -> bool:
        """Read what was stored since the last call; returns whether there was anything. Raises StoreError."""
        ordered = self._look_for_orders()
        for n in set(self._reader.released()) - self._released:
            self._released.add(n)
            self.compared.release(n)
        statements = self._reader.documents(STATEMENT)
        for name, payload in statements.items():
            if name in self._venues and self._statements.get(name) != payload:
                self._statements[name] = payload
                self._play(self._venues[name], payload)
        self.taken = self._reader.changes(self._seen)
        for change in self.taken:
            self._seen[change.venue] = change.change
            if change.venue in self._venues:
                self.compared.take(change.venue, change.table, change.n, read_result(change.result))
        return bool(self.taken) or ordered

    def _look_for_orders(self) -> bool:
        """Follow the orders that two persons have signed since; returns whether there are any."""
        signed = self._reader.orders()
        if signed == self._signed:
            return False
        self._signed = signed
        orders, sentences = read_field_orders(signed, self._programme.event, self._persons, self._venues, self._programme.custody)
        for sentence in sentences:
            _LOG.warning("%s", sentence)
        new = [order for order in orders.in_effect if order not in self.orders.in_effect]
        for order in new:
            _LOG.warning("%s by %s: %s", order.what, " and ".join(orders.persons(order)), order.reason)
            if isinstance(order, WithdrawVenueOrder):
                self.compared.withdraw(order.venue)
            else:
                self.compared.annul(order.n, order.venue)
        self.orders = orders
        return bool(new)

    def _play(self, venue: CentreVenue, payload: bytes) -> None:
        trust = VenueTrust(venue, self._programme)
        with suppress(DocumentError):  # a consumer of another version took it
            trust.state(payload)
        if trust.programme is not None:
            self.compared.play(venue.name, trust.programme)
