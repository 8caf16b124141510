"""The results of a venue's tables, from the few lines of their ledgers that contain them.

A result is a table's closed hand after rulings, with the entrants that the venue's programme names. A ruling and a new version of the
programme change results; an unchanged one is not reported again.
"""

from collections.abc import Iterable, Iterator, Mapping
from sys import intern

import msgspec
from msgspec import Struct

from centre.store.venue_contents import ResultName
from twinwall.event.field import EventField, Group, results_of
from twinwall.event.hands import HandSummary, TableHands
from twinwall.event.results import ONE_GROUP, Basis, DealResult, EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.game import typed_json
from twinwall.game.play_events import HandEnded
from twinwall.game.tiles import SEATS
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.ruling import Ruling

TELLS = (HandStarted, HandEnded, HandClosed, Ruling)
"""Events that affect a result; no other line is read again after a restart."""


class SeatResult(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a seat scored, for whom, and IMP that a referee deducted from it."""

    entrant: str
    score: int
    penalty: int = 0


class VenueTableResult(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The four results of a table in a deal, from East to North; ``seats`` is empty if there is no result any more."""

    session: int
    group: str
    basis: Basis
    seats: tuple[SeatResult, ...] = ()

    def results(self, venue: str, table: str, n: int) -> tuple[DealResult, ...]:
        """The results for the comparison; tables, groups and entrants begin with the venue's name, since venues number theirs alike."""
        table, group = f"{venue}/{table}", f"{venue}/{self.group}"
        return tuple(
            DealResult(n, table, seat, each.score, intern(f"{venue}/{each.entrant}"), group, self.basis, each.penalty, self.session)
            for seat, each in zip(SEATS, self.seats, strict=False)
        )


def read_result(content: bytes) -> VenueTableResult:
    """Read a stored result; raises msgspec.MsgspecError."""
    return typed_json.decode(content, VenueTableResult)


class VenueResults:
    """The results of one venue, line by line."""

    def __init__(self, programme: Programme, known: Mapping[ResultName, bytes]) -> None:
        """``programme`` is the centre's; ``known`` are the stored results."""
        self._programme = programme
        self._of_venue: Programme | None = None
        self._known = dict(known)
        self._hands: dict[str, TableHands] = {}

    def restore(self, events: Iterable[PublicEvent]) -> None:
        """Take lines whose results are stored."""
        for event in events:
            self._hands.setdefault(event.table, TableHands(event.table)).add(event)

    def any_begun(self, table: str) -> bool:
        """Whether a table of the venue has begun a hand."""
        return table in self._hands and self._hands[table].any_begun

    def take(self, event: PublicEvent) -> Iterator[tuple[str, int, bytes]]:
        """Take a table's next line of the kinds ``TELLS``; returns the results that it changes."""
        hands = self._hands.setdefault(event.table, TableHands(event.table))
        changed = hands.add(event)
        if changed is not None:
            yield from self._changed(event.table, hands.summary(changed))

    def set_programme(self, programme: Programme) -> Iterator[tuple[str, int, bytes]]:
        """Use this programme of the venue from now on; returns the results that it changes."""
        self._of_venue = programme
        for table, hands in self._hands.items():
            for hand in hands.summaries():
                yield from self._changed(table, hand)

    def _changed(self, table: str, hand: HandSummary | None) -> Iterator[tuple[str, int, bytes]]:
        if hand is None:
            return
        result = msgspec.json.encode(self._result(table, hand))
        before = self._known.get((table, hand.n))
        if result != before and (before is not None or hand.closed):
            self._known[table, hand.n] = result
            yield table, hand.n, result

    def _result(self, table: str, hand: HandSummary) -> VenueTableResult:
        session = self._programme.session_of(hand.n, [hand])
        found = results_of([hand], self._field(table), {hand.n: session})
        unbalanced = hand.zero_sum and sum(result.score for result in found) != 0
        if not found or (unbalanced and found[0].basis is Basis.PLAYED):
            return VenueTableResult(session, "", Basis.AVERAGE)
        seats = tuple(SeatResult(result.entrant, result.score, result.penalty) for result in found)
        return VenueTableResult(session, found[0].group, found[0].basis, seats)

    def _field(self, table: str) -> EventField:
        """The venue's field; if it has sent none, each player of an individual event is an entrant."""
        if self._of_venue is not None:
            return self._of_venue.field
        kind = self._programme.field.kind
        return EventField(kind, (Group(ONE_GROUP, (table,)),) if kind is EntrantKind.INDIVIDUAL else ())
