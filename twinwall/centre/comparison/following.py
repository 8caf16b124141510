"""The comparison of an event that follows the centre's store: from nothing when it begins, change by change afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from twinwall.centre.comparison.centre_comparison import CentreComparison
from twinwall.centre.intake.venue_results import read_result
from twinwall.centre.intake.venue_trust import CentreVenue, VenueTrust
from twinwall.centre.store.centre_reading import CentreReader
from twinwall.centre.store.venue_contents import STATEMENT
from twinwall.event.store.programme import Programme
from twinwall.wire.messages.venue_statement import VenueStatementError


class FollowedComparison:
    """A comparison that is brought up to what is stored whenever ``look`` is asked; what it holds can be computed again at any time."""

    def __init__(self, reader: CentreReader, programme: Programme, venues: Sequence[CentreVenue], withdrawn: Sequence[str] = ()) -> None:
        """``programme`` is the centre's; nobody waits for venues that are ``withdrawn``."""
        self._reader, self._programme = reader, programme
        self._venues = {venue.name: venue for venue in venues}
        self.compared = CentreComparison(programme, {venue.name: venue.region for venue in venues})
        self._seen: dict[str, int] = {}
        self._statements: dict[str, bytes] = {}
        for name in withdrawn:
            self.compared.withdraw(name)

    def look(self) -> bool:
        """Take what was stored since; whether there was anything. Raises StoreError."""
        statements = self._reader.documents(STATEMENT)
        for name, payload in statements.items():
            if name in self._venues and self._statements.get(name) != payload:
                self._statements[name] = payload
                self._play(self._venues[name], payload)
        changes = self._reader.changes(self._seen)
        for change in changes:
            self._seen[change.venue] = change.change
            if change.venue in self._venues:
                self.compared.take(change.venue, change.table, change.n, read_result(change.result))
        return bool(changes)

    def _play(self, venue: CentreVenue, payload: bytes) -> None:
        trust = VenueTrust(venue, self._programme)
        with suppress(VenueStatementError):  # a consumer of another version took it
            trust.state(payload)
        if trust.programme is not None:
            self.compared.play(venue.name, trust.programme)
