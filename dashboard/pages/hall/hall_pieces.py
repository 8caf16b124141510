"""Renders the hall, a table's page for viewers who may not see its play, and the projector's page. The projector shows slides of standings,
seats, and the session's progress. A slide has at most eight rows, which a hall can read at 96 px (character height 20 arc minutes at twelve
metres, ISO 9241-303). The browser changes slides by itself."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from markupsafe import Markup

from dashboard.access.session_progress import GroupNow
from dashboard.access.shown_results import ReleasedDeal, StandingsTable
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words, brief
from dashboard.pages.hall import call_list, hall_cards
from dashboard.pages.rendering import Fragment, Fragments, Now, Renderer
from twinwall.event.points import Points, RankedGroup
from twinwall.game.tiles import SEATS

LEADERS = 6
"""Entrants in the ranking beside the hall."""


class HallPage:
    """The hall: the session, the states, a card for each table in room order, calls, and the last deal compared. A card is made again only
    after a change."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._made: dict[str, tuple[Values, Fragment]] = {}

    def __call__(self, render: Renderer, scope: ViewerScope, words: Words) -> Fragments:
        """Its fragments now; scope and language must be the same at each call."""
        progress = scope.progress
        tables, groups = hall_cards.in_event(progress.tables, scope.event), progress.groups()
        yield render.part("session", lambda: render("hall/session.html", session=hall_cards.session(progress, words, self._now())))
        yield render.part("summary", lambda: render("hall/summary.html", counts=hall_cards.summary(tables, words)))
        now = self._now()
        forecast = hall_cards.session_forecast(scope.progress, now)
        usual_s = None if forecast is None else forecast.usual_s
        shown = (hall_cards.card(table, scope, words, now=now, usual_s=usual_s) for table in tables)
        cards = [self._card(render, f"card-{index}", card) for index, card in enumerate(shown)]
        several = len(groups) > 1
        heads = [self._head(render, f"group-{index}", group, words, several=several) for index, group in enumerate(groups)]
        heard = bool(scope.event.tables) or any(table.heard is not None or table.view.hand_number for table in tables)
        places = hall_cards.cards_of(tables, groups)
        rows = [
            (heads[index].html if index < len(heads) else "", [cards[place].html for place in of])
            for index, of in enumerate(places.values())
        ]
        html = render("hall/cards.html", rows=rows if tables else [], heard=heard, density=hall_cards.density(len(tables)))
        yield Fragment("cards", html, version=(tuple(table.name for table in tables), tuple(places.items()), heard))
        yield from heads
        yield from cards
        if scope.staff:
            yield render.part("hall-calls", lambda: render("hall/hall_calls.html", calls=call_list.listed(render, scope, words)))
        yield render.part("leaders", lambda: _leaders(render, scope.results.standings()))
        yield render.part("last-deal", lambda: render("hall/last_deal.html", deals=list(_last_deals(groups, scope, words))))

    @staticmethod
    def _head(render: Renderer, name: str, group: GroupNow, words: Words, *, several: bool) -> Fragment:
        shown = {"id": name, "group": group, "several": several, "hand_name": words.hand}
        return render.part(name, lambda: render("hall/group.html", line=hall_cards.group_line(group, words), **shown))

    def _card(self, render: Renderer, name: str, card: Values) -> Fragment:
        made = self._made.get(name)
        if made is None or made[0] != card:
            made = self._made[name] = (card, render.part(name, lambda: render("hall/card.html", card=card, id=name)))
        return made[1]


def _leaders(render: Renderer, found: StandingsTable) -> Markup:
    rankings = [found.whole.ranking] if found.whole is not None else [group.ranking for group in found.groups]
    return render("hall/leaders.html", table=found, rows=rankings[0][:LEADERS] if len(rankings) == 1 else ())


def table(render: Renderer, scope: ViewerScope, words: Words, *, now: Now, name: str, unwritten: bool) -> Fragments:
    """A table as everybody may know it; ``unwritten`` tells a referee that the look at its play could not be recorded."""
    shown = scope.table(name)
    if scope.staff:
        yield hall_cards.seat_check(render, scope, name)
    if shown is not None:
        yield render.part(
            "open-table",
            lambda: render(
                "hall/open_table.html",
                table=shown,
                state=hall_cards.open_state(shown, words),
                card=hall_cards.card(shown, scope, words, now=now()),
                unwritten=unwritten,
            ),
        )


def _last_deals(groups: Sequence[GroupNow], scope: ViewerScope, words: Words) -> Iterator[Values]:
    compared = {n: scope.deal(n) for n in {group.compared.n for group in groups if group.compared is not None}}
    for group in groups:
        deal = None if group.compared is None else compared[group.compared.n]
        if isinstance(deal, ReleasedDeal) and not deal.held:
            hands = [hand for hand in deal.hands if hand.table in group.tables]
            rows = [(hand.table, [None if hand.scores is None else hand.scores[seat] for seat in SEATS]) for hand in hands]
            yield {"n": deal.n, "hand": words.hand(deal.hand), "rows": rows}


ROWS = 8
ROWS_ABOVE_WORDS = 5
"""Rows of a slide above an announcement of up to three lines, or above a pause."""


def projector(render: Renderer, scope: ViewerScope, words: Words, *, now: Now, session: int | None) -> Fragments:
    """All slides as one fragment: the session, then standings of the event, or of a session by group, then each table's seats."""

    def slides() -> Markup:
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

    yield render.part("slides", slides)


def _standings(found: StandingsTable, most: int) -> Iterator[Values]:
    """Slides of the ranks in each group, or in the event with an empty name; ``page`` of ``of`` if there are several. A row is an entrant's
    rank, total, and how many places it went up (negative: down) with the last deal, or in the event with the last session; None if there
    was none before."""
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
    """How many places each entrant went up with the last deal; before it, equal sums share a rank."""
    if len(group.deals) < 2:
        return {}
    last = {gain.entrant: gain.points for gain in group.deals[-1][1]}
    totals = {standing.entrant: standing.total - last.get(standing.entrant, Fraction(0)) for standing in group.ranking}
    return {at.entrant: 1 + sum(other > totals[at.entrant] for other in totals.values()) - at.rank for at in group.ranking}


def _seating(scope: ViewerScope, words: Words) -> Iterator[Values]:
    """The seats of the hands in play; before the first hand of the ``session``, or without one, the drawn seats."""
    session = scope.event.in_play or scope.event.next_session
    drawn = scope.players.at_tables(session)
    hands = {table.name: table.view.hand for table in scope.tables() if table.view.hand is not None}
    for table, players in (drawn or dict.fromkeys(hands, ())).items():
        hand = hands.get(table)
        of_hand = hand is not None and (not drawn or hand.session == session)
        names = [hand.names[seat] for seat in SEATS] if hand is not None and of_hand else players
        rows = [(words.wind(seat), name) for seat, name in zip(SEATS, names, strict=True)]
        yield {"table": table, "rows": rows, "session": None if of_hand else session}
