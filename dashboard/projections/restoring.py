"""Rebuilds a table's view from the stored lines: equal to folding all of them, in a fraction of the time.

Old hands leave nothing on the pages, so their play is skipped; a test holds both ways equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from dashboard.projections.fold import LOG_LENGTH, UNLOGGED, fold
from dashboard.projections.table_view import TableView
from twinwall.game.play_json import PLAY_TYPES
from twinwall.wire.ledger import PublicEvent

_OF_A_HAND = PLAY_TYPES | {"gate-unlocked", "claims-opened", "claims-closed", "claim-bound", "claim-refused"}
"""What is forgotten when the next hand starts."""


def restored(table: str, events: Sequence[PublicEvent]) -> TableView:
    """The view after all events of the table that are stored, in their order; a journal that was left says nothing any more."""
    current = [event for event in events if event.journal == events[-1].journal]
    starts = [index for index, event in enumerate(current) if event.type == "hand-started"]
    whole_from = starts[-2] if len(starts) > 1 else 0
    view = TableView(table)
    for index, event in enumerate(current):
        if index >= whole_from or event.type not in _OF_A_HAND:
            view = fold(view, event)
    logged = islice((event for event in reversed(current) if event.type not in UNLOGGED), LOG_LENGTH)
    return replace(view, log=tuple(logged)[::-1])
