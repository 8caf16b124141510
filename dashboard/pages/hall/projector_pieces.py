"""Renders the projector's page: slides of standings, of who sits where, and of how far the session is.

A slide has at most eight rows, which is what a hall can read at 96 px (character height 20 arc minutes at twelve metres,
ISO 9241-303). The browser changes slides; it needs no hand.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from fractions import Fraction

from markupsafe import Markup

from dashboard.access.shown_results import StandingsTable
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words, brief
from dashboard.pages.hall import hall_cards
from dashboard.pages.rendering import Fragment, Renderer
from twinwall.event.management.managed_event import EventStage
from twinwall.event.points import Points, RankedGroup
from twinwall.game.tiles import SEATS

ROWS = 8
ROWS_ABOVE_WORDS = 5
"""Rows of a slide while an announcement of up to three lines, or a pause, stands below it."""


def projector(
    render: Renderer, scope: ViewerScope, words: Words, *, now: Callable[[], datetime], session: int | None
) -> Iterator[Fragment]:
    """All slides, as one fragment: the session, then standings of the event, or of a session by group, then each table's seats."""
    yield render.part("slides", lambda: _slides(render, now, session, scope, words))


def _slides(render: Renderer, now: Callable[[], datetime], session: int | None, scope: ViewerScope, words: Words) -> Markup:
    found = scope.results.standings(session)
    return render(
        "projector/slides.html",
        session=hall_cards.session(scope.progress, words, now()),
        standings=list(_standings(found, ROWS_ABOVE_WORDS if scope.event.announcement or scope.event.paused else ROWS)),
        of_session=found.session,
        hidden=[number for number in found.hidden if found.session in (None, number)],
        seating=list(_seating(scope, words)),
        several=len(found.groups) > 1,
        official=found.points is Points.RANK or found.scale.status.value == "official",
    )


def _standings(found: StandingsTable, most: int) -> Iterator[dict[str, object]]:
    """Slides of the places of each group, or of the event, with an empty name: ``page`` of ``of`` where there are more.

    A row is an entrant's place, its total, and how many places it went up (down: negative) with the last deal, or in the event with the
    last session; None where there was none before.
    """
    plus = found.points is not Points.RANK
    whole = found.whole
    rankings = [("", whole.ranking, whole.moved())] if whole is not None else []
    rankings += [(group.name, group.ranking, _moved(group)) for group in found.groups]
    for name, ranking, moved in rankings:
        rows = [(at, brief(at.total, plus), moved.get(at.entrant)) for at in ranking]
        pages = [rows[first : first + most] for first in range(0, len(rows), most)]
        for number, page in enumerate(pages, 1):
            yield {"group": name, "rows": page, "page": number, "of": len(pages)}


def _moved(group: RankedGroup) -> dict[str, int]:
    """How many places each entrant went up with the last deal; before it, equal sums have equal ranks."""
    if len(group.deals) < 2:
        return {}
    last = {gain.entrant: gain.points for gain in group.deals[-1][1]}
    totals = {standing.entrant: standing.total - last.get(standing.entrant, Fraction(0)) for standing in group.ranking}
    return {at.entrant: 1 + sum(other > totals[at.entrant] for other in totals.values()) - at.rank for at in group.ranking}


def _seating(scope: ViewerScope, words: Words) -> Iterator[dict[str, object]]:
    """The seats of the hands that are played; where none of the ``session`` has started, or none is played, those drawn for it."""
    playing = scope.event.stage is EventStage.PLAYING
    session = scope.progress.session if playing else scope.event.next_session
    drawn = scope.players.at_tables(session)
    hands = {table.name: table.view.hand for table in scope.tables() if table.view.hand is not None}
    for table, players in (drawn or dict.fromkeys(hands, ())).items():
        hand = hands.get(table)
        of_hand = hand is not None and (not drawn or hand.session == session)
        names = [hand.names[seat] for seat in SEATS] if hand is not None and of_hand else players
        rows = [(words.wind(seat), name) for seat, name in zip(SEATS, names, strict=True)]
        yield {"table": table, "rows": rows, "session": None if of_hand else session}
