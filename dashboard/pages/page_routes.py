"""The routes of the pages and of their live streams. The access policy decides what each may show."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from itertools import chain
from typing import TypeVar

from flask import Flask, Response, abort, current_app, g, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.exceptions import InternalServerError
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.access_policy import SPECTATOR, AccessPolicy, Viewer, may_see
from dashboard.access.login import missing, reader_words, session_token, viewer
from dashboard.access.page_table import PAGES, may_open
from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.staff_schema import StaffFileError
from dashboard.access.viewer_scope import TableScope, ViewerScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.deals import deal_pieces
from dashboard.pages.hall import call_list, hall_pieces, machine_rows
from dashboard.pages.hall.machine_rows import troubled
from dashboard.pages.people import my_table
from dashboard.pages.rendering import FailedParts, Fragments, LivePage, Now, PageKey, Renderer, known_sequence, stream
from dashboard.pages.rulings import ruling_pieces
from dashboard.pages.table import table_pieces
from dashboard.pages.table.board_picture import VIEW_BOX
from dashboard.web_app import download, see_other
from twinwall.event.management.managed_event import EventStage
from twinwall.event.store.databases.port import StoreError
from twinwall.game.deals.start import StartedPlan
from twinwall.game.documents import canonical_json
from twinwall.values import frozen
from twinwall.wire.events.definitions import Secrecy
from twinwall.wire.names import plain_number
from twinwall.wire.padding import padded_length

PADDED_TO = 64 << 10
"""Least bytes of a page with a table's play; larger ones are padded to a power of two times this."""
_LOG = logging.getLogger(__name__)

_Scope = TypeVar("_Scope", bound=ViewerScope)
OF_PLAY: Mapping[str, Callable[[Renderer, TableScope, Words], Fragments]] = {
    "which-tile": ruling_pieces.which_tile,
    "violations": ruling_pieces.violations,
}
"""A referee's further pages of an opened table: the tile that its camera cannot read, and what awaits a ruling."""


@frozen
class Pages:
    """What every route needs; ``live`` are the pages that update themselves, by content, viewer and language."""

    policy: AccessPolicy
    now: Now
    alive: Callable[[], bool]
    session_is_open: Callable[[str], bool]
    failed: FailedParts = field(default_factory=FailedParts)
    live: dict[PageKey, LivePage] = field(default_factory=dict)

    def hall(self) -> LivePage:
        return self._page(self.policy.scope(viewer()), hall_pieces.HallPage(self.now), "hall")

    def table(self, name: str) -> LivePage | None:
        """A table: with its play for a referee, public otherwise; None for an unknown name. A referee whose look cannot be recorded sees
        the public page, with the reason."""
        opened = self.policy.open_table(viewer(), name)
        if opened is not None:
            return self._page(opened, table_pieces.table, "table", name)
        scope = self.policy.scope(viewer())
        if scope.table(name) is None:
            return None
        unwritten = self.policy.may_open(viewer(), name)
        pieces = partial(hall_pieces.table, now=self.now, name=name, unwritten=unwritten)
        return self._page(scope, pieces, "table", name, unwritten)

    def earlier_hand(self, name: str, n: int) -> LivePage | None:
        """A finished hand, for a referee who may open its table; None if there is none."""
        opened = self.policy.open_table(viewer(), name)
        if opened is None or opened.earlier_hand(n) is None:
            return None
        return self._page(opened, partial(ruling_pieces.earlier_hand, n=n), "hand", name, n)

    def opened_table(self, name: str) -> TableScope:
        """The table that the viewer may open; otherwise answers 404."""
        opened = self.policy.open_table(viewer(), name)
        return abort(404) if opened is None else opened

    def of_play(self, page: str, name: str) -> LivePage | None:
        """A page of ``OF_PLAY``; None for those who may not open the table."""
        opened = self.policy.open_table(viewer(), name)
        return None if opened is None else self._page(opened, OF_PLAY[page], page, name)

    def seat(self, table: str, place: int) -> LivePage | None:
        """A player's own table, for a browser that has shown the code of a seat there; None if it does not exist."""
        scope = self.policy.at_seat(table, place)
        return None if scope is None else self._page(scope, my_table.pieces, "seat", table, place)

    def deal(self, n: int) -> LivePage | None:
        """A deal, or the tables of the requested group; None if it has not begun, or its session has no such group."""
        scope, group = self.policy.results(viewer()), request.args.get("group")
        found = scope.deal(n)
        if found is None:
            return None
        if group is not None and not (isinstance(found, ReleasedDeal) and any(group == each.name for each in found.groups)):
            return None
        return self._page(scope, deal_pieces.DealPage(n, group), "deal", n, group)

    def standings(self) -> LivePage | None:
        """The standings of the event, or of the requested session and group; None if these do not exist."""
        scope, session, group = self.policy.results(viewer()), asked_session(), request.args.get("group")
        if session not in (None, *scope.results.sessions()):
            return None
        if group is not None and not any(group == each.name for each in scope.results.groups_of(session or 1)):
            return None
        return self._page(scope, partial(deal_pieces.standings, session=session, group=group), "standings", session, group)

    def projector(self) -> LivePage | None:
        """The projector, which shows every viewer what all may see; None if the requested session does not exist."""
        scope, session = self.policy.scope(SPECTATOR), asked_session()
        if session not in (None, *scope.results.sessions()):
            return None
        return self._page(scope, partial(hall_pieces.projector, now=self.now, session=session), "projector", session)

    def calls(self) -> LivePage | None:
        if not viewer().staff:
            return None
        answers = may_see(viewer(), Secrecy.TABLE, at_table=True)
        return self._page(self.policy.scope(viewer()), partial(call_list.pieces, answers=answers), "calls", answers)

    def machines(self) -> LivePage | None:
        """The machine room, for staff only."""
        scope = self.policy.machines(viewer())
        return None if scope is None else self._page(scope, machine_rows.pieces, "machines")

    def asked(self) -> LivePage | None:
        """The page of the requested stream, or None."""
        table, page = request.args.get("table"), request.args.get("page", "hall")
        if "deal" in request.args:
            deal = plain_number(request.args["deal"])
            if deal is None:
                return None
            return self.deal(deal) if table is None else self.earlier_hand(table, deal)
        if table is not None:
            return self.of_play(page, table) if page in OF_PLAY else self.table(table)
        if page == "hall":
            return self.hall()
        return PARTS[page](self) if page in PARTS else None

    def stream(self, page: LivePage) -> Response:
        """The page's live stream for this viewer."""
        assert PAGES[request.endpoint or ""].live, "the proxy takes any other route for one that is answered soon"
        since = known_sequence(request, page.scope)
        lines = stream(page, since, self.now, partial(self.may_go_on, page, viewer(), session_token()))
        return Response(lines, mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})

    def may_go_on(self, page: LivePage, who: Viewer, session: str | None) -> bool:
        """Whether a stream continues: at most until its session ends. A viewer of a table's play looks at each deal again, and each look is
        recorded."""
        if session is not None and not self.session_is_open(session):
            return False
        watched = page.scope.channel.table if isinstance(page.scope, TableScope) else None
        return self.alive() and (watched is None or self.policy.open_table(who, watched) is not None)

    def _page(self, scope: _Scope, pieces: Callable[[Renderer, _Scope, Words], Fragments], *what: object) -> LivePage:
        words, roles = reader_words(), viewer().roles
        key = (scope.channel, scope.results.sees_held, words.language, roles, *what)
        if key not in self.live:
            render = Renderer(current_app.jinja_env, words, self.failed, what, partial(may_open, current_app.url_map, roles))
            self.live[key] = LivePage(scope, lambda: chain(common(render, scope, words), pieces(render, scope, words)))
        return self.live[key]


