"""The shown hand that a violation tells of: a win was declared and its hand was shown, and it does not win.

The table tells the shown hand, its refusal and the violation one after the other. What it tells of a win otherwise (a wrong tile laid
as the winning one, before the hand is shown) has no hand.
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.projections.table_view import HandView, RefusedHand
from twinwall.game.melds import turned_up
from twinwall.game.play_events import HandShown, WinRefused
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.ledger import PublicEvent


def refused_hand(log: Sequence[PublicEvent], hand: HandView | None) -> RefusedHand | None:
    """The shown hand of the violation that stands last in a table's log, with its melds as they lie now; None where it tells of none."""
    if hand is None or hand.play is None:
        return None
    match [event.body for event in log[-3:]]:
        case [HandShown(seat) as shown, WinRefused(refused), Violation(violating)] if seat is refused is violating:
            return RefusedHand(log[-1], shown, turned_up(hand.play.seat(seat).melds, shown.kongs))
        case _:
            return None
