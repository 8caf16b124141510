"""The verification sheet: the start code as words and as a QR code, the commitments, the check of each deal, and the ends of the tables'
ledgers, so that the keeper of the paper is a witness of the lines up to there."""

from collections.abc import Iterable

from dashboard.access.viewer_scope import ViewerScope
from twinwall.event.hands import HandSummary
from twinwall.event.natural_order import natural
from twinwall.game.deals.start import StartedPlan
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.ledger import LedgerPosition

ROW_OF_CODE = 4
"""Groups of the start code in a line."""
ID_SHOWN = 8
"""Characters of a journal's id, enough to distinguish the journals of a table."""


def verification_sheet(started: StartedPlan, scope: ViewerScope) -> dict[str, object]:
    """The sheet of an event with plan and start; digests are hex in groups of eight.

    A deal is beside its check, which is empty until its slip is released. A ledger is a table and the end of its ledger at the close of its
    last released hand, as the other tables have noted it. A table with a replaced controller has one for each journal, by the beginning of
    its id.
    """
    groups = started.start.words.split("-")
    rows = tuple("-".join(groups[first : first + ROW_OF_CODE]) for first in range(0, len(groups), ROW_OF_CODE))
    released = list(scope.results.deals())
    checks = {deal.n: _grouped(deal.opening.deal.check) for deal in released}
    ledgers = ledger_marks(hand for deal in released for hand in deal.hands)
    deals = tuple((deal, checks.get(deal.n, "")) for deal in started.plan.deals)
    start = started.start
    digests = {"plan": _grouped(start.plan), "root": _grouped(start.root)}
    return {"words": start.words, "rows": rows, "public": start.public, "deals": deals, "ledgers": ledgers, **digests}


def ledger_marks(hands: Iterable[HandSummary]) -> tuple[tuple[str, LedgerPosition], ...]:
    """A mark for each journal of each table; tables in natural order, journals in the order in which they began."""
    last: dict[tuple[str, str], LedgerPosition] = {}
    for hand in hands:
        for event in hand.events:
            key = event.table, event.journal
            if isinstance(event.body, HandClosed) and (key not in last or last[key].seq < event.seq):
                last[key] = event.position
    marks = sorted(last.items(), key=lambda mark: natural(mark[0][0]))
    return tuple(
        (table, LedgerPosition(journal[:ID_SHOWN], position.seq, _grouped(bytes.fromhex(position.digest))))
        for (table, journal), position in marks
    )


def _grouped(digest: bytes) -> str:
    text = digest.hex()
    return " ".join(text[at : at + 8] for at in range(0, len(text), 8))