PARTS: Mapping[str, Callable[[Pages], LivePage | None]] = {
    "standings": Pages.standings,
    "projector": Pages.projector,
    "calls": Pages.calls,
    "machines": Pages.machines,
}
"""The pages of the event and its staff, by path."""


def add_pages(app: Flask, pages: Pages) -> None:
    _add_live_pages(app, pages)
    _add_slips(app, pages)
    add_errors(app)
    _add_failures(app, pages)


def show_live(page: LivePage, stream: str, template: str = "", /, **values: object) -> str:
    """A live page in its ``template`` (that of the page table) with its stream's address; one with a table's play is padded to one of few
    lengths."""
    sequence, fragments = page.current()
    template = template or PAGES[request.endpoint or ""].template
    html = render_template(template, fragments=fragments, sequence=sequence, boot=page.scope.boot, stream=stream, **values)
    if not isinstance(page.scope, TableScope):
        return html
    g.compressible = False
    length = len(html.encode())
    return html + " " * (padded_length(length, PADDED_TO) - length)


def asked_session() -> int | None:
    """The session in the address; 0, which does not exist, if it is no number; None if there is none."""
    if "session" not in request.args:
        return None
    return plain_number(request.args["session"]) or 0


def _add_live_pages(app: Flask, pages: Pages) -> None:
    @app.get("/")
    def hall() -> str:
        return show_live(pages.hall(), url_for("events"))

    @app.get("/table/<path:name>")
    def table(name: str) -> ResponseReturnValue:
        page = pages.table(name)
        if page is None:
            return missing("error.table", name=name)
        template = "" if isinstance(page.scope, TableScope) else "open_table.html"
        return show_live(page, url_for("events", table=name), template, name=name, view_box=VIEW_BOX)

    @app.get("/table/<path:name>/hand/<int:n>")
    def earlier_hand(name: str, n: int) -> ResponseReturnValue:
        page = pages.earlier_hand(name, n)
        if page is None:
            return missing("error.hand", name=name, n=n)
        return show_live(page, url_for("events", table=name, deal=n), name=name, n=n)

    @app.get("/deal/<int:n>")
    def deal(n: int) -> ResponseReturnValue:
        page = pages.deal(n)
        if page is None:
            return missing("error.deal", n=n)
        return show_live(page, url_for("events", deal=n, group=request.args.get("group")), n=n)

    for part in PARTS:
        app.add_url_rule(f"/{part}", part, partial(_show_part, pages, part))

    @app.post("/calls/take")
    def take_call() -> AnyResponse:
        call = call_list.call_of(request.form.get("call", ""))
        if call is not None:
            pages.policy.acknowledge(viewer(), *call)
        return see_other("calls")

    @app.get("/events")
    def events() -> ResponseReturnValue:
        page = pages.asked()
        return ("no such page", 404) if page is None else pages.stream(page)


