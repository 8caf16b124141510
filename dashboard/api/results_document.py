"""All results of an event as one JSON document: standings of the event and of each session, and every released deal.

Its parts are the answers of the API's operations, so that a program reads both alike.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from dashboard.access.viewer_scope import ViewerScope
from dashboard.api.operations import encoded
from dashboard.api.result_operations import DealResultAnswer, StandingsAnswer, deal_result, standings_answer

FORMAT = "twinwall-results-1"


class ResultsDocument(Struct, frozen=True, tag_field="format", tag=FORMAT):
    """The event's name, its standings, those of each session, and its released deals."""

    event: str
    standings: StandingsAnswer
    sessions: dict[int, StandingsAnswer]
    deals: tuple[DealResultAnswer, ...]


def results_document(scope: ViewerScope) -> bytes:
    """The document of what a viewer may see; the same bytes for the same results."""
    deals = (scope.results.deal(n) for n in scope.released())
    document = ResultsDocument(
        scope.event_name,
        standings_answer(scope),
        {session: standings_answer(scope, session) for session in scope.results.sessions()},
        tuple(deal_result(deal) for deal in deals if deal is not None),
    )
    return msgspec.json.format(encoded(document), indent=1) + b"\n"
