"""The shown hand that a violation tells of: a win was declared and its hand was shown, and it does not win.

The table tells the shown hand, its refusal and the violation one after the other. What it tells of a win otherwise (a wrong tile laid
as the winning one, before the hand is shown) has no hand.
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.projections.table_view import HandView, RefusedHand
from twinwall.game.melds import turned_up
from twinwall.game.play_events import HandShown
from twinwall.game.play_json import from_json
from twinwall.wire.ledger import PublicEvent

_STEPS = ("hand-shown", "win-refused", "violation")


def refused_hand(log: Sequence[PublicEvent], hand: HandView | None) -> RefusedHand | None:
    """The shown hand of the violation that stands last in a table's log, with its melds as they lie now; None where it tells of none."""
    last = log[-len(_STEPS) :]
    if hand is None or hand.play is None or tuple(event.type for event in last) != _STEPS:
        return None
    if len({event.fields.get("seat") for event in last}) > 1:
        return None
    shown = from_json({"type": last[0].type, **last[0].fields})
    assert isinstance(shown, HandShown)
    return RefusedHand(last[-1], shown, turned_up(hand.play.seat(shown.seat).melds, shown.kongs))
