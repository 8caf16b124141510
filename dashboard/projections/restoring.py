"""Rebuilds a table's view from the stored lines: equal to folding all of them, in a fraction of the time.

Old hands leave nothing on the pages, so their play is skipped; a test holds both ways equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import get_args

from msgspec.structs import replace

from dashboard.projections.fold import LOG_LENGTH, UNLOGGED, fold
from dashboard.projections.table_view import TableView
from twinwall.game.play_events import PlayEvent
from twinwall.wire.events.hand_events import ClaimBound, ClaimRefused, ClaimsClosed, ClaimsOpened, GateUnlocked, HandStarted
from twinwall.wire.ledger import PublicEvent

_OF_A_HAND = (*get_args(PlayEvent), GateUnlocked, ClaimsOpened, ClaimsClosed, ClaimBound, ClaimRefused)
"""What is forgotten when the next hand starts."""


def restored(table: str, events: Sequence[PublicEvent]) -> TableView:
    """The view after all events of the table that are stored, in their order; a journal that was left says nothing any more."""
    current = [event for event in events if event.journal == events[-1].journal]
    starts = [index for index, event in enumerate(current) if isinstance(event.body, HandStarted)]
    whole_from = starts[-2] if len(starts) > 1 else 0
    view = TableView(table)
    for index, event in enumerate(current):
        if index >= whole_from or not isinstance(event.body, _OF_A_HAND):
            view = fold(view, event)
    logged = islice((event for event in reversed(current) if type(event.body) not in UNLOGGED), LOG_LENGTH)
    return replace(view, log=tuple(logged)[::-1])
