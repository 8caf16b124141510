"""Renders the fragments of the hall, and of a table's page for viewers who may not see its play."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial

from markupsafe import Markup

from dashboard.access.session_progress import GroupNow, OpenTable
from dashboard.access.shown_results import ReleasedDeal, StandingsTable
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words, brief, signed
from dashboard.pages.hall import call_list
from dashboard.pages.hall import hall_cards as said
from dashboard.pages.people import seat_pieces
from dashboard.pages.rendering import Fragment, Renderer
from twinwall.event.standings import Standing
from twinwall.game.tiles import SEATS

LEADERS = 6
"""Entrants whose places stand beside the hall."""


class HallPage:
    """The hall: the session, the states, a card for each table in room order, calls, and the last deal compared.

    A card is made again only when what it says has changed.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._made: dict[str, tuple[dict[str, object], Fragment]] = {}

    def __call__(self, render: Renderer, scope: ViewerScope, words: Words) -> Iterator[Fragment]:
        """Its fragments now; scope and language are the same at each call."""
        progress = scope.progress
        tables, groups = said.in_event(progress.tables, scope.event), progress.groups()
        yield render.part("session", lambda: render("hall/session.html", session=said.session(progress, words, self._now())))
        yield render.part("summary", lambda: render("hall/summary.html", counts=said.summary(tables, words)))
        cards = [self._card(render, f"card-{index}", card) for index, card in enumerate(_cards(tables, self._now(), scope, words))]
        heads = list(_heads(render, groups, words))
        heard = bool(scope.event.tables) or any(table.heard is not None or table.view.hand_number for table in tables)
        places = said.cards_of(tables, groups)
        rows = [
            (heads[index].html if index < len(heads) else "", [cards[place].html for place in of])
            for index, of in enumerate(places.values())
        ]
        html = render("hall/cards.html", rows=rows if tables else [], heard=heard, density=said.density(len(tables)))
        yield Fragment("cards", html, version=(tuple(table.name for table in tables), tuple(places.items()), heard))
        yield from heads
        yield from cards
        if scope.staff:
            yield render.part("hall-calls", lambda: render("hall/hall_calls.html", calls=call_list.listed(render, scope, words)))
        yield render.part("leaders", lambda: _leaders_piece(render, scope.results.standings()))
        yield render.part("last-deal", lambda: render("hall/last_deal.html", deals=list(_last_deals(groups, scope, words)), signed=signed))

    def _card(self, render: Renderer, name: str, card: dict[str, object]) -> Fragment:
        made = self._made.get(name)
        if made is None or made[0] != card:
            made = self._made[name] = (card, render.part(name, lambda: render("hall/card.html", card=card, id=name)))
        return made[1]


def _leaders_piece(render: Renderer, found: StandingsTable) -> Markup:
    return render("hall/leaders.html", table=found, rows=_leaders(found), brief=brief)


def _leaders(found: StandingsTable) -> Sequence[Standing]:
    """The first of the event, or of its only group."""
    if found.whole is not None:
        return found.whole.ranking[:LEADERS]
    return found.groups[0].ranking[:LEADERS] if len(found.groups) == 1 else ()


def _cards(tables: Sequence[OpenTable], now: datetime, scope: ViewerScope, words: Words) -> Iterator[dict[str, object]]:
    forecast = said.session_forecast(scope.progress, now)
    usual_s = None if forecast is None else forecast.usual_s
    for table in tables:
        yield said.card(table, scope, words, now=now, usual_s=usual_s)


def _heads(render: Renderer, groups: Sequence[GroupNow], words: Words) -> Iterator[Fragment]:
    """The line above each group's cards."""
    for index, group in enumerate(groups):
        yield render.part(f"group-{index}", partial(_head, render, f"group-{index}", group, words, several=len(groups) > 1))


def _head(render: Renderer, name: str, group: GroupNow, words: Words, *, several: bool) -> Markup:
    return render("hall/group.html", id=name, group=group, line=said.group_line(group, words), several=several, hand_name=words.hand)


def table(
    render: Renderer, scope: ViewerScope, words: Words, *, now: Callable[[], datetime], name: str, unwritten: bool
) -> Iterator[Fragment]:
    """A table as far as everybody may know it; ``unwritten`` tells a referee that the look at its play could not be written down."""
    shown = scope.table(name)
    if scope.staff:
        yield seat_pieces.seat_check(render, scope, name)
    if shown is not None:
        yield render.part(
            "open-table",
            lambda: render(
                "hall/open_table.html",
                table=shown,
                state=said.open_state(shown, words),
                card=said.card(shown, scope, words, now=now()),
                winds=WIND_CHARACTERS,
                unwritten=unwritten,
            ),
        )


def _last_deals(groups: Sequence[GroupNow], scope: ViewerScope, words: Words) -> Iterator[dict[str, object]]:
    """The last deal that each group has compared, with the scores of its tables."""
    compared = {n: scope.deal(n) for n in {group.compared.n for group in groups if group.compared is not None}}
    for group in groups:
        deal = None if group.compared is None else compared[group.compared.n]
        if isinstance(deal, ReleasedDeal) and not deal.held:
            hands = [hand for hand in deal.hands if hand.table in group.tables]
            rows = [(hand.table, [None if hand.scores is None else hand.scores[seat] for seat in SEATS]) for hand in hands]
            yield {"n": deal.n, "hand": words.hand(deal.hand), "rows": rows}
