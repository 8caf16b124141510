"""Makes hand records from the public events of a released deal (``record_of``), and results from hand records.

A record made here equals the table's own, so anybody can replay it. A ruling after the end of the hand is in no record.
"""

from collections.abc import Iterable, Iterator

from twinwall.event.field import EventField
from twinwall.event.hands import HandSummary
from twinwall.event.results import Basis, DealResult, basis_of
from twinwall.game.deals import Deal
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import EndReason, HandEnded, PenaltyRuled, PlayEvent, ResultExcluded
from twinwall.game.record import HandRecord
from twinwall.game.tiles import SEATS, place_of


def record_of(hand: HandSummary, deal: Deal) -> HandRecord:
    """The record of a closed hand, with the walls of its released deal; raises ValueError if it is not closed."""
    if not hand.closed or hand.scores is None:
        raise ValueError(f"the hand of deal {hand.n} at table {hand.table} is not closed")
    return HandRecord(
        event=deal.event,
        session=hand.session,
        hand=hand.hand,
        n=hand.n,
        table=hand.table,
        rules=hand.rules,
        options=hand.options,
        players=hand.names,
        check=deal.check,
        events=tuple(event.body for event in hand.events if isinstance(event.body, PlayEvent)),
        scores=hand.scores,
        digest=deal.digest,
        walls=deal.walls,
        rest=deal.rest or None,
    )


def results_of_records(records: Iterable[HandRecord], event_field: EventField) -> tuple[DealResult, ...]:
    """The results of records; raises DocumentError for a table in no group, and for a hand that is not over."""
    return tuple(result for record in records for result in _results(record, event_field))


def _results(record: HandRecord, event_field: EventField) -> Iterator[DealResult]:
    excluded = any(isinstance(event, ResultExcluded) for event in record.events)
    basis = Basis.AVERAGE if excluded else basis_of(_end(record))
    for seat in SEATS:
        group, entrant = event_field.session(record.session).holder(record.table, place_of(seat, record.hand), record.players[seat])
        imp = sum(event.imp for event in record.events if isinstance(event, PenaltyRuled) and event.seat is seat)
        yield DealResult(record.n, record.table, seat, record.scores[seat], entrant, group.name, basis, imp, record.session)


def _end(record: HandRecord) -> EndReason:
    for event in reversed(record.events):
        if isinstance(event, HandEnded):
            return event.reason
    raise DocumentError(f"the hand of deal {record.n} at table {record.table} is not over")