def _show_part(pages: Pages, name: str) -> ResponseReturnValue:
    page = PARTS[name](pages)
    if page is None:
        return missing("error.session")
    session, group = request.args.get("session"), request.args.get("group")
    return show_live(page, url_for("events", page=name, session=session, group=group))


def _add_slips(app: Flask, pages: Pages) -> None:
    @app.get("/deal/<int:n>/slip.json")
    def slip(n: int) -> ResponseReturnValue:
        shown = pages.policy.scope(viewer()).deal(n)
        if not isinstance(shown, ReleasedDeal):
            return missing("error.slip", n=n)
        return download(canonical_json(shown.opening.slip.to_json()), f"slip-{n:04d}.json")

    @app.get("/plan.json")
    def plan() -> ResponseReturnValue:
        return _document("plan.json", lambda started: started.plan.canonical)

    @app.get("/start.json")
    def start() -> ResponseReturnValue:
        return _document("start.json", lambda started: started.start.canonical)

    def _document(name: str, content: Callable[[StartedPlan], bytes]) -> ResponseReturnValue:
        started = pages.policy.scope(viewer()).started()
        if started is None:
            return missing("error.404")
        return download(content(started), name)


def _add_failures(app: Flask, pages: Pages) -> None:
    """Show staff on every page which pages and parts could not be made; the requesting reader still gets a page."""
    failed = pages.failed

    @app.context_processor
    def failed_parts() -> Values:
        return {"failed_parts": failed.named() if viewer().staff else ()}

    @app.errorhandler(500)
    def not_made(problem: InternalServerError) -> tuple[str, int]:
        # A path may have a secret, as an invitation's does, so only the route is named.
        failed.note(str(request.url_rule), _asked(), problem.original_exception or problem)
        return missing("error.500", 500)

    @app.after_request
    def made(response: Response) -> Response:
        if response.status_code < 500:
            failed.made(str(request.url_rule), _asked())
        return response


def _asked() -> PageKey:
    """What was requested, so that a page that can be made clears no failure of another address."""
    return request.path, *sorted(each for each in request.args.items(multi=True) if each[0] != "lang")


def add_errors(app: Flask, missing_key: str = "error.404") -> None:
    """Answer errors with a page in the reader's language; ``missing_key`` is its message key for a missing page."""

    def refused(kind: int | type[Exception], status: int, key: str) -> None:
        @app.errorhandler(kind)
        def answer(problem: Exception) -> tuple[str, int]:
            if isinstance(kind, type):
                _LOG.error("%s", problem)
            return missing(key, status)

    refused(StoreError, 503, "error.store")
    refused(StaffFileError, 503, "error.staff")
    refused(400, 400, "error.400")
    refused(401, 401, "error.401")
    refused(404, 404, missing_key)


def common(render: Renderer, scope: ViewerScope, words: Words) -> Fragments:
    """The fragments; a badge is empty if its number is 0."""
    yield render.part("broker", lambda: render("common/broker.html", connected=scope.connected))
    event = scope.event
    text = words.announced(event.announcement) if event.announcement else ""
    yield render.part("announcement", lambda: render("common/announcement.html", text=text, notice=_standing(scope)))

    def badge(template: str, count: Callable[[], int]) -> Markup:
        return render(template, count=count() if scope.staff else 0)

    yield render.part("machines-badge", lambda: badge("common/machines_badge.html", lambda: troubled(scope, words)))
    yield render.part("calls-badge", lambda: badge("common/calls_badge.html", lambda: unanswered(scope)))


def _standing(scope: ViewerScope) -> str:
    """The message key of why no table begins a hand; empty if they do, or have played all of them."""
    if scope.event.stage is not EventStage.BETWEEN:
        return "sessions.paused" if scope.event.paused else ""
    progress = scope.progress
    return "sessions.ended" if progress.released < progress.hands else ""


def unanswered(scope: ViewerScope) -> int:
    """The number of unanswered calls, and of other things that wait for a person; without those that end by themselves."""
    return sum(call.acknowledged is None for call in scope.calls()) + len(scope.waits())
